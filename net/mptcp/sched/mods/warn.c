// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: earlier warning, the extension "+ew"
 *
 * "+rp" (rp.c) sends again what the peer waits for when its window is used up.
 * Then the fast subflows stand still already, for a round trip of theirs. That it will
 * come to this is known before: the window that is left is less than what the fastest
 * of them sends in a round trip, and what another subflow owes will not be there by then:
 *
 *	   snd_una                       head      wnd_end
 *	-----|==slow==|====fast======|-----|---------|
 *	      missing    arrived            headroom < rate * srtt of the fast one
 *
 * So what is missing goes out on the fast one now, before new data, if its owner has lost
 * some of what it has in flight: then it will be there a round trip of the owner later, or
 * after a timeout. When the copy arrives, the window opens, and nobody had to stop. Each byte
 * is sent again once. Nobody is penalized: nothing is blocked yet. "+ew" has "+rp" with it,
 * which does so when it is.
 *
 * That a slow subflow owes the first byte and has lost nothing is no reason: tried, it cost
 * up to 8 % of the goodput over paths whose RTTs vary. And where the receive buffer is larger
 * than all paths together need, the headroom never becomes so small, and nothing happens.
 *
 * Source: M. Li, "Improving the Efficiency of Multipath Transport Protocols", 2014,
 * section 3.1.2, the pre-blocking warning. There the receiver gives it, when data of a
 * subflow does not fit into the connection's buffer, and asks for coded packets; here
 * the sender sees it coming by the window, and no peer has to know.
 *
 * Locking: all under the msk lock.
 */

#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched/core.h"

/* Is the window that is left less than what @subflow sends in a round trip? */
static bool mptcp_warn_is_due(const struct mptcp_sock *msk,
			      const struct mptcp_subflow_context *subflow, u64 head)
{
	u32 srtt = mptcp_sched_srtt(subflow) >> 3;
	u64 product = div_u64((u64)mptcp_sched_rate(subflow) * srtt, USEC_PER_MSEC);
	u64 end = READ_ONCE(msk->wnd_end);

	return !after64(end, head) || end - head < product;
}

/* Data waits. True: what the peer waits for is sent again before it. */
bool mptcp_sched_warn_get_send(struct mptcp_sock *msk)
{
	u64 first, head = mptcp_sched_head(msk);
	struct mptcp_sched_owed owed;

	if (!msk->first_pending || !mptcp_sched_rp_owed(msk, &owed) ||
	    !mptcp_warn_is_due(msk, owed.helper.subflow, head))
		return false;
	if (owed.soon)
		return false;
	first = mptcp_sched_rp_first(msk, owed.helper.subflow->subflow_id, 0, head);
	if (!before64(first, head))
		return false;
	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_SCHEDWARNED);
	mptcp_sched_commit_again(msk, owed.helper.subflow, MPTCP_RANGES_ANYBODY, first,
				 owed.helper.room);
	return true;
}
