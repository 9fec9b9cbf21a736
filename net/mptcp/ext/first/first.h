/* SPDX-License-Identifier: GPL-2.0 */
/* Over which path a connection begins, see first.c */
#ifndef _MPTCP_FIRST_H
#define _MPTCP_FIRST_H

#include "protocol.h"
#include "ext/sysctl.h"

void mptcp_first_path_syn(struct sock *ssk);
void mptcp_first_path_begin(struct sock *ssk);
void mptcp_first_path_timed_out(struct sock *ssk);
u32 mptcp_first_path_timeouts(const struct sock *ssk);
void __mptcp_first_path_home(struct sock *ssk);
int mptcp_first_path_setsockopt(struct mptcp_sock *msk, sockptr_t optval, unsigned int optlen);
int mptcp_first_path_getsockopt(const struct mptcp_sock *msk, char __user *optval,
				int __user *optlen);

static inline bool mptcp_first_path_is_option(int optname)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_FIRST_PATH) && optname == MPTCP_FIRST_PATH;
}

/* The header of a segment of @ssk is made anew. */
static inline void mptcp_first_path(struct sock *ssk)
{
	if (IS_ENABLED(CONFIG_MPTCP_EXT_FIRST_PATH) && unlikely(ssk->sk_state == TCP_SYN_SENT))
		mptcp_first_path_syn(ssk);
}

/* @ssk is to be used, maybe once more, for a connection or a listener. */
static inline void mptcp_first_path_home(struct sock *ssk)
{
	if (IS_ENABLED(CONFIG_MPTCP_EXT_FIRST_PATH) && unlikely(mptcp_subflow_ctx(ssk)->first_moved))
		__mptcp_first_path_home(ssk);
}

#endif /* _MPTCP_FIRST_H */
