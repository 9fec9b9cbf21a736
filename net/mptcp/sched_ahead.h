/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers: which subflow has which data, see sched_ahead.c */
#ifndef _MPTCP_SCHED_AHEAD_H
#define _MPTCP_SCHED_AHEAD_H

#include <linux/types.h>

/* How many separate ranges of data a connection may know the owners of: at first, and
 * at most, when data in flight is in as many pieces. A range takes 16 bytes.
 */
#define MPTCP_AHEAD_FIRST	60U
#define MPTCP_AHEAD_RANGES	1000U

/* The longest range, in bytes */
#define MPTCP_AHEAD_MAX_LEN	((1U << 31) - 1)

/* Whoever has it */
#define MPTCP_AHEAD_ANYBODY	U32_MAX

/* Data sequence numbers, and the id of the subflow that has them */
struct mptcp_ahead_range {
	u64 start;
	u32 len : 31,
	    again : 1;		/* it was sent on another subflow before */
	u32 subflow_id;
};

/* In order of sequence, not overlapping; kept until acknowledged. */
struct mptcp_ahead {
	u32 first;	/* of the ranges in use */
	u32 count;
	u32 size;	/* how many there is memory for */
	bool unused;	/* by the scheduler that is there now */
	struct mptcp_ahead_range range[] __counted_by(size);
};

/* Is there no place for another range? */
static inline bool mptcp_ahead_is_full(const struct mptcp_ahead *ahead)
{
	return ahead->count == ahead->size;
}

static inline u64 mptcp_ahead_end(const struct mptcp_ahead_range *range)
{
	return range->start + range->len;
}

u64 mptcp_ahead_free_from(const struct mptcp_ahead *ahead, u64 seq);
u64 mptcp_ahead_next(const struct mptcp_ahead *ahead, u64 seq);
bool mptcp_ahead_add(struct mptcp_ahead *ahead, u64 start, u32 len,
		     u32 subflow_id);
const struct mptcp_ahead_range *
mptcp_ahead_find(const struct mptcp_ahead *ahead, u64 seq);
const struct mptcp_ahead_range *
mptcp_ahead_others(const struct mptcp_ahead *ahead, u64 *seq, u64 head,
		   u32 owner, u32 helper);
void mptcp_ahead_mark_again(struct mptcp_ahead *ahead, u64 seq, u32 len,
			    u32 subflow_id);
void mptcp_ahead_forget(struct mptcp_ahead *ahead, u64 seq);

#endif /* _MPTCP_SCHED_AHEAD_H */
