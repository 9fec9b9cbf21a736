// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: retransmission and penalization, the extension "+rp"
 *
 * The receiver keeps data that arrived out of order until what comes before it
 * is there. When a slow subflow owes the first missing byte, all others run
 * into the end of the receive window and stop, though their congestion windows
 * have room:
 *
 *	   snd_una                                        wnd_end
 *	-----|==slow==|====fast=====|==slow==|====fast======|
 *	      missing    arrived     missing    arrived
 *
 * Then two things are done:
 *
 * - Opportunistic retransmission: a subflow with room sends again what is
 *   missing, except for what comes soon: in flight on its owner, data arrives
 *   evenly over the round trip, the oldest first, and what arrives within a
 *   round trip of the helper is left to it. Each byte is sent again once.
 * - Penalization: the subflow that owes the data had too much in flight. It may
 *   use only half of what it had, at most once per round trip. What it may use
 *   then grows by a 16th of what it used before, each round trip. (By a segment,
 *   as the thesis has it, takes minutes where windows have a thousand.)
 *
 *   It does so in slow start, too. The thesis lets the window double there. But a queue
 *   that is longer than the peer's window never overflows: the subflow loses nothing, and
 *   stays in slow start for ever, unless its congestion control leaves that by itself when
 *   the RTT grows (cubic, wvegas). What was taken from it would be back a round trip later,
 *   and each second round trip it would hold up all. Where slow start has not found yet how
 *   much the path takes, the penalty ends after a round trip: no sixteenth of a beginning
 *   would ever catch up with a window that doubles. If that shows later, it ends when all is
 *   back that was taken.
 *
 * The thesis halves the congestion window itself. That takes the subflow's lock,
 * and congestion control undoes it soon (cubic goes back to where it was). We
 * limit how much of the window the scheduler uses instead, and leave the window
 * to its owner. To compare with, instead of "+rp":
 *
 *	+r	opportunistic retransmission alone
 *	+rp0	with the penalization of 2012: cwnd and ssthresh become half of cwnd
 *	+rp1	with that of the thesis (fig. 4.14): cwnd becomes half, and ssthresh half of
 *		what it was, but not in slow start, which would end there
 *
 * They do so once per round trip of the subflow that had to stop, but not again before the next
 * packet that the other one receives, which halves the window under that one's lock. While it
 * recovers from a loss, congestion control has made it smaller already.
 *
 * Nothing of this happens while the receive window lasts.
 *
 * A scheduler that sends ahead has this always (.ext), but for data that is late only:
 * that a slow subflow owes the first byte is as it should be there, when the fast ones
 * have just come to it. Late is what the owner, at the rate of now, delivers in more
 * than the round trip that it had: its path has become slower than it was.
 *
 * Source: C. Paasch, "Improving Multipath TCP", PhD thesis, 2014, section 4.2;
 * Raiciu et al., "How Hard Can It Be? Designing and Implementing a Deployable
 * Multipath TCP", NSDI 2012. The thesis sends again the first segment only.
 *
 * Locking: all under the msk lock, but mptcp_sched_rp_halve().
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched/core.h"
#include "sched/trace.h"

/* A penalized subflow gets back this part of what it used before, in each round trip. */
#define RP_STEPS	16

/* In slow start the window is twice what was delivered in a round trip, and a bit more, as
 * acknowledgments are late; far more than that in one that never ends. In percent.
 */
#define RP_NEW		300

/* How the window is halved: subflow->sched_halve */
enum {
	RP_HALVE_2012 = 1,
	RP_HALVE_THESIS,
};

static u32 mptcp_rp_srtt(const struct mptcp_subflow_context *subflow)
{
	return mptcp_sched_srtt(subflow) >> 3;
}

/* Segments that a subflow may use @rtts round trips after it was penalized to
 * @penalty, having used @before, or 0: a number that says nothing about its path.
 */
u32 mptcp_sched_rp_segs(u32 penalty, u32 before, u32 rtts)
{
	u64 segs = penalty + (u64)rtts * max(before / RP_STEPS, 1U);

	if (!before && rtts)
		return MPTCP_SCHED_UNCAPPED;
	return min_t(u64, segs, MPTCP_SCHED_UNCAPPED);
}
EXPORT_SYMBOL_GPL(mptcp_sched_rp_segs);

/* Does @subflow still have to find out what its path takes? In slow start, without a queue,
 * and its window is not far from what it delivers in a round trip. One that delivered nothing yet
 * does not count: where it holds up the peer's window so soon, five round trips with half of its
 * first window cost less than one.
 */
static bool mptcp_rp_is_new(const struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	u32 rate = READ_ONCE(subflow->model.rate.s[0].v), cwnd = READ_ONCE(tp->snd_cwnd);
	u32 min_rtt = mptcp_sched_min_rtt(subflow);

	return cwnd < READ_ONCE(tp->snd_ssthresh) && !mptcp_sched_has_queue(subflow, min_rtt) &&
	       cwnd <= mptcp_sched_bm_segs(rate, min_rtt, RP_NEW);
}

/* How much of its window may @subflow use? */
u32 mptcp_sched_rp_cap(struct mptcp_subflow_context *subflow)
{
	u32 rtts, segs, cwnd = READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(subflow))->snd_cwnd);
	u64 elapsed;

	if (!subflow->sched_penalty)
		return MPTCP_SCHED_UNCAPPED;

	elapsed = tcp_clock_us() - subflow->sched_penalized_at;
	rtts = (u32)min_t(u64, elapsed, U32_MAX) / max(mptcp_rp_srtt(subflow), 1U);
	segs = mptcp_sched_rp_segs(subflow->sched_penalty, subflow->sched_penalized_from, rtts);
	/* all is back that was taken; without a number to grow to, a round trip is over */
	if (subflow->sched_penalized_from && segs >= subflow->sched_penalized_from &&
	    mptcp_rp_is_new(subflow))
		segs = MPTCP_SCHED_UNCAPPED;
	if (segs < cwnd)
		return segs;
	subflow->sched_penalty = 0;
	return MPTCP_SCHED_UNCAPPED;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_rp_cap);

/* The subflow of @tp, whose lock is held, gets the penalty that it was given. */
void mptcp_sched_rp_halve(struct mptcp_subflow_context *subflow, struct tcp_sock *tp)
{
	bool slow_start = tcp_in_slow_start(tp), of_2012 = subflow->sched_halve == RP_HALVE_2012;

	WRITE_ONCE(subflow->sched_halve, 0);
	if (inet_csk((struct sock *)tp)->icsk_ca_state >= TCP_CA_CWR)
		return;
	tcp_snd_cwnd_set(tp, max(tcp_snd_cwnd(tp) / 2, 1U));
	if (of_2012)
		tp->snd_ssthresh = max(tcp_snd_cwnd(tp), 2U);
	else if (!slow_start)
		tp->snd_ssthresh = max(tp->snd_ssthresh / 2, 2U);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_rp_halve);

static bool mptcp_rp_halves(const struct mptcp_sock *msk)
{
	return msk->sched_ext & (BIT(MPTCP_SCHED_RP0) | BIT(MPTCP_SCHED_RP1));
}

/* @owner, which has used @used segments, is to use half of them. */
static void mptcp_rp_cut(const struct mptcp_sock *msk, struct mptcp_subflow_context *owner,
			 u32 used)
{
	if (mptcp_rp_halves(msk)) {
		WRITE_ONCE(owner->sched_halve, msk->sched_ext & BIT(MPTCP_SCHED_RP0) ?
					       RP_HALVE_2012 : RP_HALVE_THESIS);
		return;
	}
	owner->sched_penalty = max(used / 2, 1U);
	owner->sched_penalized_from = mptcp_rp_is_new(owner) ? 0 : used;
	owner->sched_cap = owner->sched_penalty;
}

/* @owner owes what the connection waits for, and @subflow had to stop. */
static void mptcp_rp_penalize(struct mptcp_sock *msk,
			      struct mptcp_subflow_context *subflow,
			      struct mptcp_subflow_context *owner)
{
	struct mptcp_subflow_context *paced = mptcp_rp_halves(msk) ? subflow : owner;
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(owner));
	u64 now = tcp_clock_us();
	u32 used;

	if (msk->sched_ext & BIT(MPTCP_SCHED_R) || READ_ONCE(owner->sched_halve) ||
	    mptcp_rp_srtt(subflow) >= mptcp_rp_srtt(owner) ||
	    now - paced->sched_penalized_at < mptcp_rp_srtt(paced))
		return;

	used = min(READ_ONCE(tp->snd_cwnd), mptcp_sched_rp_cap(owner));
	mptcp_rp_cut(msk, owner, used);
	paced->sched_penalized_at = now;
	mptcp_sched_count(msk, MPTCP_MIB_SCHEDPENALIZED,
			  &msk->sched_info.penalized, 1);
	trace_mptcp_sched_penalize(msk, owner, used);
}

/* The subflow with the lowest RTT that has room and does not owe the data. */
static struct mptcp_sched_choice mptcp_rp_helper(struct mptcp_sock *msk, u32 owner)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;
	struct mptcp_sched_choice best = {};

	mptcp_for_each_subflow(msk, subflow) {
		u32 room;

		if (subflow->subflow_id == owner ||
		    !mptcp_sched_usable(subflow, backups))
			continue;
		room = mptcp_sched_room(subflow);
		if (room && (!best.subflow ||
			     mptcp_rp_srtt(subflow) < mptcp_rp_srtt(best.subflow))) {
			best.subflow = subflow;
			best.room = room;
		}
	}

	return best;
}

/* How many of the bytes that @owner owes does it deliver no later than @helper
 * would? None if it has lost some.
 */
static u64 mptcp_rp_soon(const struct mptcp_subflow_context *helper,
			 const struct mptcp_subflow_context *owner)
{
	const struct sock *ssk = owner ? mptcp_subflow_tcp_sock(owner) : NULL;
	u64 flight;

	/* a bit field, which READ_ONCE() does not take: of a moment ago will do */
	if (!ssk || data_race(inet_csk(ssk)->icsk_ca_state >= TCP_CA_Recovery))
		return 0;
	flight = (u64)mptcp_sched_in_flight(tcp_sk(ssk)) * mptcp_sched_mss(owner);
	return div_u64(flight * mptcp_rp_srtt(helper), max(mptcp_rp_srtt(owner), 1U));
}

/* How many bytes does @owner deliver within a round trip, at the rate of now? All, if it had none
 * yet: nothing of them can be late.
 */
static u64 mptcp_rp_in_time(const struct mptcp_subflow_context *owner)
{
	struct mptcp_sched_sample sample = mptcp_sched_sample(owner);

	if (!sample.us)
		return mptcp_sched_queued(owner);
	return div_u64((u64)sample.segs * mptcp_sched_mss(owner) * mptcp_rp_srtt(owner),
		       max(sample.us, 1U));
}

/* Who owes the first byte that the peer waits for, and who could send it again? False:
 * that is not known, or nobody.
 */
bool mptcp_sched_rp_owed(struct mptcp_sock *msk, struct mptcp_sched_owed *owed)
{
	const struct mptcp_range *range;

	range = msk->ranges ? mptcp_ranges_find(msk->ranges, READ_ONCE(msk->snd_una)) : NULL;
	if (!range)
		return false;
	owed->owner = mptcp_sched_by_id(msk, range->subflow_id);
	owed->helper = mptcp_rp_helper(msk, range->subflow_id);
	if (!owed->helper.subflow)
		return false;
	owed->soon = mptcp_rp_soon(owed->helper.subflow, owed->owner);
	return true;
}

static u64 mptcp_rp_search(const struct mptcp_sock *msk, u32 helper, u64 soon, u64 head)
{
	const struct mptcp_ranges *ranges = msk->ranges;
	u64 seq = READ_ONCE(msk->snd_una);
	u32 i = mptcp_ranges_after(ranges, seq);

	for (; i < ranges->first + ranges->count && before64(seq, head); i++) {
		const struct mptcp_range *range = &ranges->range[i];

		if (before64(seq, range->start))
			return head;
		if (range->subflow_id != helper && !range->again) {
			u64 left = mptcp_range_end(range) - seq;

			if (soon < left)
				return seq + soon;
			soon -= left;
		}
		seq = mptcp_range_end(range);
	}

	return head;
}

/* The first byte worth sending again on @helper; @head if there is none.
 *
 * Each ACK asks that while the window is used up, and a search may pass all ranges: a peer that
 * closes its window and sends ACKs would have work done that costs it nothing. So what was found
 * is remembered: the ranges stay as they are until something is sent, or acknowledged.
 */
u64 mptcp_sched_rp_first(struct mptcp_sock *msk, u32 helper, u64 soon, u64 head)
{
	struct mptcp_sched_rp *rp = &msk->sched_rp;
	u64 una = READ_ONCE(msk->snd_una);

	if (!rp->known || rp->helper != helper || rp->soon != soon || rp->una != una ||
	    rp->head != head)
		*rp = (struct mptcp_sched_rp) {
			.known = true, .helper = helper, .soon = soon, .una = una, .head = head,
			.first = mptcp_rp_search(msk, helper, soon, head),
		};
	return rp->first;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_rp_first);

/* The window is used up. True: what the peer waits for is sent again. */
bool mptcp_sched_rp_get_send(struct mptcp_sock *msk)
{
	u64 first, head = mptcp_sched_head(msk);
	struct mptcp_sched_owed owed;
	bool by_name;

	if (!mptcp_sched_rp_owed(msk, &owed))
		return false;
	by_name = msk->sched_ext & (MPTCP_SCHED_RP_KINDS | BIT(MPTCP_SCHED_EW));
	if (owed.soon && !by_name)
		owed.soon = max(owed.soon, mptcp_rp_in_time(owed.owner));
	first = mptcp_sched_rp_first(msk, owed.helper.subflow->subflow_id, owed.soon, head);
	if (owed.owner && (by_name || before64(first, head)))
		mptcp_rp_penalize(msk, owed.helper.subflow, owed.owner);
	if (!before64(first, head))
		return false;
	mptcp_sched_commit_again(msk, owed.helper.subflow, MPTCP_RANGES_ANYBODY, first,
				 owed.helper.room);
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_rp_get_send);
