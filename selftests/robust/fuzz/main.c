// SPDX-License-Identifier: GPL-2.0
/* System calls on MPTCP sockets as no program would make them: random names, lengths,
 * pointers and orders, in every state of a socket.
 *
 *	mptcp_fuzz model NETNS SEED CALLS
 *		one thread: what comes back is predicted
 *	mptcp_fuzz storm NETNS SEED CALLS THREADS
 *		several threads on the same sockets, beside transfers whose bytes are compared
 *	mptcp_fuzz netlink NETNS SEED CALLS
 *		the path manager's family, and inet_diag
 *	mptcp_fuzz faults NETNS
 *		each allocation of a call fails, one by one
 *	mptcp_fuzz sysctl NETNS SEED CALLS THREADS
 *		nonsense in the sysctls of this namespace
 *
 * NETNS is the peer's, which has the addresses in fuzz.h. The report is a "key=value" per
 * line, with the number of things that were wrong, by kind: "error" (one that the call
 * does not have, or another one than predicted), "value" (not what was set), "zone" (a
 * byte written that was not the caller's to give), "negative" (a negative length is
 * taken), "bytes" (of a transfer), "stuck" (a socket that is good for nothing after an
 * allocation failed). The calls with their errors are comments.
 */
#include "fuzz.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : 1;
	long calls = argc > 4 ? atol(argv[4]) : 10000;
	int threads = argc > 5 ? atoi(argv[5]) : 4;
	struct fuzzer f;

	if (argc < 3 || threads < 1 || threads > MAX_THREADS) {
		fprintf(stderr,
			"usage: mptcp_fuzz model|storm|netlink|sysctl|faults NETNS [SEED [CALLS [THREADS]]]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IOLBF, 0);
	read_names();
	init_fuzzer(&f, seed);
	if (strcmp(argv[1], "sysctl"))
		open_listeners(argv[2]);
	if (!strcmp(argv[1], "model"))
		run_model(&f, calls);
	else if (!strcmp(argv[1], "netlink"))
		run_netlink(&f, calls);
	else if (!strcmp(argv[1], "faults"))
		run_faults(&f);
	else if (!strcmp(argv[1], "sysctl"))
		f.calls = run_threads(sysctl_thread, seed, calls, threads);
	else
		run_storm(&f, seed, calls, threads);
	report_calls();
	printf("calls=%ld\n", f.calls);
	report_wrongs();
	return 0;
}
