/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers: the arithmetic of some, which KUnit compares with what the papers say
 *
 * Nothing here knows a socket. Locking: none.
 */
#ifndef _MPTCP_SCHED_RULES_H
#define _MPTCP_SCHED_RULES_H

#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

/* EDPF: when @bytes arrive, that leave @now. The path takes @delay to its bottleneck, which is
 * free at @free_at and sends @rate bytes per ms. Times in us. The bottleneck is free again then.
 */
static inline u64 mptcp_rule_delivery(u64 now, u32 delay, u64 free_at, u32 bytes, u32 rate)
{
	return max(now + delay, free_at) +
	       div_u64((u64)bytes * USEC_PER_MSEC, max(rate, 1U));
}

/* Send vector: how many of the first @pos of @n positions @ones of them take, spread evenly:
 * the k-th at ceil(k * n / ones); with @half, at the nearest integer.
 */
static inline u32 mptcp_rule_ones(u32 n, u32 ones, u32 pos, bool half)
{
	if (!ones)
		return 0;
	if (half)
		/* k * n / ones + 1/2 < pos + 1 */
		return (ones * (2 * pos + 1) - 1) / (2 * n);
	return ones * pos / n;
}

/* The path that has position @pos, from 1, of a vector of @n positions: each of @paths as many
 * as its @weights say, rounded, one at least. The last path's are laid out first; what
 * it leaves free is the vector of the paths before it. The sum of the weights is no more
 * than U32_MAX.
 */
static inline u32 mptcp_rule_vector(const u32 *weights, u32 paths, u32 n, u32 pos, bool half)
{
	u32 path, sum = 0;

	for (path = 0; path < paths; path++)
		sum += weights[path];

	for (path = paths - 1; path; path--) {
		u32 share = div_u64((u64)weights[path] * n + sum / 2, max(sum, 1U));
		u32 ones = clamp(share, 1U, n - path);
		u32 before = mptcp_rule_ones(n, ones, pos - 1, half);
		u32 up_to = mptcp_rule_ones(n, ones, pos, half);

		if (up_to != before)
			return path;
		pos -= up_to;
		n -= ones;
		sum -= weights[path];
	}

	return 0;
}

/* STTF: round trips until @segs segments have left through a window of @cwnd, of which
 * @in_flight are out: it doubles below @ssthresh, and grows by one above.
 */
static inline u32 mptcp_rule_rounds(u32 cwnd, u32 ssthresh, u32 in_flight, u32 segs, u32 most)
{
	u32 rounds = 0, room = cwnd > in_flight ? cwnd - in_flight : 0;

	while (segs > room && rounds < most) {
		segs -= room;
		cwnd = cwnd < ssthresh ? min(2 * cwnd, ssthresh) : cwnd + 1;
		room = cwnd;
		rounds++;
	}

	return rounds;
}

/* STMS: the bytes before what a slower subflow sends: an eighth more if it came @late, otherwise a
 * 64th less, a segment at least. @gap is no more than S32_MAX.
 */
static inline u32 mptcp_rule_gap(u32 gap, u32 mss, bool late)
{
	if (late)
		return min_t(u32, gap + max(gap / 8, mss), S32_MAX);
	return gap - min(gap, max(gap / 64, mss));
}

#endif /* _MPTCP_SCHED_RULES_H */
