// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: bufferbloat mitigation, the extension "+bm"
 *
 * A congestion control that reacts to loss fills the queue of its bottleneck
 * before it slows down. Where that queue is deep, as in many cellular networks,
 * the round-trip time grows to seconds, and what is sent there arrives when
 * the other subflows have long delivered what comes after it.
 *
 * So put no more in flight than some times what fits the path without a queue:
 *
 *	limit = lambda * delivery rate * min_rtt
 *
 * The thesis writes lambda * min_rtt / srtt * cwnd, which is the same while the
 * congestion window is used up: then cwnd / srtt is the rate. But limited, it no
 * longer is, and the queue would settle at the root of what it is without a
 * limit, not at lambda. Where there is no queue there is no limit: then the rate
 * may be what the application sends, not what the path carries.
 *
 * The congestion window stays as congestion control made it: as it is no longer
 * used up, it stops growing (tcp_is_cwnd_limited()).
 *
 * lambda is net.mptcp.sched_bm_lambda, in percent, 300 by default.
 *
 * Source: C. Paasch, "Improving Multipath TCP", PhD thesis, 2014, section
 * 4.3.1 ("BM"); S. Ferlin et al., "Multi-Path Transport over Heterogeneous
 * Wireless Networks: Does it really pay off?", 2014.
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched.h"

/* What a receiver acknowledges at once. */
#define BM_MIN_SEGS	2

/* Rates are in segments per us, in parts of 2^24. */
#define BM_RATE_SHIFT	24

/* Segments that may be in flight at @rate, with @min_rtt in us and @lambda in
 * percent.
 */
u32 mptcp_sched_bm_segs(u32 rate, u32 min_rtt, u32 lambda)
{
	/* no overflow: lambda is below 2^14 */
	u64 segs = (u64)rate * min_t(u32, min_rtt, BIT(26)) >> BM_RATE_SHIFT / 2;

	segs = div_u64(segs * lambda, 100) >> BM_RATE_SHIFT / 2;
	return clamp_t(u64, segs, BM_MIN_SEGS, MPTCP_SCHED_UNCAPPED);
}
EXPORT_SYMBOL_GPL(mptcp_sched_bm_segs);

/* The highest rate at which @subflow delivered of late, 0 before the first sample.
 * The last sample alone may be from an ACK of one packet, when there were no more.
 */
static u32 mptcp_bm_rate(struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	u64 segs = (u64)READ_ONCE(tp->rate_delivered) << BM_RATE_SHIFT;
	u32 interval = READ_ONCE(tp->rate_interval_us);
	u32 delivered = READ_ONCE(tp->delivered);

	if (interval && delivered != subflow->sched_bm_delivered) {
		subflow->sched_bm_delivered = delivered;
		mptcp_sched_take_rate(tp, &subflow->sched_bm_rate,
				      min_t(u64, div_u64(segs, interval), U32_MAX));
	}
	return minmax_get(&subflow->sched_bm_rate);
}

/* How much of its window may @subflow use? Counts what it may not, once per
 * round trip.
 */
u32 mptcp_sched_bm_cap(struct mptcp_sock *msk,
		       struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	u32 srtt = READ_ONCE(tp->srtt_us) >> 3, cwnd = READ_ONCE(tp->snd_cwnd);
	u32 lambda = mptcp_sched_bm_lambda(sock_net((struct sock *)msk));
	u32 rate = mptcp_bm_rate(subflow), min_rtt = mptcp_sched_min_rtt(tp);
	u64 now = tcp_clock_us();
	u32 segs;

	segs = mptcp_sched_bm_segs(rate, min_rtt, lambda);
	if (!rate || segs >= cwnd || !mptcp_sched_has_queue(tp, min_rtt))
		return MPTCP_SCHED_UNCAPPED;

	if (mptcp_sched_in_flight(tp) >= segs &&
	    now - subflow->sched_capped_at > srtt) {
		subflow->sched_capped_at = now;
		mptcp_sched_count(msk, MPTCP_MIB_SCHEDCAPPEDBYTES,
				  &msk->sched_info.capped_bytes,
				  (cwnd - segs) * mptcp_sched_mss(subflow));
	}
	return segs;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_bm_cap);
