// SPDX-License-Identifier: GPL-2.0
/* How connections end, and whether they were meant to end so. */
#include "load.h"

#include <string.h>
#include <sys/socket.h>

static bool meant_to_break(const struct conn *conn)
{
	return has_plan(conn) && strchr("rRuUa", conn->plan.kind);
}

/* It ended otherwise than "complete". A server that has no plan yet leaves the judgement
 * to the client.
 */
void break_conn(struct conn *conn, int error)
{
	if (error < 0 || error >= MAX_ERRNO)
		error = 0;
	if (!has_plan(conn)) {
		stats.headless++;
	} else if (args.may_break || meant_to_break(conn)) {
		stats.broken++;
		stats.broken_by[error]++;
	} else {
		stats.failed++;
		stats.failed_by[error]++;
		if (stats.failed <= 5)
			tell(conn, reason(error));
	}
	end_conn(conn);
}

static void reset_conn(struct conn *conn)
{
	struct linger linger = { .l_onoff = 1 };

	setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	break_conn(conn, 0);
}

void stuck_conn(struct conn *conn, const char *what)
{
	if (++stats.stuck <= 5)
		tell(conn, what);
	end_conn(conn);
}

/* Is it this side that breaks off, and with a kind of these? */
static bool breaks(const struct conn *conn, char by_client, char by_server)
{
	return has_plan(conn) &&
	       conn->plan.kind == (uint32_t)(conn->server ? by_server : by_client);
}

/* Break off, if it is time. Returns false when the connection is no more. */
bool go_on(struct conn *conn, bool readable)
{
	if (breaks(conn, 'r', 0) && conn->sent >= conn->plan.cut)
		reset_conn(conn);
	else if (breaks(conn, 0, 'R') && conn->received >= conn->plan.cut)
		reset_conn(conn);
	else if (breaks(conn, 'u', 'U') && conn->received >= conn->plan.cut && readable)
		break_conn(conn, 0);
	else
		return true;
	return false;
}

/* Shut down or close when all is done. */
void finish(struct conn *conn)
{
	bool close_only = !conn->server && conn->plan.kind == 'c';

	if (!has_plan(conn))
		return;
	if (conn->sent == may_send(conn) && !conn->shut && !close_only) {
		conn->shut = true;
		shutdown(conn->fd, SHUT_WR);
	}
	if (!conn->ended || conn->sent < may_send(conn)) {
		watch(conn);
	} else if (meant_to_break(conn)) {
		break_conn(conn, 0);
	} else {
		stats.complete++;
		end_conn(conn);
	}
}
