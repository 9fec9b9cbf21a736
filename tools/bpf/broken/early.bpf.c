// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: decides before there is anything to decide. The verifier must not let
 * it in.
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/early_get_send")
int BPF_PROG(early_get_send, struct mptcp_sock *msk)
{
	return -EAGAIN;
}

SEC("struct_ops/early_init")
void BPF_PROG(early_init, struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk)
		bpf_mptcp_sched_commit(msk, subflow, 1);
}

SEC(".struct_ops")
struct mptcp_sched_ops early = {
	.get_send	= (void *)early_get_send,
	.init		= (void *)early_init,
	.name		= "bpf_early",
};
