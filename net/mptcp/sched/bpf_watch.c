// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers in BPF: what becomes of a connection whose scheduler is wrong
 *
 * The verifier knows that a program ends, not that it decides well. One that never
 * chooses a subflow, or always one that cannot send, would leave the connection with its
 * data for ever. So the connection watches its scheduler: when
 *
 *	data waits that the peer's window takes, or a window that is used up is to be
 *	probed, as nothing is in flight, and
 *	some usable subflow has room for it, and
 *	the head has not moved, that is, no new data went out,
 *
 * from one time that the scheduler was asked to another one a second later, and each time
 * in between, it goes on with "default", for good. That is counted
 * (MPTcpExtSchedBpfFailed) and said once in a while in the kernel log. A scheduler that
 * waits for a better subflow has that second for it.
 *
 * The transmit path asks when something happens. With nothing in flight nothing does, so
 * the connection's timer (mods/rescue.c) has it ask again when the second is over.
 *
 * Only schedulers in BPF are watched. Modules are reviewed, and some wait for good reason.
 *
 * Locking: the msk lock.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched/core.h"
#include "sched/bpf.h"
#include "sched/bpf_call.h"

/* For how long a scheduler may leave data where it is. */
#define WATCH_MS	1000

/* Could a subflow take data? */
static bool watch_has_room(struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		if (mptcp_sched_usable(subflow, backups) && mptcp_sched_room(subflow))
			return true;
	}

	return false;
}

static void watch_from_now(struct mptcp_sock *msk)
{
	msk->sched_watch_head = mptcp_sched_head(msk);
	msk->sched_watch_since = tcp_jiffies32 ?: 1;
	mptcp_sched_set_timer(msk, WATCH_MS * USEC_PER_MSEC);
}

/* For how many jiffies must it still be watched? */
static s32 watch_left(const struct mptcp_sock *msk)
{
	return msk->sched_watch_since + msecs_to_jiffies(WATCH_MS) - tcp_jiffies32;
}

/* From now on, somebody else decides. Never fails: "default" is always there. What the scheduler
 * itself had of prices and rescue goes on.
 */
static void watch_replace(struct mptcp_sock *msk)
{
	u16 keep = msk->sched->ext & (BIT(MPTCP_SCHED_PRICE) | BIT(MPTCP_SCHED_RS));

	net_warn_ratelimited("MPTCP: scheduler %s sent nothing for %d ms though a subflow has room: a connection goes on with default\n",
			     msk->sched->name, WATCH_MS);
	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_SCHEDBPFFAILED);
	mptcp_sched_switch(msk, mptcp_sched_find_get("default"), msk->sched_ext | keep);
}

/* Is it right that the head does not move? There is nothing to send, no room, or a window that
 * is @used_up is to be probed, and that is decided.
 */
static bool watch_has_reason(struct mptcp_sock *msk, bool used_up)
{
	return !mptcp_sched_may_send_new(msk) || !watch_has_room(msk) ||
	       (used_up && mptcp_sched_is_decided(msk));
}

/* Nothing was sent for too long. @used_up: the peer's window is. */
static bool watch_is_over(struct mptcp_sock *msk, bool used_up)
{
	if (watch_has_reason(msk, used_up)) {
		msk->sched_watch_since = 0;
		return false;
	}
	if (!msk->sched_watch_since || msk->sched_watch_head != mptcp_sched_head(msk)) {
		watch_from_now(msk);
		return false;
	}

	return watch_left(msk) <= 0;
}

/* Ask the scheduler for a decision about new data; when it has failed for too long, the
 * one that takes its place.
 */
int mptcp_sched_bpf_get_send(struct mptcp_sock *msk, bool used_up)
{
	int err = mptcp_bpf_call_get_send(msk);

	if (!watch_is_over(msk, used_up))
		return err;

	watch_replace(msk);
	return msk->sched->get_send(msk);
}

/* The timer fired: is it time to ask the scheduler again? @next: in how many us to look
 * again, if that is sooner.
 */
bool mptcp_sched_bpf_look(struct mptcp_sock *msk, u64 *next)
{
	s32 left;

	if (!msk->sched_watch_since || !msk->first_pending)
		return false;

	left = watch_left(msk);
	if (left > 0)
		*next = min_not_zero(*next, (u64)jiffies_to_usecs(left));
	return left <= 0;
}
