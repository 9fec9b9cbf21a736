/* SPDX-License-Identifier: GPL-2.0 */
/* What limited a connection, and for how long: see limits.c */
#ifndef _MPTCP_LIMITS_H
#define _MPTCP_LIMITS_H

#include "protocol.h"

void __mptcp_limits_look(struct mptcp_sock *msk);
void __mptcp_limits_acked(struct mptcp_sock *msk);
void __mptcp_limits_reset(struct mptcp_sock *msk);
int mptcp_limits_getsockopt(struct mptcp_sock *msk, char __user *optval, int __user *optlen);

static inline bool mptcp_limits_is_option(int optname)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_LIMITS) && optname == MPTCP_LIMITS;
}

/* All that could be sent was sent. */
static inline void mptcp_limits_look(struct mptcp_sock *msk)
{
	if (IS_ENABLED(CONFIG_MPTCP_EXT_LIMITS))
		__mptcp_limits_look(msk);
}

/* What was acknowledged is taken from the send buffer. */
static inline void mptcp_limits_acked(struct mptcp_sock *msk)
{
	if (IS_ENABLED(CONFIG_MPTCP_EXT_LIMITS))
		__mptcp_limits_acked(msk);
}

/* Another connection is to come. */
static inline void mptcp_limits_reset(struct mptcp_sock *msk)
{
	if (IS_ENABLED(CONFIG_MPTCP_EXT_LIMITS))
		__mptcp_limits_reset(msk);
}

#endif /* _MPTCP_LIMITS_H */
