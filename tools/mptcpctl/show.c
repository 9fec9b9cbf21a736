// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Show MPTCP connections: scheduler, subflows, what they carried. */

#include <errno.h>
#include <getopt.h>
#include <linux/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"
#include "mptcp_uapi.h"

#define SUBFLOWS_MAX 16
#define SEEN_MAX 65536

static const char help[] =
	"usage: mptcpctl show [--pid PID] [--json]\n"
	"Shows the MPTCP connections of running programs and their subflows.\n";

struct connection {
	char scheduler[MPTCP_SCHED_NAME_MAX], local[80], peer[80];
	struct mptcpctl_full_info full;
	struct mptcpctl_subflow subflow[SUBFLOWS_MAX];
	struct tcp_info tcp[SUBFLOWS_MAX];
	bool listening, has_info;
};

struct view {
	bool json;
	int shown;
	ino_t *seen;	/* a socket may be open in several processes */
	size_t seen_count;
};

static void read_address(int fd, int (*get)(int, struct sockaddr *, socklen_t *), char *buf,
			 size_t len)
{
	struct sockaddr_storage ss = {};
	socklen_t size = sizeof(ss);

	if (get(fd, (struct sockaddr *)&ss, &size))
		ss.ss_family = AF_UNSPEC;
	format_address(&ss, buf, len);
}

static void read_connection(int fd, struct connection *c)
{
	socklen_t len = sizeof(c->scheduler);
	int listening = 0;

	memset(c, 0, sizeof(*c));
	if (getsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, c->scheduler, &len))
		c->scheduler[0] = '?';
	len = sizeof(listening);
	getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &len);
	c->listening = listening;
	read_address(fd, local_name, c->local, sizeof(c->local));
	read_address(fd, peer_name, c->peer, sizeof(c->peer));

	c->full.size_tcpinfo_user = sizeof(c->tcp[0]);
	c->full.size_sfinfo_user = sizeof(c->subflow[0]);
	c->full.size_arrays_user = SUBFLOWS_MAX;
	c->full.subflow_info = (uintptr_t)c->subflow;
	c->full.tcp_info = (uintptr_t)c->tcp;
	len = sizeof(c->full);
	c->has_info = !getsockopt(fd, SOL_MPTCP, MPTCP_FULL_INFO, &c->full, &len);
	if (c->full.num_subflows > SUBFLOWS_MAX)
		c->full.num_subflows = SUBFLOWS_MAX;
}

static const char *state(const struct connection *c)
{
	if (c->listening)
		return "listening";
	if (!strcmp(c->peer, "-"))
		return "unconnected";
	if (!c->has_info || c->full.info.flags & MPTCP_FLAG_FALLBACK)
		return "fallback";
	return "mptcp";
}

static void print_text(const struct mptcp_socket *sk, const struct connection *c)
{
	unsigned int i;

	printf("%s[%d] fd %d  %s -> %s  %s  scheduler %s", sk->comm, sk->pid, sk->their_fd,
	       c->local, c->peer, state(c), c->scheduler);
	if (c->has_info && !c->listening)
		printf("  token %#x  sent %llu  acked %llu  received %llu  resent %llu",
		       c->full.info.token, (unsigned long long)c->full.info.bytes_sent,
		       (unsigned long long)c->full.info.bytes_acked,
		       (unsigned long long)c->full.info.bytes_received,
		       (unsigned long long)c->full.info.bytes_retrans);
	printf("\n");
	for (i = 0; c->has_info && i < c->full.num_subflows; i++) {
		const struct tcp_info *tcp = &c->tcp[i];
		char local[80], peer[80];

		format_address(&c->subflow[i].local, local, sizeof(local));
		format_address(&c->subflow[i].remote, peer, sizeof(peer));
		printf("    subflow %u  %s -> %s  rtt %.1f ms  cwnd %u  sent %llu  acked %llu  received %llu  retrans %u\n",
		       c->subflow[i].id, local, peer, tcp->tcpi_rtt / 1000.0, tcp->tcpi_snd_cwnd,
		       (unsigned long long)tcp->tcpi_bytes_sent,
		       (unsigned long long)tcp->tcpi_bytes_acked,
		       (unsigned long long)tcp->tcpi_bytes_received, tcp->tcpi_total_retrans);
	}
}

/* A program chooses its own name: quote what JSON would trip over. */
static void print_string(const char *text)
{
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < 32 || (unsigned char)*text > 126)
			printf("\\u%04x", (unsigned char)*text);
		else
			putchar(*text);
	}
	putchar('"');
}

static void print_json(const struct mptcp_socket *sk, const struct connection *c)
{
	unsigned int i;

	printf("{\"pid\": %d, \"comm\": ", sk->pid);
	print_string(sk->comm);
	printf(", \"fd\": %d, \"local\": \"%s\", \"peer\": \"%s\", \"state\": \"%s\", \"scheduler\": ",
	       sk->their_fd, c->local, c->peer, state(c));
	print_string(c->scheduler);
	printf(", \"token\": %u, \"bytes_sent\": %llu, \"bytes_acked\": %llu, \"bytes_received\": %llu, \"bytes_retrans\": %llu, \"subflows\": [",
	       c->full.info.token, (unsigned long long)c->full.info.bytes_sent,
	       (unsigned long long)c->full.info.bytes_acked,
	       (unsigned long long)c->full.info.bytes_received,
	       (unsigned long long)c->full.info.bytes_retrans);
	for (i = 0; c->has_info && i < c->full.num_subflows; i++) {
		const struct tcp_info *tcp = &c->tcp[i];
		char local[80], peer[80];

		format_address(&c->subflow[i].local, local, sizeof(local));
		format_address(&c->subflow[i].remote, peer, sizeof(peer));
		printf("%s{\"id\": %u, \"local\": \"%s\", \"peer\": \"%s\", \"rtt_us\": %u, \"cwnd\": %u, \"bytes_sent\": %llu, \"bytes_acked\": %llu, \"bytes_received\": %llu, \"retrans\": %u}",
		       i ? ", " : "", c->subflow[i].id, local, peer, tcp->tcpi_rtt,
		       tcp->tcpi_snd_cwnd, (unsigned long long)tcp->tcpi_bytes_sent,
		       (unsigned long long)tcp->tcpi_bytes_acked,
		       (unsigned long long)tcp->tcpi_bytes_received, tcp->tcpi_total_retrans);
	}
	printf("]}");
}

static bool seen_before(struct view *view, ino_t inode)
{
	size_t i;

	for (i = 0; i < view->seen_count; i++) {
		if (view->seen[i] == inode)
			return true;
	}
	if (view->seen_count < SEEN_MAX)
		view->seen[view->seen_count++] = inode;
	return false;
}

static int show(const struct mptcp_socket *sk, void *arg)
{
	struct view *view = arg;
	struct connection c;

	if (seen_before(view, sk->inode))
		return 0;
	read_connection(sk->fd, &c);
	if (view->json) {
		printf("%s", view->shown ? ",\n " : "");
		print_json(sk, &c);
	} else {
		print_text(sk, &c);
	}
	view->shown++;
	return 1;
}

int cmd_show(int argc, char **argv)
{
	static const struct option options[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	struct view view = { .seen = calloc(SEEN_MAX, sizeof(ino_t)) };
	struct walk_result result;
	pid_t pid = 0;
	int opt;

	while ((opt = getopt_long(argc, argv, "p:jh", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			pid = atoi(optarg);
			if (pid > 0)
				break;
			complain("--pid takes a process id, not '%s'", optarg);
			return EXIT_USAGE;
		case 'j':
			view.json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fputs(help, stderr);
			return EXIT_USAGE;
		}
	}
	if (!view.seen)
		return complain("%s", strerror(errno));
	if (view.json)
		printf("[");
	result = walk_sockets(pid, show, &view);
	if (view.json)
		printf("]\n");
	else if (!view.shown)
		printf("no MPTCP sockets\n");
	if (result.unreadable)
		complain("%d processes could not be looked into: try as root", result.unreadable);
	free(view.seen);
	return 0;
}
