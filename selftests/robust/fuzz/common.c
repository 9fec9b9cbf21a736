// SPDX-License-Identifier: GPL-2.0
/* What all parts stand on: giving up, pausing, a thread's capability and its memory. */
#include "fuzz.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void die(const char *what)
{
	fprintf(stderr, "fuzz: %s: %s\n", what, strerror(errno));
	exit(1);
}

void pause_us(long us)
{
	struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

	nanosleep(&ts, NULL);
}

int result(ssize_t ret)
{
	return ret < 0 ? errno : 0;
}

/* With or without CAP_NET_ADMIN: of this thread. */
void net_admin(struct fuzzer *f, bool on)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	if (f->admin == on)
		return;
	if (syscall(SYS_capget, &header, data))
		die("capget");
	if (on)
		data[0].effective |= 1 << CAP_NET_ADMIN;
	else
		data[0].effective &= ~(1 << CAP_NET_ADMIN);
	if (syscall(SYS_capset, &header, data))
		die("capset");
	f->admin = on;
}

void init_fuzzer(struct fuzzer *f, uint64_t seed)
{
	f->random = seed;
	f->admin = true;
	f->calls = 0;
	f->before = malloc(ZONE_SIZE);
	f->zone = mmap(NULL, ZONE_SIZE + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	if (!f->before || f->zone == MAP_FAILED || mprotect(f->zone + ZONE_SIZE, 4096, PROT_NONE))
		die("mmap");
}
