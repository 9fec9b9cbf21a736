/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers in BPF: the functions of upstream's programs, see bpf_upstream.c */
#ifndef _MPTCP_SCHED_BPF_UPSTREAM_H
#define _MPTCP_SCHED_BPF_UPSTREAM_H

#include <linux/types.h>
#include "protocol.h"

/* protocol.h gives the kernel's own other names: here these are the programs' */
#undef mptcp_subflow_set_scheduled
#undef mptcp_subflow_active
#undef mptcp_pm_subflow_chk_stale

struct mptcp_subflow_context *bpf_mptcp_subflow_ctx(const struct sock *sk__ign);
struct sock *bpf_mptcp_subflow_tcp_sock(const struct mptcp_subflow_context *subflow__ign);
bool bpf_sk_stream_memory_free(const struct sock *sk__ign);
bool bpf_mptcp_subflow_queues_empty(struct sock *sk__ign);
void bpf_mptcp_set_timeout(struct mptcp_sock *msk);
void mptcp_subflow_set_scheduled(struct mptcp_subflow_context *subflow__ign, bool scheduled);
bool mptcp_subflow_active(struct mptcp_subflow_context *subflow__ign);
void mptcp_pm_subflow_chk_stale(const struct mptcp_sock *msk, struct sock *ssk__ign);
void mptcp_subflow_set_avoid(struct mptcp_subflow_context *subflow__ign, bool avoid);

#endif /* _MPTCP_SCHED_BPF_UPSTREAM_H */
