// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: rescue, what a silent subflow owes goes out on another one
 *
 * A path that dies, or a radio link that pauses, takes with it what is in flight there.
 * TCP notices after its retransmission timeout, 200 ms at least, and sends the data
 * again on the same path; the connection's own timeout is longer. The application
 * waits meanwhile, though other paths are there:
 *
 *	subflow 1   ==1==2==3==4=X            (silent)
 *	subflow 2                 ==5==6==3==4==7==
 *	                              ^ two round trips without an answer
 *
 * So a subflow with data in flight that has delivered nothing for
 *
 *	max(2 * srtt, srtt + 4 * mdev)
 *
 * counts as silent: the first is after how long TCP sends a tail loss probe (RFC 8985,
 * section 7.2), the second the timeout of RFC 6298 without its least value. A single
 * segment in flight may have to wait for a delayed ACK besides. Then
 *
 * - what it owes of what was sent in turn goes out on the subflow with the lowest RTT
 *   of those that answer, as that has room, before new data does;
 * - it gets nothing new, until it delivers something again.
 *
 * Each byte is sent again once; if the one that it went out on becomes silent as well,
 * once more. Nothing of this happens while no other subflow could help, and a healthy
 * path is never silent for so long: its ACKs come one after the other, however long
 * its queue is.
 *
 * A timer of the connection looks for silent subflows, from the first data in flight
 * until there is none. It is not set anew by ACKs, but when it fires, for when the
 * next subflow could become silent. What there is to send again, the worker sends.
 *
 * Some schedulers have this always (.ext), others as the extension "+rs".
 *
 * Locking: the msk lock. The timer takes its spinlock, and comes back later when a
 * process owns the socket. TCP's state is a snapshot.
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched.h"

/* How long a receiver may delay the ACK of a single segment, in us. */
#define RESCUE_DELAYED_ACK_US	(40 * USEC_PER_MSEC)

/* How soon to look again when nobody could help, and while a process has the socket,
 * in us.
 */
#define RESCUE_ALONE_US		(200 * USEC_PER_MSEC)
#define RESCUE_BUSY_US		(5 * USEC_PER_MSEC)

/* For how long may a subflow be silent that has @packets in flight? In us; @srtt_us and
 * @mdev_us as TCP has them, 8 and 4 times the value.
 */
u32 mptcp_sched_patience(u32 srtt_us, u32 mdev_us, u32 packets)
{
	u32 srtt = srtt_us >> 3;

	return max(2 * srtt, srtt + mdev_us) +
	       (packets == 1 ? RESCUE_DELAYED_ACK_US : 0);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_patience);

/* In how many us will @subflow have been silent for too long? 0: it has. Negative:
 * nothing is in flight.
 */
static s64 rescue_due(const struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	u32 packets = READ_ONCE(tp->packets_out);
	s64 silent;

	if (!packets)
		return -1;
	silent = tcp_clock_us() - READ_ONCE(tp->delivered_mstamp);
	return max(mptcp_sched_patience(READ_ONCE(tp->srtt_us), READ_ONCE(tp->mdev_us),
					packets) - silent, 0LL);
}

static void rescue_mark(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));

	if (mptcp_sched_is_silent(subflow))
		return;
	subflow->sched_silent = true;
	subflow->sched_silent_since = READ_ONCE(tp->delivered_mstamp);
	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_SCHEDSILENT);
}

/* Which subflows are silent? Returns in how many us to look again; 0: never. */
u64 mptcp_sched_rescue_look(struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;
	bool helper = false, waits = false;
	u64 next = RESCUE_ALONE_US;

	if (!(mptcp_sched_extensions(msk) & BIT(MPTCP_SCHED_RS)))
		return 0;

	mptcp_for_each_subflow(msk, subflow) {
		s64 due;

		if (mptcp_sched_is_backup(subflow) != backups ||
		    !mptcp_subflow_active(subflow))
			continue;
		due = rescue_due(subflow);
		if (due)
			helper = true;
		if (due > 0)
			next = min_t(u64, next, due);
		waits |= due >= 0;
	}

	WRITE_ONCE(msk->sched_silent, false);
	mptcp_for_each_subflow(msk, subflow) {
		if (helper && mptcp_subflow_active(subflow) && !rescue_due(subflow)) {
			rescue_mark(msk, subflow);
			WRITE_ONCE(msk->sched_silent, true);
		} else {
			subflow->sched_silent = false;
		}
	}

	return waits ? next : 0;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_rescue_look);

static void rescue_set_timer(struct mptcp_sock *msk, u64 us)
{
	sk_reset_timer((struct sock *)msk, &msk->sched_timer,
		       jiffies + max(usecs_to_jiffies(us), 1UL));
}

/* Data was given to a subflow, and nobody looks yet. */
void __mptcp_sched_watch(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	u64 next = RESCUE_ALONE_US;

	mptcp_for_each_subflow(msk, subflow) {
		s64 due = rescue_due(subflow);

		if (due > 0)
			next = min_t(u64, next, due);
	}

	rescue_set_timer(msk, next);
}

void mptcp_sched_timer(struct timer_list *t)
{
	struct mptcp_sock *msk = from_timer(msk, t, sched_timer);
	struct sock *sk = (struct sock *)msk;
	u64 next = RESCUE_BUSY_US;

	bh_lock_sock(sk);
	if (!sock_owned_by_user(sk)) {
		next = mptcp_sched_rescue_look(msk);
		/* it takes a process to send on other subflows */
		if (msk->sched_silent) {
			set_bit(MPTCP_WORK_PUSH, &msk->flags);
			mptcp_schedule_work(sk);
		}
	}
	if (next && sk->sk_state != TCP_CLOSE)
		rescue_set_timer(msk, next);
	bh_unlock_sock(sk);
	sock_put(sk);
}

static u64 rescue_srtt(const struct mptcp_subflow_context *subflow)
{
	return READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(subflow))->srtt_us);
}

/* The first of what silent subflows owe, from @seq to @head; NULL: nothing. */
static const struct mptcp_ahead_range *
rescue_first(struct mptcp_sock *msk, u64 seq, u64 head)
{
	struct mptcp_subflow_context *subflow;
	const struct mptcp_ahead_range *first = NULL;

	mptcp_for_each_subflow(msk, subflow) {
		const struct mptcp_ahead_range *range;
		u64 from = seq;

		if (!mptcp_sched_is_silent(subflow))
			continue;
		range = mptcp_ahead_others(msk->ahead, &from, head, subflow->subflow_id, 0);
		if (range && (!first || before64(range->start, first->start)))
			first = range;
	}

	return first;
}

/* A subflow may be silent. True: what it owes is sent again. */
bool mptcp_sched_rescue_get_send(struct mptcp_sock *msk)
{
	u64 una = READ_ONCE(msk->snd_una), head = mptcp_sched_head(msk);
	const struct mptcp_ahead_range *range;
	struct mptcp_sched_choice helper;

	range = msk->ahead ? rescue_first(msk, una, head) : NULL;
	if (!range) {
		WRITE_ONCE(msk->sched_silent, false);
		return false;
	}
	helper = mptcp_sched_lowest(msk, rescue_srtt);
	if (!helper.subflow)
		return false;
	mptcp_sched_commit_again(msk, helper.subflow, range->subflow_id,
				 before64(range->start, una) ? una : range->start,
				 helper.room);
	return true;
}
