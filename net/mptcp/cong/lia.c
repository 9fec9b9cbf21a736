// SPDX-License-Identifier: GPL-2.0
/* Coupled congestion control "lia": linked increases (RFC 6356)
 *
 * A loss halves a window, as with TCP. But the windows grow together, for each
 * acknowledged segment on path r by
 *
 *	min(alpha / w_total, 1 / w_r),
 *
 *	alpha = w_total * max_p(w_p / rtt_p^2) / (sum_p w_p / rtt_p)^2
 *
 * windows w in segments. alpha is chosen such that the connection gets what TCP
 * would get on the best of its paths. The minimum keeps a subflow from taking
 * more than TCP on its own path. As each window grows by the same, but shrinks in
 * proportion to its loss, the windows are larger where there is less loss.
 *
 * alpha / w_total does not depend on the unit of w_total: what is computed is
 * max_p(w_p / rtt_p^2) / (sum_p w_p / rtt_p)^2.
 *
 * Where it is weak: the growth is shared evenly, so that it keeps more traffic on
 * congested paths than needed, at the expense of others there. olia.c and
 * balia.c mend that.
 *
 * Source: C. Raiciu, M. Handley, D. Wischik, "Coupled Congestion Control for
 * Multipath Transport Protocols", RFC 6356, 2011.
 */

#include <linux/module.h>
#include "cong/cong.h"

/* The path on which TCP would get most: the largest w / rtt^2. */
static unsigned int lia_best(const struct mptcp_cong_view *view)
{
	unsigned int i, best = 0;

	for (i = 1; i < view->paths; i++) {
		if (mptcp_cong_less(view->path[best].rate, view->path[i].rtt_us,
				    view->path[i].rate, view->path[best].rtt_us))
			best = i;
	}

	return best;
}

/* The increase on path[0], as a fraction of MPTCP_CONG_ONE. */
s64 mptcp_cong_lia(const struct mptcp_cong_view *view)
{
	return min_t(s64, mptcp_cong_linked(view, lia_best(view)),
		     mptcp_cong_reno(&view->path[0]));
}
EXPORT_SYMBOL_GPL(mptcp_cong_lia);

static void lia_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	mptcp_cong_avoid(sk, acked, mptcp_cong_lia);
}

static struct tcp_congestion_ops mptcp_lia = {
	.init		= mptcp_cong_init,
	.release	= mptcp_cong_release,
	.ssthresh	= tcp_reno_ssthresh,
	.undo_cwnd	= tcp_reno_undo_cwnd,
	.cong_avoid	= lia_cong_avoid,
	.pkts_acked	= mptcp_cong_pkts_acked,
	.set_state	= mptcp_cong_set_state,
	.get_info	= mptcp_cong_get_info,
	.flags		= TCP_CONG_NON_RESTRICTED,
	.name		= "lia",
	.owner		= THIS_MODULE,
};

static int __init lia_init(void)
{
	BUILD_BUG_ON(sizeof(struct mptcp_cong) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&mptcp_lia);
}

static void __exit lia_exit(void)
{
	tcp_unregister_congestion_control(&mptcp_lia);
}

module_init(lia_init);
module_exit(lia_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP coupled congestion control: linked increases (RFC 6356)");
MODULE_ALIAS("tcp_lia");
