/* SPDX-License-Identifier: GPL-2.0 */
/* TCP's timers where other subflows wait for one, see timers.c */
#ifndef _MPTCP_TIMERS_H
#define _MPTCP_TIMERS_H

#include "protocol.h"
#include "ext/sysctl.h"

bool mptcp_timers_blocks(u64 headroom, u64 others_rate, u32 srtt_us, u32 floor_us);
void __mptcp_timers_update(struct mptcp_sock *msk, struct sock *ssk, u32 low_us);

/* An ACK came by @ssk, locked, under the msk's data lock: does its timeout fit? */
static inline void mptcp_timers_update(struct mptcp_sock *msk, struct sock *ssk)
{
	u32 low_us = mptcp_blocked_rto_min_us(sock_net(ssk));

	if (unlikely(low_us || mptcp_subflow_ctx(ssk)->rto_low))
		__mptcp_timers_update(msk, ssk, low_us);
}

#endif /* _MPTCP_TIMERS_H */
