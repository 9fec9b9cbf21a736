// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "blest": blocking estimation
 *
 * The fast subflow F, that with the lowest RTT, sends while its congestion
 * window has room. Then it is the next one's turn, S, as with "minrtt". But
 * what S carries occupies the peer's window for the connection until it is
 * there, and F may then have to wait for the window: it is blocked.
 *
 * So estimate what F would send during a round trip of S. It has rtt_S /
 * rtt_F round trips for that, and its window grows by one segment in each:
 *
 *	X = mss_F * (cwnd_F + (rtt_S / rtt_F - 1) / 2) * rtt_S / rtt_F
 *
 * and let S send only if that fits beside what S has in flight then:
 *
 *	lambda * X <= window left - mss_S * (in_flight_S + 1)
 *
 * lambda corrects the estimate: it begins with 1, grows in each round trip
 * of S in which F was blocked, and shrinks back in one in which it was not.
 * The steps and the bounds are ours (1/64, 1 to 4).
 *
 * Where it is weak: the window is all that it looks at. While there is
 * enough of it, S gets as much as with "minrtt", and data that the
 * application waits for comes late.
 *
 * Source: S. Ferlin, O. Alay, O. Mehani, R. Boreli, "BLEST: Blocking
 * Estimation-based MPTCP Scheduler for Heterogeneous Networks", IFIP
 * Networking 2016.
 */

#include <linux/math64.h>
#include <linux/module.h>
#include "sched/sched.h"

/* Ratios, and lambda, are in parts of 256. */
#define BLEST_SHIFT		8
#define BLEST_ONE		BIT(BLEST_SHIFT)
#define BLEST_RATIO_MAX		(BLEST_ONE << 8)
#define BLEST_STEP		(BLEST_ONE / 64)
#define BLEST_LAMBDA_MAX	(BLEST_ONE * 4)

struct blest {
	u32 lambda;	/* 0: 1, at first */
	u32 since;	/* jiffies: when this round trip of S began */
	bool blocked;	/* in it */
};

static struct blest *blest(struct mptcp_sock *msk)
{
	BUILD_BUG_ON(sizeof(struct blest) > sizeof(msk->sched_priv));

	return (struct blest *)msk->sched_priv;
}

/* X: bytes that @fast sends during a round trip of @slow. */
static u64 blest_sends(const struct mptcp_subflow_context *fast,
		       const struct mptcp_subflow_context *slow)
{
	u32 cwnd = tcp_snd_cwnd(tcp_sk(mptcp_subflow_tcp_sock(fast)));
	u64 ratio = div_u64(mptcp_sched_srtt(slow) << BLEST_SHIFT,
			    max_t(u32, mptcp_sched_srtt(fast), 1));

	ratio = clamp_t(u64, ratio, BLEST_ONE, BLEST_RATIO_MAX);
	/* segments, in halves of 1/256 */
	cwnd = min_t(u32, cwnd, BIT(20));
	return (mptcp_sched_mss(fast) *
		(((u64)cwnd << (BLEST_SHIFT + 1)) + ratio - BLEST_ONE) * ratio) >>
	       (2 * BLEST_SHIFT + 1);
}

/* Once per round trip of @slow. */
static void blest_correct(struct mptcp_sock *msk, const struct mptcp_subflow_context *slow)
{
	struct blest *b = blest(msk);
	u32 now = tcp_jiffies32;

	if (!b->lambda)
		b->lambda = BLEST_ONE;
	if (now - b->since < usecs_to_jiffies(mptcp_sched_srtt(slow) >> 3))
		return;

	if (b->blocked)
		b->lambda = min(b->lambda + BLEST_STEP, BLEST_LAMBDA_MAX);
	else
		b->lambda = max(b->lambda - BLEST_STEP, BLEST_ONE);
	b->blocked = false;
	b->since = now;
}

/* Would @slow leave enough of the window for @fast? */
static bool blest_fits(struct mptcp_sock *msk, const struct mptcp_subflow_context *fast,
		       const struct mptcp_subflow_context *slow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(slow));
	u64 head = mptcp_sched_head(msk), end = READ_ONCE(msk->wnd_end);
	u64 taken = (u64)mptcp_sched_mss(slow) * (mptcp_sched_in_flight(tp) + 1);

	blest_correct(msk, slow);
	if (!before64(head, end) || taken > end - head)
		return false;

	return (blest_sends(fast, slow) * blest(msk)->lambda) >> BLEST_SHIFT <=
	       end - head - taken;
}

static int blest_get_send(struct mptcp_sock *msk)
{
	struct mptcp_sched_choice best = mptcp_sched_lowest_rtt(msk);
	struct mptcp_subflow_context *fast;

	if (!best.subflow)
		return -EAGAIN;

	fast = mptcp_sched_first(msk, mptcp_sched_srtt);
	if (best.subflow != fast && fast && mptcp_sched_srtt(fast) &&
	    !blest_fits(msk, fast, best.subflow))
		return -EAGAIN;

	mptcp_sched_commit(msk, best.subflow, best.room, MPTCP_SCHED_BEST);
	return 0;
}

static void blest_wnd_blocked(struct mptcp_sock *msk)
{
	blest(msk)->blocked = true;
}

static struct mptcp_sched_ops mptcp_sched_blest = {
	.get_send	= blest_get_send,
	.wnd_blocked	= blest_wnd_blocked,
	.name		= "blest",
	.owner		= THIS_MODULE,
};

static int __init blest_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_blest);
}

static void __exit blest_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_blest);
}

module_init(blest_init);
module_exit(blest_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: blocking estimation");
