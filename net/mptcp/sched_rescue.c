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
 *	max(2 * srtt, srtt + 4 * mdev, 10 ms)
 *
 * counts as silent: the first is after how long TCP sends a tail loss probe (RFC 8985,
 * section 7.2), the second the timeout of RFC 6298 without its least value, and ACKs may
 * come in bursts some ms apart. The ACK of less than two full segments may be delayed
 * besides. So does one that got data and cannot send it (its route is gone). Then
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
 * until there is none. It is not set anew by ACKs, but when data is given to a subflow
 * that could be silent sooner, and when it fires, for when the next one could be. What
 * there is to send again, the worker sends.
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
#include "sched_core.h"
#include "sched_bpf.h"

/* How long ACKs may stay away where the RTT is shorter: receivers and networks bundle
 * them. And how long a receiver may delay one, in us.
 */
#define RESCUE_LEAST_US		(10 * USEC_PER_MSEC)
#define RESCUE_DELAYED_ACK_US	(40 * USEC_PER_MSEC)

/* How soon to look again when nobody could help, and while a process has the socket,
 * in us.
 */
#define RESCUE_ALONE_US		(200 * USEC_PER_MSEC)
#define RESCUE_BUSY_US		(5 * USEC_PER_MSEC)

/* For how long may a subflow be silent? In us; @srtt_us and @mdev_us as TCP has them, 8
 * and 4 times the value. @delayed: so may be the ACK.
 */
u32 mptcp_sched_patience(u32 srtt_us, u32 mdev_us, bool delayed)
{
	u32 srtt = srtt_us >> 3;

	return max3(2 * srtt, srtt + mdev_us, (u32)RESCUE_LEAST_US) +
	       (delayed ? RESCUE_DELAYED_ACK_US : 0);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_patience);

static u32 rescue_patience(const struct mptcp_subflow_context *subflow, bool delayed)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));

	return mptcp_sched_patience(READ_ONCE(tp->srtt_us), READ_ONCE(tp->mdev_us), delayed);
}

/* Has @subflow data that it cannot send, though nothing is in flight? */
static bool rescue_is_stuck(const struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));

	return !READ_ONCE(tp->packets_out) &&
	       READ_ONCE(tp->write_seq) != READ_ONCE(tp->snd_nxt);
}

/* In how many us will @subflow have been silent for too long? 0: it has. Negative:
 * it owes nothing.
 */
static s64 rescue_due(struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	u64 now = tcp_clock_us(), since = READ_ONCE(tp->delivered_mstamp);
	u32 flight = READ_ONCE(tp->snd_nxt) - READ_ONCE(tp->snd_una);
	bool stuck = rescue_is_stuck(subflow);

	if (!stuck)
		subflow->sched_stuck_at = 0;
	else if (!subflow->sched_stuck_at)
		subflow->sched_stuck_at = now;
	if (stuck)
		since = subflow->sched_stuck_at;
	else if (!READ_ONCE(tp->packets_out))
		return -1;
	return max_t(s64, rescue_patience(subflow, flight < 2 * mptcp_sched_mss(subflow)) -
			  (s64)(now - since), 0);
}

/* True: it was not silent before. */
static bool rescue_mark(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));

	if (mptcp_sched_is_silent(subflow))
		return false;
	subflow->sched_silent = true;
	subflow->sched_silent_since = READ_ONCE(tp->delivered_mstamp);
	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_SCHEDSILENT);
	return true;
}

/* The first of what silent subflows owe, from @seq to @head; NULL: nothing. */
static const struct mptcp_range *
rescue_first(struct mptcp_sock *msk, u64 seq, u64 head)
{
	struct mptcp_subflow_context *subflow;
	const struct mptcp_range *first = NULL;

	if (!msk->ranges)
		return NULL;

	mptcp_for_each_subflow(msk, subflow) {
		const struct mptcp_range *range;
		u64 from = seq;

		if (!mptcp_sched_is_silent(subflow))
			continue;
		range = mptcp_ranges_others(msk->ranges, &from, head, subflow->subflow_id, 0);
		if (range && (!first || before64(range->start, first->start)))
			first = range;
	}

	return first;
}

/* Is one of the subflows there that could help: that answers, or has nothing to? */
static bool rescue_has_helper(struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		if (mptcp_sched_is_backup(subflow) == backups &&
		    mptcp_subflow_active(subflow) && !rescue_is_stuck(subflow) &&
		    rescue_due(subflow))
			return true;
	}

	return false;
}

/* Which subflows are silent? True: there is something to send now. @next: in how many
 * us to look again, 0: never.
 */
bool mptcp_sched_rescue_look(struct mptcp_sock *msk, u64 *next)
{
	struct mptcp_subflow_context *subflow;
	bool helper, again, changed = false;

	*next = 0;
	if (!(mptcp_sched_extensions(msk) & BIT(MPTCP_SCHED_RS)))
		return false;

	helper = rescue_has_helper(msk);
	mptcp_for_each_subflow(msk, subflow) {
		s64 due = mptcp_subflow_active(subflow) ? rescue_due(subflow) : -1;

		if (due >= 0)
			*next = min_not_zero(*next, due ? (u64)due : RESCUE_ALONE_US);
		if (helper && !due) {
			changed |= rescue_mark(msk, subflow);
		} else {
			changed |= mptcp_sched_is_silent(subflow);
			subflow->sched_silent = false;
		}
	}

	again = rescue_first(msk, READ_ONCE(msk->snd_una), mptcp_sched_head(msk));
	WRITE_ONCE(msk->sched_silent, again);
	/* what waited for the one that is silent, or was, may go to another one now */
	return again || (changed && msk->first_pending);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_rescue_look);

/* Look in @us, unless that is about to be done sooner. */
void mptcp_sched_set_timer(struct mptcp_sock *msk, u64 us)
{
	/* as sk_reset_timer(), which would also put it off */
	if (!timer_reduce(&msk->sched_timer, jiffies + max(usecs_to_jiffies(us), 1UL)))
		sock_hold((struct sock *)msk);
}

/* Data was given to @subflow; it may be sent only after this. */
void __mptcp_sched_watch(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow)
{
	mptcp_sched_set_timer(msk, rescue_patience(subflow, false));
}

/* True: there is something to send now. @next: as above. */
static bool mptcp_sched_timer_look(struct mptcp_sock *msk, u64 *next)
{
	bool again = mptcp_sched_rescue_look(msk, next);

	again |= mptcp_sched_bpf_look(msk, next);
	return mptcp_sched_price_is_due(msk, next) || again;
}

void mptcp_sched_timer(struct timer_list *t)
{
	struct mptcp_sock *msk = container_of(t, struct mptcp_sock, sched_timer);
	struct sock *sk = (struct sock *)msk;
	u64 next = RESCUE_BUSY_US;

	bh_lock_sock(sk);
	/* it takes a process to send on other subflows */
	if (!sock_owned_by_user(sk) && mptcp_sched_timer_look(msk, &next)) {
		set_bit(MPTCP_WORK_PUSH, &msk->flags);
		mptcp_schedule_work(sk);
	}
	if (next && sk->sk_state != TCP_CLOSE)
		mptcp_sched_set_timer(msk, next);
	bh_unlock_sock(sk);
	sock_put(sk);
}

static u64 rescue_srtt(const struct mptcp_subflow_context *subflow)
{
	return READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(subflow))->srtt_us);
}

/* A subflow may be silent. True: what it owes is sent again. */
bool mptcp_sched_rescue_get_send(struct mptcp_sock *msk)
{
	u64 una = READ_ONCE(msk->snd_una), head = mptcp_sched_head(msk);
	const struct mptcp_range *range;
	struct mptcp_sched_choice helper;

	range = rescue_first(msk, una, head);
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
