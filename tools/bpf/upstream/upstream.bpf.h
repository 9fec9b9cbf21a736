/* SPDX-License-Identifier: GPL-2.0 */
/* For schedulers of MPTCP in BPF that are written as upstream's are: the functions that those
 * call, see net/mptcp/sched/bpf_upstream.c. Programs of others bring a header of their own.
 */
#ifndef UPSTREAM_BPF_H
#define UPSTREAM_BPF_H

#include "mptcp_sched.bpf.h"

/* Choose a subflow, or several, which is to send everything on each of them */
void mptcp_subflow_set_scheduled(struct mptcp_subflow_context *subflow, bool scheduled) __ksym;

/* Can it send? Does its send queue take more? Is nothing of it unacknowledged? */
bool mptcp_subflow_active(struct mptcp_subflow_context *subflow) __ksym;
bool bpf_sk_stream_memory_free(const struct sock *sk) __ksym;
bool bpf_mptcp_subflow_queues_empty(struct sock *sk) __ksym;

/* From its socket to a subflow, and back; NULL: it is none of this connection */
struct mptcp_subflow_context *bpf_mptcp_subflow_ctx(const struct sock *sk) __ksym;
struct sock *bpf_mptcp_subflow_tcp_sock(const struct mptcp_subflow_context *subflow) __ksym;

/* The end of the peer's window; when to send again, which is done before programs are called */
u64 mptcp_wnd_end(const struct mptcp_sock *msk) __ksym;
void mptcp_set_timeout(struct sock *sk) __ksym;
void bpf_mptcp_set_timeout(struct mptcp_sock *msk) __ksym;

/* Count a timeout of a subflow that owes something; of programs that may sleep */
void mptcp_pm_subflow_chk_stale(const struct mptcp_sock *msk, struct sock *ssk) __ksym;

/* A note about a subflow, which comes back in subflow->avoid */
void mptcp_subflow_set_avoid(struct mptcp_subflow_context *subflow, bool avoid) __ksym;

#endif /* UPSTREAM_BPF_H */
