/* SPDX-License-Identifier: GPL-2.0 */
/* For schedulers of MPTCP in BPF: what they call. Include it after vmlinux.h, which bpftool
 * makes of a kernel. See README.md, and net/mptcp/sched/bpf_kfunc.c for each function.
 */
#ifndef MPTCP_SCHED_BPF_H
#define MPTCP_SCHED_BPF_H

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/bpf_core_read.h>

/* vmlinux.h has types, and no macros: error numbers and the like */
#define EAGAIN		11
#define U32_MAX		(~0U)
#define U64_MAX		(~0ULL)
#define USEC_PER_SEC	1000000ULL

/* Who may send, and how much (bytes) */
bool mptcp_sched_only_backups(struct mptcp_sock *msk) __ksym;
bool mptcp_sched_usable(struct mptcp_subflow_context *subflow, bool backups) __ksym;
u32 mptcp_sched_mss(const struct mptcp_subflow_context *subflow) __ksym;
u32 mptcp_sched_run(const struct mptcp_subflow_context *subflow) __ksym;
u32 mptcp_sched_room(const struct mptcp_subflow_context *subflow) __ksym;

/* A subflow's socket, to read */
struct tcp_sock *
bpf_mptcp_sched_tcp_sock(const struct mptcp_subflow_context *subflow) __ksym;

/* The next byte to send in turn; does one wait that the peer's window takes? */
u64 bpf_mptcp_sched_head(struct mptcp_sock *msk) __ksym;
bool bpf_mptcp_sched_has_new(struct mptcp_sock *msk) __ksym;

/* The decision: 0, or a negative error */
int bpf_mptcp_sched_commit(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
			   u32 bytes) __ksym;
int bpf_mptcp_sched_commit_ahead(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
				 u64 seq, u32 bytes) __ksym;
int bpf_mptcp_sched_commit_copy(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
				u64 seq, u32 bytes) __ksym;
int bpf_mptcp_sched_retransmit(struct mptcp_sock *msk,
			       struct mptcp_subflow_context *subflow) __ksym;

int bpf_iter_mptcp_subflow_new(struct bpf_iter_mptcp_subflow *it, struct sock *sk) __ksym;
struct mptcp_subflow_context *
bpf_iter_mptcp_subflow_next(struct bpf_iter_mptcp_subflow *it) __ksym;
void bpf_iter_mptcp_subflow_destroy(struct bpf_iter_mptcp_subflow *it) __ksym;

/* bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) { ... }: newer libbpf has it. The
 * iterator is destroyed at the end of the loop, also of one that is left by break or return.
 * (Clang tells libbpf of functions that are named, and cleanup() alone does not count.)
 */
#ifndef bpf_for_each
#define bpf_for_each(kind, current, args...)						\
	for (struct bpf_iter_##kind each						\
		__attribute__((aligned(8), cleanup(bpf_iter_##kind##_destroy))),	\
	     *it = (bpf_iter_##kind##_new(&each, ##args),				\
		    (void)bpf_iter_##kind##_destroy, &each);				\
	     ((current) = bpf_iter_##kind##_next(it));)
#endif

#endif /* MPTCP_SCHED_BPF_H */
