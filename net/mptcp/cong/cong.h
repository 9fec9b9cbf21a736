/* SPDX-License-Identifier: GPL-2.0 */
/* Coupled congestion control: what the subflows of a connection know of each
 * other, and what the algorithms (cong_*.c) share. See cong.c.
 */

#ifndef _MPTCP_CONG_H
#define _MPTCP_CONG_H

#include <linux/inet_diag.h>
#include <linux/math64.h>
#include <linux/sockptr.h>
#include <net/tcp.h>

struct mptcp_sock;

/* An increase is a share of a segment per acknowledged one, and this is a whole
 * one.
 */
#define MPTCP_CONG_ONE_SHIFT	40
#define MPTCP_CONG_ONE		BIT_ULL(MPTCP_CONG_ONE_SHIFT)

/* A rate is in bytes per us, shifted by this. */
#define MPTCP_CONG_RATE_SHIFT	23

/* Ranges of what is published: beyond them it is taken for the nearest value.
 * Rates fit 48 bits then, and their sum over all paths 52.
 */
#define MPTCP_CONG_WND_MAX	BIT(30)	/* bytes */
#define MPTCP_CONG_RTT_MIN	BIT(5)	/* us */
#define MPTCP_CONG_RTT_MAX	BIT(23)	/* us */

/* More subflows than this do not count. PMs allow 8 beside the first one. */
#define MPTCP_CONG_PATHS	16

/* A subflow, as its siblings see it. */
struct mptcp_cong_path {
	u64	rate;		/* window per round trip */
	u32	interval;	/* OLIA's l: bytes between losses */
	u32	wnd;		/* bytes */
	u32	rtt_us;
	u32	mss;
	bool	limited;	/* by its window: it would use more */
};

/* All subflows that count, read once: path[0] is the one that asks. What is
 * computed from it depends on nothing else, so that it can be tested.
 */
struct mptcp_cong_view {
	u64		rate;	/* of all */
	unsigned int	paths;
	struct mptcp_cong_path path[MPTCP_CONG_PATHS];
};

struct mptcp_cong_shared;

/* What each algorithm has in icsk_ca_priv, first. Others read it without the
 * socket's lock (get_info): nothing there may be followed as a pointer but by
 * the owner of the lock.
 */
struct mptcp_cong {
	struct mptcp_cong_shared *shared; /* NULL: not a subflow, or no memory */
	s64	increase;	/* the last one, for get_info; 0 also: Reno's, as it is alone */
	s64	credit;		/* parts of a segment not yet added */
	u32	paths;		/* that shared the last increase */
};

typedef s64 (*mptcp_cong_increase_t)(const struct mptcp_cong_view *view);

void mptcp_cong_init(struct sock *sk);
void mptcp_cong_release(struct sock *sk);
void mptcp_cong_set_path(struct mptcp_cong_path *path, u32 cwnd, u32 mss, u32 rtt_us);
void mptcp_cong_set_interval(struct sock *sk, u64 bytes);
void mptcp_cong_look(struct sock *sk, struct mptcp_cong_view *view);
u32 mptcp_cong_slow_start(struct sock *sk, u32 acked);
void mptcp_cong_grow(struct sock *sk, s64 increase, u32 acked);
void mptcp_cong_avoid(struct sock *sk, u32 acked, mptcp_cong_increase_t increase);
void mptcp_cong_set_state(struct sock *sk, u8 state);
void mptcp_cong_pkts_acked(struct sock *sk, const struct ack_sample *sample);
u32 mptcp_cong_ssthresh(struct sock *sk, u32 wnd);
size_t mptcp_cong_get_info(struct sock *sk, u32 ext, int *attr,
			   union tcp_cc_info *info);

u64 mptcp_cong_linked(const struct mptcp_cong_view *view, unsigned int best);
s64 mptcp_cong_lia(const struct mptcp_cong_view *view);

/* The weight of ewlia, weight.c */
u32 mptcp_cong_weight(const struct sock *sk);
unsigned int mptcp_cong_weight_exponent(const struct sock *sk);
int mptcp_cong_weight_setsockopt(struct mptcp_sock *msk, sockptr_t optval,
				 unsigned int optlen);
int mptcp_cong_weight_getsockopt(struct mptcp_sock *msk, char __user *optval,
				 int __user *optlen);
struct mptcp_sock *mptcp_cong_msk(const struct mptcp_cong *cong);

/* Reno: a segment for each window of them. */
static inline s64 mptcp_cong_reno(const struct mptcp_cong_path *path)
{
	return div_u64((u64)path->mss << MPTCP_CONG_ONE_SHIFT,
		       max(path->wnd, path->mss));
}

/* Is a * b < c * d, exactly, for 64 times 32 bits? */
static inline bool mptcp_cong_less(u64 a, u32 b, u64 c, u32 d)
{
	u64 left = mul_u64_u64_shr(a, b, 32), right = mul_u64_u64_shr(c, d, 32);

	return left < right || (left == right && a * b < c * d);
}

#if IS_ENABLED(CONFIG_KUNIT)
/* static otherwise: the arithmetic, for test.c */
s64 mptcp_cong_olia(const struct mptcp_cong_view *view);
s64 mptcp_cong_balia(const struct mptcp_cong_view *view);
u32 mptcp_cong_balia_cut(const struct mptcp_cong_view *view, u32 cwnd);
s64 mptcp_cong_ewlia(const struct mptcp_cong_view *view, u32 weight,
		     unsigned int exponent);
u32 mptcp_cong_wvegas_queued(u32 cwnd, u32 base_rtt, u32 rtt);
u32 mptcp_cong_wvegas_target(const struct mptcp_cong_view *view);
#endif

#endif /* _MPTCP_CONG_H */
