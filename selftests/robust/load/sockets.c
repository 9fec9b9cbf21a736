// SPDX-License-Identifier: GPL-2.0
/* New connections, of both sides. */
#include "load.h"
#include "../../mptcp_uapi.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

static void set_int(int fd, int level, int option, int value)
{
	if (setsockopt(fd, level, option, &value, sizeof(value)) && !args.may_break)
		die("setsockopt");
}

/* A peer that went away without a word is noticed: resets may get lost. */
static int prepare(int fd)
{
	set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, 15);
	set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
	set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, 20);
	if (args.sndbuf)
		set_int(fd, SOL_SOCKET, SO_SNDBUF, args.sndbuf);
	return fd;
}

static int new_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_MPTCP);

	return fd < 0 ? fd : prepare(fd);
}

static struct sockaddr_in address(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(args.port) };

	if (args.addr)
		inet_pton(AF_INET, args.addr, &in.sin_addr);
	return in;
}

/* One that broke before it began: memory is short. */
static bool gave_up(const char *what)
{
	if (!short_of_memory())
		die(what);
	stats.started++;
	stats.broken++;
	stats.broken_by[errno]++;
	return true;
}

/* Returns false when it is not the time to: without a route there is no connection. */
bool open_conn(uint64_t id)
{
	struct sockaddr_in to = address();
	struct conn *conn;
	int fd = new_socket();

	if (fd < 0)
		return gave_up("socket");
	if (connect(fd, (void *)&to, sizeof(to)) && errno != EINPROGRESS) {
		int error = errno;

		close(fd);
		errno = error;
		return error != ENETUNREACH && error != EHOSTUNREACH &&
		       error != EADDRNOTAVAIL && gave_up("connect");
	}
	conn = calloc(1, sizeof(*conn));
	if (!conn)
		die("calloc");
	conn->fd = fd;
	conn->plan = draw_plan(id);
	conn->rng = mix(args.seed + id);
	conn->rest_at = conn->plan.pause ?: UINT64_MAX;
	if (conn->plan.kind == 'a')
		conn->wake = now_ms() + conn->plan.cut;
	add_conn(conn);
	if (conn->plan.kind == 'a' && !conn->plan.cut)
		break_conn(conn, 0);
	return true;
}

void accept_conns(int listener)
{
	do {
		int new = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
		struct conn *conn;

		if (new < 0)
			return;
		conn = calloc(1, sizeof(*conn));
		if (!conn || n_conns == MAX_CONNS)
			die("too many connections");
		conn->fd = prepare(new);
		conn->server = true;
		conn->connected = true;
		add_conn(conn);
		watch(conn);
	} while (!args.accept_ms);
}

int listen_on(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct sockaddr_in on = address();
	int fd = new_socket();

	if (fd < 0)
		die("socket");
	set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (bind(fd, (void *)&on, sizeof(on)) || listen(fd, args.backlog))
		die("listen");
	if (!args.accept_ms && epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event))
		die("epoll_ctl");
	puts("listening");
	fflush(stdout);
	return fd;
}
