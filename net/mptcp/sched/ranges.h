/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers: which subflow has which data, see ranges.c */
#ifndef _MPTCP_SCHED_RANGES_H
#define _MPTCP_SCHED_RANGES_H

#include <linux/types.h>

struct mptcp_sock;
struct mptcp_subflow_context;

/* How many separate ranges of data a connection may know the owners of: at first, and
 * at most, when data in flight is in as many pieces. A range takes 16 bytes.
 */
#define MPTCP_RANGES_FIRST	60U
#define MPTCP_RANGES_MOST	1000U

/* How many more one becomes when it is sent again from its middle */
#define MPTCP_RANGES_CUTS	2U

/* The longest range, in bytes */
#define MPTCP_RANGE_LONGEST	((1U << 31) - 1)

/* Whoever has it; of a range: several, each a part of it */
#define MPTCP_RANGES_ANYBODY	U32_MAX

/* Data sequence numbers, and the id of the subflow that has them */
struct mptcp_range {
	u64 start;
	u32 len : 31,
	    again : 1;		/* it was sent on another subflow before */
	u32 subflow_id;
};

/* In order of sequence, not overlapping; kept until acknowledged. */
struct mptcp_ranges {
	u32 first;	/* of the ranges in use */
	u32 count;
	u32 size;	/* how many there is memory for */
	bool unused;	/* by the scheduler that is there now */
	struct mptcp_range range[] __counted_by(size);
};

/* For how many more is there place? */
static inline u32 mptcp_ranges_left(const struct mptcp_ranges *ranges)
{
	return ranges->size - ranges->count;
}

/* Is there no place for another range? */
static inline bool mptcp_ranges_is_full(const struct mptcp_ranges *ranges)
{
	return !mptcp_ranges_left(ranges);
}

static inline u64 mptcp_range_end(const struct mptcp_range *range)
{
	return range->start + range->len;
}

u32 mptcp_ranges_after(const struct mptcp_ranges *ranges, u64 seq);
u64 mptcp_ranges_reach(const struct mptcp_ranges *ranges, u64 seq, u64 free);
u64 mptcp_ranges_next(const struct mptcp_ranges *ranges, u64 seq);
bool mptcp_ranges_add(struct mptcp_ranges *ranges, u64 start, u32 len,
		      u32 subflow_id);
const struct mptcp_range *
mptcp_ranges_find(const struct mptcp_ranges *ranges, u64 seq);
const struct mptcp_range *
mptcp_ranges_others(const struct mptcp_ranges *ranges, u64 *seq, u64 head,
		    u32 owner, u32 helper);
void mptcp_ranges_mark_again(struct mptcp_ranges *ranges, u64 seq, u32 len,
			     u32 subflow_id);
void mptcp_ranges_forget(struct mptcp_ranges *ranges, u64 seq);

/* The table of a connection. */
struct mptcp_ranges *mptcp_sched_ranges(struct mptcp_sock *msk);
void mptcp_sched_own(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow,
		     u64 seq, u32 len);
void __mptcp_sched_tidy_ranges(struct mptcp_sock *msk);
void mptcp_sched_recount_ahead(struct mptcp_sock *msk);
bool __mptcp_sched_lost(struct mptcp_sock *msk);
bool mptcp_sched_is_kept(const struct mptcp_subflow_context *subflow);
void mptcp_sched_free_ranges(struct mptcp_sock *msk);

/* The first byte from @seq on that has not been sent ahead. */
static inline u64 mptcp_ranges_free_from(const struct mptcp_ranges *ranges, u64 seq)
{
	return mptcp_ranges_reach(ranges, seq, 0);
}

#endif /* _MPTCP_SCHED_RANGES_H */
