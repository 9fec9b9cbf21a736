/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers in BPF: the functions that programs call, see
 * bpf_kfunc.c, and bpf_upstream.c
 */
#ifndef _MPTCP_SCHED_BPF_KFUNC_H
#define _MPTCP_SCHED_BPF_KFUNC_H

#include <linux/btf.h>
#include <linux/types.h>

/* Arguments are what the kernel handed out, not what was found by following pointers. Newer
 * kernels ask for that always.
 */
#ifndef KF_TRUSTED_ARGS
#define KF_TRUSTED_ARGS 0
#endif

struct bpf_prog;
struct mptcp_sock;
struct mptcp_subflow_context;
struct sock;
struct tcp_sock;

/* What programs have on their stack; it is ours to fill in. */
struct bpf_iter_mptcp_subflow {
	__u64 __opaque[2];
} __aligned(8);

/* For programs; some of sched.h besides. */
int bpf_iter_mptcp_subflow_new(struct bpf_iter_mptcp_subflow *it, struct sock *sk);
struct mptcp_subflow_context *
bpf_iter_mptcp_subflow_next(struct bpf_iter_mptcp_subflow *it);
void bpf_iter_mptcp_subflow_destroy(struct bpf_iter_mptcp_subflow *it);
struct tcp_sock *bpf_mptcp_sched_tcp_sock(const struct mptcp_subflow_context *subflow);
u64 bpf_mptcp_sched_head(struct mptcp_sock *msk);
bool bpf_mptcp_sched_has_new(struct mptcp_sock *msk);
int bpf_mptcp_sched_commit(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
			   u32 bytes);
int bpf_mptcp_sched_commit_ahead(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
				 u64 seq, u32 bytes);
int bpf_mptcp_sched_commit_copy(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
				u64 seq, u32 bytes);
int bpf_mptcp_sched_retransmit(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow);

/* For the other files. */
long mptcp_bpf_callback(const struct bpf_prog *prog);
int mptcp_bpf_can_take(const struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
		       u32 bytes);
int mptcp_bpf_can_take_new(const struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
			   u32 bytes);
bool mptcp_bpf_is_upstreams(u32 kfunc);
int mptcp_bpf_register_upstream(void);
int mptcp_bpf_kfunc_init(struct btf *btf);
int mptcp_bpf_register_kfuncs(void);

#endif /* _MPTCP_SCHED_BPF_KFUNC_H */
