// SPDX-License-Identifier: GPL-2.0
/* Coupled congestion control "ewlia": equally weighted, against incast
 *
 * A client that asks n servers at once gets n answers at once, through the one
 * link to it. Each is too short for its sender to learn its share: their windows
 * together exceed the queue, answers lose their last segments and wait for a
 * timer, 200 ms where microseconds were enough. So let the n connections be
 * together as aggressive as one TCP:
 *
 *	increase		LIA's / n^e
 *	initial ssthresh	65536 bytes / n, 2 segments at least
 *	initial window		TCP's (10 segments) / n, 1 segment at least
 *
 * n, the weight, is known to who sends the request. The server sets it for the
 * connection with the socket option MPTCP_CONG_WEIGHT before it answers, or for
 * all by net.mptcp.ewlia_weight. With n = 1 this is LIA.
 *
 * e is net.mptcp.ewlia_exponent. The source has e = 1. Then n flows get what one TCP
 * gets if they lose at the same time, which they do in an incast. With losses
 * that hit one at a time, n flows that grow by 1 / n and halve get sqrt(n) times
 * as much; e = 2 makes up for that.
 *
 * The source leaves the initial window alone. But from n = 5 on, ssthresh is below
 * Linux' ten segments, and nothing would be left to limit.
 *
 * Root decides who may use it (net.ipv4.tcp_allowed_congestion_control): with a weight of
 * another than its own it shares by no rule that TCP knows.
 *
 * On plain TCP sockets it is Reno with the weight of the sysctl.
 *
 * Source: M. Li, "Improving the Efficiency of Multipath Transport Protocols",
 * PhD thesis, Aalto University, 2014, section 3.3 (EW-MPTCP).
 */

#include <linux/module.h>
#include <kunit/visibility.h>
#include "protocol.h"
#include "cong/cong.h"

/* What 7.3 calls before the first segment, in place of cwnd_event (compat.h) */
#ifndef MPTCP_CONG_TX_START
#define MPTCP_CONG_TX_START(start)
#endif

#define EWLIA_SSTHRESH	65536	/* bytes, for all together */

struct ewlia {
	struct mptcp_cong cong;
	u32	window;		/* what TCP would begin with: less after lost SYNs, or as its */
	u32	ssthresh;	/* route says */
};

/* @weight is at most 2^16, so that its square fits. */
VISIBLE_IF_KUNIT s64 mptcp_cong_ewlia(const struct mptcp_cong_view *view, u32 weight,
				      unsigned int exponent)
{
	u64 n = exponent == 2 ? (u64)weight * weight : weight;

	return div64_u64(mptcp_cong_lia(view), n);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_cong_ewlia);

static void ewlia_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct mptcp_cong *cong = inet_csk_ca(sk);
	u32 weight = mptcp_cong_weight(sk);
	struct mptcp_cong_view view;

	if (weight == 1) {
		mptcp_cong_avoid(sk, acked, mptcp_cong_lia);
		return;
	}

	acked = mptcp_cong_slow_start(sk, acked);
	if (!acked)
		return;
	mptcp_cong_look(sk, &view);
	WRITE_ONCE(cong->paths, view.paths);
	WRITE_ONCE(cong->increase,
		   mptcp_cong_ewlia(&view, weight, mptcp_cong_weight_exponent(sk)));
	mptcp_cong_grow(sk, cong->increase, acked);
}

/* The first window of one of so many subflows, in segments */
static u32 ewlia_first_window(struct sock *sk)
{
	const struct ewlia *ewlia = inet_csk_ca(sk);

	return max(ewlia->window / mptcp_cong_weight(sk), 1U);
}

/* Where a connection begins, if it has not begun. */
static void ewlia_start(struct sock *sk)
{
	u32 weight = mptcp_cong_weight(sk);
	const struct ewlia *ewlia = inet_csk_ca(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 ssthresh = ewlia->ssthresh;

	if (tp->data_segs_out)
		return;
	if (weight > 1)
		ssthresh = min(ssthresh, max(EWLIA_SSTHRESH / weight / tp->mss_cache, 2U));
	tp->snd_ssthresh = ssthresh;
	tcp_snd_cwnd_set(tp, ewlia_first_window(sk));
}

static void ewlia_init_sock(struct sock *sk)
{
	struct ewlia *ewlia = inet_csk_ca(sk);

	mptcp_cong_init(sk);
	ewlia->window = tcp_snd_cwnd(tcp_sk(sk));
	ewlia->ssthresh = tcp_sk(sk)->snd_ssthresh;
	ewlia_start(sk);
}

/* Another control is chosen before anything was sent, and TCP has set no window meanwhile: it
 * begins as TCP does.
 */
static void ewlia_restore(struct sock *sk)
{
	const struct ewlia *ewlia = inet_csk_ca(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (tp->data_segs_out || tcp_snd_cwnd(tp) != ewlia_first_window(sk))
		return;
	tcp_snd_cwnd_set(tp, ewlia->window);
	tp->snd_ssthresh = ewlia->ssthresh;
}

static void ewlia_release(struct sock *sk)
{
	const struct ewlia *ewlia = inet_csk_ca(sk);

	/* an MPTCP socket, which is none of TCP, was never initialised */
	if (ewlia->window)
		ewlia_restore(sk);
	mptcp_cong_release(sk);
}

/* When the weight is set, and before the first segment: TCP sets its own window when a handshake
 * ends in which this was chosen.
 */
static void ewlia_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	if (event == CA_EVENT_CWND_RESTART || event == CA_EVENT_TX_START)
		ewlia_start(sk);
}

static struct tcp_congestion_ops mptcp_ewlia = {
	.init		= ewlia_init_sock,
	.release	= ewlia_release,
	.ssthresh	= tcp_reno_ssthresh,
	.undo_cwnd	= tcp_reno_undo_cwnd,
	.cong_avoid	= ewlia_cong_avoid,
	.cwnd_event	= ewlia_cwnd_event,
	MPTCP_CONG_TX_START(ewlia_start)
	.pkts_acked	= mptcp_cong_pkts_acked,
	.set_state	= mptcp_cong_set_state,
	.get_info	= mptcp_cong_get_info,
	.name		= "ewlia",
	.owner		= THIS_MODULE,
};

static int __init ewlia_init(void)
{
	BUILD_BUG_ON(sizeof(struct ewlia) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&mptcp_ewlia);
}

static void __exit ewlia_exit(void)
{
	tcp_unregister_congestion_control(&mptcp_ewlia);
}

module_init(ewlia_init);
module_exit(ewlia_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP coupled congestion control: equally weighted, against incast");
MODULE_ALIAS("tcp_ewlia");
