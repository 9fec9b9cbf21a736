// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "edpf": earliest delivery path first
 *
 * Each packet goes to the path p that delivers it first. With D the delay to the
 * bottleneck, B its bandwidth, A the time when it has sent what it got, and L the packet's
 * length:
 *
 *	delivery on l = max(now + D_l, A_l) + L / B_l
 *	A_p := delivery on p
 *
 * With packets of one length, none overtakes another. Where a path carries several in a
 * millisecond, so many go at once, for segmentation offload.
 *
 * The paper's scheduler is at a proxy that knows B and D. Here D is half of the subflow's
 * lowest RTT and B the highest rate at which it delivered lately, both TCP's. A is never
 * later than what is in flight takes, so that a rate once taken too low does no harm for
 * long. TCP at the sender has a window, and data waits before it, not at the bottleneck:
 * so the choice is among those that have room. On a full window the paper has no word.
 *
 * Where it is weak: the next data goes to a slow path as soon as the fast one has no
 * room, and the fast one's next data waits for it at the receiver. See "inorder", which
 * gives the slow path data from further back.
 *
 * Source: K. Chebrolu, B. Raman, R. Rao, "A Network Layer Approach to Enable TCP over
 * Multiple Interfaces", Wireless Networks, 2005, section 3.
 */

#include <linux/module.h>
#include <linux/win_minmax.h>
#include "sched/sched.h"
#include "sched/rules.h"

/* Until something is delivered, B is this many segments per RTT. */
#define EDPF_FIRST_SEGS	4

struct edpf_subflow {
	u64 free_at;		/* A, us */
};

static struct edpf_subflow *edpf_subflow(struct mptcp_subflow_context *subflow)
{
	BUILD_BUG_ON(sizeof(struct edpf_subflow) > sizeof(subflow->sched_priv));

	return (struct edpf_subflow *)subflow->sched_priv;
}

/* B, in bytes per ms. */
static u32 edpf_rate(struct mptcp_subflow_context *subflow)
{
	return mptcp_sched_max_rate(subflow) ?:
	       mptcp_sched_first_rate(subflow, EDPF_FIRST_SEGS);
}

/* When @bytes that leave @now would arrive. */
static u64 edpf_delivery(struct mptcp_subflow_context *subflow, u32 bytes, u64 now)
{
	u32 rate = edpf_rate(subflow), delay = mptcp_sched_min_rtt(subflow) / 2;
	struct edpf_subflow *es = edpf_subflow(subflow);

	es->free_at = min(es->free_at,
			  mptcp_rule_delivery(now, delay, 0, mptcp_sched_queued(subflow), rate));
	return mptcp_rule_delivery(now, delay, es->free_at, bytes, rate);
}

static u64 edpf_key(struct mptcp_subflow_context *subflow, u64 now)
{
	return edpf_delivery(subflow, mptcp_sched_mss(subflow), now);
}

static int edpf_get_send(struct mptcp_sock *msk)
{
	u64 now = tcp_clock_us();
	struct mptcp_sched_choice best = mptcp_sched_lowest(msk, now, edpf_key);
	u32 run;

	if (!best.subflow)
		return -EAGAIN;

	run = min(mptcp_sched_run(best.subflow), best.room);
	edpf_subflow(best.subflow)->free_at = edpf_delivery(best.subflow, run, now);
	mptcp_sched_commit(msk, best.subflow, run, MPTCP_SCHED_BEST);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_edpf = {
	.get_send	= edpf_get_send,
	.name		= "edpf",
	.owner		= THIS_MODULE,
};

static int __init edpf_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_edpf);
}

static void __exit edpf_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_edpf);
}

module_init(edpf_init);
module_exit(edpf_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: earliest delivery path first");
