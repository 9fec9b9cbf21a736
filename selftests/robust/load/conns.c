// SPDX-License-Identifier: GPL-2.0
/* All connections, and what each waits for. */
#include "load.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

int epoll_fd;
struct conn *conns[MAX_CONNS];
int n_conns;

void watch(struct conn *conn)
{
	struct epoll_event event = { .data.ptr = conn };

	if (!conn->ended && !conn->resting)
		event.events |= EPOLLIN;
	if (!conn->connected || conn->sent < may_send(conn))
		event.events |= EPOLLOUT;
	if (event.events == conn->events)
		return;
	if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, conn->fd, &event))
		die("epoll_ctl");
	conn->events = event.events;
}

void add_conn(struct conn *conn)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT, .data.ptr = conn };

	while (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, conn->fd, &event))
		if (!short_of_memory())
			die("epoll_ctl");
	conn->events = event.events;
	conn->progress = now_ms();
	conn->index = n_conns;
	conns[n_conns++] = conn;
	stats.started++;
}

void end_conn(struct conn *conn)
{
	stats.sent += conn->sent;
	stats.received += conn->received;
	close(conn->fd);
	conns[conn->index] = conns[--n_conns];
	conns[conn->index]->index = conn->index;
	free(conn);
}
