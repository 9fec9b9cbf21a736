// SPDX-License-Identifier: GPL-2.0
/* Coupled congestion control "balia": balanced linked adaptation
 *
 * LIA is slow to leave a congested path, OLIA is slow to come back to one that
 * recovered. BALIA is a compromise between friendliness to TCP and quick
 * response, from a model that covers all of them. With x_p = w_p / rtt_p and
 * a_r = max_p(x_p) / x_r, on path r
 *
 *	each ACK:  w_r += x_r / (rtt_r * (sum_p x_p)^2) * (1 + a_r) / 2 * (4 + a_r) / 5
 *	a loss:	   w_r -= w_r / 2 * min(a_r, 1.5)
 *
 * The slower a path is relative to the best one, the more its window gives way.
 * As w_r = x_r * rtt_r, with m = max_p(x_p) and X = sum_p x_p the increase is Reno's,
 * 1 / w_r, times (x_r + m) / X * (4 x_r + m) / X / 10: that is what is computed.
 *
 * Source: Q. Peng, A. Walid, J. Hwang, S. H. Low, "Multipath TCP: Analysis,
 * Design, and Implementation", IEEE/ACM ToN 2016, and
 * draft-walid-mptcp-congestion-control-04.
 */

#include <linux/module.h>
#include <kunit/visibility.h>
#include "cong/cong.h"

#define BALIA_SHIFT	14	/* of ratios of rates: 49 bits, and 14 */
#define BALIA_CUT_SHIFT	10	/* of a_r when it cuts a window */

static u64 balia_highest(const struct mptcp_cong_view *view)
{
	u64 highest = 0;
	unsigned int i;

	for (i = 0; i < view->paths; i++)
		highest = max(highest, view->path[i].rate);
	return highest;
}

/* The increase on path[0], as a fraction of MPTCP_CONG_ONE. */
VISIBLE_IF_KUNIT s64 mptcp_cong_balia(const struct mptcp_cong_view *view)
{
	u64 rate = view->path[0].rate, highest = balia_highest(view);
	u64 increase = mptcp_cong_reno(&view->path[0]);

	if (!view->rate)
		return increase;
	increase *= div64_u64((rate + highest) << BALIA_SHIFT, view->rate);
	increase >>= BALIA_SHIFT;
	/* 2^41 times 2^15 */
	increase *= div64_u64((4 * rate + highest) << (BALIA_SHIFT - 2), view->rate);
	return div_u64(increase >> (BALIA_SHIFT - 2), 10);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_cong_balia);

/* What a loss leaves of a window of @cwnd segments on path[0]. */
VISIBLE_IF_KUNIT u32 mptcp_cong_balia_cut(const struct mptcp_cong_view *view, u32 cwnd)
{
	u64 most = (3 << BALIA_CUT_SHIFT) / 2, a = most;

	if (view->path[0].rate)
		a = div64_u64(balia_highest(view) << BALIA_CUT_SHIFT, view->path[0].rate);
	return cwnd - (cwnd * min(a, most) >> (BALIA_CUT_SHIFT + 1));
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_cong_balia_cut);

static void balia_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	mptcp_cong_avoid(sk, acked, mptcp_cong_balia);
}

static u32 balia_ssthresh(struct sock *sk)
{
	u32 cwnd = tcp_snd_cwnd(tcp_sk(sk));
	struct mptcp_cong_view view;

	mptcp_cong_look(sk, &view);
	if (view.paths == 1)
		return tcp_reno_ssthresh(sk);
	return mptcp_cong_ssthresh(sk, mptcp_cong_balia_cut(&view, cwnd));
}

static struct tcp_congestion_ops mptcp_balia = {
	.init		= mptcp_cong_init,
	.release	= mptcp_cong_release,
	.ssthresh	= balia_ssthresh,
	.undo_cwnd	= tcp_reno_undo_cwnd,
	.cong_avoid	= balia_cong_avoid,
	.pkts_acked	= mptcp_cong_pkts_acked,
	.set_state	= mptcp_cong_set_state,
	.get_info	= mptcp_cong_get_info,
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "balia",
	.owner		= THIS_MODULE,
};

static int __init balia_init(void)
{
	BUILD_BUG_ON(sizeof(struct mptcp_cong) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&mptcp_balia);
}

static void __exit balia_exit(void)
{
	tcp_unregister_congestion_control(&mptcp_balia);
}

module_init(balia_init);
module_exit(balia_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP coupled congestion control: balanced linked adaptation");
MODULE_ALIAS("tcp_balia");
