// SPDX-License-Identifier: GPL-2.0
/* Many MPTCP connections at a time, each of whose bytes is checked.
 *
 *	faults_load serve -p PORT [-l BACKLOG] [-i MS] [OPTION...]
 *	faults_load run -a ADDR -p PORT -n CONNECTIONS -j AT_ONCE -k KINDS -b MIN:MAX
 *		-S SEED [OPTION...]
 *
 * The client draws for each connection from SEED what it does (struct plan) and sends that
 * as its first bytes. KINDS has a letter for each way to end, to choose from:
 *	t	both send, shut down, read to the end
 *	c	the server sends, then the client sends and closes at once
 *	r R	the client, the server resets the connection in the middle
 *	u U	the client, the server closes with data unread
 *	a	the client closes while the connection is being established
 * Options of both: -w and -G, schedulers and congestion controls of which one is set each
 * 64 KB; -B the send buffer; -T the seconds without any progress after which a connection
 * counts as stuck; -e every connection may break (but not hang); -2 data goes both ways in
 * each connection (else in 6 of 8).
 *
 * The server ends after SIGTERM, when all its connections did. Both print "key=value" lines:
 * complete, broken (which was meant to be, or might be), failed, stuck, bytes, wrong bytes,
 * and why connections broke or failed.
 */
#include "load.h"

#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

int main(int argc, char **argv)
{
	if (argc < 2 || !parse(argc - 1, argv + 1)) {
		fprintf(stderr, "usage: faults_load serve|run -p PORT [OPTION...]\n");
		return 2;
	}
	args.server = !strcmp(argv[1], "serve");
	epoll_fd = epoll_create1(0);
	if (epoll_fd < 0)
		die("epoll_create1");
	if (args.server)
		serve();
	else
		run();
	report_all();
	return 0;
}
