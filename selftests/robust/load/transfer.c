// SPDX-License-Identifier: GPL-2.0
/* What a connection does when its socket is ready. */
#include "load.h"
#include "../../mptcp_uapi.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#define SWITCH_EACH	(64 * 1024)
/* More events than this without a byte moved: the kernel says "ready", and is not. */
#define MAX_SPINS	100000

static void switch_one(struct conn *conn, const struct names *names, int level, int option)
{
	const char *name;

	if (!names->count)
		return;
	name = names->name[draw(&conn->rng) % names->count];
	stats.switches++;
	if (setsockopt(conn->fd, level, option, name, strlen(name))) {
		stats.refused++;
		stats.refused_by[errno < MAX_ERRNO ? errno : 0]++;
	}
}

static void switch_names(struct conn *conn)
{
	if (conn->sent < conn->switched)
		return;
	conn->switched = conn->sent + SWITCH_EACH;
	switch_one(conn, &args.scheds, SOL_MPTCP, MPTCP_SCHEDULER);
	switch_one(conn, &args.congs, IPPROTO_TCP, TCP_CONGESTION);
}

static void moved(struct conn *conn)
{
	conn->progress = now_ms();
	conn->spins = 0;
}

/* Returns false when the connection is no more. */
static bool send_some(struct conn *conn)
{
	uint64_t left = may_send(conn) - conn->sent;
	size_t len = left < conn->plan.chunk ? left : conn->plan.chunk;
	ssize_t n;

	switch_names(conn);
	n = send(conn->fd, stream(conn, !conn->server, conn->sent, len), len, MSG_NOSIGNAL);
	if (n >= 0) {
		conn->sent += n;
		moved(conn);
	} else if (errno != EAGAIN) {
		break_conn(conn, errno);
		return false;
	}
	return true;
}

/* The plan, as it comes. Returns false when it is wrong. */
static bool learn(struct conn *conn, const uint8_t *buf, size_t len)
{
	size_t head = sizeof(conn->plan) - conn->received;

	if (len < head)
		head = len;
	memcpy((uint8_t *)&conn->plan + conn->received, buf, head);
	if (conn->received + head < sizeof(conn->plan))
		return true;
	conn->rng = conn->plan.seed + ~conn->plan.id;
	conn->rest_at = conn->plan.pause ?: UINT64_MAX;
	return is_plan(&conn->plan);
}

/* A slow reader: on_time() wakes it. */
static void rest(struct conn *conn)
{
	conn->rest_at = conn->received + conn->plan.pause;
	conn->resting = true;
	conn->wake = now_ms() + 30;
}

/* Returns false when the connection is no more. */
static bool receive_some(struct conn *conn)
{
	static uint8_t buf[CHUNK];
	ssize_t n = recv(conn->fd, buf, sizeof(buf), 0);

	if (n < 0 && errno == EAGAIN)
		return true;
	if (n < 0) {
		break_conn(conn, errno);
		return false;
	}
	moved(conn);
	conn->ended = !n;
	if (!has_plan(conn) && !learn(conn, buf, n)) {
		stats.wrong += sizeof(conn->plan);
		break_conn(conn, EBADMSG);
		return false;
	}
	if (n && (!conn->server || conn->received + n >= sizeof(conn->plan)))
		verify(conn, buf, n);
	conn->received += n;
	if (conn->ended && (!has_plan(conn) || conn->received < to_receive(conn))) {
		break_conn(conn, SHORT_END);
		return false;
	}
	if (conn->received >= conn->rest_at)
		rest(conn);
	return true;
}

static bool established(struct conn *conn, uint32_t events)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (!(events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
		return true;
	getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (error) {
		break_conn(conn, error);
		return false;
	}
	conn->connected = true;
	moved(conn);
	return true;
}

void on_event(struct conn *conn, uint32_t events)
{
	bool readable = events & (EPOLLIN | EPOLLHUP | EPOLLERR);

	if (!conn->connected && !established(conn, events))
		return;
	if (++conn->spins > MAX_SPINS) {
		stuck_conn(conn, "spins");
		return;
	}
	if (!go_on(conn, readable))
		return;
	if (events & (EPOLLHUP | EPOLLERR))
		conn->resting = false;
	if (readable && !conn->resting && !conn->ended && !receive_some(conn))
		return;
	if (conn->connected && conn->sent < may_send(conn) && !send_some(conn))
		return;
	if (go_on(conn, false))
		finish(conn);
}
