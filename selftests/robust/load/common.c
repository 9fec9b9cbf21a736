// SPDX-License-Identifier: GPL-2.0
/* What all parts stand on: giving up, the time, numbers that are drawn. */
#include "load.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void die(const char *what)
{
	fprintf(stderr, "faults_load: %s: %s\n", what, strerror(errno));
	exit(1);
}

uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

uint64_t draw(uint64_t *rng)
{
	*rng += 0x9e3779b97f4a7c15ULL;
	return mix(*rng);
}

/* Errors that are no surprise when allocations fail; ENFILE is that of an inode. */
bool short_of_memory(void)
{
	return args.may_break && (errno == ENOMEM || errno == ENOBUFS || errno == ENFILE);
}
