/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers in BPF: what the rest of the framework asks of them, see
 * bpf.c, bpf_call.c and bpf_watch.c. Kernels without BPF or its type information have
 * none, and pay nothing.
 */
#ifndef _MPTCP_SCHED_BPF_H
#define _MPTCP_SCHED_BPF_H

#include <linux/bpf.h>
#include "sched/core.h"

#if IS_ENABLED(CONFIG_MPTCP_SCHED_BPF)

/* A scheduler that nobody has reviewed. */
static inline bool mptcp_sched_is_bpf(const struct mptcp_sched_ops *sched)
{
	return sched->owner == BPF_MODULE_OWNER;
}

int mptcp_sched_bpf_get_send(struct mptcp_sock *msk, bool used_up);
void mptcp_sched_bpf_get_retrans(struct mptcp_sock *msk);
void mptcp_sched_bpf_wnd_blocked(struct mptcp_sock *msk);
bool mptcp_sched_bpf_look(struct mptcp_sock *msk, u64 *next);

/* Another scheduler takes over, or the head went back. */
static inline void mptcp_sched_bpf_forget(struct mptcp_sock *msk)
{
	msk->sched_watch_since = 0;
}

#else

static inline bool mptcp_sched_is_bpf(const struct mptcp_sched_ops *sched)
{
	return false;
}

static inline int mptcp_sched_bpf_get_send(struct mptcp_sock *msk, bool used_up)
{
	return -EAGAIN;
}

static inline void mptcp_sched_bpf_get_retrans(struct mptcp_sock *msk)
{
}

static inline void mptcp_sched_bpf_wnd_blocked(struct mptcp_sock *msk)
{
}

static inline bool mptcp_sched_bpf_look(struct mptcp_sock *msk, u64 *next)
{
	return false;
}

static inline void mptcp_sched_bpf_forget(struct mptcp_sock *msk)
{
}

#endif

#endif /* _MPTCP_SCHED_BPF_H */
