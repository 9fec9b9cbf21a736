// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "rr": round robin
 *
 * The subflows take turns, in the order of their ids. A turn is "segments"
 * full segments, or what the application has to send if that is less.
 *
 * ignore_cwnd=N (default): a subflow whose congestion window is full loses its
 * turn to the next one that has room. While there is data for all, the windows
 * and not the turns decide who sends how much, as with any work-conserving
 * scheduler; the turns show when the application sends less.
 *
 * ignore_cwnd=Y: nobody loses a turn, so segments truly alternate. What a
 * congestion window does not take yet waits in the subflow's send queue; when
 * that is full, all wait. A connection over n paths gets n times the rate of
 * the slowest one. For experiments, and for paths that are alike.
 *
 * In both modes a subflow that failed, turned stale or became a backup has no
 * turn until it is usable again.
 *
 * Source: C. Paasch, "Improving Multipath TCP", PhD thesis, 2014, section 4.3.1.
 */

#include <linux/module.h>
#include "sched/sched.h"

#define RR_SEGMENTS_MAX	1000U

static int rr_set_segments(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 1, RR_SEGMENTS_MAX);
}

static const struct kernel_param_ops rr_segments_ops = {
	.set = rr_set_segments,
	.get = param_get_uint,
};

static unsigned int segments = 1;
module_param_cb(segments, &rr_segments_ops, &segments, 0644);
MODULE_PARM_DESC(segments, "Full segments per turn, 1..1000 (default: 1)");

static bool ignore_cwnd;
module_param(ignore_cwnd, bool, 0644);
MODULE_PARM_DESC(ignore_cwnd,
		 "Alternate whatever the congestion windows say (default: N)");

struct rr_msk {
	u32 last_id;	/* subflow that had the last turn, 0: none yet */
	u32 before_id;	/* subflow that had the turn before that */
	u32 granted;	/* bytes of the last turn */
};

static struct rr_msk *rr_msk(struct mptcp_sock *msk)
{
	BUILD_BUG_ON(sizeof(struct rr_msk) > sizeof(msk->sched_priv));

	return (struct rr_msk *)msk->sched_priv;
}

/* A turn in which not a byte left, because the peer's window was used up or
 * memory was short, was none.
 */
static void rr_take_back(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	struct rr_msk *rr = rr_msk(msk);

	mptcp_for_each_subflow(msk, subflow) {
		if (subflow->subflow_id == rr->last_id &&
		    subflow->sched_budget == rr->granted)
			rr->last_id = rr->before_id;
	}
}

/* The usable subflow that is next in the ring; those without room are passed
 * over, unless all keep their turn.
 */
static struct mptcp_sched_choice rr_next(struct mptcp_sock *msk, bool keep_turn)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;
	struct mptcp_sched_choice next = {};
	u32 last = rr_msk(msk)->last_id;

	mptcp_for_each_subflow(msk, subflow) {
		u32 room;

		if (!mptcp_sched_usable(subflow, backups))
			continue;
		if (next.subflow &&
		    !mptcp_sched_ring_before(last, subflow->subflow_id,
					     next.subflow->subflow_id))
			continue;
		room = keep_turn ? U32_MAX : mptcp_sched_room(subflow);
		if (!room)
			continue;
		next.subflow = subflow;
		next.room = room;
	}

	return next;
}

static int rr_get_send(struct mptcp_sock *msk)
{
	bool keep_turn = READ_ONCE(ignore_cwnd);
	struct rr_msk *rr = rr_msk(msk);
	struct mptcp_sched_choice next;

	rr_take_back(msk);
	next = rr_next(msk, keep_turn);
	if (!next.subflow)
		return -EAGAIN;

	/* its turn, but its send queue is full: wait for it */
	if (keep_turn && !sk_stream_memory_free(mptcp_subflow_tcp_sock(next.subflow)))
		return -EAGAIN;

	rr->granted = min(READ_ONCE(segments) * mptcp_sched_mss(next.subflow),
			  next.room);
	rr->before_id = rr->last_id;
	rr->last_id = next.subflow->subflow_id;
	mptcp_sched_commit(msk, next.subflow, rr->granted, MPTCP_SCHED_TURN);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_rr = {
	.get_send	= rr_get_send,
	.name		= "rr",
	.owner		= THIS_MODULE,
};

static int __init rr_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_rr);
}

static void __exit rr_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_rr);
}

module_init(rr_init);
module_exit(rr_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: round robin");
