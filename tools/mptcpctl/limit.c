// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What limits connections: the states that the kernel counts, and how long each lasted in a while.
 */

#include "mptcpctl.h"

/* Percent that is sent again; a queue that is full now and then costs less. */
#define MUCH_LOST 3

/* 100 packets: of fewer, one that is lost says little. */
#define FEW_BITS (8.0 * 100 * 1448)

const char *const limit_names[LIMITS] = {
	[MPTCP_LIMIT_IDLE] = "idle",
	[MPTCP_LIMIT_SNDBUF] = "sndbuf",
	[MPTCP_LIMIT_RWND] = "window",
	[MPTCP_LIMIT_SCHED] = "sched",
	[MPTCP_LIMIT_CWND] = "cwnd",
	[MPTCP_LIMIT_LOSS] = "loss",
	[MPTCP_LIMIT_DARK] = "dark",
};

/* The one that lasted longest comes first. */
struct limit_order order_limits(const uint64_t *us)
{
	struct limit_order order = {};
	unsigned int i, k;

	for (i = 0; i < LIMITS; i++) {
		order.whole += us[i];
		for (k = i; k && us[order.of[k - 1]] < us[i]; k--)
			order.of[k] = order.of[k - 1];
		order.of[k] = i;
	}
	return order;
}

/* Percent; what waited for nothing had nothing to send. */
double share_of_limit(const struct limit_order *order, const uint64_t *us, unsigned int limit)
{
	if (!order->whole)
		return limit == MPTCP_LIMIT_IDLE ? 100 : 0;
	return 100.0 * us[limit] / order->whole;
}

static double percent(double part, double whole)
{
	return whole ? 100 * part / whole : 0;
}

/* What subflows sent again, in percent of all that they sent: in the second or, where that is a few
 * packets, as much is lost, since they began; but not if it is over.
 */
double sent_again(const struct connection *c)
{
	double sent = 0, again = 0, sent_ever = 0, again_ever = 0, now, ever;
	unsigned int i;

	for (i = 0; i < c->subflows; i++) {
		sent += c->rate[i].sent;
		again += c->rate[i].again;
		sent_ever += c->tcp[i].tcpi_bytes_sent;
		again_ever += c->tcp[i].tcpi_bytes_retrans;
	}
	now = percent(again, sent);
	ever = percent(again_ever, sent_ever);
	return now && sent < FEW_BITS && ever > now ? ever : now;
}

/* Losses keep windows small, which are then full nearly all the time, and recover for a part of it
 * only: where so much is lost, it is the losses that limit.
 */
void blame_losses(struct connection *c)
{
	if (sent_again(c) < MUCH_LOST)
		return;
	c->whole.limits[MPTCP_LIMIT_LOSS] += c->whole.limits[MPTCP_LIMIT_CWND];
	c->whole.limits[MPTCP_LIMIT_CWND] = 0;
}

const char *limits_unknown(void)
{
	return kernel_is_patched() ?
	       "this kernel does not count what limits: it needs CONFIG_MPTCP_EXT_LIMITS" :
	       "this kernel does not count what limits: boot one with the scheduler patches";
}
