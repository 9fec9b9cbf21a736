// SPDX-License-Identifier: GPL-2.0
/* One thread: what comes back of each option is predicted, in each state of a socket, and
 * accepted sockets have what their listener has.
 */
#include "fuzz.h"

#include <string.h>

/* What the listener has, accepted sockets have. */
static void check_inherited(struct fuzzer *f)
{
	struct target listener = { .fd = listeners[0], .mptcp = true }, t;
	int i;

	read_options(&listener);
	for (i = 0; i < 8; i++)
		set_option(f, below(f, 3), &listener, true);
	make(f, &t, CONNECTED);
	swap(&t);
	read_options(&t);
	if (strcmp(t.sched, listener.sched) || t.weight != listener.weight ||
	    strcmp(t.cong, listener.cong))
		wrong(VALUE, "accepted: %s %d %s, the listener has %s %d %s", t.sched, t.weight,
		      t.cong, listener.sched, listener.weight, listener.cong);
	close_target(&t);
}

void run_model(struct fuzzer *f, long calls)
{
	struct target t;
	int state, n, i;

	while (f->calls < calls) {
		for (state = 0; state < STATES; state++) {
			make(f, &t, state);
			read_options(&t);
			for (n = 0; n < 60; n++) {
				i = one_in(f, 2) ? below(f, 3) : below(f, OPTIONS);
				if (one_in(f, 2))
					set_option(f, i, &t, true);
				else
					get_option(f, i, &t, true);
				if (one_in(f, 10))
					pause_us(below(f, 20000));
			}
			close_target(&t);
		}
		check_inherited(f);
	}
}
