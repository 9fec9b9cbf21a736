// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Change the scheduler: of the network namespace, or of connections that exist. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

static const char help[] =
	"usage: mptcpctl set NAME [--param K=V]...\n"
	"       mptcpctl set NAME --pid PID [--fd N]\n"
	"       mptcpctl set NAME [--local ADDR:PORT] [--peer ADDR:PORT]\n"
	"Without a connection: the default of new sockets in this network namespace, or with\n"
	"--param a tunable of scheduler or extension NAME. Else: connections of running\n"
	"programs, from their next bytes on. IPv6 addresses are written [ADDR]:PORT.\n"
	"Schedulers are written with their extensions, if any: minrtt+rp+bm.\n"
	"  -k, --param K=V        change a tunable (see: mptcpctl list)\n"
	"  -p, --pid PID          MPTCP sockets of this process\n"
	"  -f, --fd N             only this descriptor of it\n"
	"  -l, --local ADDR:PORT  sockets with this address on our side\n"
	"  -r, --peer ADDR:PORT   sockets with this address on the other side\n";

struct request {
	const char *name;
	pid_t pid;		/* 0: all */
	int fd;			/* -1: all */
	char local[ADDRESS_MAX], peer[ADDRESS_MAX];	/* "": any */
	const char **params;
	int param_count;
	int matched, failed;
};

static bool address_is(int fd, bool (*get)(int, struct sockaddr_storage *), const char *want)
{
	struct sockaddr_storage ss;
	char text[ADDRESS_MAX];

	return !*want || (get(fd, &ss) && format_address(&ss, text, sizeof(text)) &&
			  !strcmp(text, want));
}

static bool change(const struct mptcp_socket *sk, void *arg)
{
	struct request *request = arg;

	if ((request->fd >= 0 && sk->their_fd != request->fd) ||
	    !address_is(sk->fd, local_address, request->local) ||
	    !address_is(sk->fd, peer_address, request->peer))
		return false;
	request->matched++;
	if (setsockopt(sk->fd, SOL_MPTCP, MPTCP_SCHEDULER, request->name,
		       strlen(request->name))) {
		complain("%s (pid %d, fd %d): %s", sk->comm, sk->pid, sk->their_fd,
			 scheduler_error(errno, request->name));
		request->failed++;
	}
	return true;
}

static int set_connections(struct request *request)
{
	if (!kernel_has_mptcp())
		return 1;
	if (!kernel_is_patched())
		return complain("%s", scheduler_error(ENOPROTOOPT, request->name));
	if (!walk_sockets(request->pid, change, request))
		return 1;
	if (!request->matched)
		return complain("no MPTCP socket matches; see: mptcpctl show");
	printf("%d of %d socket%s changed to %s\n", request->matched - request->failed,
	       request->matched, request->matched == 1 ? "" : "s", request->name);
	return request->failed ? 1 : 0;
}

static bool read_address(const char *text, const char *what, char *address)
{
	if (parse_address(text, address, ADDRESS_MAX))
		return true;
	complain("%s takes ADDR:PORT or [IPv6-ADDR]:PORT, in numbers, not '%s'", what, text);
	return false;
}

static bool read_option(struct request *request, int opt)
{
	switch (opt) {
	case 'k':
		request->params[request->param_count++] = optarg;
		return true;
	case 'p':
		return parse_number(optarg, "--pid", 1, &request->pid);
	case 'f':
		return parse_number(optarg, "--fd", 0, &request->fd);
	case 'l':
		return read_address(optarg, "--local", request->local);
	case 'r':
		return read_address(optarg, "--peer", request->peer);
	default:
		fputs(help, stderr);
		return false;
	}
}

static int carry_out(struct request *request)
{
	bool connections = request->pid || *request->local || *request->peer;
	int i, status = 0;

	if (request->fd >= 0 && !request->pid) {
		complain("--fd is a number of a process: say which with --pid");
		return EXIT_USAGE;
	}
	if (connections && request->param_count) {
		complain("--param acts on all connections of '%s': it does not go with --pid, --local or --peer",
			 request->name);
		return EXIT_USAGE;
	}
	if (connections)
		return set_connections(request);
	if (!request->param_count)
		return set_default(request->name);
	for (i = 0; i < request->param_count && !status; i++)
		status = set_param(request->name, request->params[i]);
	return status;
}

int cmd_set(int argc, char **argv)
{
	static const struct option options[] = {
		{ "param", required_argument, NULL, 'k' },
		{ "pid", required_argument, NULL, 'p' },
		{ "fd", required_argument, NULL, 'f' },
		{ "local", required_argument, NULL, 'l' },
		{ "peer", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	struct request request = { .fd = -1, .params = calloc(argc, sizeof(char *)) };
	int opt, status = EXIT_USAGE;

	if (!request.params)
		return complain("%s", strerror(errno));
	while ((opt = getopt_long(argc, argv, "k:p:f:l:r:h", options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(help, stdout);
			status = 0;
			goto out;
		}
		if (!read_option(&request, opt))
			goto out;
	}
	if (optind == argc - 1) {
		request.name = argv[optind];
		status = carry_out(&request);
	} else {
		complain("%s", optind == argc ? "set: which scheduler?" : "set: one scheduler only");
		fputs(help, stderr);
	}
out:
	free(request.params);
	return status;
}
