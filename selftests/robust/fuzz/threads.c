// SPDX-License-Identifier: GPL-2.0
/* Fuzzers side by side, and where they wait if one does not come to its end. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* Where it waits, if a thread does not come to its end. */
static void join(pthread_t thread)
{
	struct timespec end;
	char command[96];

	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 600;
	if (!pthread_timedjoin_np(thread, NULL, &end))
		return;
	wrong(STUCK, "a call does not return");
	snprintf(command, sizeof(command), "cat /proc/%d/task/*/stack | sed 's/^/# /'", getpid());
	if (system(command))
		printf("# no stacks\n");
	exit(1);
}

/* Run @threads of them, each with a part of the @calls; returns how many calls it were. */
long run_threads(void *(*run)(void *), uint64_t seed, long calls, int threads)
{
	struct job jobs[MAX_THREADS] = {};
	long total = 0;
	int i;

	for (i = 0; i < threads; i++) {
		init_fuzzer(&jobs[i].f, seed + 1000 * (i + 1));
		jobs[i].calls = calls / threads;
		pthread_create(&jobs[i].thread, NULL, run, &jobs[i]);
	}
	for (i = 0; i < threads; i++) {
		join(jobs[i].thread);
		total += jobs[i].f.calls;
	}
	return total;
}
