// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: sending data that is not the next one
 *
 * Data ahead of its turn
 *
 *   All schedulers so far hand out the connection's data from its front. A slow
 *   subflow then holds up what the fast ones send after it, until its data is
 *   there. The receiver must keep all of that, and where its buffer is smaller,
 *   the fast subflows stop: the connection is slower than its best path alone.
 *
 *   The way out is to give the slow subflow data from further back, which the
 *   fast ones will only have got to by the time it arrives:
 *
 *	   snd_una     head             ahead           wnd_end
 *	-----|==========|-----------------|=====|---------|----- data sequence
 *	       in flight   for the fast     on the slow
 *	                    subflows         subflow
 *
 *   The head moves on as the fast subflows send. When it comes to a range that
 *   was sent ahead (ranges.c), it jumps over it: those bytes count as sent
 *   in turn from then on (snd_nxt), and everything else in the transmit path stays
 *   as it was. Until then msk->sent_ahead counts them, as they are no backlog.
 *
 * Data once more
 *
 *   What a subflow has and the peer waits for goes out on another one, each byte
 *   once: MPTCP_SCHED_SEND_AGAIN.
 *
 * Copies
 *
 *   A scheduler with .copies gives a subflow what was sent before, to have it arrive
 *   twice. It has work as long as something is not acknowledged, though nothing new
 *   waits; the transmit path asks it then, too (mptcp_sched_has_work()). Each subflow
 *   remembers where the last data that it was given ends (subflow->sched_next).
 *
 * Locking: all under the msk lock.
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched/core.h"
#include "sched/bpf.h"

/* There is no more data, and the head came to the end without that anything was sent. Who sends
 * looks for a DATA_FIN that is due; else it would wait for the timer.
 */
void mptcp_sched_send_fin(struct mptcp_sock *msk)
{
	if (!msk->first_pending && msk->snd_data_fin_enable &&
	    msk->snd_nxt + 1 == msk->write_seq)
		mptcp_schedule_work((struct sock *)msk);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_send_fin);

/* The head jumps over @len bytes in @dfrag. What of them was ahead is not any more. */
static void mptcp_sched_skip(struct mptcp_sock *msk, struct mptcp_data_frag *dfrag, u64 len)
{
	u64 nxt = msk->snd_nxt, passed;

	mptcp_update_post_push(msk, dfrag, len);
	passed = min(msk->snd_nxt - nxt, msk->sent_ahead);
	WRITE_ONCE(msk->sent_ahead, msk->sent_ahead - passed);
	if (dfrag->already_sent == dfrag->data_len) {
		msk->first_pending = mptcp_send_next((struct sock *)msk);
		mptcp_sched_send_fin(msk);
	}
}

/* Let the head, which went back, jump over what those that are left carry (copies.c). */
static void mptcp_sched_skip_copied(struct mptcp_sock *msk)
{
	u64 end = mptcp_sched_copied(msk);
	struct mptcp_data_frag *dfrag;

	while ((dfrag = mptcp_send_head((struct sock *)msk))) {
		u64 head = dfrag->data_seq + dfrag->already_sent;

		if (!before64(head, end))
			return;
		mptcp_sched_skip(msk, dfrag,
				 min_t(u64, end - head, dfrag->data_len - dfrag->already_sent));
	}
}

/* Let the head jump over what has been sent ahead. Called whenever it moved:
 * the peer may acknowledge those bytes as soon as it has all before them, and
 * by then they must count as sent. So it does, in recovery, over what the peer has
 * acknowledged while a process owns the socket: fragments and ranges are tidied later.
 */
void __mptcp_sched_skip_sent(struct mptcp_sock *msk)
{
	struct sock *sk = (struct sock *)msk;
	u64 free = mptcp_sched_una(msk);
	struct mptcp_data_frag *dfrag;

	__mptcp_sched_tidy_ranges(msk);
	while ((dfrag = mptcp_send_head(sk))) {
		u64 head = dfrag->data_seq + dfrag->already_sent;
		u32 left = dfrag->data_len - dfrag->already_sent;

		if (!before64(head, free) && msk->ranges)
			free = mptcp_ranges_free_from(msk->ranges, head);
		if (!before64(head, free))
			return;
		mptcp_sched_skip(msk, dfrag, min_t(u64, free - head, left));
	}
}
EXPORT_SYMBOL_IF_KUNIT(__mptcp_sched_skip_sent);

/* The head went back, as a subflow failed: not over what others have. A program that was watched
 * at the same place before starts anew.
 */
void mptcp_sched_go_on(struct mptcp_sock *msk)
{
	mptcp_sched_bpf_forget(msk);
	if (mptcp_sched_copies(msk->sched))
		mptcp_sched_skip_copied(msk);
	mptcp_sched_skip_sent(msk);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_go_on);

/* Where the search for @seq begins: the last one of those that are known and not
 * behind it. Where the last search ended is still there if it ends behind the first
 * one's begin: snd_una would say so, too, but half of it may be of another CPU's
 * ACK where it takes two loads.
 */
static struct mptcp_data_frag *
mptcp_search_from(struct mptcp_sock *msk,
		  const struct mptcp_subflow_context *subflow, u64 seq)
{
	struct mptcp_data_frag *head = msk->first_pending, *first, *from;
	struct mptcp_data_frag *found = subflow->sched_found;

	/* not mptcp_rtx_head(), which there is none of while nothing sent in turn is in flight */
	first = list_first_entry_or_null(&msk->rtx_queue, struct mptcp_data_frag, list);
	if (!first)
		return NULL;
	from = head && !before64(seq, head->data_seq) ? head : first;
	if (found && after64(subflow->sched_found_end, first->data_seq) &&
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
static u32 mptcp_sched_send_from(struct sock *ssk, struct mptcp_sendmsg_info *info,
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
		if (!sk_stream_memory_free(ssk))
			break;
	}

	return sent;
}

/* Carry out a decision to send again: as mptcp_sched_push_ahead(). */
static int mptcp_sched_push_again(struct sock *sk, struct sock *ssk,
				  struct mptcp_sendmsg_info *info)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(sk);
	const struct mptcp_range *range;
	u64 seq = subflow->sched_seq, head = mptcp_sched_head(msk);
	u64 una = READ_ONCE(msk->snd_una);
	u32 steps = MPTCP_SCHED_STEPS;
	int copied = 0;

	if (!msk->ranges || __mptcp_check_fallback(msk))
		return 0;
	/* what arrived meanwhile is no part of it, and what is behind that never was */
	if (before64(seq, una)) {
		subflow->sched_budget -= min_t(u64, subflow->sched_budget, una - seq);
		seq = una;
	}

	/* with place to know who has which part, else the rescue of a silent path passes it over */
	while (subflow->sched_budget &&
	       (range = mptcp_ranges_others(mptcp_sched_ranges(msk), &seq, head,
					   subflow->sched_again_of, subflow->subflow_id))) {
		u64 left = min_t(u64, min(mptcp_range_end(range), head) - seq,
				 subflow->sched_budget);
		u32 sent = mptcp_sched_send_from(ssk, info, seq, left, &steps);

		if (sent)
			mptcp_ranges_mark_again(msk->ranges, seq, sent,
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

/* @len bytes from @seq on went to a subflow, ahead of the head; in recovery, that may be
 * before snd_nxt.
 */
static void mptcp_sched_sent_ahead(struct mptcp_sock *msk, u64 seq, u32 len, u32 subflow_id)
{
	u64 end = seq + len;

	mptcp_ranges_add(msk->ranges, seq, len, subflow_id);
	if (after64(end, msk->snd_nxt))
		WRITE_ONCE(msk->sent_ahead,
			   msk->sent_ahead + min_t(u64, len, end - msk->snd_nxt));
}

/* Carry out a decision about data ahead: from the transmit path, with @ssk
 * locked. Returns the bytes sent.
 */
static int mptcp_sched_push_ahead(struct sock *sk, struct sock *ssk,
				  struct mptcp_sendmsg_info *info)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(sk);
	u64 seq = subflow->sched_seq;
	u64 end = READ_ONCE(msk->wnd_end);
	u32 steps = MPTCP_SCHED_STEPS;
	int copied = 0;

	/* meanwhile another context may have sent it all, or fallen back */
	if (!msk->ranges || !mptcp_send_head(sk) || __mptcp_check_fallback(msk) ||
	    before64(seq, mptcp_sched_head(msk)))
		return 0;

	seq = mptcp_ranges_free_from(msk->ranges, seq);
	while (subflow->sched_budget && before64(seq, end) &&
	       !mptcp_ranges_is_full(mptcp_sched_ranges(msk))) {
		u64 room = min3(mptcp_ranges_next(msk->ranges, seq) - seq, end - seq,
				(u64)subflow->sched_budget);
		u32 sent = mptcp_sched_send_from(ssk, info, seq, room, &steps);

		if (sent)
			mptcp_sched_sent_ahead(msk, seq, sent, subflow->subflow_id);
		seq = mptcp_ranges_free_from(msk->ranges, seq + sent);
		copied += sent;
		if (sent < room)
			break;
	}

	mptcp_sched_count(msk, MPTCP_MIB_SCHEDAHEADBYTES,
			  &msk->sched_info.ahead_bytes, copied);
	mptcp_sched_skip_sent(msk);
	return copied;
}

/* Carry out a decision to send a copy: from the transmit path, with @ssk locked. Returns
 * the bytes sent.
 */
static int mptcp_sched_push_copy(struct sock *sk, struct sock *ssk,
				 struct mptcp_sendmsg_info *info)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(sk);
	u64 seq = subflow->sched_seq, una = READ_ONCE(msk->snd_una);
	u64 head = mptcp_sched_head(msk);
	u32 steps = MPTCP_SCHED_STEPS;
	int copied;

	if (before64(seq, una))
		seq = una;
	if (__mptcp_check_fallback(msk) || !before64(seq, head))
		return 0;

	copied = mptcp_sched_send_from(ssk, info, seq,
				       min_t(u64, head - seq, subflow->sched_budget),
				       &steps);
	if (copied)
		mptcp_sched_carries(subflow, seq, copied);

	msk->bytes_retrans += copied;
	mptcp_sched_count(msk, MPTCP_MIB_SCHEDCOPYBYTES,
			  &msk->sched_info.copy_bytes, copied);
	return copied;
}

/* Carry out a decision that is not about the next data of the connection: from
 * the transmit path, with @ssk locked. Returns the bytes sent.
 */
int mptcp_sched_push_other(struct sock *sk, struct sock *ssk,
			   struct mptcp_sendmsg_info *info)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	u8 what = subflow->sched_what;

	subflow->sched_what = MPTCP_SCHED_SEND_HEAD;
	if (!mptcp_end_stream(mptcp_sk(sk)))
		return 0;
	switch (what) {
	case MPTCP_SCHED_SEND_AHEAD:
		return mptcp_sched_push_ahead(sk, ssk, info);
	case MPTCP_SCHED_SEND_AGAIN:
		return mptcp_sched_push_again(sk, ssk, info);
	default:
		return mptcp_sched_push_copy(sk, ssk, info);
	}
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_push_other);
