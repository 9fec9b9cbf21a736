// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Show MPTCP connections: scheduler, subflows, their congestion control, what they carried. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

static const char help[] =
	"usage: mptcpctl show [--pid PID] [--rates] [--json]\n"
	"Shows the MPTCP connections of running programs, their subflows, and what their\n"
	"schedulers and coupled congestion controls did, see mptcpctl(8).\n"
	"  -p, --pid PID  of this process only\n"
	"  -r, --rates    watch for a second first: what each carries now\n"
	"  -j, --json     for programs: an array with an object per socket\n";

struct view {
	bool json, rates;
	int shown;
	struct connection *buf;
};

static bool show(const struct mptcp_socket *sk, void *arg)
{
	struct view *view = arg;

	read_connection(sk->fd, view->buf);
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
	static const struct option options[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "rates", no_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	bool rates = false, json = false;
	pid_t pid = 0;
	int opt;

	while ((opt = getopt_long(argc, argv, "p:rjh", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			if (!parse_number(optarg, "--pid", 1, &pid))
				return EXIT_USAGE;
			break;
		case 'r':
			rates = true;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fputs(help, stderr);
			return EXIT_USAGE;
		}
	}
	if (optind < argc) {
		complain("show takes no argument '%s'", argv[optind]);
		return EXIT_USAGE;
	}
	return show_sockets(pid, rates, json);
}
