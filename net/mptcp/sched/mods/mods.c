// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: extensions
 *
 * What limits or helps any scheduler alike is an extension: rp.c, warn.c,
 * bm.c, rescue.c, path/price.c. It acts before the scheduler is asked. It may
 * limit how much of its congestion window a subflow uses (sched_cap), it may leave subflows
 * out (sched_dear), and it may decide itself. Several go together; their order means nothing.
 */

#include <net/tcp.h>
#include "protocol.h"
#include "sched/core.h"

/* Set how much of its window each subflow of @msk may use now. */
static void mptcp_sched_cap_subflows(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	u16 ext = mptcp_sched_extensions(msk);

	mptcp_for_each_subflow(msk, subflow) {
		u32 cap = MPTCP_SCHED_UNCAPPED;

		if (ext & BIT(MPTCP_SCHED_BM))
			cap = mptcp_sched_bm_cap(msk, subflow);
		if (ext & BIT(MPTCP_SCHED_RP))
			cap = min(cap, mptcp_sched_rp_cap(subflow));
		if (mptcp_sched_is_silent(subflow) || subflow->sched_dear)
			cap = min(cap, 1U);
		subflow->sched_cap = cap == MPTCP_SCHED_UNCAPPED ? 0 : cap;
	}
}

/* A decision is asked for, and @msk has extensions. True: one has decided. */
bool mptcp_sched_ext_get_send(struct mptcp_sock *msk, bool wnd_used_up)
{
	if (mptcp_sched_extensions(msk) & BIT(MPTCP_SCHED_PRICE))
		mptcp_sched_price_limit(msk, wnd_used_up);
	mptcp_sched_cap_subflows(msk);
	if (msk->sched_silent && mptcp_sched_rescue_get_send(msk))
		return true;
	if (mptcp_sched_extensions(msk) & BIT(MPTCP_SCHED_EW) && mptcp_sched_warn_get_send(msk))
		return true;
	return wnd_used_up && mptcp_sched_extensions(msk) & BIT(MPTCP_SCHED_RP) &&
	       mptcp_sched_rp_get_send(msk);
}
