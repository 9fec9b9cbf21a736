// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "redundant": everything on every subflow
 *
 * Each subflow carries the whole stream, at its own pace. What arrives first
 * counts, so a call or a remote control sees the delay of whichever path is the
 * best one at the moment, and no more than the delay of another one when a path
 * dies in the middle.
 *
 *	             snd_una                    head
 *	----------------|========================|----- data sequence
 *	subflow 1                                ^ new data
 *	subflow 2             ^ goes on from here
 *	subflow 3       ^ had fallen behind: goes on from snd_una
 *
 * Each subflow goes on from where it got to, or from the first byte that the
 * peer has not acknowledged if that is further: what has arrived by another
 * subflow it need not carry. One that got to the head takes new data. So
 *
 * - no subflow waits for another one;
 * - no subflow sends a byte twice (except for TCP's retransmissions): n
 *   subflows put at most n times the data on the wire;
 * - with one subflow, or one that is left, nothing is sent twice.
 *
 * A bulk transfer gets the rate of the best path. Other users of the paths pay
 * for that, so ordinary users may not choose it unless the administrator
 * allows it (net.mptcp.allowed_schedulers).
 *
 * Source: A. Frommgen et al., "ReMP TCP: Low Latency Multipath TCP", 2016.
 */

#include <linux/module.h>
#include "sched/sched.h"

/* Where @subflow goes on. What it got to is void if the peer has acknowledged
 * it meanwhile, and on a subflow that has carried nothing yet.
 */
static u64 redundant_next(const struct mptcp_sock *msk,
			  const struct mptcp_subflow_context *subflow)
{
	u64 next = subflow->sched_next, una = READ_ONCE(msk->snd_una);

	return next - una <= msk->snd_nxt - una ? next : una;
}

/* Does @subflow have something to send, and room for it? */
static u32 redundant_room(const struct mptcp_sock *msk,
			  const struct mptcp_subflow_context *subflow)
{
	u64 end = READ_ONCE(msk->wnd_end);

	/* new data, and the peer's window is used up */
	if (!before64(redundant_next(msk, subflow), mptcp_sched_head(msk)) &&
	    (!mptcp_send_head((struct sock *)msk) ||
	     !before64(mptcp_sched_head(msk), end)))
		return 0;
	return mptcp_sched_room(subflow);
}

/* The lowest RTT first: new data comes to it first, and copies to the others. */
static int redundant_get_send(struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;
	struct mptcp_sched_choice best = {};
	u32 best_rtt = U32_MAX;
	u64 next;

	mptcp_for_each_subflow(msk, subflow) {
		u32 rtt = READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(subflow))->srtt_us);
		u32 room;

		if (!mptcp_sched_usable(subflow, backups) || rtt >= best_rtt)
			continue;
		room = redundant_room(msk, subflow);
		if (room) {
			best.subflow = subflow;
			best.room = room;
			best_rtt = rtt;
		}
	}
	if (!best.subflow)
		return -EAGAIN;

	next = redundant_next(msk, best.subflow);
	if (before64(next, mptcp_sched_head(msk)))
		mptcp_sched_commit_at(msk, best.subflow, MPTCP_SCHED_SEND_COPY,
				      next, best.room);
	else
		mptcp_sched_commit(msk, best.subflow, best.room, MPTCP_SCHED_BEST);
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
