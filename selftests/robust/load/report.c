// SPDX-License-Identifier: GPL-2.0
/* What is counted, and what is told. */
#include "load.h"

#include <stdio.h>
#include <string.h>

struct stats stats;

static unsigned long long number(uint64_t value)
{
	return value;
}

const char *reason(int error)
{
	return error == SHORT_END ? "END" : strerrorname_np(error);
}

void tell(const struct conn *conn, const char *what)
{
	fprintf(stderr, "# %s %s: connection %llu kind %c sent %llu of %llu received %llu of %llu%s%s%s\n",
		conn->server ? "server" : "client", what, number(conn->plan.id),
		has_plan(conn) ? conn->plan.kind : '?', number(conn->sent),
		number(may_send(conn)), number(conn->received), number(to_receive(conn)),
		conn->connected ? "" : ", not connected", conn->shut ? ", shut down" : "",
		conn->ended ? ", at the end" : "");
}

static void report(const char *key, uint64_t value)
{
	printf("%s=%llu\n", key, number(value));
}

static void report_by(const char *key, const uint64_t *by)
{
	for (int i = 1; i < MAX_ERRNO; i++)
		if (by[i])
			printf("%s_%s=%llu\n", key, reason(i), number(by[i]));
}

void report_all(void)
{
	report("connections", stats.started);
	report("complete", stats.complete);
	report("broken", stats.broken);
	report("failed", stats.failed);
	report("stuck", stats.stuck);
	report("headless", stats.headless);
	report("sent", stats.sent);
	report("received", stats.received);
	report("wrong", stats.wrong);
	report("switches", stats.switches);
	report("refused", stats.refused);
	report_by("broken", stats.broken_by);
	report_by("failed", stats.failed_by);
	report_by("refused", stats.refused_by);
}
