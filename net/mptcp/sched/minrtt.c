// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "minrtt": lowest round-trip time first
 *
 * Of the subflows whose congestion window has room, the one with the lowest
 * smoothed RTT sends, until its window is full; then the next lowest one.
 *
 * An application that sends less than its best path carries stays on that
 * path and sees its delay. A bulk transfer uses all paths: the ACKs of each
 * subflow open its window and draw data to it ("ACK-clocked", like TCP).
 *
 * Where it is weak: the smoothed RTT contains queueing delay, so a path with a
 * deep buffer keeps being filled as long as its window grows, and everything
 * sent there arrives late. On paths that differ much, the connection's receive
 * window then fills with data that waits for the slow path.
 *
 * Source: C. Paasch, "Improving Multipath TCP", PhD thesis, 2014, section
 * 4.3.1 ("LowRTT"), and the scheduler of the first Linux implementation.
 */

#include <linux/module.h>
#include "sched/sched.h"

static int minrtt_get_send(struct mptcp_sock *msk)
{
	struct mptcp_sched_choice best = mptcp_sched_lowest_rtt(msk);

	if (!best.subflow)
		return -EAGAIN;

	mptcp_sched_commit(msk, best.subflow, best.room, MPTCP_SCHED_BEST);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_minrtt = {
	.get_send	= minrtt_get_send,
	.name		= "minrtt",
	.owner		= THIS_MODULE,
};

static int __init minrtt_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_minrtt);
}

static void __exit minrtt_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_minrtt);
}

module_init(minrtt_init);
module_exit(minrtt_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: lowest round-trip time first");
