// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: calls what is for congestion controls of TCP, on a subflow that has
 * another one. The verifier must not let it in.
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

void tcp_cong_avoid_ai(struct tcp_sock *tp, u32 w, u32 acked) __ksym;

SEC("struct_ops/meddler_get_send")
int BPF_PROG(meddler_get_send, struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk)
		tcp_cong_avoid_ai(bpf_mptcp_sched_tcp_sock(subflow), 0, 1);
	return -EAGAIN;
}

SEC(".struct_ops")
struct mptcp_sched_ops meddler = {
	.get_send	= (void *)meddler_get_send,
	.name		= "bpf_meddler",
};
