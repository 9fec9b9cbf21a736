// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Change the scheduler, of the network namespace or of connections that exist, and the
 * congestion control of the latter.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mptcpctl.h"

struct request {
	const char *name;	/* scheduler; NULL: leave it */
	const char *congestion;	/* NULL: leave it */
	int weight;		/* -1: leave it */
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

/* NULL, or why not. What is refused most comes first. */
static const char *change_socket(int fd, const struct request *request)
{
	const char *name = request->congestion;
	int error = name ? set_congestion(fd, name) : 0;

	if (error)
		return congestion_error(error, name);
	error = request->weight < 0 ? 0 : set_weight(fd, request->weight);
	if (error)
		return weight_error(error);
	error = request->name ? set_scheduler(fd, request->name) : 0;
	return error ? scheduler_error(error, request->name) : NULL;
}

static bool change(const struct mptcp_socket *sk, void *arg)
{
	struct request *request = arg;
	const char *error;

	if ((request->fd >= 0 && sk->their_fd != request->fd) ||
	    !address_is(sk->fd, local_address, request->local) ||
	    !address_is(sk->fd, peer_address, request->peer))
		return false;
	request->matched++;
	error = change_socket(sk->fd, request);
	if (error) {
		complain("%s (pid %d, fd %d): %s", sk->name, sk->pid, sk->their_fd, error);
		request->failed++;
	}
	return true;
}

/* Says what is missing. Who is not allowed here may be allowed in another network namespace. */
static bool kernel_can(const struct request *request)
{
	int error;

	if (!kernel_has_mptcp())
		return false;
	if (request->name && !kernel_is_patched()) {
		complain("%s", scheduler_error(ENOPROTOOPT, request->name));
		return false;
	}
	if (request->weight >= 0 && !kernel_has_coupled()) {
		complain("--weight: %s", weight_error(ENOPROTOOPT));
		return false;
	}
	error = request->congestion ? try_congestion(request->congestion) : 0;
	if (!error || error == EPERM)
		return true;
	complain("--congestion: %s", congestion_error(error, request->congestion));
	return false;
}

/* "rr, congestion olia, weight 2" */
static void print_change(const struct request *request)
{
	const char *separator = "";

	if (request->name) {
		printf("%s", request->name);
		separator = ", ";
	}
	if (request->congestion) {
		printf("%scongestion %s", separator, request->congestion);
		separator = ", ";
	}
	if (request->weight >= 0)
		printf("%sweight %d", separator, request->weight);
	printf("\n");
}

static int set_connections(struct request *request)
{
	if (!kernel_can(request))
		return 1;
	if (!walk_sockets(request->pid, change, request))
		return 1;
	if (!request->matched)
		return complain("no MPTCP socket matches; see: mptcpctl show");
	printf("%d of %d socket%s changed to ", request->matched - request->failed,
	       request->matched, request->matched == 1 ? "" : "s");
	print_change(request);
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
	case 'c':
		request->congestion = optarg;
		return true;
	case 'w':
		return parse_weight(optarg, &request->weight);
	case 'p':
		return parse_number(optarg, "--pid", 1, &request->pid);
	case 'f':
		return parse_number(optarg, "--fd", 0, &request->fd);
	case 'l':
		return read_address(optarg, "--local", request->local);
	case 'r':
		return read_address(optarg, "--peer", request->peer);
	default:
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
	if (request->congestion) {
		complain("--congestion acts on connections: say which with --pid, --local or --peer; the default of new ones: sysctl net.ipv4.tcp_congestion_control=%s",
			 request->congestion);
		return EXIT_USAGE;
	}
	if (request->weight >= 0) {
		complain("--weight acts on connections: say which with --pid, --local or --peer; the default of new ones: mptcpctl set ewlia --param weight=%d",
			 request->weight ?: 1);
		return EXIT_USAGE;
	}
	if (!request->param_count)
		return set_default(request->name);
	for (i = 0; i < request->param_count && !status; i++)
		status = set_param(request->name, request->params[i]);
	return status;
}

static bool needs_name(const struct request *request)
{
	return !request->name &&
	       (request->param_count || (!request->congestion && request->weight < 0));
}

int cmd_set(int argc, char **argv)
{
	struct request request = {
		.fd = -1,
		.weight = -1,
		.params = calloc(argc, sizeof(char *)),
	};
	int opt, status = EXIT_USAGE;

	if (!request.params)
		return complain("%s", strerror(errno));
	while ((opt = next_choice(argc, argv)) != -1) {
		if (!read_option(&request, opt))
			goto out;
	}
	request.name = argv[optind];	/* NULL behind the last one */
	if (optind < argc - 1 || needs_name(&request)) {
		complain("%s", optind == argc ? "set: which scheduler, --congestion or --weight?" : "set: one scheduler only");
		usage_error(argv[0]);
	} else {
		status = carry_out(&request);
	}
out:
	free(request.params);
	return status;
}
