/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers in BPF: programs are called, see bpf_call.c */
#ifndef _MPTCP_SCHED_BPF_CALL_H
#define _MPTCP_SCHED_BPF_CALL_H

struct mptcp_sock;

struct mptcp_sock *mptcp_bpf_caller(void);
int mptcp_bpf_call_get_send(struct mptcp_sock *msk);

#endif /* _MPTCP_SCHED_BPF_CALL_H */
