// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: a congestion control of TCP that calls what is for schedulers. The
 * verifier must not let it in.
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/foreign_init")
void BPF_PROG(foreign_init, struct sock *sk)
{
	mptcp_sched_only_backups((struct mptcp_sock *)sk);
}

SEC("struct_ops/foreign_ssthresh")
u32 BPF_PROG(foreign_ssthresh, struct sock *sk)
{
	return 2;
}

SEC("struct_ops/foreign_undo_cwnd")
u32 BPF_PROG(foreign_undo_cwnd, struct sock *sk)
{
	return 2;
}

SEC("struct_ops/foreign_cong_avoid")
void BPF_PROG(foreign_cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
}

SEC(".struct_ops")
struct tcp_congestion_ops foreign = {
	.init		= (void *)foreign_init,
	.ssthresh	= (void *)foreign_ssthresh,
	.undo_cwnd	= (void *)foreign_undo_cwnd,
	.cong_avoid	= (void *)foreign_cong_avoid,
	.name		= "bpf_foreign",
};
