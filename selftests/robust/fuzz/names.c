// SPDX-License-Identifier: GPL-2.0
/* The names that there are, of schedulers and of this machine's congestion controls. */
#include "fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

const char *bases[BASES_MAX];
unsigned int n_bases;
char allowed_sched[256], known_cong[256], allowed_cong[256];
const char * const extensions[EXTENSIONS] = { "rp", "bm", "rs", "price", "ew", "r", "rp0", "rp1" };

static void read_list(const char *file, char *list, size_t len)
{
	int fd = open(file, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, list, len - 1);

	if (n < 1)
		die(file);
	list[n - 1] = 0;	/* without the newline */
	close(fd);
}

static void read_bases(void)
{
	static char list[256];
	char *word, *rest = list;

	read_list("/proc/sys/net/mptcp/available_schedulers", list, sizeof(list));
	while ((word = strsep(&rest, " "))) {
		if (*word && n_bases < BASES_MAX)
			bases[n_bases++] = word;
	}
}

void read_names(void)
{
	read_bases();
	read_list("/proc/sys/net/mptcp/allowed_schedulers", allowed_sched, sizeof(allowed_sched));
	read_list("/proc/sys/net/ipv4/tcp_available_congestion_control", known_cong,
		  sizeof(known_cong));
	read_list("/proc/sys/net/ipv4/tcp_allowed_congestion_control", allowed_cong,
		  sizeof(allowed_cong));
}
