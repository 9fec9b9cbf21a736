// SPDX-License-Identifier: GPL-2.0
/* Coupled congestion control "wvegas": weighted Vegas, by delay instead of loss
 *
 * Vegas compares the round-trip time with the smallest one seen, base_rtt: what
 * is more is queueing. Of a window w, w * (1 - base_rtt / rtt) segments are in
 * the queue. Vegas keeps that number at a target. wVegas divides one target for
 * the connection, 10 segments, among its subflows:
 *
 *	target_r = 10 * x_r / sum_p x_p, x = w / rtt, 2 segments at least
 *
 * Where queueing delays differ, the subflow with the longer one has more than its
 * target and gives way, its rate and with it its target fall, and the other one's
 * grow: traffic moves until the delays are equal. Queues stay at a few segments.
 *
 * Once per round trip, with at least 3 samples of the RTT: one more segment below
 * the target, fewer above it. Slow start ends when more than a segment queues.
 * A loss halves the window.
 *
 * What the draft has otherwise, and why (the thesis of C. Paasch, 2014, found its
 * implementation with less than one path's goodput, and a hundredfold delay):
 *
 * - The draft drains the queue when the queueing delay is twice the smallest
 *   one since the last time: w *= base_rtt / (2 * rtt). On a queue that begins
 *   empty that happens again and again on the way to the target, and with few
 *   segments in the queue it halves the window: a quarter of the path and more is
 *   idle. Here it drains what is in the queue and no more, w *= base_rtt / rtt,
 *   and only if the queue is longer than the target wants it.
 * - A segment per round trip takes minutes to fill a path of 1000 segments when
 *   slow start was left too early, or when the path gets faster. Here the window
 *   grows by an eighth when no queue was seen for 3 round trips.
 * - And it takes as long to give back: a queue that others left, or one that
 *   formed as the path became slower, stays for seconds. Here half of what is
 *   too much goes at once.
 * - Where losses come before a queue that is worth the name, at a policer or a
 *   short buffer, there is no delay to go by, and each subflow would grow until
 *   the loss whatever the others have. Here, after a loss with less than the
 *   target in the queue, windows grow as LIA's do, until the target was reached.
 *   A loss in slow start does not count: that outruns what it measures.
 * - With fewer than 3 samples in a round trip Vegas grows as Reno does, until the
 *   queue is full: that is what slow paths always have, and where the delay came
 *   from. Here the round is extended until there are 3.
 * - The smallest RTT ever stays base_rtt for ever. When the path becomes longer,
 *   all of the difference counts as queue, and the window falls to nothing. Here,
 *   when base_rtt was not seen for ten seconds (and some round trips), the window
 *   is for two round trips half of what it was, and not more than without the
 *   queue. That empties the queue, and what is measured in the second one is the
 *   new base_rtt.
 *
 * Beside flows that fill the queue it gets little: what they queue counts as its
 * own. On a plain TCP socket it is Reno.
 *
 * Source: M. Xu, Y. Cao, E. Dong, draft-xu-mptcp-congestion-control-05; Y. Cao, M.
 * Xu, X. Fu, "Delay-based congestion control for multipath TCP", ICNP 2012.
 */

#include <linux/module.h>
#include <kunit/visibility.h>
#include "cong/cong.h"

#define WVEGAS_SHIFT	10			/* of numbers of segments */
#define WVEGAS_TOTAL	(10 << WVEGAS_SHIFT)	/* target of the connection */
#define WVEGAS_LEAST	(2 << WVEGAS_SHIFT)	/* target of a subflow */
#define WVEGAS_QUEUE	BIT(WVEGAS_SHIFT)	/* more than this is a queue */
#define WVEGAS_SAMPLES	3	/* not all of delayed ACKs */
#define WVEGAS_EMPTY	3	/* rounds without a queue before it grows faster */
#define WVEGAS_STEP	8	/* part of the window by which it does */
#define WVEGAS_BASE_AGE	(10 * HZ)	/* and this many round trips: */
#define WVEGAS_BASE_RTTS	32	/* base_rtt is in doubt */
#define WVEGAS_NEAR	16	/* base_rtt is seen again when less than this part is added */

struct wvegas {
	struct mptcp_cong cong;
	u32	base_rtt;	/* us, smallest of all; 0: none yet */
	u32	round_rtt;	/* us, smallest of this round */
	u32	samples;	/* of this round */
	u32	round_end;	/* the round ends when this is acknowledged */
	u32	least_queue;	/* us, smallest queueing delay since the last drain */
	u32	queued;		/* segments, WVEGAS_SHIFT */
	u32	target;
	u32	base_seen;	/* when, in jiffies */
	u32	kept;		/* window before base_rtt is measured again */
	u8	measuring;	/* rounds that are left of that */
	u8	empty;		/* rounds without a queue, in succession */
	bool	by_loss;	/* losses came before the queue had reached the target */
	bool	was_by_loss;	/* before the last loss, which may turn out to be none */
};

static void wvegas_new_round(struct sock *sk)
{
	struct wvegas *wvegas = inet_csk_ca(sk);

	wvegas->round_end = tcp_sk(sk)->snd_nxt;
	wvegas->round_rtt = U32_MAX;
	wvegas->samples = 0;
}

/* Segments in the queue of @cwnd, WVEGAS_SHIFT. */
VISIBLE_IF_KUNIT u32 mptcp_cong_wvegas_queued(u32 cwnd, u32 base_rtt, u32 rtt)
{
	return div_u64((u64)min_t(u32, cwnd, BIT(20)) * (rtt - base_rtt) << WVEGAS_SHIFT, rtt);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_cong_wvegas_queued);

/* The share of path[0] in the target, WVEGAS_SHIFT. */
VISIBLE_IF_KUNIT u32 mptcp_cong_wvegas_target(const struct mptcp_cong_view *view)
{
	u64 share = WVEGAS_TOTAL;

	if (view->rate)
		share = div64_u64(view->path[0].rate * WVEGAS_TOTAL, view->rate);
	return max_t(u32, share, WVEGAS_LEAST);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_cong_wvegas_target);

/* Segments by which the window changes after a round of congestion avoidance.
 * @limited: the window was used up.
 */
static int wvegas_step(struct wvegas *wvegas, u32 cwnd, bool limited)
{
	if (wvegas->queued > wvegas->target + WVEGAS_QUEUE)
		return -max((wvegas->queued - wvegas->target) >> (WVEGAS_SHIFT + 1), 1U);
	if (wvegas->queued >= wvegas->target || !limited)
		return 0;
	return wvegas->empty >= WVEGAS_EMPTY ? max(cwnd / WVEGAS_STEP, 1U) : 1;
}

/* Is there more in the queue than was, and than should be? */
static bool wvegas_must_drain(struct wvegas *wvegas)
{
	u32 queue = wvegas->round_rtt - wvegas->base_rtt;

	wvegas->least_queue = min(wvegas->least_queue, queue);
	if (queue < 2 * wvegas->least_queue ||
	    wvegas->queued <= 2 * wvegas->target)
		return false;
	wvegas->least_queue = U32_MAX;
	return true;
}

static bool wvegas_base_in_doubt(const struct wvegas *wvegas)
{
	u32 age = tcp_jiffies32 - wvegas->base_seen;

	return age > WVEGAS_BASE_AGE +
		     usecs_to_jiffies(min(wvegas->round_rtt, MPTCP_CONG_RTT_MAX)) *
		     WVEGAS_BASE_RTTS;
}

/* What fills the path, without a queue. */
static u32 wvegas_filling(const struct wvegas *wvegas, u32 cwnd)
{
	return cwnd - min(wvegas->queued >> WVEGAS_SHIFT, cwnd);
}

static void wvegas_set_window(struct tcp_sock *tp, u32 cwnd)
{
	tcp_snd_cwnd_set(tp, clamp(cwnd, 2U, tp->snd_cwnd_clamp));
	/* slow start is not to fill up what was taken away */
	tp->snd_ssthresh = min(tp->snd_ssthresh, tcp_snd_cwnd(tp));
}

/* Empty the queue to see the path alone. Return: true while that goes on. */
static bool wvegas_measure_base(struct sock *sk)
{
	struct wvegas *wvegas = inet_csk_ca(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	if (!wvegas->measuring) {
		if (tcp_in_slow_start(tp) || !wvegas_base_in_doubt(wvegas))
			return false;
		wvegas->measuring = 2;
		wvegas->kept = tcp_snd_cwnd(tp);
		wvegas_set_window(tp, min(wvegas->kept / 2,
					  wvegas_filling(wvegas, wvegas->kept)));
	} else if (!--wvegas->measuring) {
		WRITE_ONCE(wvegas->base_rtt, wvegas->round_rtt);
		wvegas->base_seen = tcp_jiffies32;
		/* in slow start, not in one burst */
		tp->snd_ssthresh = wvegas->kept;
	}
	return true;
}

static void wvegas_round(struct sock *sk)
{
	struct wvegas *wvegas = inet_csk_ca(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = tcp_snd_cwnd(tp), filling;
	struct mptcp_cong_view view;

	mptcp_cong_look(sk, &view);
	WRITE_ONCE(wvegas->cong.paths, view.paths);
	WRITE_ONCE(wvegas->target, mptcp_cong_wvegas_target(&view));
	WRITE_ONCE(wvegas->queued,
		   mptcp_cong_wvegas_queued(cwnd, wvegas->base_rtt, wvegas->round_rtt));
	wvegas->empty = wvegas->queued < WVEGAS_QUEUE ? min(wvegas->empty + 1, 255) : 0;
	if (wvegas->queued >= wvegas->target) {
		WRITE_ONCE(wvegas->by_loss, false);
		WRITE_ONCE(wvegas->cong.increase, 0);
	}

	filling = wvegas_filling(wvegas, cwnd);
	if (tcp_in_slow_start(tp)) {
		if (wvegas->queued > WVEGAS_QUEUE) {
			tp->snd_ssthresh = 2;
			wvegas_set_window(tp, filling + 1);
		}
	} else if (wvegas_must_drain(wvegas)) {
		wvegas_set_window(tp, filling);
	} else if (!wvegas->by_loss) {
		wvegas_set_window(tp, cwnd + wvegas_step(wvegas, cwnd, tcp_is_cwnd_limited(sk)));
	}
}

static void wvegas_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct wvegas *wvegas = inet_csk_ca(sk);

	if (!wvegas->cong.shared) {
		tcp_reno_cong_avoid(sk, ack, acked);
		return;
	}

	if (after(ack, wvegas->round_end) && wvegas->samples >= WVEGAS_SAMPLES) {
		if (!wvegas_measure_base(sk))
			wvegas_round(sk);
		wvegas_new_round(sk);
	}
	if (wvegas->by_loss && !wvegas->measuring)
		mptcp_cong_avoid(sk, acked, mptcp_cong_lia);
	else if (tcp_in_slow_start(tcp_sk(sk)))
		mptcp_cong_slow_start(sk, acked);
}

/* A loss: did the queue tell of it? */
static u32 wvegas_ssthresh(struct sock *sk)
{
	struct wvegas *wvegas = inet_csk_ca(sk);

	wvegas->was_by_loss = wvegas->by_loss;
	if (!tcp_in_slow_start(tcp_sk(sk)))
		WRITE_ONCE(wvegas->by_loss, wvegas->queued < wvegas->target);
	return tcp_reno_ssthresh(sk);
}

/* It was none. */
static u32 wvegas_undo_cwnd(struct sock *sk)
{
	struct wvegas *wvegas = inet_csk_ca(sk);

	WRITE_ONCE(wvegas->by_loss, wvegas->was_by_loss);
	return tcp_reno_undo_cwnd(sk);
}

static void wvegas_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct wvegas *wvegas = inet_csk_ca(sk);
	u32 rtt = max(sample->rtt_us, 1);

	mptcp_cong_pkts_acked(sk, sample);
	if (sample->rtt_us < 0)
		return;
	if (!wvegas->base_rtt || rtt < wvegas->base_rtt)
		WRITE_ONCE(wvegas->base_rtt, rtt);
	if (rtt <= wvegas->base_rtt + wvegas->base_rtt / WVEGAS_NEAR)
		wvegas->base_seen = tcp_jiffies32;
	wvegas->round_rtt = min(wvegas->round_rtt, rtt);
	wvegas->samples++;
}

static void wvegas_set_state(struct sock *sk, u8 state)
{
	struct wvegas *wvegas = inet_csk_ca(sk);

	mptcp_cong_set_state(sk, state);
	/* The loss has made room, and the window is another one. If losses are frequent, the next
	 * attempt would halve what this one and its loss have left.
	 */
	if (state >= TCP_CA_CWR && wvegas->measuring) {
		wvegas->measuring = 0;
		wvegas->base_seen = tcp_jiffies32;
	}
	/* What was measured while a loss was repaired says nothing. Reordering is none: go on. */
	if (state < TCP_CA_CWR && inet_csk(sk)->icsk_ca_state >= TCP_CA_CWR)
		wvegas_new_round(sk);
}

static void wvegas_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	if (event == CA_EVENT_CWND_RESTART)
		wvegas_new_round(sk);
}

static void wvegas_init_sock(struct sock *sk)
{
	struct wvegas *wvegas = inet_csk_ca(sk);

	wvegas->least_queue = U32_MAX;
	wvegas->target = WVEGAS_TOTAL;
	wvegas_new_round(sk);
	mptcp_cong_init(sk);
}

static size_t wvegas_get_info(struct sock *sk, u32 ext, int *attr,
			      union tcp_cc_info *info)
{
	size_t size = mptcp_cong_get_info(sk, ext, attr, info);
	const struct wvegas *wvegas = inet_csk_ca(sk);

	if (size) {
		if (!READ_ONCE(wvegas->by_loss))
			info->mptcp.mcc_gain = 0;
		info->mptcp.mcc_base_rtt_us = READ_ONCE(wvegas->base_rtt);
		info->mptcp.mcc_queued = (u64)READ_ONCE(wvegas->queued) * 1000 >> WVEGAS_SHIFT;
		info->mptcp.mcc_target = READ_ONCE(wvegas->target) * 1000 >> WVEGAS_SHIFT;
	}
	return size;
}

static struct tcp_congestion_ops mptcp_wvegas = {
	.init		= wvegas_init_sock,
	.release	= mptcp_cong_release,
	.ssthresh	= wvegas_ssthresh,
	.undo_cwnd	= wvegas_undo_cwnd,
	.cong_avoid	= wvegas_cong_avoid,
	.pkts_acked	= wvegas_pkts_acked,
	.cwnd_event	= wvegas_cwnd_event,
	.set_state	= wvegas_set_state,
	.get_info	= wvegas_get_info,
	.name		= "wvegas",
	.owner		= THIS_MODULE,
};

static int __init wvegas_init(void)
{
	BUILD_BUG_ON(sizeof(struct wvegas) > ICSK_CA_PRIV_SIZE);
	return tcp_register_congestion_control(&mptcp_wvegas);
}

static void __exit wvegas_exit(void)
{
	tcp_unregister_congestion_control(&mptcp_wvegas);
}

module_init(wvegas_init);
module_exit(wvegas_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP coupled congestion control: weighted Vegas");
MODULE_ALIAS("tcp_wvegas");
