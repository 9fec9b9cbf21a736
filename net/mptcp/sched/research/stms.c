// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "stms": slide together
 *
 * All data shall arrive in order, whatever path it takes. The fast subflow, that with the
 * lowest RTT, sends what is next. A slower one sends from further back, so far that the fast
 * one gets there when it has arrived:
 *
 *	   head             gap            slow one's
 *	-----|============================|-----|----- data sequence
 *	     what the fast one sends meanwhile
 *
 * The gap begins with what the fast one delivers in half the difference of the RTTs. But one-way
 * delays are not known, and change, so it is learned: if the peer waits for what the slow
 * subflow has, the gap was too small. It grows by an eighth then, otherwise it shrinks by a
 * 64th, once per RTT of the slow subflow. The steps are ours: a gap that is too large takes
 * memory of the receiver, one that is too small holds up both paths.
 *
 * Where it is weak: all data behind the gap must be there, and fit the peer's window. The slow
 * subflow idles otherwise. Nothing is sent again, and a loss on the slow subflow counts as
 * delay. Behind a long queue, an RTT of the slow subflow is long, and the gap is learned slowly.
 *
 * Source: H. Shi, Y. Cui, X. Wang, Y. Hu, M. Dai, F. Wang, K. Zheng, "STMS: Improving MPTCP
 * Throughput Under Heterogeneous Networks", USENIX ATC 2018.
 */

#include <linux/math64.h>
#include <linux/module.h>
#include "sched/sched.h"
#include "sched/rules.h"

/* A slower subflow is given so many segments at once. */
#define STMS_SEGS	4

/* Of a slower subflow */
struct stms {
	u32 gap;	/* bytes */
	u32 since;	/* jiffies: when it changed last; 0: never */
	bool late;	/* since then, the peer waited for it */
};

static struct stms *stms(struct mptcp_subflow_context *subflow)
{
	BUILD_BUG_ON(sizeof(struct stms) > sizeof(subflow->sched_priv));

	return (struct stms *)subflow->sched_priv;
}

/* What @fast delivers while @slow's data is on its way for longer */
static u32 stms_first_gap(const struct mptcp_subflow_context *fast,
			  const struct mptcp_subflow_context *slow)
{
	u32 cwnd = tcp_snd_cwnd(tcp_sk(mptcp_subflow_tcp_sock(fast)));
	u32 rate = mptcp_sched_rate(fast) ?: mptcp_sched_first_rate(fast, cwnd);
	u64 rtt = mptcp_sched_srtt(slow);
	u64 us = (rtt - min(mptcp_sched_srtt(fast), rtt)) >> 4;

	return min_t(u64, div_u64(rate * us, USEC_PER_MSEC), S32_MAX);
}

/* A new time begins, with this gap. */
static u32 stms_set(struct stms *s, u32 gap, u32 now)
{
	*s = (struct stms) { .gap = gap, .since = now ?: 1 };
	return gap;
}

/* The gap of @slow, as it is known now */
static u32 stms_gap(struct mptcp_sock *msk, const struct mptcp_subflow_context *fast,
		    struct mptcp_subflow_context *slow)
{
	const struct mptcp_range *waits = mptcp_ranges_find(msk->ranges, READ_ONCE(msk->snd_una));
	struct stms *s = stms(slow);
	u32 now = tcp_jiffies32;

	if (!s->since)
		return stms_set(s, stms_first_gap(fast, slow), now);
	s->late |= waits && waits->subflow_id == slow->subflow_id;
	if (now - s->since < usecs_to_jiffies(mptcp_sched_srtt(slow) >> 3))
		return s->gap;

	return stms_set(s, mptcp_rule_gap(s->gap, mptcp_sched_mss(slow), s->late), now);
}

static int stms_send_ahead(struct mptcp_sock *msk, const struct mptcp_subflow_context *fast,
			   const struct mptcp_sched_choice *slow)
{
	struct mptcp_ranges *ranges = mptcp_sched_ranges(msk);
	u32 mss = mptcp_sched_mss(slow->subflow);
	u64 seq;

	if (!ranges || !msk->first_pending || mptcp_ranges_is_full(ranges))
		return -EAGAIN;
	seq = mptcp_ranges_reach(ranges, mptcp_sched_head(msk),
				 stms_gap(msk, fast, slow->subflow));
	if (before64(READ_ONCE(msk->wnd_end), seq + mss))
		return -EAGAIN;
	if (before64(msk->write_seq, seq + mss)) {
		mptcp_sched_want_written(msk, seq + mss);
		return -EAGAIN;
	}

	mptcp_sched_commit_at(msk, slow->subflow, MPTCP_SCHED_SEND_AHEAD, seq,
			      min(slow->room, STMS_SEGS * mss));
	return 0;
}

static int stms_get_send(struct mptcp_sock *msk)
{
	struct mptcp_sched_choice best = mptcp_sched_lowest_rtt(msk);
	struct mptcp_subflow_context *fast = mptcp_sched_first(msk, mptcp_sched_srtt);

	if (!best.subflow)
		return -EAGAIN;
	if (best.subflow != fast && fast)
		return stms_send_ahead(msk, fast, &best);

	mptcp_sched_commit(msk, best.subflow, min(best.room, mptcp_sched_run(best.subflow)),
			   MPTCP_SCHED_BEST);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_stms = {
	.get_send	= stms_get_send,
	.name		= "stms",
	.owner		= THIS_MODULE,
};

static int __init stms_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_stms);
}

static void __exit stms_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_stms);
}

module_init(stms_init);
module_exit(stms_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: slide together");
