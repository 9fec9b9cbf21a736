// SPDX-License-Identifier: GPL-2.0
/* The names that there are, of schedulers and of this machine's congestion controls. */
#include "fuzz.h"

#include <fcntl.h>
#include <unistd.h>

const char * const bases[BASES] = { "default", "rr", "minrtt", "redundant", "inorder" };
char known_cong[256], allowed_cong[256];

static void read_list(const char *file, char *list, size_t len)
{
	int fd = open(file, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, list, len - 1);

	if (n < 1)
		die(file);
	list[n - 1] = 0;	/* without the newline */
	close(fd);
}

void read_names(void)
{
	read_list("/proc/sys/net/ipv4/tcp_available_congestion_control", known_cong,
		  sizeof(known_cong));
	read_list("/proc/sys/net/ipv4/tcp_allowed_congestion_control", allowed_cong,
		  sizeof(allowed_cong));
}
