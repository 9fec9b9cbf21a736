// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "redundant": everything on every subflow
 *
 * Each subflow carries the whole stream, at its own pace. What arrives first
 * counts, so a call or a remote control sees the delay of whichever path is the
 * best one at the moment, and no more than the delay of another one when a path
 * dies in the middle.
 *
 * Where each subflow goes on, and why no byte is sent twice on one, is in copies.c.
 *
 * A bulk transfer gets the rate of the best path. Other users of the paths pay
 * for that, so ordinary users may not choose it unless the administrator
 * allows it (net.mptcp.allowed_schedulers).
 *
 * Source: A. Frommgen et al., "ReMP TCP: Low Latency Multipath TCP", 2016.
 */

#include <linux/module.h>
#include "sched/sched.h"

/* The lowest RTT first: new data comes to it first, and copies to the others. */
static int redundant_get_send(struct mptcp_sock *msk)
{
	struct mptcp_sched_choice best = mptcp_sched_best_copy(msk, mptcp_sched_usable);

	if (!best.subflow)
		return -EAGAIN;

	mptcp_sched_commit_next(msk, &best);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_redundant = {
	.get_send	= redundant_get_send,
	.copies		= true,
	.name		= "redundant",
	.owner		= THIS_MODULE,
};

static int __init redundant_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_redundant);
}

static void __exit redundant_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_redundant);
}

module_init(redundant_init);
module_exit(redundant_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: everything on every subflow");
