// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: who has which data
 *
 * A table of ranges in the order of data sequence numbers, each with the subflow that
 * it was given to last. It holds what was sent ahead of the head, which jumps over it
 * (send.c), and, with extensions that send again what a subflow owes
 * (mods/rp.c, mods/rescue.c), what was sent in turn, too. A range is forgotten when it
 * is acknowledged, or when the subflow that has it failed: then the head goes back, and
 * sends once more what is in no range, while it jumps over what the others have.
 *
 * There is no table before a second subflow is there and a scheduler wants it. It grows
 * as data in flight falls into more pieces, is charged to the connection, and is given
 * back when nothing in it is left and nobody will want it soon.
 *
 * Locking: all under the msk lock.
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "sched/core.h"

/* The first range in use that ends after @seq; one past the last if none does. */
u32 mptcp_ranges_after(const struct mptcp_ranges *ranges, u64 seq)
{
	u32 low = ranges->first, high = ranges->first + ranges->count;

	/* most ask for the end, where data goes on, or for the start, where it is acknowledged */
	if (low == high || !after64(mptcp_range_end(&ranges->range[high - 1]), seq))
		return high;
	if (after64(mptcp_range_end(&ranges->range[low]), seq))
		return low;
	while (low < high) {
		u32 mid = (low + high) / 2;

		if (after64(mptcp_range_end(&ranges->range[mid]), seq))
			high = mid;
		else
			low = mid + 1;
	}

	return low;
}

/* The first byte that has not been sent ahead with @free such bytes before it, from @seq
 * on: where the head comes after it has sent so many.
 */
u64 mptcp_ranges_reach(const struct mptcp_ranges *ranges, u64 seq, u64 free)
{
	u32 i = mptcp_ranges_after(ranges, seq);

	for (; i < ranges->first + ranges->count; i++) {
		const struct mptcp_range *range = &ranges->range[i];
		u64 hole = before64(seq, range->start) ? range->start - seq : 0;

		if (free < hole)
			break;
		free -= hole;
		seq = mptcp_range_end(range);
	}

	return seq + free;
}
EXPORT_SYMBOL_GPL(mptcp_ranges_reach);

/* Where the first range after @seq starts; S64_MAX bytes from @seq if none. */
u64 mptcp_ranges_next(const struct mptcp_ranges *ranges, u64 seq)
{
	u32 i = mptcp_ranges_after(ranges, seq);

	if (i < ranges->first + ranges->count &&
	    !after64(ranges->range[i].start, seq))
		i++;
	if (i < ranges->first + ranges->count)
		return ranges->range[i].start;
	return seq + S64_MAX;
}
EXPORT_SYMBOL_GPL(mptcp_ranges_next);

/* The range that holds @seq, or NULL. */
const struct mptcp_range *
mptcp_ranges_find(const struct mptcp_ranges *ranges, u64 seq)
{
	u32 i = mptcp_ranges_after(ranges, seq);

	if (i < ranges->first + ranges->count &&
	    !after64(ranges->range[i].start, seq))
		return &ranges->range[i];
	return NULL;
}
EXPORT_SYMBOL_GPL(mptcp_ranges_find);

/* Make place for one range before the @i-th; where it is, U32_MAX if nowhere. */
static u32 mptcp_ranges_insert(struct mptcp_ranges *ranges, u32 i)
{
	struct mptcp_range *r = ranges->range;

	if (mptcp_ranges_is_full(ranges))
		return U32_MAX;
	if (ranges->first + ranges->count == ranges->size) {
		memmove(r, r + ranges->first, ranges->count * sizeof(*r));
		i -= ranges->first;
		ranges->first = 0;
	}
	memmove(r + i + 1, r + i, (ranges->first + ranges->count - i) * sizeof(*r));
	ranges->count++;
	return i;
}

/* Add a range that overlaps no other one. False: there is no place. */
bool mptcp_ranges_add(struct mptcp_ranges *ranges, u64 start, u32 len,
		      u32 subflow_id)
{
	u32 i = mptcp_ranges_after(ranges, start);
	struct mptcp_range *before;

	before = i > ranges->first ? &ranges->range[i - 1] : NULL;
	if (before && mptcp_range_end(before) == start && !before->again &&
	    before->subflow_id == subflow_id &&
	    before->len + len <= MPTCP_RANGE_LONGEST) {
		before->len += len;
		return true;
	}

	i = mptcp_ranges_insert(ranges, i);
	if (i == U32_MAX)
		return false;
	ranges->range[i] = (struct mptcp_range){
		.start = start, .len = len, .subflow_id = subflow_id,
	};
	return true;
}
EXPORT_SYMBOL_GPL(mptcp_ranges_add);

/* Cut the range that holds @seq in two there. False: there is no place. */
static bool mptcp_ranges_cut(struct mptcp_ranges *ranges, u64 seq)
{
	u32 i = mptcp_ranges_after(ranges, seq);
	struct mptcp_range *range = &ranges->range[i];
	u32 rest;

	if (i == ranges->first + ranges->count || !before64(range->start, seq))
		return true;
	rest = mptcp_range_end(range) - seq;
	i = mptcp_ranges_insert(ranges, i + 1);
	if (i == U32_MAX)
		return false;
	ranges->range[i] = ranges->range[i - 1];
	ranges->range[i].start = seq;
	ranges->range[i].len = rest;
	ranges->range[i - 1].len -= rest;
	return true;
}

/* @len bytes from @seq on, inside a range, were sent again on a subflow. Where
 * there is no place to cut the range, this counts for all of it, and no subflow is known
 * to have all.
 */
void mptcp_ranges_mark_again(struct mptcp_ranges *ranges, u64 seq, u32 len,
			     u32 subflow_id)
{
	struct mptcp_range *range;
	bool exact;

	exact = mptcp_ranges_cut(ranges, seq);
	exact &= mptcp_ranges_cut(ranges, seq + len);
	range = &ranges->range[mptcp_ranges_after(ranges, seq)];
	range->subflow_id = exact ? subflow_id : MPTCP_RANGES_ANYBODY;
	range->again = 1;
}
EXPORT_SYMBOL_GPL(mptcp_ranges_mark_again);

/* The range, before @head, with which @helper may go on to send again: from *@seq on,
 * what @owner has (MPTCP_RANGES_ANYBODY: any other than @helper, and was not sent again
 * already). NULL: there is none.
 */
const struct mptcp_range *
mptcp_ranges_others(const struct mptcp_ranges *ranges, u64 *seq, u64 head,
		    u32 owner, u32 helper)
{
	u32 i = mptcp_ranges_after(ranges, *seq);

	/* the head may lie inside a range, where DATA_ACKs overtook it in recovery */
	for (; i < ranges->first + ranges->count && before64(*seq, head); i++) {
		const struct mptcp_range *range = &ranges->range[i];

		if (!before64(range->start, head))
			break;
		if (owner == MPTCP_RANGES_ANYBODY ?
		    range->subflow_id == helper || range->again :
		    range->subflow_id != owner)
			continue;
		if (before64(*seq, range->start))
			*seq = range->start;
		return range;
	}

	return NULL;
}
EXPORT_SYMBOL_GPL(mptcp_ranges_others);

/* What is before @seq has been acknowledged. */
void mptcp_ranges_forget(struct mptcp_ranges *ranges, u64 seq)
{
	u32 gone = mptcp_ranges_after(ranges, seq) - ranges->first;

	ranges->first += gone;
	ranges->count -= gone;
	if (!ranges->count)
		ranges->first = 0;
}
EXPORT_SYMBOL_GPL(mptcp_ranges_forget);

/* As @old, which it replaces, with place for @size ranges. Charged to the connection, so that
 * limits of TCP's memory count. NULL: memory is short, @old stays.
 */
static struct mptcp_ranges *mptcp_ranges_grow(struct mptcp_sock *msk,
					      struct mptcp_ranges *old, u32 size)
{
	size_t has = old ? struct_size(old, range, old->size) : 0;
	struct sock *sk = (struct sock *)msk;
	struct mptcp_ranges *ranges;
	size_t more;

	more = struct_size(ranges, range, size) - has;
	if (tcp_under_memory_pressure(sk) || !sk_wmem_schedule(sk, more))
		return NULL;
	ranges = krealloc(old, has + more, GFP_ATOMIC | __GFP_NOWARN);
	if (!ranges)
		return NULL;
	sk_mem_charge(sk, more);
	ranges->size = size;
	if (!old) {
		ranges->first = 0;
		ranges->count = 0;
	}
	return ranges;
}

/* snd_nxt moved by other means than the head's, or the table did: what it has further back
 * was sent ahead.
 */
void mptcp_sched_recount_ahead(struct mptcp_sock *msk)
{
	const struct mptcp_ranges *ranges = msk->ranges;
	u64 nxt = msk->snd_nxt, bytes = 0;
	u32 i, end = 0;

	if (ranges)
		end = ranges->first + ranges->count;
	for (i = end ? mptcp_ranges_after(ranges, nxt) : 0; i < end; i++)
		bytes += min_t(u64, ranges->range[i].len,
			       mptcp_range_end(&ranges->range[i]) - nxt);
	WRITE_ONCE(msk->sent_ahead, bytes);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_recount_ahead);

/* Does @subflow have what it was given still, and go on sending it? */
bool mptcp_sched_is_kept(const struct mptcp_subflow_context *subflow)
{
	/* bit fields: see mptcp_sched_is_backup() */
	return !data_race(subflow->closing || subflow->stale) &&
	       inet_sk_state_load(mptcp_subflow_tcp_sock(subflow)) != TCP_CLOSE;
}

static bool mptcp_range_is_kept(struct mptcp_sock *msk, const struct mptcp_range *range)
{
	struct mptcp_subflow_context *owner = mptcp_sched_by_id(msk, range->subflow_id);

	return owner && mptcp_sched_is_kept(owner);
}

/* Forget what nobody has any more. Returns how many ranges that were. */
static u32 mptcp_ranges_drop_lost(struct mptcp_sock *msk)
{
	struct mptcp_ranges *ranges = msk->ranges;
	struct mptcp_range *range = ranges->range + ranges->first;
	u32 kept = 0, i, lost;

	for (i = 0; i < ranges->count; i++)
		if (mptcp_range_is_kept(msk, &range[i]))
			range[kept++] = range[i];
	lost = ranges->count - kept;
	ranges->count = kept;
	return lost;
}

/* A subflow failed. True: the head is to go back, for what is in no range, be it that the
 * subflow had it or that nobody knows who has.
 *
 * Until the head was everywhere again, snd_nxt is the end of all that was ever sent, and
 * not of what was sent in turn: the peer may have that, and acknowledge it at any time.
 */
bool __mptcp_sched_lost(struct mptcp_sock *msk)
{
	u64 una = mptcp_sched_una(msk), nxt = msk->snd_nxt;
	struct mptcp_ranges *ranges = msk->ranges;
	u64 end;

	mptcp_ranges_forget(ranges, una);
	if (!ranges->count)
		return true;

	end = mptcp_range_end(&ranges->range[ranges->first + ranges->count - 1]);
	/* a DATA_FIN goes out on all */
	if (!mptcp_ranges_drop_lost(msk) &&
	    !before64(mptcp_ranges_free_from(ranges, una), nxt - mptcp_data_fin_enabled(msk)))
		return false;

	if (after64(end, nxt)) {
		msk->bytes_sent += end - nxt;
		WRITE_ONCE(msk->snd_nxt, end);
	}
	mptcp_sched_recount_ahead(msk);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(__mptcp_sched_lost);

void mptcp_sched_free_ranges(struct mptcp_sock *msk)
{
	struct mptcp_ranges *ranges = msk->ranges;

	if (!ranges)
		return;
	msk->ranges = NULL;
	mptcp_sched_recount_ahead(msk);
	sk_mem_uncharge((struct sock *)msk, struct_size(ranges, range, ranges->size));
	kfree(ranges);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_free_ranges);

/* Forget what is acknowledged, and give the memory back when nothing is left and
 * nobody will want it soon.
 */
void __mptcp_sched_tidy_ranges(struct mptcp_sock *msk)
{
	mptcp_ranges_forget(msk->ranges, mptcp_sched_una(msk));
	if (!msk->ranges->count && (msk->ranges->unused || mptcp_sched_open(msk) < 2))
		mptcp_sched_free_ranges(msk);
}
EXPORT_SYMBOL_IF_KUNIT(__mptcp_sched_tidy_ranges);

/* The ranges, when a scheduler wants them, with place for two more: sent again from its middle,
 * one becomes three. After a failure to get memory not before a second has passed. NULL: there
 * is none; it may be full.
 */
struct mptcp_ranges *mptcp_sched_ranges(struct mptcp_sock *msk)
{
	struct mptcp_ranges *ranges = msk->ranges;
	u32 now = tcp_jiffies32;
	u32 size;

	if (ranges)
		ranges->unused = false;
	if (ranges && (mptcp_ranges_left(ranges) >= MPTCP_RANGES_CUTS ||
		       ranges->size == MPTCP_RANGES_MOST))
		return ranges;
	if (msk->ranges_failed && now - msk->ranges_failed < HZ)
		return ranges;

	size = ranges ? min(2 * ranges->size, MPTCP_RANGES_MOST) : MPTCP_RANGES_FIRST;
	ranges = mptcp_ranges_grow(msk, ranges, size);
	msk->ranges_failed = ranges ? 0 : max(now, 1U);
	if (ranges) {
		ranges->unused = false;
		msk->ranges = ranges;
	}
	return msk->ranges;
}
EXPORT_SYMBOL_GPL(mptcp_sched_ranges);

/* @len bytes from @seq on went to @subflow in turn: know who owes them. With a
 * single subflow there is nobody else to send them.
 */
void mptcp_sched_own(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow,
		     u64 seq, u32 len)
{
	struct mptcp_ranges *ranges;

	ranges = list_is_singular(&msk->conn_list) ? NULL : mptcp_sched_ranges(msk);
	if (!ranges)
		return;

	mptcp_ranges_forget(ranges, mptcp_sched_una(msk));
	mptcp_ranges_add(ranges, seq, len, subflow->subflow_id);
}
