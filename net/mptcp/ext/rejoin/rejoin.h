/* SPDX-License-Identifier: GPL-2.0 */
/* Paths that come again: rejoin.c, and event.c that says when */
#ifndef _MPTCP_REJOIN_H
#define _MPTCP_REJOIN_H

#include "protocol.h"
#include "ext/sysctl.h"

struct mptcp_rejoin;

void mptcp_rejoin_enlist(struct mptcp_rejoin *rejoin);
void mptcp_rejoin_delist(struct mptcp_rejoin *rejoin);
void mptcp_rejoin_wake(struct mptcp_sock *msk);

void __mptcp_rejoin_tried(struct mptcp_sock *msk, const struct mptcp_pm_local *local,
			  const struct mptcp_addr_info *remote, int err);
void __mptcp_rejoin_lost(struct mptcp_sock *msk, struct sock *ssk);
void __mptcp_rejoin_removed(struct mptcp_sock *msk, u8 remote_id);
void __mptcp_rejoin_work(struct mptcp_sock *msk);
void __mptcp_rejoin_free(struct mptcp_sock *msk);

static inline bool mptcp_rejoin_is_on(const struct mptcp_sock *msk)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_REJOIN) && unlikely(READ_ONCE(msk->rejoin));
}

/* A subflow begins there, or, with @err, cannot. */
static inline void mptcp_rejoin_tried(struct mptcp_sock *msk, const struct mptcp_pm_local *local,
				      const struct mptcp_addr_info *remote, int err)
{
	if (IS_ENABLED(CONFIG_MPTCP_EXT_REJOIN) &&
	    unlikely(mptcp_ext_get(sock_net((struct sock *)msk), MPTCP_EXT_REJOIN)))
		__mptcp_rejoin_tried(msk, local, remote, err);
}

/* @ssk is about to be closed. */
static inline void mptcp_rejoin_lost(struct mptcp_sock *msk, struct sock *ssk)
{
	if (mptcp_rejoin_is_on(msk) ||
	    (IS_ENABLED(CONFIG_MPTCP_EXT_REJOIN) &&
	     unlikely(mptcp_ext_get(sock_net((struct sock *)msk), MPTCP_EXT_REJOIN))))
		__mptcp_rejoin_lost(msk, ssk);
}

/* The peer has taken an address back. */
static inline void mptcp_rejoin_removed(struct mptcp_sock *msk, u8 remote_id)
{
	if (mptcp_rejoin_is_on(msk))
		__mptcp_rejoin_removed(msk, remote_id);
}

static inline void mptcp_rejoin_work(struct mptcp_sock *msk)
{
	if (mptcp_rejoin_is_on(msk) && test_and_clear_bit(MPTCP_WORK_REJOIN, &msk->flags))
		__mptcp_rejoin_work(msk);
}

static inline void mptcp_rejoin_free(struct mptcp_sock *msk)
{
	if (mptcp_rejoin_is_on(msk))
		__mptcp_rejoin_free(msk);
}

#endif /* _MPTCP_REJOIN_H */
