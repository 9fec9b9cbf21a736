// SPDX-License-Identifier: GPL-2.0
/* Coupled congestion control: what the subflows of a connection know of each
 * other
 *
 * TCP's congestion control makes each flow take its share of the bottleneck. A
 * connection with n subflows over one bottleneck then takes n shares, and where
 * its paths differ it keeps using a congested one although another is idle.
 * Coupled congestion control lets the window of a subflow grow with a view to
 * all windows of the connection: together they take one share where it is one
 * bottleneck, and traffic moves to where there is less congestion. How much
 * depends on the algorithm: lia.c, olia.c, balia.c, wvegas.c,
 * ewlia.c. Each is an ordinary TCP congestion control, chosen by the sysctl
 * net.ipv4.tcp_congestion_control or the socket option TCP_CONGESTION. On a
 * plain TCP socket, and on a connection with one subflow, it behaves as Reno;
 * wVegas goes by delay on the latter, too.
 *
 * Sharing
 *
 * Congestion control runs under a subflow's own lock, on any CPU. Taking the
 * connection's lock, or a sibling's, for each ACK would cost more than the ACK.
 * So each subflow publishes what siblings need in a structure of its own that
 * is in an RCU list at the connection:
 *
 * - Only the subflow writes it, under its lock, with WRITE_ONCE(). Siblings read
 *   it under rcu_read_lock(), with READ_ONCE().
 * - It is added when the algorithm is attached to the subflow and removed when
 *   that is detached, for whatever reason: subflow closed or failed, algorithm
 *   switched. The list's lock is for this only. It nests inside subflows' locks,
 *   and nothing nests inside it.
 * - Memory: removed with list_del_rcu() and kfree_rcu(), so that a sibling that
 *   reads it meanwhile is safe. It holds a reference on the connection, in which
 *   the list's head is. A subflow that falls back to TCP may leave its
 *   connection: it goes on with the structure that it has.
 *
 * A sibling may see the rate of before an ACK with the round-trip time of after
 * it. It would see the same a moment earlier or later: both are estimates. What
 * must hold with any values holds: each value is read once into a view on the
 * stack and the increase is computed from that alone; divisors are sums that
 * contain the dividend, or checked; the increase is not above Reno's. On 32-bit
 * machines a torn 64-bit rate is wrong for one ACK and does no more than that.
 *
 * Which subflows count? Those that had something acknowledged lately. A subflow
 * that is idle, a backup, or waits for its timer on a dead path sends nothing:
 * it needs no share, and its window of old would hold up the others.
 *
 * Arithmetic
 *
 * A rate is window / RTT in bytes per us with 23 fractional bits, computed once
 * by its owner. An increase is a 40-bit fraction of a segment per acknowledged
 * segment. For windows of 1 to 100000 segments of 536 to 9000 bytes, RTTs of 50 us
 * to 4 s and up to 8 subflows, increases are within 1 % of what double precision
 * gives, or 2^-39 of a segment (test.c). What is larger or smaller is taken for the
 * nearest value: nothing overflows.
 */

#include <linux/rculist.h>
#include "protocol.h"
#include "cong/cong.h"

/* A subflow that had nothing acknowledged for this and two round trips is idle. */
#define MPTCP_CONG_IDLE	HZ

/* So many siblings are looked at for an ACK, the newest first. A peer may leave far more behind
 * that are closed and wait for its last ACK.
 */
#define MPTCP_CONG_LOOKS	64

struct mptcp_cong_shared {
	struct list_head node;		/* msk->cong_list, under msk->cong_lock */
	struct mptcp_sock *msk;		/* with a reference */
	struct rcu_head	rcu;
	/* written by the subflow under its lock, read by siblings without */
	u32	published;		/* when, in jiffies */
	struct mptcp_cong_path path;	/* rate 0: nothing known yet */
};

static struct mptcp_cong *mptcp_cong_sk(const struct sock *sk)
{
	return inet_csk_ca(sk);
}

/* The connection that a subflow's structure belongs to, or NULL. Under the
 * subflow's lock.
 */
struct mptcp_sock *mptcp_cong_msk(const struct mptcp_cong *cong)
{
	return cong->shared ? cong->shared->msk : NULL;
}
EXPORT_SYMBOL_GPL(mptcp_cong_msk);

/**
 * mptcp_cong_init - attach coupled congestion control to a subflow
 * @sk: the subflow, or a plain TCP socket, locked
 *
 * From tcp_congestion_ops::init. Without memory the subflow behaves as Reno.
 */
void mptcp_cong_init(struct sock *sk)
{
	struct mptcp_cong *cong = mptcp_cong_sk(sk);
	struct mptcp_cong_shared *shared;
	struct sock *parent;

	if (!sk_is_mptcp(sk))
		return;
	parent = mptcp_subflow_ctx(sk)->conn;
	if (!parent)
		return;

	shared = kzalloc(sizeof(*shared), GFP_ATOMIC | __GFP_NOWARN);
	if (!shared)
		return;

	sock_hold(parent);
	shared->msk = mptcp_sk(parent);
	cong->shared = shared;

	spin_lock_bh(&shared->msk->cong_lock);
	list_add_rcu(&shared->node, &shared->msk->cong_list);
	spin_unlock_bh(&shared->msk->cong_lock);
}
EXPORT_SYMBOL_GPL(mptcp_cong_init);

/* From tcp_congestion_ops::release: also for sockets that never got that far. */
void mptcp_cong_release(struct sock *sk)
{
	struct mptcp_cong *cong = mptcp_cong_sk(sk);
	struct mptcp_cong_shared *shared = cong->shared;

	if (!shared)
		return;

	cong->shared = NULL;
	spin_lock_bh(&shared->msk->cong_lock);
	list_del_rcu(&shared->node);
	spin_unlock_bh(&shared->msk->cong_lock);
	sock_put((struct sock *)shared->msk);
	kfree_rcu(shared, rcu);
}
EXPORT_SYMBOL_GPL(mptcp_cong_release);

/* Segments that count as the window. While a loss is repaired, this is where it
 * will end (RFC 6356, section 3). Of a window that is not used up, because the
 * application or the scheduler has nothing for it, it is what was used: it may be
 * far larger than the path, and the others would give way to nothing.
 */
static u32 mptcp_cong_window(const struct sock *sk, u8 state)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 used = tcp_snd_cwnd(tp);

	if (state >= TCP_CA_CWR)
		used = tp->snd_ssthresh;
	else if (!tp->is_cwnd_limited)
		used = tp->max_packets_out;
	return clamp(used, 1U, tcp_snd_cwnd(tp));
}

/* Bring what was measured to the ranges that the arithmetic is made for. */
void mptcp_cong_set_path(struct mptcp_cong_path *path, u32 cwnd, u32 mss, u32 rtt_us)
{
	path->mss = clamp_t(u32, mss, TCP_MIN_MSS, U16_MAX);
	path->wnd = min_t(u64, (u64)cwnd * path->mss, MPTCP_CONG_WND_MAX);
	path->rtt_us = clamp_t(u32, rtt_us, MPTCP_CONG_RTT_MIN, MPTCP_CONG_RTT_MAX);
	path->rate = div_u64((u64)path->wnd << MPTCP_CONG_RATE_SHIFT, path->rtt_us);
	path->limited = true;
}
EXPORT_SYMBOL_GPL(mptcp_cong_set_path);

/* What is known of a subflow now; false without a sample of the RTT. */
static bool mptcp_cong_measure(const struct sock *sk, u8 state,
			       struct mptcp_cong_path *path)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 rtt = tp->srtt_us >> 3;

	mptcp_cong_set_path(path, mptcp_cong_window(sk, state), tp->mss_cache, rtt);
	path->limited = tp->is_cwnd_limited || state >= TCP_CA_CWR;
	return rtt;
}

static void mptcp_cong_tell(struct mptcp_cong_shared *shared,
			    const struct mptcp_cong_path *path)
{
	WRITE_ONCE(shared->path.rate, path->rate);
	WRITE_ONCE(shared->path.wnd, path->wnd);
	WRITE_ONCE(shared->path.rtt_us, path->rtt_us);
	WRITE_ONCE(shared->path.mss, path->mss);
	WRITE_ONCE(shared->path.limited, path->limited);
	WRITE_ONCE(shared->published, tcp_jiffies32);
}

/* Tell the siblings about this subflow, whose state is @state. */
static void mptcp_cong_publish(const struct sock *sk, u8 state)
{
	const struct mptcp_cong *cong = mptcp_cong_sk(sk);
	struct mptcp_cong_path path;

	if (cong->shared && mptcp_cong_measure(sk, state, &path))
		mptcp_cong_tell(cong->shared, &path);
}

/* Tell the siblings OLIA's l of this subflow; it counts from the next ACK on. */
void mptcp_cong_set_interval(struct sock *sk, u64 bytes)
{
	struct mptcp_cong *cong = mptcp_cong_sk(sk);

	if (cong->shared)
		WRITE_ONCE(cong->shared->path.interval, min(bytes, (u64)U32_MAX));
}
EXPORT_SYMBOL_GPL(mptcp_cong_set_interval);

/* Read a sibling; false if it does not count. */
static bool mptcp_cong_read(const struct mptcp_cong_shared *from,
			    struct mptcp_cong_path *path)
{
	/* it may tell of itself meanwhile, or jiffies have come round since it did */
	s32 age = tcp_jiffies32 - READ_ONCE(from->published);

	path->rate = READ_ONCE(from->path.rate);
	path->interval = READ_ONCE(from->path.interval);
	path->wnd = READ_ONCE(from->path.wnd);
	path->rtt_us = READ_ONCE(from->path.rtt_us);
	path->mss = READ_ONCE(from->path.mss);
	path->limited = READ_ONCE(from->path.limited);

	return path->rate && age >= -HZ &&
	       age <= MPTCP_CONG_IDLE + (s32)usecs_to_jiffies(2 * path->rtt_us);
}

/**
 * mptcp_cong_look - publish a subflow's state and read its siblings'
 * @sk: the subflow, locked
 * @view: what is known of all that count; path[0] is @sk, whose rate is 0 if
 *	nothing is known of it
 */
void mptcp_cong_look(struct sock *sk, struct mptcp_cong_view *view)
{
	u8 state = inet_csk(sk)->icsk_ca_state;
	struct mptcp_cong *cong = mptcp_cong_sk(sk);
	const struct mptcp_cong_shared *sibling;
	unsigned int looks = 0;

	view->paths = 1;
	if (!mptcp_cong_measure(sk, state, &view->path[0]))
		view->path[0].rate = 0;
	view->rate = view->path[0].rate;
	if (!cong->shared || !view->rate)
		return;

	mptcp_cong_tell(cong->shared, &view->path[0]);
	view->path[0].interval = cong->shared->path.interval;
	rcu_read_lock();
	list_for_each_entry_rcu(sibling, &cong->shared->msk->cong_list, node) {
		struct mptcp_cong_path *path = &view->path[view->paths];

		if (view->paths == MPTCP_CONG_PATHS || looks++ == MPTCP_CONG_LOOKS)
			break;
		if (sibling == cong->shared || !mptcp_cong_read(sibling, path))
			continue;
		view->rate += path->rate;
		view->paths++;
	}
	rcu_read_unlock();
}
EXPORT_SYMBOL_GPL(mptcp_cong_look);

/**
 * mptcp_cong_linked - the increase that makes subflows share as one flow would
 * @view: of the subflow that increases, path[0]
 * @best: path whose window and RTT set the pace
 *
 * Per acknowledged segment, with w in bytes and p all paths:
 *
 *	mss * (w_best / rtt_best^2) / (sum_p w_p / rtt_p)^2
 *
 * Return: that, as a fraction of MPTCP_CONG_ONE.
 */
u64 mptcp_cong_linked(const struct mptcp_cong_view *view, unsigned int best)
{
	const struct mptcp_cong_path *path = &view->path[best];
	u64 ratio, wnd, inverse;

	if (!path->rate)
		return 0;

	/* rate_all / rate_best: 1 or more, 10 fractional bits */
	ratio = div64_u64(view->rate << 10, path->rate);
	/* what all windows would be with the RTT of @best: bytes, 8 bits */
	wnd = mul_u64_u64_shr(view->rate, path->rtt_us, MPTCP_CONG_RATE_SHIFT - 8);
	/* nothing is left of the increase then */
	if (fls64(ratio) + fls64(wnd) > 64 + 14)
		return 0;
	inverse = mul_u64_u64_shr(wnd, ratio, 14);	/* 4 fractional bits */

	return div64_u64((u64)view->path[0].mss << (MPTCP_CONG_ONE_SHIFT + 4),
			 max_t(u64, inverse, 1));
}
EXPORT_SYMBOL_GPL(mptcp_cong_linked);

/* Slow start as in TCP. Return: the segments that are left for congestion
 * avoidance. 0 also if the window is not the limit and must not grow; siblings
 * know about it then, otherwise mptcp_cong_look() tells them.
 */
u32 mptcp_cong_slow_start(struct sock *sk, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_is_cwnd_limited(sk))
		acked = 0;
	else if (tcp_in_slow_start(tp))
		acked = tcp_slow_start(tp, acked);
	if (!acked)
		mptcp_cong_publish(sk, inet_csk(sk)->icsk_ca_state);
	return acked;
}
EXPORT_SYMBOL_GPL(mptcp_cong_slow_start);

/* Add @increase for each of @acked segments to the window. */
void mptcp_cong_grow(struct sock *sk, s64 increase, u32 acked)
{
	struct mptcp_cong *cong = mptcp_cong_sk(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	s64 segs;

	/* a segment for each of 2^20 at most, and less than one from before */
	cong->credit += increase * min_t(u32, acked, BIT(20));
	segs = div64_s64(cong->credit, MPTCP_CONG_ONE);
	if (!segs)
		return;

	cong->credit -= segs * (s64)MPTCP_CONG_ONE;
	segs = clamp_t(s64, tcp_snd_cwnd(tp) + segs, 1, tp->snd_cwnd_clamp);
	tcp_snd_cwnd_set(tp, segs);
	/* what shrinks is not to grow back by slow start */
	tp->snd_ssthresh = min_t(u32, tp->snd_ssthresh, segs);
}
EXPORT_SYMBOL_GPL(mptcp_cong_grow);

/**
 * mptcp_cong_avoid - let a window grow
 * @sk: the subflow, locked
 * @acked: segments
 * @increase: what the algorithm makes of a view; no more than Reno's is used
 *
 * For tcp_congestion_ops::cong_avoid. A subflow without siblings is left to Reno.
 */
void mptcp_cong_avoid(struct sock *sk, u32 acked, mptcp_cong_increase_t increase)
{
	struct mptcp_cong *cong = mptcp_cong_sk(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	struct mptcp_cong_view view;

	acked = mptcp_cong_slow_start(sk, acked);
	if (!acked)
		return;

	mptcp_cong_look(sk, &view);
	WRITE_ONCE(cong->paths, view.paths);
	if (view.paths == 1) {
		WRITE_ONCE(cong->increase, 0);
		tcp_cong_avoid_ai(tp, tcp_snd_cwnd(tp), acked);
		return;
	}

	WRITE_ONCE(cong->increase,
		   min(increase(&view), mptcp_cong_reno(&view.path[0])));
	mptcp_cong_grow(sk, cong->increase, acked);
}
EXPORT_SYMBOL_GPL(mptcp_cong_avoid);

/* For tcp_congestion_ops::set_state, before icsk_ca_state changes: siblings
 * learn of a loss now, not only when it is repaired. After more timeouts in a row
 * the path is none of those that count.
 */
void mptcp_cong_set_state(struct sock *sk, u8 state)
{
	if (state >= TCP_CA_CWR)
		mptcp_cong_sk(sk)->credit = 0;
	if (state != TCP_CA_Loss || !inet_csk(sk)->icsk_retransmits)
		mptcp_cong_publish(sk, state);
}
EXPORT_SYMBOL_GPL(mptcp_cong_set_state);

/* For tcp_congestion_ops::pkts_acked: while a loss is repaired no window grows, which would tell
 * the siblings that data goes on to arrive.
 */
void mptcp_cong_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	u8 state = inet_csk(sk)->icsk_ca_state;

	if (state >= TCP_CA_CWR && sample->pkts_acked)
		mptcp_cong_publish(sk, state);
}
EXPORT_SYMBOL_GPL(mptcp_cong_pkts_acked);

/* Slow start threshold of @wnd segments; beside siblings it may be one segment,
 * so that a congested path can be left with little.
 */
u32 mptcp_cong_ssthresh(struct sock *sk, u32 wnd)
{
	return max(wnd, READ_ONCE(mptcp_cong_sk(sk)->paths) > 1 ? 1U : 2U);
}
EXPORT_SYMBOL_GPL(mptcp_cong_ssthresh);

/* For tcp_congestion_ops::get_info: without the socket's lock. */
size_t mptcp_cong_get_info(struct sock *sk, u32 ext, int *attr,
			   union tcp_cc_info *info)
{
	const struct mptcp_cong *cong = mptcp_cong_sk(sk);
	s64 increase = READ_ONCE(cong->increase);
	u32 wnd = tcp_snd_cwnd(tcp_sk(sk));

	/* not one of Linux' own, and a type has 14 bits */
	BUILD_BUG_ON(INET_DIAG_MPTCPCCINFO <= INET_DIAG_MAX);
	BUILD_BUG_ON(INET_DIAG_MPTCPCCINFO > (NLA_TYPE_MASK & U16_MAX));

	if (!(ext & (1 << (INET_DIAG_VEGASINFO - 1))))
		return 0;

	memset(&info->mptcp, 0, sizeof(info->mptcp));
	info->mptcp.mcc_subflows = READ_ONCE(cong->paths);
	info->mptcp.mcc_gain = 1000;
	/* to the nearest: an increase that is Reno's was rounded down */
	if (increase || info->mptcp.mcc_subflows > 1)
		info->mptcp.mcc_gain = ((increase >> 10) * wnd * 1000 +
					(1 << (MPTCP_CONG_ONE_SHIFT - 11))) >>
				       (MPTCP_CONG_ONE_SHIFT - 10);
	*attr = INET_DIAG_MPTCPCCINFO;
	return sizeof(info->mptcp);
}
EXPORT_SYMBOL_GPL(mptcp_cong_get_info);
