// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: what is known of a path
 *
 * Each ACK that reports a delivery is an event, seen under the subflow's lock: what TCP
 * measured then is taken down together. Schedulers run without that lock, on another CPU
 * maybe. They read the model, not TCP's state, of which one value could be from before
 * an ACK and the next from after it.
 *
 * rate: the highest at which the path delivered within a second, or 8 round trips if that
 * is longer. One sample may be from an ACK of a single packet, when there were no more.
 *
 * rtt: the lowest within ten seconds: what the path takes without a queue. TCP's own counts
 * for five minutes (net.ipv4.tcp_min_rtt_wlen); a mobile network's changes more often than
 * that, and as long as it is taken for lower than it is, a path looks as if it had a queue:
 * it gets too little data, and what it gets comes later than expected. Not what TCP measured
 * while it recovers: what was only late, as the RTT rose, it takes for lost, and then for the
 * answer to the retransmission, so that the path looks faster than it ever was.
 *
 * Who keeps a queue on a path by a limit of his own would see nothing but that queue after
 * ten seconds, and take it for the path. So before the lowest RTT is forgotten, he lets the
 * queue drain: mptcp_sched_drains(). What TCP's own window does to a queue is TCP's concern.
 *
 * Source: windowed filters of rate and RTT, ten seconds, and to drain a path before they are
 * over: BBR (Cardwell et al., 2016).
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "sched/model.h"
#include "sched/sched.h"

/* How long the highest rate counts, in ms: long enough to outlive a pause of the application,
 * and at least this many RTTs.
 */
#define MODEL_RATE_WINDOW	1000U
#define MODEL_RATE_RTTS		8

/* How long the lowest RTT counts, and when to begin to look for it, in ms */
#define MODEL_RTT_WINDOW	10000U
#define MODEL_RTT_OLD		9000U

/* An RTT below its lowest plus this part, and plus this time in us, says that there is
 * no queue.
 */
#define MODEL_QUEUE_SHIFT	2
#define MODEL_QUEUE_US		1000

/* A queue is ours if it holds that part of what fits the path, and so many segments more. */
#define MODEL_OURS_SEGS		4

static void model_take_rate(struct mptcp_model *model, const struct tcp_sock *tp, u32 now)
{
	u32 rtts = MODEL_RATE_RTTS * (tp->srtt_us >> 3) / USEC_PER_MSEC;
	u64 segs = (u64)tp->rate_delivered << MPTCP_MODEL_RATE_SHIFT;

	if (!tp->rate_interval_us)
		return;
	minmax_running_max(&model->rate, max(rtts, MODEL_RATE_WINDOW), now,
			   min_t(u64, div_u64(segs, tp->rate_interval_us), U32_MAX));
}

/* The lowest RTT in us that TCP knows of @tp, at least 1. */
u32 mptcp_sched_tcp_min_rtt(const struct tcp_sock *tp)
{
	u32 lowest = READ_ONCE(tp->rtt_min.s[0].v);

	if (lowest == ~0U)
		lowest = READ_ONCE(tp->srtt_us) >> 3;
	return max(lowest, 1U);
}

/* TCP's last RTT, in us; 0: not known. If what was taken for lost was only late, TCP's own may
 * be that of the retransmission, and far too short; also the first one after a recovery.
 */
static u32 model_rtt(struct mptcp_model *model, const struct tcp_sock *tp)
{
	bool unsure = model->recovers;

	model->recovers = tp->inet_conn.icsk_ca_state >= TCP_CA_Recovery;
	unsure |= model->recovers;
	return unsure ? 0 : tp->rack.rtt_us;
}

/* Do @segs segments in flight, with @rtt, make a queue? A queue with few in flight is others', or
 * none but an RTT that varies.
 */
static bool model_is_ours(u32 segs, u32 rtt, u32 min_rtt)
{
	u64 without = (u64)segs * (min_rtt + (min_rtt >> MODEL_QUEUE_SHIFT));

	return (u64)segs * rtt > without + (u64)MODEL_OURS_SEGS * rtt;
}

/* A round trip is over when a packet is delivered that was sent in it: not with the last one of a
 * burst, of which only the first may have found no queue.
 */
static void model_take_round(struct mptcp_model *model, const struct tcp_sock *tp, u32 rtt)
{
	u32 min_rtt = minmax_get(&model->rtt), segs = tp->delivered - model->round_from;

	if (rtt)
		model->round_rtt = min_not_zero(model->round_rtt, rtt);
	/* what has nothing in flight has no queue */
	if (!tp->packets_out)
		WRITE_ONCE(model->full, false);
	if (before(tp->delivered, model->round_end))
		return;
	if (min_rtt && tp->packets_out)
		WRITE_ONCE(model->full, model_is_ours(segs, model->round_rtt, min_rtt));
	model->round_rtt = 0;
	model->round_from = tp->delivered;
	model->round_end = tp->delivered + mptcp_sched_in_flight(tp) + 1;
}

static void model_take_rtt(struct mptcp_model *model, const struct tcp_sock *tp, u32 now)
{
	u32 rtt = model_rtt(model, tp);

	model_take_round(model, tp, rtt);
	if (!rtt)
		return;
	/* The first: 0 is not the lowest. The handshake's was without a queue. */
	if (!minmax_get(&model->rtt))
		minmax_reset(&model->rtt, now, min(rtt, mptcp_sched_tcp_min_rtt(tp)));
	else
		minmax_running_min(&model->rtt, MODEL_RTT_WINDOW, now, rtt);
}

/* @tp, whose lock is held, got an ACK that reports a delivery, @now in ms. */
void mptcp_model_ack(struct mptcp_model *model, const struct tcp_sock *tp, u32 now)
{
	atomic64_set(&model->sample, (u64)tp->rate_delivered << 32 | tp->rate_interval_us);
	WRITE_ONCE(model->app_limited, tp->rate_app_limited);
	WRITE_ONCE(model->restarts, !tp->inet_conn.icsk_ca_ops->cong_control);
	model_take_rate(model, tp, now);
	model_take_rtt(model, tp, now);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_model_ack);

/* What is known of @subflow's path, for those without its lock: the lowest RTT in us, at
 * least 1. A subflow that recovers for long has none of late, and TCP's may be newer.
 */
u32 mptcp_sched_min_rtt(const struct mptcp_subflow_context *subflow)
{
	return max(READ_ONCE(subflow->model.rtt.s[0].v),
		   mptcp_sched_tcp_min_rtt(tcp_sk(mptcp_subflow_tcp_sock(subflow))));
}
EXPORT_SYMBOL_GPL(mptcp_sched_min_rtt);

/* Does data wait in the bottleneck of @subflow, whose path takes @min_rtt without it? */
bool mptcp_sched_has_queue(const struct mptcp_subflow_context *subflow, u32 min_rtt)
{
	u32 rtt = READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(subflow))->rack.rtt_us);

	return rtt > min_rtt + (min_rtt >> MODEL_QUEUE_SHIFT) + MODEL_QUEUE_US;
}
EXPORT_SYMBOL_GPL(mptcp_sched_has_queue);

/* Did all that was delivered in the last round trip wait there, for what we sent? Then the path
 * is full, though the application may be the limit, and its rate is what it can carry.
 */
bool mptcp_sched_is_full(const struct mptcp_subflow_context *subflow)
{
	return READ_ONCE(subflow->model.full);
}
EXPORT_SYMBOL_GPL(mptcp_sched_is_full);

/* Is it time for less than what its path takes, so that the lowest RTT shows? */
bool mptcp_sched_drains(const struct mptcp_subflow_context *subflow)
{
	const struct minmax_sample *lowest = &subflow->model.rtt.s[0];
	u32 since = READ_ONCE(lowest->t);

	/* less than 0: another CPU writes it */
	return READ_ONCE(lowest->v) && (s32)((u32)tcp_clock_ms() - since) > (s32)MODEL_RTT_OLD;
}
EXPORT_SYMBOL_GPL(mptcp_sched_drains);

/* The highest rate at which it delivered of late, in bytes per ms, at least 1; 0: nothing
 * yet.
 */
u32 mptcp_sched_max_rate(const struct mptcp_subflow_context *subflow)
{
	u64 bytes = (u64)READ_ONCE(subflow->model.rate.s[0].v) * mptcp_sched_mss(subflow) *
		    USEC_PER_MSEC;

	if (!mptcp_sched_sample(subflow).us)
		return 0;
	return clamp_t(u64, bytes >> MPTCP_MODEL_RATE_SHIFT, 1, U32_MAX);
}
EXPORT_SYMBOL_GPL(mptcp_sched_max_rate);
