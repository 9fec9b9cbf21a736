// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Show MPTCP connections: scheduler, subflows, their congestion control, what they carried. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

struct view {
	bool json, rates;
	int shown;
	struct connection *buf;
};

static bool show(const struct mptcp_socket *sk, void *arg)
{
	struct view *view = arg;

	read_connection(sk->fd, view->buf);
	read_diags(view->buf);
	if (view->rates)
		read_rates(view->buf);
	if (view->json) {
		printf("%s", view->shown ? ",\n " : "[");
		print_json(sk, view->buf);
	} else {
		print_text(sk, view->buf);
	}
	view->shown++;
	return true;
}

static int show_sockets(pid_t pid, bool rates, bool json)
{
	struct view view = { .json = json, .rates = rates, .buf = malloc(sizeof(*view.buf)) };
	bool done;

	if (!view.buf)
		return complain("%s", strerror(errno));
	done = (!rates || watch_rates(pid)) && walk_sockets(pid, show, &view);
	free(view.buf);
	if (!done)
		return 1;
	if (json)
		printf("%s]\n", view.shown ? "" : "[");
	else if (!view.shown)
		printf("no MPTCP sockets\n");
	return 0;
}

int cmd_show(int argc, char **argv)
{
	struct query query = {};

	if (!read_query(argc, argv, &query))
		return EXIT_USAGE;
	return show_sockets(query.pid, query.rates, query.json);
}
