// SPDX-License-Identifier: GPL-2.0
/* Coupled congestion control "olia": opportunistic linked increases
 *
 * LIA keeps more traffic on congested paths than is good for those who share
 * them. OLIA's windows grow, for each acknowledged segment on path r, by
 *
 *	(w_r / rtt_r^2) / (sum_p w_p / rtt_p)^2  +  a_r / w_r
 *
 * The first term, from theory, moves traffic to where congestion is least, but
 * slowly, and it would leave a path altogether. The second term moves window
 * from where it is largest to paths that are good and do not have much yet:
 *
 *	l_p	bytes acknowledged between the last two losses on p, or since the
 *		last loss if that is more: 1 / l_p estimates the loss rate
 *	B	paths with the largest l_p^2 / rtt_p
 *	M	paths with the largest window
 *	a_r	+1 / (N * |B\M|) for r in B but not in M, of N paths
 *		-1 / (N * |M|) for r in M, if there is one in B that is not
 *		0 otherwise
 *
 * l^2 / rtt is how the draft ranks paths. It is not TCP's rate there, which is
 * proportional to sqrt(l) / rtt: where RTTs differ, fewer losses count for more.
 *
 * A path that does not use up the window it has is not in B: it has all that the
 * application or the scheduler wants of it, would not take what the others gave
 * up, and that it has no losses says nothing of what it could carry. Next to it
 * the best of the others may take more: otherwise a path that clears after
 * congestion stays small as long as another has never been full.
 *
 * The increase may be negative. A loss halves a window; with siblings down to
 * one segment, so that a bad path is left with hardly more than a probe.
 *
 * Source: R. Khalili, N. Gast, M. Popovic, J.-Y. Le Boudec, "MPTCP is not
 * Pareto-Optimal: Performance Issues and a Possible Solution", IEEE/ACM ToN
 * 2013, and draft-khalili-mptcp-congestion-control-05.
 */

#include <linux/module.h>
#include <kunit/visibility.h>
#include "cong/cong.h"

struct olia {
	struct mptcp_cong cong;
	u64	lost_at;	/* bytes_acked at the last loss */
	u64	between;	/* bytes acknowledged between the two before it */
	u64	old_lost_at;	/* both before the last loss, which may turn out to be none */
	u64	old_between;
};

/* Sets of paths, a bit for each. */
struct olia_sets {
	u32	best;
	u32	largest;
};

/* l is below 2^32: its square, times rtt, is compared exactly. */
static bool olia_worse(const struct mptcp_cong_path *a,
		       const struct mptcp_cong_path *b)
{
	return mptcp_cong_less((u64)a->interval * a->interval, b->rtt_us,
			       (u64)b->interval * b->interval, a->rtt_us);
}

static struct olia_sets olia_sets(const struct mptcp_cong_view *view)
{
	struct olia_sets sets = { .best = BIT(0), .largest = BIT(0) };
	unsigned int i, best = 0, largest = 0;

	for (i = 1; i < view->paths; i++) {
		const struct mptcp_cong_path *path = &view->path[i];

		if (path->limited && olia_worse(&view->path[best], path)) {
			best = i;
			sets.best = BIT(i);
		} else if (path->limited && !olia_worse(path, &view->path[best])) {
			sets.best |= BIT(i);
		}
		if (path->wnd > view->path[largest].wnd) {
			largest = i;
			sets.largest = BIT(i);
		} else if (path->wnd == view->path[largest].wnd) {
			sets.largest |= BIT(i);
		}
	}

	return sets;
}

/* a_r / w_r of path[0] */
static s64 olia_shift(const struct mptcp_cong_view *view)
{
	struct olia_sets sets = olia_sets(view);
	u32 lacking = sets.best & ~sets.largest;
	s64 reno;

	if (!lacking)
		return 0;
	reno = mptcp_cong_reno(&view->path[0]);
	if (lacking & BIT(0))
		return div_s64(reno, view->paths * hweight32(lacking));
	if (sets.largest & BIT(0))
		return -div_s64(reno, view->paths * hweight32(sets.largest));
	return 0;
}

/* The increase on path[0], as a fraction of MPTCP_CONG_ONE. */
VISIBLE_IF_KUNIT s64 mptcp_cong_olia(const struct mptcp_cong_view *view)
{
	return mptcp_cong_linked(view, 0) + olia_shift(view);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_cong_olia);

static void olia_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	const struct olia *olia = inet_csk_ca(sk);
	u64 since = tcp_sk(sk)->bytes_acked - olia->lost_at;

	mptcp_cong_set_interval(sk, max(olia->between, since));
	mptcp_cong_avoid(sk, acked, mptcp_cong_olia);
}

static u32 olia_ssthresh(struct sock *sk)
{
	u64 acked = tcp_sk(sk)->bytes_acked;
	struct olia *olia = inet_csk_ca(sk);

	olia->old_between = olia->between;
	olia->old_lost_at = olia->lost_at;
	olia->between = acked - olia->lost_at;
	olia->lost_at = acked;
	mptcp_cong_set_interval(sk, olia->between);

	return mptcp_cong_ssthresh(sk, tcp_snd_cwnd(tcp_sk(sk)) / 2);
}

/* It was none. */
static u32 olia_undo_cwnd(struct sock *sk)
{
	struct olia *olia = inet_csk_ca(sk);

	olia->between = olia->old_between;
	olia->lost_at = olia->old_lost_at;
	return tcp_reno_undo_cwnd(sk);
}

static void olia_init_sock(struct sock *sk)
{
	struct olia *olia = inet_csk_ca(sk);

	olia->lost_at = tcp_sk(sk)->bytes_acked;
	olia->old_lost_at = olia->lost_at;
	mptcp_cong_init(sk);
}

static struct tcp_congestion_ops mptcp_olia = {
	.init		= olia_init_sock,
	.release	= mptcp_cong_release,
	.ssthresh	= olia_ssthresh,
	.undo_cwnd	= olia_undo_cwnd,
	.cong_avoid	= olia_cong_avoid,
	.pkts_acked	= mptcp_cong_pkts_acked,
	.set_state	= mptcp_cong_set_state,
	.get_info	= mptcp_cong_get_info,
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "olia",
	.owner		= THIS_MODULE,
};

static int __init olia_init(void)
{
	BUILD_BUG_ON(sizeof(struct olia) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&mptcp_olia);
}

static void __exit olia_exit(void)
{
	tcp_unregister_congestion_control(&mptcp_olia);
}

module_init(olia_init);
module_exit(olia_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP coupled congestion control: opportunistic linked increases");
MODULE_ALIAS("tcp_olia");
