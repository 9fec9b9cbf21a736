// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: data sent ahead of its turn
 *
 * All schedulers so far hand out the connection's data from its front. A slow
 * subflow then holds up what the fast ones send after it, until its data is
 * there. The receiver must keep all of that, and where its buffer is smaller,
 * the fast subflows stop: the connection is slower than its best path alone.
 *
 * The way out is to give the slow subflow data from further back, which the
 * fast ones will only have got to by the time it arrives:
 *
 *	   snd_una     head             ahead           wnd_end
 *	-----|==========|-----------------|=====|---------|----- data sequence
 *	       in flight   for the fast     on the slow
 *	                    subflows         subflow
 *
 * The head moves on as the fast subflows send. When it comes to a range that
 * was sent ahead, it jumps over it: those bytes count as sent from then on
 * (snd_nxt), and everything else in the transmit path stays as it was. Ranges
 * are forgotten when data is sent once more from the start, after a subflow
 * failed.
 *
 * Locking: all under the msk lock.
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched.h"
#include "sched_ahead.h"

/* The first range in use that ends after @seq; one past the last if none does. */
static u32 mptcp_ahead_after(const struct mptcp_ahead *ahead, u64 seq)
{
	u32 low = ahead->first, high = ahead->first + ahead->count;

	/* most ask for the end, where data goes on, or for the start, where it is acknowledged */
	if (low == high || !after64(mptcp_ahead_end(&ahead->range[high - 1]), seq))
		return high;
	if (after64(mptcp_ahead_end(&ahead->range[low]), seq))
		return low;
	while (low < high) {
		u32 mid = (low + high) / 2;

		if (after64(mptcp_ahead_end(&ahead->range[mid]), seq))
			high = mid;
		else
			low = mid + 1;
	}

	return low;
}

/* The first byte from @seq on that has not been sent ahead. */
u64 mptcp_ahead_free_from(const struct mptcp_ahead *ahead, u64 seq)
{
	u32 i = mptcp_ahead_after(ahead, seq);

	for (; i < ahead->first + ahead->count; i++) {
		if (before64(seq, ahead->range[i].start))
			break;
		seq = mptcp_ahead_end(&ahead->range[i]);
	}

	return seq;
}
EXPORT_SYMBOL_GPL(mptcp_ahead_free_from);

/* Where the first range after @seq starts; S64_MAX bytes from @seq if none. */
u64 mptcp_ahead_next(const struct mptcp_ahead *ahead, u64 seq)
{
	u32 i = mptcp_ahead_after(ahead, seq);

	if (i < ahead->first + ahead->count &&
	    !after64(ahead->range[i].start, seq))
		i++;
	if (i < ahead->first + ahead->count)
		return ahead->range[i].start;
	return seq + S64_MAX;
}
EXPORT_SYMBOL_GPL(mptcp_ahead_next);

/* The range that holds @seq, or NULL. */
const struct mptcp_ahead_range *
mptcp_ahead_find(const struct mptcp_ahead *ahead, u64 seq)
{
	u32 i = mptcp_ahead_after(ahead, seq);

	if (i < ahead->first + ahead->count &&
	    !after64(ahead->range[i].start, seq))
		return &ahead->range[i];
	return NULL;
}
EXPORT_SYMBOL_GPL(mptcp_ahead_find);

/* Make place for one range before the @i-th; where it is, U32_MAX if nowhere. */
static u32 mptcp_ahead_insert(struct mptcp_ahead *ahead, u32 i)
{
	struct mptcp_ahead_range *r = ahead->range;

	if (mptcp_ahead_is_full(ahead))
		return U32_MAX;
	if (ahead->first + ahead->count == ahead->size) {
		memmove(r, r + ahead->first, ahead->count * sizeof(*r));
		i -= ahead->first;
		ahead->first = 0;
	}
	memmove(r + i + 1, r + i, (ahead->first + ahead->count - i) * sizeof(*r));
	ahead->count++;
	return i;
}

/* Add a range that overlaps no other one. False: there is no place. */
bool mptcp_ahead_add(struct mptcp_ahead *ahead, u64 start, u32 len,
		     u32 subflow_id)
{
	u32 i = mptcp_ahead_after(ahead, start);
	struct mptcp_ahead_range *before;

	before = i > ahead->first ? &ahead->range[i - 1] : NULL;
	if (before && mptcp_ahead_end(before) == start && !before->again &&
	    before->subflow_id == subflow_id &&
	    before->len + len <= MPTCP_AHEAD_MAX_LEN) {
		before->len += len;
		return true;
	}

	i = mptcp_ahead_insert(ahead, i);
	if (i == U32_MAX)
		return false;
	ahead->range[i] = (struct mptcp_ahead_range){
		.start = start, .len = len, .subflow_id = subflow_id,
	};
	return true;
}
EXPORT_SYMBOL_GPL(mptcp_ahead_add);

/* Cut the range that holds @seq in two there. False: there is no place. */
static bool mptcp_ahead_cut(struct mptcp_ahead *ahead, u64 seq)
{
	u32 i = mptcp_ahead_after(ahead, seq);
	struct mptcp_ahead_range *range = &ahead->range[i];
	u32 rest;

	if (i == ahead->first + ahead->count || !before64(range->start, seq))
		return true;
	rest = mptcp_ahead_end(range) - seq;
	i = mptcp_ahead_insert(ahead, i + 1);
	if (i == U32_MAX)
		return false;
	ahead->range[i] = ahead->range[i - 1];
	ahead->range[i].start = seq;
	ahead->range[i].len = rest;
	ahead->range[i - 1].len -= rest;
	return true;
}

/* @len bytes from @seq on, inside a range, were sent again on a subflow. Where
 * there is no place to cut the range, this counts for all of it.
 */
void mptcp_ahead_mark_again(struct mptcp_ahead *ahead, u64 seq, u32 len,
			    u32 subflow_id)
{
	struct mptcp_ahead_range *range;

	mptcp_ahead_cut(ahead, seq);
	mptcp_ahead_cut(ahead, seq + len);
	range = &ahead->range[mptcp_ahead_after(ahead, seq)];
	range->subflow_id = subflow_id;
	range->again = 1;
}
EXPORT_SYMBOL_GPL(mptcp_ahead_mark_again);

/* What is before @seq has been acknowledged. */
void mptcp_ahead_forget(struct mptcp_ahead *ahead, u64 seq)
{
	u32 gone = mptcp_ahead_after(ahead, seq) - ahead->first;

	ahead->first += gone;
	ahead->count -= gone;
	if (!ahead->count)
		ahead->first = 0;
}
EXPORT_SYMBOL_GPL(mptcp_ahead_forget);

/* How many subflows of @msk are not closed. */
static u32 mptcp_sched_open(const struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	u32 n = 0;

	mptcp_for_each_subflow(msk, subflow)
		n += inet_sk_state_load(mptcp_subflow_tcp_sock(subflow)) != TCP_CLOSE;

	return n;
}

/* As @old, which it replaces, with place for @ranges. Charged to the connection, so that
 * limits of TCP's memory count. NULL: memory is short, @old stays.
 */
static struct mptcp_ahead *mptcp_ahead_grow(struct mptcp_sock *msk,
					    struct mptcp_ahead *old, u32 ranges)
{
	size_t has = old ? struct_size(old, range, old->size) : 0;
	struct sock *sk = (struct sock *)msk;
	struct mptcp_ahead *ahead;
	size_t more;

	more = struct_size(ahead, range, ranges) - has;
	if (tcp_under_memory_pressure(sk) || !sk_wmem_schedule(sk, more))
		return NULL;
	ahead = krealloc(old, has + more, GFP_ATOMIC | __GFP_NOWARN);
	if (!ahead)
		return NULL;
	sk_mem_charge(sk, more);
	ahead->size = ranges;
	if (!old) {
		ahead->first = 0;
		ahead->count = 0;
	}
	return ahead;
}

void mptcp_sched_free_ahead(struct mptcp_sock *msk)
{
	struct mptcp_ahead *ahead = msk->ahead;

	if (!ahead)
		return;
	msk->ahead = NULL;
	sk_mem_uncharge((struct sock *)msk, struct_size(ahead, range, ahead->size));
	kfree(ahead);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_free_ahead);

/* Forget what is acknowledged, and give the memory back when nothing is left and
 * nobody will want it soon.
 */
void __mptcp_sched_tidy_ahead(struct mptcp_sock *msk)
{
	mptcp_ahead_forget(msk->ahead, READ_ONCE(msk->snd_una));
	if (!msk->ahead->count && (msk->ahead->unused || mptcp_sched_open(msk) < 2))
		mptcp_sched_free_ahead(msk);
}

/* The ranges, with place for another one, when a scheduler wants it; after a failure
 * to get memory not before a second has passed. NULL: there is none; it may be full.
 */
struct mptcp_ahead *mptcp_sched_ahead(struct mptcp_sock *msk)
{
	struct mptcp_ahead *ahead = msk->ahead;
	u32 now = tcp_jiffies32;
	u32 ranges;

	if (ahead)
		ahead->unused = false;
	if (ahead && (!mptcp_ahead_is_full(ahead) || ahead->size == MPTCP_AHEAD_RANGES))
		return ahead;
	if (msk->ahead_failed && now - msk->ahead_failed < HZ)
		return ahead;

	ranges = ahead ? min(2 * ahead->size, MPTCP_AHEAD_RANGES) : MPTCP_AHEAD_FIRST;
	ahead = mptcp_ahead_grow(msk, ahead, ranges);
	msk->ahead_failed = ahead ? 0 : max(now, 1U);
	if (ahead) {
		ahead->unused = false;
		msk->ahead = ahead;
	}
	return msk->ahead;
}
EXPORT_SYMBOL_GPL(mptcp_sched_ahead);

/* @len bytes from @seq on went to @subflow in turn: know who owes them. With a
 * single subflow there is nobody else to send them.
 */
void mptcp_sched_own(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow,
		     u64 seq, u32 len)
{
	struct mptcp_ahead *ahead;

	ahead = list_is_singular(&msk->conn_list) ? NULL : mptcp_sched_ahead(msk);
	if (!ahead)
		return;

	mptcp_ahead_forget(ahead, READ_ONCE(msk->snd_una));
	mptcp_ahead_add(ahead, seq, len, subflow->subflow_id);
}

/* Let the head jump over what has been sent ahead. Called whenever it moved:
 * the peer may acknowledge those bytes as soon as it has all before them, and
 * by then they must count as sent.
 */
void __mptcp_sched_skip_ahead(struct mptcp_sock *msk)
{
	struct sock *sk = (struct sock *)msk;
	struct mptcp_data_frag *dfrag;
	u64 free = mptcp_sched_head(msk);

	__mptcp_sched_tidy_ahead(msk);
	while (msk->ahead && msk->ahead->count && (dfrag = mptcp_send_head(sk))) {
		u64 head = dfrag->data_seq + dfrag->already_sent;
		u32 left = dfrag->data_len - dfrag->already_sent;

		if (!before64(head, free))
			free = mptcp_ahead_free_from(msk->ahead, head);
		if (free == head)
			return;
		mptcp_update_post_push(msk, dfrag, min_t(u64, free - head, left));
		if (dfrag->already_sent == dfrag->data_len)
			msk->first_pending = mptcp_send_next(sk);
	}
}
EXPORT_SYMBOL_IF_KUNIT(__mptcp_sched_skip_ahead);

/* The most that a scheduler gets of the send buffer: what the subflows could have
 * made of it. Nothing if memory is short, or for one subflow, which is ahead of none.
 */
static u64 mptcp_sched_most_sndbuf(const struct mptcp_sock *msk)
{
	const struct sock *sk = (const struct sock *)msk;
	u32 n = mptcp_sched_open(msk);

	if (n < 2 || tcp_under_memory_pressure(sk))
		return 0;
	return min_t(u64, INT_MAX,
		     (u64)n * READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_wmem[2]));
}

/* What a scheduler still needs of the send buffer, which is set anew. */
int mptcp_sched_sndbuf(struct mptcp_sock *msk)
{
	msk->sched_sndbuf = min_t(u64, msk->sched_sndbuf, mptcp_sched_most_sndbuf(msk));
	return msk->sched_sndbuf;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_sndbuf);

/* The scheduler could use data up to @seq, but the application's writes end
 * before. If it waits for room in the send buffer, let that grow: subflows only
 * make it as large as what they carry, and one that waits carries nothing.
 */
void mptcp_sched_want_written(struct mptcp_sock *msk, u64 seq)
{
	struct sock *sk = (struct sock *)msk;
	u64 want = seq - msk->snd_una;

	if (sk->sk_userlocks & SOCK_SNDBUF_LOCK || __mptcp_stream_is_writeable(sk, 1))
		return;

	want = min(want + want / 2, mptcp_sched_most_sndbuf(msk));
	if (want <= READ_ONCE(sk->sk_sndbuf))
		return;

	msk->sched_sndbuf = want;
	WRITE_ONCE(sk->sk_sndbuf, want);
	mptcp_write_space(sk);
}
EXPORT_SYMBOL_GPL(mptcp_sched_want_written);

/* Where the search for @seq begins: the last one of those that are known and not
 * behind it. Where the last search ended is still there if the peer has not
 * acknowledged all of it.
 */
static struct mptcp_data_frag *
mptcp_search_from(const struct mptcp_sock *msk,
		  const struct mptcp_subflow_context *subflow, u64 seq)
{
	struct mptcp_data_frag *from = mptcp_rtx_head((struct sock *)msk);
	struct mptcp_data_frag *head = msk->first_pending;
	struct mptcp_data_frag *found = subflow->sched_found;

	if (from && head && !before64(seq, head->data_seq))
		from = head;
	if (from && found && after64(subflow->sched_found_end, READ_ONCE(msk->snd_una)) &&
	    after64(found->data_seq, from->data_seq) && !before64(seq, found->data_seq))
		from = found;
	return from;
}

/* The fragment that holds @seq, for a decision about @subflow that may look at
 * @steps more of them; NULL: there is none, or it is too far. Then the next search
 * goes on from there.
 */
struct mptcp_data_frag *mptcp_sched_dfrag(struct mptcp_sock *msk,
					  struct mptcp_subflow_context *subflow,
					  u64 seq, u32 *steps)
{
	struct mptcp_data_frag *dfrag = mptcp_search_from(msk, subflow, seq);

	if (!dfrag || before64(seq, dfrag->data_seq))
		return NULL;

	list_for_each_entry_from(dfrag, &msk->rtx_queue, list) {
		u64 end = dfrag->data_seq + dfrag->data_len;

		if (!*steps)
			return NULL;
		--*steps;
		subflow->sched_found = dfrag;
		subflow->sched_found_end = end;
		if (before64(seq, end))
			return dfrag;
	}

	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_dfrag);

/* Send @len bytes from @seq on, on @ssk. Returns how many were sent. */
u32 mptcp_sched_send_from(struct sock *ssk, struct mptcp_sendmsg_info *info,
			  u64 seq, u64 len, u32 *steps)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct sock *sk = subflow->conn;
	u32 sent = 0;

	while (sent < len) {
		struct mptcp_data_frag *dfrag;
		int ret;

		dfrag = mptcp_sched_dfrag(mptcp_sk(sk), subflow, seq + sent, steps);
		if (!dfrag)
			break;
		info->sent = seq + sent - dfrag->data_seq;
		info->limit = min_t(u64, info->sent + len - sent, dfrag->data_len);
		ret = mptcp_sendmsg_frag(sk, ssk, dfrag, info);
		if (ret <= 0)
			break;
		mptcp_sched_spend(subflow, ret, info->mss_now);
		sent += ret;
	}

	return sent;
}

/* The range, before @head, with which @helper may go on to send again: from *@seq on,
 * what @owner has (MPTCP_AHEAD_ANYBODY: any other than @helper, and was not sent again
 * already). NULL: there is none.
 */
const struct mptcp_ahead_range *
mptcp_ahead_others(const struct mptcp_ahead *ahead, u64 *seq, u64 head,
		   u32 owner, u32 helper)
{
	u32 i = mptcp_ahead_after(ahead, *seq);

	/* the head may lie inside a range, where DATA_ACKs overtook it in recovery */
	for (; i < ahead->first + ahead->count && before64(*seq, head); i++) {
		const struct mptcp_ahead_range *range = &ahead->range[i];

		if (!before64(range->start, head))
			break;
		if (owner == MPTCP_AHEAD_ANYBODY ?
		    range->subflow_id == helper || range->again :
		    range->subflow_id != owner)
			continue;
		if (before64(*seq, range->start))
			*seq = range->start;
		return range;
	}

	return NULL;
}
EXPORT_SYMBOL_GPL(mptcp_ahead_others);

/* Carry out a decision to send again: as mptcp_sched_push_ahead(). */
int mptcp_sched_push_again(struct sock *sk, struct sock *ssk,
			   struct mptcp_sendmsg_info *info)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(sk);
	const struct mptcp_ahead_range *range;
	u64 seq = subflow->sched_ahead_seq, head = mptcp_sched_head(msk);
	u32 steps = MPTCP_SCHED_STEPS;
	int copied = 0;

	if (!msk->ahead || __mptcp_check_fallback(msk))
		return 0;
	if (before64(seq, READ_ONCE(msk->snd_una)))
		seq = READ_ONCE(msk->snd_una);

	while (subflow->sched_budget &&
	       (range = mptcp_ahead_others(msk->ahead, &seq, head, subflow->sched_again_of,
					   subflow->subflow_id))) {
		u64 left = min_t(u64, min(mptcp_ahead_end(range), head) - seq,
				 subflow->sched_budget);
		u32 sent = mptcp_sched_send_from(ssk, info, seq, left, &steps);

		if (sent)
			mptcp_ahead_mark_again(msk->ahead, seq, sent,
					       subflow->subflow_id);
		seq += sent;
		copied += sent;
		if (sent < left)
			break;
	}

	msk->bytes_retrans += copied;
	mptcp_sched_count(msk, MPTCP_MIB_SCHEDAGAINBYTES,
			  &msk->sched_info.again_bytes, copied);
	return copied;
}

/* Carry out a decision about data ahead: from the transmit path, with @ssk
 * locked. Returns the bytes sent.
 */
int mptcp_sched_push_ahead(struct sock *sk, struct sock *ssk,
			   struct mptcp_sendmsg_info *info)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(sk);
	u64 seq = subflow->sched_ahead_seq;
	u64 end = READ_ONCE(msk->wnd_end);
	u32 steps = MPTCP_SCHED_STEPS;
	int copied = 0;

	/* meanwhile another context may have sent it all, or fallen back */
	if (!msk->ahead || !mptcp_send_head(sk) || __mptcp_check_fallback(msk) ||
	    before64(seq, mptcp_sched_head(msk)))
		return 0;

	seq = mptcp_ahead_free_from(msk->ahead, seq);
	while (subflow->sched_budget && before64(seq, end) &&
	       !mptcp_ahead_is_full(mptcp_sched_ahead(msk))) {
		u64 room = min3(mptcp_ahead_next(msk->ahead, seq) - seq, end - seq,
				(u64)subflow->sched_budget);
		u32 sent = mptcp_sched_send_from(ssk, info, seq, room, &steps);

		if (sent)
			mptcp_ahead_add(msk->ahead, seq, sent, subflow->subflow_id);
		seq = mptcp_ahead_free_from(msk->ahead, seq + sent);
		copied += sent;
		if (sent < room)
			break;
	}

	mptcp_sched_count(msk, MPTCP_MIB_SCHEDAHEADBYTES,
			  &msk->sched_info.ahead_bytes, copied);
	mptcp_sched_skip_ahead(msk);
	return copied;
}
