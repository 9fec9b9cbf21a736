// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: everything on several subflows
 *
 *	             snd_una                    head
 *	----------------|========================|----- data sequence
 *	subflow 1                                ^ new data
 *	subflow 2             ^ goes on from here
 *	subflow 3       ^ had fallen behind: goes on from snd_una
 *
 * Each subflow goes on from where it got to, or from the first byte that the peer has not
 * acknowledged if that is further: what has arrived by another subflow it need not carry. One
 * that got to the head takes new data. So
 *
 * - no subflow waits for another one;
 * - no subflow sends a byte twice (except for TCP's retransmissions): n subflows put at most
 *   n times the data on the wire;
 * - with one subflow, or one that is left, nothing is sent twice: the head goes back
 *   only to where the furthest of those that are left got to.
 *
 * Who uses it: redundant.c, and programs in BPF that choose several subflows (bpf_call.c).
 *
 * Locking: the msk lock.
 */

#include <kunit/visibility.h>
#include "sched/sched.h"
#include "sched/core.h"

/* Where @subflow goes on. What it got to is void if the peer has acknowledged it meanwhile, on
 * a subflow that has carried nothing yet, and if it lacks some of what is before: with another
 * scheduler until now.
 */
static u64 mptcp_sched_copy_next(const struct mptcp_sock *msk,
				 const struct mptcp_subflow_context *subflow)
{
	u64 next = subflow->sched_next, una = READ_ONCE(msk->snd_una);

	if (next - una > msk->snd_nxt - una || after64(next - subflow->sched_run, una))
		return una;
	return next;
}

/* How far a subflow that goes on has all that the peer lacks */
u64 mptcp_sched_copied(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	u64 end = mptcp_sched_una(msk);

	mptcp_for_each_subflow(msk, subflow) {
		u64 next = mptcp_sched_copy_next(msk, subflow);

		if (after64(next, end) && mptcp_sched_is_kept(subflow))
			end = next;
	}

	return end;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_copied);

/* Bytes that @subflow takes now, of old or new data; 0: it has nothing to send, or no room. */
static u32 mptcp_sched_copy_room(const struct mptcp_sock *msk,
				 const struct mptcp_subflow_context *subflow)
{
	if (!before64(mptcp_sched_copy_next(msk, subflow), mptcp_sched_head(msk)) &&
	    !mptcp_sched_may_send_new(msk))
		return 0;
	return mptcp_sched_room(subflow);
}

/* Of the subflows that @may carry copies, the one with the lowest RTT that takes some now. */
struct mptcp_sched_choice
mptcp_sched_best_copy(struct mptcp_sock *msk,
		      bool (*may)(struct mptcp_subflow_context *subflow, bool backups))
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;
	struct mptcp_sched_choice best = {};
	u32 best_rtt = U32_MAX;

	mptcp_for_each_subflow(msk, subflow) {
		u32 rtt = mptcp_sched_srtt(subflow);
		u32 room = rtt < best_rtt && may(subflow, backups) ?
			   mptcp_sched_copy_room(msk, subflow) : 0;

		if (room) {
			best.subflow = subflow;
			best.room = room;
			best_rtt = rtt;
		}
	}

	return best;
}
EXPORT_SYMBOL_GPL(mptcp_sched_best_copy);

/* Decide: @choice gets what it has not carried yet. */
void mptcp_sched_commit_next(struct mptcp_sock *msk, const struct mptcp_sched_choice *choice)
{
	u64 next = mptcp_sched_copy_next(msk, choice->subflow);

	if (before64(next, mptcp_sched_head(msk)))
		mptcp_sched_commit_at(msk, choice->subflow, MPTCP_SCHED_SEND_COPY, next,
				      choice->room);
	else
		mptcp_sched_commit(msk, choice->subflow, choice->room, MPTCP_SCHED_BEST);
}
EXPORT_SYMBOL_GPL(mptcp_sched_commit_next);
