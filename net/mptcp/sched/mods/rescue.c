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
 * besides. So does one that got data and cannot send it (its route is gone), but not one
 * that holds it back with intent: what the application corked, what waits for TCP's pace,
 * or for the peer's window. Then
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
 * It is noticed by what happens: acknowledgments. One of any subflow has the connection look
 * at all of them, twice within the least of those times, and so often only; and put off the
 * timer, which is for when nothing happens at all. So on healthy paths it never fires, nor is
 * there one while nothing is in flight, nor with one subflow. A subflow that is known to be
 * silent needs none: it ends by an acknowledgment. TCP's own timers would not do in place of
 * ours: a tail loss probe waits 200 ms more where a single packet is in flight, each write puts
 * it off, and there is none in recovery. What there is to send again, who got the
 * acknowledgment sends, or else the worker.
 *
 * Some schedulers have this always (.ext), others as the extension "+rs".
 *
 * Locking: the msk lock. The timer, and who got an acknowledgment, have its spinlock, and
 * leave it to mptcp_release_cb() to look while a process owns the socket. TCP's state is a
 * snapshot.
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched/core.h"
#include "sched/bpf.h"

/* How long ACKs may stay away where the RTT is shorter: receivers and networks bundle
 * them. And how long a receiver may delay one, in us.
 */
#define RESCUE_LEAST_US		(10 * USEC_PER_MSEC)
#define RESCUE_DELAYED_ACK_US	(40 * USEC_PER_MSEC)

/* How soon to look again when nobody could help, in us; then after twice the time each. */
#define RESCUE_ALONE_US		(200 * USEC_PER_MSEC)

/* How soon TCP may send what it holds back, in us. */
#define RESCUE_HELD_US		(200 * USEC_PER_MSEC)

/* A subflow owes nothing. */
#define RESCUE_NEVER		S64_MAX

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

/* What @subflow has to send while nothing is in flight, in bytes */
static u32 rescue_unsent(const struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));

	return READ_ONCE(tp->packets_out) ? 0 :
	       READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_nxt);
}

/* Is that held back with intent? Nagle's algorithm holds nothing back while nothing is in
 * flight.
 */
static bool rescue_is_held(const struct mptcp_subflow_context *subflow)
{
	struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	u32 unsent = rescue_unsent(subflow), mss = mptcp_sched_mss(subflow);

	/* a bit field, which READ_ONCE() does not take: of a moment ago will do */
	return unsent && ((unsent < mss && data_race(tp->nonagle & TCP_NAGLE_CORK)) ||
			  READ_ONCE(tp->snd_wnd) < min(unsent, mss) ||
			  hrtimer_is_queued(&tp->pacing_timer));
}

/* Since when does @subflow have data that it cannot send, though nothing is in flight? In us,
 * 0: it does not. Who got an acknowledgment looks before TCP sends what waited for it, so that
 * what is there at two looks is the same only if nothing was delivered between them.
 */
static u64 rescue_stuck_since(struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));

	if (!rescue_unsent(subflow) || rescue_is_held(subflow))
		subflow->sched_stuck_at = 0;
	else if (!subflow->sched_stuck_at ||
		 subflow->sched_stuck_at < READ_ONCE(tp->delivered_mstamp))
		subflow->sched_stuck_at = tcp_clock_us();
	return subflow->sched_stuck_at;
}

/* In how many us will @subflow have been silent for too long? 0 or less: it has, since then.
 * RESCUE_NEVER: it owes nothing.
 */
static s64 rescue_due(struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	u32 flight = READ_ONCE(tp->snd_nxt) - READ_ONCE(tp->snd_una);
	u64 since = rescue_stuck_since(subflow);

	if (!since) {
		if (rescue_is_held(subflow))
			return RESCUE_HELD_US;
		if (!READ_ONCE(tp->packets_out))
			return RESCUE_NEVER;
		since = READ_ONCE(tp->delivered_mstamp);
	}
	return rescue_patience(subflow, flight < 2 * mptcp_sched_mss(subflow)) -
	       (s64)(tcp_clock_us() - since);
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
		    mptcp_subflow_active(subflow) && rescue_due(subflow) > 0)
			return true;
	}

	return false;
}

/* In how many us to look at a subflow again that will be silent in @due, 0: no need to. One
 * that is, and is helped, ends that with an acknowledgment.
 */
static u64 rescue_look_in(s64 due, bool helper)
{
	if (due == RESCUE_NEVER)
		return 0;
	if (due > 0)
		return due;
	return helper ? 0 : max_t(u64, -due, RESCUE_ALONE_US);
}

/* Which subflows are silent? True: there is something to send now. @next: in how many
 * us to look again, 0: never.
 */
bool mptcp_sched_rescue_look(struct mptcp_sock *msk, u64 *next)
{
	struct mptcp_subflow_context *subflow;
	bool helper, alone, again, changed = false, silent = false;

	*next = 0;
	if (!(mptcp_sched_extensions(msk) & BIT(MPTCP_SCHED_RS)))
		return false;

	alone = mptcp_sched_open(msk) < 2;
	helper = !alone && rescue_has_helper(msk);
	mptcp_for_each_subflow(msk, subflow) {
		s64 due = RESCUE_NEVER;

		if (!alone && mptcp_subflow_active(subflow))
			due = rescue_due(subflow);
		silent |= due <= 0;
		*next = min_not_zero(*next, rescue_look_in(due, helper));
		if (helper && due <= 0) {
			changed |= rescue_mark(msk, subflow);
		} else {
			changed |= mptcp_sched_is_silent(subflow);
			subflow->sched_silent = false;
		}
	}

	WRITE_ONCE(msk->sched_helpless, silent && !helper);
	again = rescue_first(msk, READ_ONCE(msk->snd_una), mptcp_sched_head(msk));
	WRITE_ONCE(msk->sched_silent, again);
	/* what waited for the one that is silent, or was, may go to another one now */
	return again || (changed && msk->first_pending);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_rescue_look);

static unsigned long rescue_jiffies(u64 us)
{
	return max(usecs_to_jiffies(min_t(u64, us, UINT_MAX)), 1UL);
}

/* When an acknowledgment has it looked again, with the timer set to @us. */
static u32 rescue_look_at(u64 us)
{
	return tcp_jiffies32 + (u32)rescue_jiffies(us / 2);
}

/* Look in @us, unless that is about to be done sooner. */
void mptcp_sched_set_timer(struct mptcp_sock *msk, u64 us)
{
	bool pending;
	u32 at;

	/* as sk_reset_timer(), which would also put it off */
	pending = timer_reduce(&msk->sched_timer, jiffies + rescue_jiffies(us));
	if (!pending)
		sock_hold((struct sock *)msk);
	at = rescue_look_at(us);
	if (!pending || time_before32(at, msk->sched_look_at))
		WRITE_ONCE(msk->sched_look_at, at);
}

/* Data was given to @subflow; it may be sent only after this. */
void __mptcp_sched_watch(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow)
{
	if (timer_pending(&msk->sched_timer) || mptcp_sched_open(msk) > 1)
		mptcp_sched_set_timer(msk, rescue_patience(subflow, false));
}
EXPORT_SYMBOL_IF_KUNIT(__mptcp_sched_watch);

/* Look, with the msk lock. True: there is something to send now. */
bool mptcp_sched_look(struct mptcp_sock *msk)
{
	struct sock *sk = (struct sock *)msk;
	bool again;
	u64 next;

	again = mptcp_sched_rescue_look(msk, &next);
	again |= mptcp_sched_bpf_look(msk, &next);
	again |= mptcp_sched_price_is_due(msk, &next);
	if (!next || sk->sk_state == TCP_CLOSE) {
		sk_stop_timer(sk, &msk->sched_timer);
		return again;
	}
	sk_reset_timer(sk, &msk->sched_timer, jiffies + rescue_jiffies(next));
	WRITE_ONCE(msk->sched_look_at, rescue_look_at(next));
	return again;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_look);

/* The same with the spinlock only. Who owns the socket looks when it gives it back. */
static bool rescue_look_or_defer(struct sock *sk)
{
	if (!sock_owned_by_user(sk))
		return mptcp_sched_look(mptcp_sk(sk));
	__set_bit(MPTCP_SCHED_LOOK, &mptcp_sk(sk)->cb_flags);
	return false;
}

/* Something was acknowledged on @ssk, whose lock is held, as is the msk's spinlock. */
void __mptcp_sched_acked(struct sock *sk, struct sock *ssk)
{
	if (rescue_look_or_defer(sk))
		__mptcp_check_push(sk, ssk);
}

void mptcp_sched_timer(struct timer_list *t)
{
	struct mptcp_sock *msk = container_of(t, struct mptcp_sock, sched_timer);
	struct sock *sk = (struct sock *)msk;

	bh_lock_sock(sk);
	MPTCP_INC_STATS(sock_net(sk), MPTCP_MIB_SCHEDTIMER);
	/* it takes a process to send on other subflows */
	if (rescue_look_or_defer(sk)) {
		set_bit(MPTCP_WORK_PUSH, &msk->flags);
		mptcp_schedule_work(sk);
	}
	bh_unlock_sock(sk);
	sock_put(sk);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_timer);

/* A subflow may be silent. True: what it owes is sent again. */
bool mptcp_sched_rescue_get_send(struct mptcp_sock *msk)
{
	u64 una = READ_ONCE(msk->snd_una), head = mptcp_sched_head(msk);
	const struct mptcp_range *range;
	struct mptcp_sched_choice helper;

	/* first, as the search costs more */
	helper = mptcp_sched_lowest_rtt(msk);
	if (!helper.subflow)
		return false;
	range = rescue_first(msk, una, head);
	if (!range) {
		WRITE_ONCE(msk->sched_silent, false);
		return false;
	}
	mptcp_sched_commit_again(msk, helper.subflow, range->subflow_id,
				 before64(range->start, una) ? una : range->start,
				 helper.room);
	return true;
}
