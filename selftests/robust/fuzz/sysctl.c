// SPDX-License-Identifier: GPL-2.0
/* Nonsense in the sysctls: what can be read from them, and of new sockets, stays in order. */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
	const char *name;
	int min, max;	/* of a number; 0: a list of names */
} sysctls[] = {
	{ "scheduler", 0, 0 }, { "allowed_schedulers", 0, 0 }, { "available_schedulers", 0, 0 },
	{ "available_sched_extensions", 0, 0 }, { "sched_bm_lambda", 100, 10000 },
	{ "ewlia_weight", 1, 65535 }, { "ewlia_exponent", 1, 2 }, { "pm_type", 0, 1 },
	{ "checksum_enabled", 0, 1 }, { "allow_join_initial_addr_port", 0, 1 },
	{ "stateless_join", 0, 1 },
	{ "low_overhead", 0, 1 },
	{ "early_delivery", 0, 1 },
	{ "first_path", 0, 0 }, { "rejoin", 0, 3600 }, { "silent_rto_max", 0, 120000 },
	{ "blackhole_timeout", 0, INT32_MAX }, { "stale_loss_cnt", 0, INT32_MAX },
	/* nothing says that these are not to be negative */
	{ "add_addr_timeout", INT32_MIN, INT32_MAX }, { "close_timeout", INT32_MIN, INT32_MAX },
};

/* Names, numbers, bytes; some of it long. */
static int some_text(struct fuzzer *f, char *text, int size)
{
	int used = 0, n = one_in(f, 20) ? 500 : 1 + (int)below(f, 4);
	char name[48];

	for (; n > 0 && used < size - 64; n--) {
		if (one_in(f, 3))
			snprintf(name, sizeof(name), "%d", one_in(f, 2) ? (int)draw(f) :
				 (int)below(f, one_in(f, 2) ? 4 : 20000));
		else
			some_name(f, name, sizeof(name));
		used += snprintf(text + used, size - used, "%s%c", name, " \t\n"[below(f, 3)]);
	}
	return used;
}

/* What can be read is a list of schedulers. */
static void check_names(const char *file, char *list)
{
	static const char gaps[] = { ' ', '\n', 0 };
	char *word, *rest = NULL, shown[FULL_MAX];

	for (word = strtok_r(list, gaps, &rest); word; word = strtok_r(NULL, gaps, &rest)) {
		if (predict_sched((uint8_t *)word, strlen(word) + 1, strlen(word) + 1, true, shown))
			wrong(VALUE, "%s has \"%s\"", file, word);
	}
}

static void check_sysctl(int i, int fd)
{
	char text[4096];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	long number;

	if (n < 0) {
		wrong(ERROR, "read %s: %s", sysctls[i].name, strerrorname_np(errno));
		return;
	}
	text[n] = 0;
	number = atol(text);
	if (strstr(sysctls[i].name, "schedulers") || !strcmp(sysctls[i].name, "scheduler"))
		check_names(sysctls[i].name, text);
	else if (sysctls[i].max && (number < sysctls[i].min || number > sysctls[i].max))
		wrong(VALUE, "%s is %ld", sysctls[i].name, number);
}

/* Write to one, see that it is in order, and that a new socket is. */
static void fuzz_sysctl(struct fuzzer *f, const char *scheduler)
{
	static const int allowed[] = { EINVAL, ENOENT, ENOMEM, ERANGE, EACCES, EPERM, 0 };
	struct target t = { .mptcp = true };
	int i = below(f, ARRAY_SIZE(sysctls)), fd;
	char path[128], text[20000];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/sys/net/mptcp/%s", sysctls[i].name);
	fd = open(path, O_RDWR);
	if (fd < 0) {
		count_call(f, SYSCTL, errno, allowed);
		return;
	}
	n = some_text(f, text, sizeof(text));
	net_admin(f, one_in(f, 64));
	count_call(f, SYSCTL, result(pwrite(fd, text, n, one_in(f, 16) ? below(f, 40) : 0)),
		   allowed);
	check_sysctl(i, fd);
	close(fd);
	if (!one_in(f, 4))
		return;
	t.fd = new_socket(IPPROTO_MPTCP);
	read_options(&t);
	check_names(scheduler, t.sched);
	close(t.fd);
}

void *sysctl_thread(void *arg)
{
	struct job *job = arg;

	while (job->f.calls < job->calls) {
		fuzz_sysctl(&job->f, "a new socket");
		if (one_in(&job->f, 4))
			sched_yield();
		if (one_in(&job->f, 16))
			pause_us(below(&job->f, 1000));
	}
	return NULL;
}
