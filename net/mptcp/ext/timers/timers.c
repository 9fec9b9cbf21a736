// SPDX-License-Identifier: GPL-2.0
/* TCP's timers where other subflows wait for one
 *
 * TCP waits srtt + max(4 * mdev, 200 ms) for an acknowledgment before it sends again. The
 * 200 ms are for receivers that delay their ACKs, and cost TCP little: there is nobody
 * else. With MPTCP, the other subflows go on meanwhile, until what they send does not fit
 * the receive buffer, and then all stand still:
 *
 *	subflow 1	==1==X . . . . . . . 200 ms . . . . . . . ==1==
 *	subflow 2	==2==3==4==5==6==| the window is used up  |==7==
 *
 * M. Li's thesis (2014, section 3.2) takes the least value away, and lets the ACK of what
 * was sent again after a timeout come at once. Here, both without a change on the wire:
 *
 * - net.mptcp.blocked_rto_min_us: the least value while it would block others. That is,
 *   while what the others send in such a timeout,
 *
 *	rate of the others * (srtt + 200 ms)
 *
 *   is more than the window that is left. Else TCP's own. Not lower for good, as in the
 *   thesis: then each delayed ACK makes a timeout that was not necessary, and an empty
 *   window pays for nothing.
 *
 * - net.mptcp.rto_segments: 2 sends two segments after a timeout, the first one that is
 *   missing and the one behind it (not sent yet, if there is no other). A receiver
 *   acknowledges every second segment at once, whatever it delays, so that the answer is
 *   there after a round trip. The thesis sends a combination of both, p1 + p2, in place
 *   of p1, which would change the bytes of a TCP stream under middleboxes. RFC 5681
 *   wants one segment after a timeout; hence it is opt-in.
 *
 * - net.mptcp.silent_rto_max: the longest timeout while the connection hears from another
 *   subflow. TCP doubles it each time, for the sake of a network that is overloaded, and as
 *   there is nobody else: up to two minutes, in which a path that is back stays unused. One
 *   segment in so many seconds overloads nothing. TCP gives up as late as before.
 *
 * TCP_RTO_MIN_US and TCP_DELACK_MAX_US (sockopt/shared.c) set the same for all subflows
 * of a connection for good. That the others send what a silent subflow owes before its
 * timeout is sched/mods/rescue.c.
 *
 * Locking: the subflow is locked. Of the others, snapshots are read, under the msk's data
 * lock while no process has the msk: then conn_list does not change.
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched/sched.h"
#include "ext/timers/timers.h"

/* As often TCP can double a timeout, from its least to its longest one. */
#define TIMERS_BACKOFF_MOST	ilog2(TCP_RTO_MAX / TCP_RTO_MIN)

/* Would a timeout of @srtt_us + @floor_us let others, that send @others_rate bytes per
 * ms, use up the @headroom of the window, in bytes?
 */
bool mptcp_timers_blocks(u64 headroom, u64 others_rate, u32 srtt_us, u32 floor_us)
{
	u64 timeout_ms = DIV_ROUND_UP_ULL((u64)srtt_us + floor_us, USEC_PER_MSEC);

	return headroom < others_rate * timeout_ms;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_timers_blocks);

/* What the subflows beside @ssk deliver, in bytes per ms. */
static u64 timers_others_rate(struct mptcp_sock *msk, const struct sock *ssk)
{
	struct mptcp_subflow_context *subflow;
	u64 rate = 0;

	mptcp_for_each_subflow(msk, subflow) {
		if (mptcp_subflow_tcp_sock(subflow) != ssk && mptcp_subflow_active(subflow))
			rate += mptcp_sched_rate(subflow);
	}

	return rate;
}

/* The least timeout of @ssk that was asked for, in jiffies. */
static u32 timers_usual_floor(const struct mptcp_sock *msk)
{
	return usecs_to_jiffies(mptcp_shared_timer_us(msk, TCP_RTO_MIN_US));
}

/* As tcp_rtt_estimator() and tcp_set_rto() would have it with this @floor. A timeout that
 * runs is not changed.
 */
static void timers_set_floor(struct sock *ssk, u32 floor)
{
	struct inet_connection_sock *icsk = inet_csk(ssk);
	struct tcp_sock *tp = tcp_sk(ssk);

	icsk->icsk_rto_min = floor;
	tp->mdev_max_us = max(tp->mdev_us, tcp_rto_min_us(ssk));
	tp->rttvar_us = tp->mdev_max_us;
	icsk->icsk_rto = __tcp_set_rto(tp);
	tcp_bound_rto(ssk);
}

/* @low_us: the sysctl. 0: what was lowered before goes back. */
void __mptcp_timers_update(struct mptcp_sock *msk, struct sock *ssk, u32 low_us)
{
	u64 end = READ_ONCE(msk->wnd_end), nxt = READ_ONCE(msk->snd_nxt);
	u32 usual = timers_usual_floor(msk), floor = usual;
	struct tcp_sock *tp = tcp_sk(ssk);

	/* conn_list may change, there is no RTT yet, or TCP doubles its timeout until there is
	 * one: stay with what is
	 */
	if (sock_owned_by_user((struct sock *)msk) || !tp->srtt_us ||
	    inet_csk(ssk)->icsk_backoff)
		return;

	if (low_us &&
	    mptcp_timers_blocks(after64(end, nxt) ? end - nxt : 0,
				timers_others_rate(msk, ssk), tp->srtt_us >> 3,
				jiffies_to_usecs(usual)))
		floor = clamp(usecs_to_jiffies(low_us), TCP_TIMEOUT_MIN, usual);
	if (floor == inet_csk(ssk)->icsk_rto_min)
		return;

	mptcp_subflow_ctx(ssk)->rto_low = floor < usual;
	if (floor < usual)
		MPTCP_INC_STATS(sock_net(ssk), MPTCP_MIB_RTOMINLOW);
	timers_set_floor(ssk, floor);
}

static void timers_send_second(struct sock *ssk)
{
	struct tcp_sock *tp = tcp_sk(ssk);
	struct sk_buff *first, *next;

	first = tcp_rtx_queue_head(ssk);
	next = first ? skb_rb_next(first) : NULL;
	/* If the peer has the next one, the first fills a gap, which is acknowledged at once. What
	 * is not lost, or was sent again already, TCP would count twice.
	 */
	if (!first || (next && (TCP_SKB_CB(next)->sacked & TCPCB_TAGBITS) != TCPCB_LOST))
		return;

	tcp_snd_cwnd_set(tp, tcp_packets_in_flight(tp) + 1);
	if (next)
		tcp_retransmit_skb(ssk, next, 1);
	else
		__tcp_push_pending_frames(ssk, tcp_current_mss(ssk), TCP_NAGLE_OFF);
	MPTCP_INC_STATS(sock_net(ssk), MPTCP_MIB_RTOSECOND);
}

/* Since @ssk heard from the peer the connection did, by another subflow. With no other, it was the
 * application that took what @ssk had kept.
 */
static bool timers_others_live(const struct sock *ssk)
{
	const struct mptcp_sock *msk = mptcp_sk(mptcp_subflow_ctx(ssk)->conn);
	u32 heard = tcp_sk(ssk)->rcv_tstamp;

	/* others may come and go just now: of a moment ago will do */
	return ssk->sk_state != TCP_SYN_SENT && !data_race(list_is_singular(&msk->conn_list)) &&
	       (after(READ_ONCE(msk->last_ack_recv), heard) ||
		after(READ_ONCE(msk->last_data_recv), heard));
}

/* TCP is about to double the timeout: not beyond @most_ms, nor below what the RTT asks for. It
 * counts how often it doubled, to go back by as many when ICMP says why, and how often it sent
 * again, in a byte: neither would end as soon as it does while timeouts grow.
 */
static void timers_bound_backoff(struct sock *ssk, u32 most_ms)
{
	struct inet_connection_sock *icsk = inet_csk(ssk);
	u32 least = __tcp_set_rto(tcp_sk(ssk)) / 2;
	u32 half = max(msecs_to_jiffies(most_ms) / 2, least);

	if (icsk->icsk_rto <= half || !timers_others_live(ssk))
		return;
	icsk->icsk_rto = half;
	icsk->icsk_backoff = min_t(u8, icsk->icsk_backoff, TIMERS_BACKOFF_MOST);
	icsk->icsk_retransmits = min_t(u8, icsk->icsk_retransmits, U8_MAX - 1);
}

/* @ssk has sent again what timed out, one segment. Called by TCP, with @ssk locked. */
void mptcp_timed_out(struct sock *ssk)
{
	u32 most_ms = mptcp_silent_rto_max(sock_net(ssk));

	if (most_ms)
		timers_bound_backoff(ssk, most_ms);
	if (mptcp_rto_segments(sock_net(ssk)) >= 2)
		timers_send_second(ssk);
}
