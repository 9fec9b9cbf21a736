// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: what costs waits, the extension "+price"
 *
 * A backup (RFC 8684) carries nothing as long as another path is there, however full that
 * is. Often the wish is another one: "use LTE, but only when DSL is not enough". For that
 * interfaces have prices (path.c), and a subflow whose path is dearer gets data
 *
 * - when the cheaper ones have been full for a while: data waits, and has been waiting
 *   without a break for net.mptcp.sched_price_wait ms since none of them had room;
 * - or when no cheaper one is usable: failed, stale, or silent (sched/mods/rescue.c).
 *
 *	written	    ====      ====    ======================================
 *	cheap	    ====      ====    ==================================....
 *	dear	                      |<-- wait -->|========================
 *	                              full since
 *
 * An application whose data the cheap paths carry, with pauses, costs nothing. A bulk
 * transfer uses all paths after the wait, until the application has no more data ready:
 * what it writes next begins anew with the cheapest ones. With more prices than two, each
 * step takes a wait. Among the subflows of one price the scheduler decides, as always.
 *
 * Full is who has no room in the congestion window (mptcp_sched_room()). An ACK makes room,
 * which data takes at once: that is no break. What waits for the peer's window waits for no
 * path. Backups come first in this: a backup is no cheaper path, nor a dearer one, as long
 * as there are others.
 *
 * It brings the rescue of what silent subflows owe (sched/mods/rescue.c) with it: else a
 * cheap path that dies would hold all up for a timeout, since nothing else is in flight.
 * The same timer ends the wait, if no ACK comes.
 *
 * Locking: the msk lock; the timer has its spinlock.
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "path/path.h"

#define PRICE_NONE	(U16_MAX + 1)

/* The lowest price above @price of subflows that could send; PRICE_NONE: there is none. */
static int price_above(struct mptcp_sock *msk, bool backups, int price)
{
	struct mptcp_subflow_context *subflow;
	int next = PRICE_NONE;

	mptcp_for_each_subflow(msk, subflow) {
		if (subflow->sched_price > price && mptcp_sched_usable(subflow, backups))
			next = min_t(int, next, subflow->sched_price);
	}

	return next;
}

/* Has no subflow of @price or less room? */
static bool price_is_full(struct mptcp_sock *msk, bool backups, int price)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		if (subflow->sched_price <= price && mptcp_sched_usable(subflow, backups) &&
		    mptcp_sched_room(subflow))
			return false;
	}

	return true;
}

/* In how many ms will data have waited for long enough? */
static s32 price_wait(const struct mptcp_sock *msk)
{
	const struct mptcp_path_net *pn = mptcp_path_net(sock_net((struct sock *)msk));

	return msk->sched_full_since + READ_ONCE(pn->wait) - (u32)tcp_clock_ms();
}

/* Subflows up to @price are full, @next is what others cost. How much may be paid? */
static int price_raise(struct mptcp_sock *msk, bool backups, int price, int next)
{
	if (!msk->sched_full_since) {
		msk->sched_full_since = (u32)tcp_clock_ms() ?: 1;
		mptcp_sched_set_timer(msk, max(price_wait(msk), 0) * USEC_PER_MSEC);
	}
	if (price_wait(msk) > 0)
		return price;

	msk->sched_price = next;
	msk->sched_full_since = 0;
	return next;
}

/* A decision is asked for: who is too dear for it? */
void mptcp_sched_price_limit(struct mptcp_sock *msk, bool wnd_used_up)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;
	int price, next;

	mptcp_for_each_subflow(msk, subflow) {
		mptcp_path_look(msk, subflow);
		if (subflow->sched_dear)
			subflow->sched_cap = 0;
		subflow->sched_dear = false;
	}

	price = price_above(msk, backups, -1);
	price = max_t(int, price, msk->sched_price);
	next = price_above(msk, backups, price);
	if (next != PRICE_NONE && msk->first_pending && !wnd_used_up &&
	    price_is_full(msk, backups, price))
		price = price_raise(msk, backups, price, next);

	mptcp_for_each_subflow(msk, subflow)
		subflow->sched_dear = subflow->sched_price > price;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_price_limit);

/* The connection's timer: has data waited for long enough? @next: when to look again, in
 * us, 0: never.
 */
bool mptcp_sched_price_is_due(struct mptcp_sock *msk, u64 *next)
{
	s32 wait;

	if (!(mptcp_sched_extensions(msk) & BIT(MPTCP_SCHED_PRICE)) ||
	    !msk->sched_full_since || !msk->first_pending)
		return false;
	wait = price_wait(msk);
	if (wait <= 0)
		return true;
	*next = min_not_zero(*next, (u64)wait * USEC_PER_MSEC);
	return false;
}
