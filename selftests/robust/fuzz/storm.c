// SPDX-License-Identifier: GPL-2.0
/* Several threads on the same sockets, beside transfers whose bytes are compared: only
 * options that leave the stream alone are set on those.
 */
#include "fuzz.h"

#include <sched.h>
#include <stdio.h>

/* An option of a socket that others use, too: nothing is known of its value. */
static void fuzz_option(struct fuzzer *f, int fd, bool safe)
{
	struct target t = { .fd = fd };
	int i = one_in(f, 2) ? below(f, 3) : below(f, OPTIONS);

	if (safe && !options[i].safe)
		return;
	if (one_in(f, 2))
		set_option(f, i, &t, false);
	else
		get_option(f, i, &t, false);
}

static void *storm_thread(void *arg)
{
	struct job *job = arg;
	struct fuzzer *f = &job->f;

	while (f->calls < job->calls) {
		if (one_in(f, 3)) {
			fuzz_option(f, SAFE_FD + below(f, SAFE), true);
			if (one_in(f, 4))
				fuzz_recv(f, SAFE_FD + 2 * below(f, SAFE / 2), true);
			if (one_in(f, 4))
				fuzz_poll(f, SAFE_FD + below(f, SAFE));
		} else if (one_in(f, 2)) {
			fuzz_option(f, SLOT_FD + below(f, SLOTS), false);
		} else {
			fuzz_slot(f);
		}
		/* let the others run, and the network */
		if (one_in(f, 4))
			sched_yield();
		if (one_in(f, 8))
			pause_us(below(f, 3000));
	}
	return NULL;
}

void run_storm(struct fuzzer *f, uint64_t seed, long calls, int threads)
{
	struct job transfers[SAFE];
	int i;

	start_transfers(transfers);
	for (i = 0; i < SLOTS; i++)
		replace(f, i);
	f->calls = run_threads(storm_thread, seed, calls, threads);
	printf("bytes_moved=%ld\n", end_transfers(transfers));
}
