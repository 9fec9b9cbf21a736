// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: writes behind its 64 bytes of a subflow. The verifier must not let it
 * in.
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct large {
	u64 word[9];
};

SEC("struct_ops/overrun_get_send")
int BPF_PROG(overrun_get_send, struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk)
		((struct large *)subflow->sched_priv)->word[8] = 1;
	return -EAGAIN;
}

SEC(".struct_ops")
struct mptcp_sched_ops overrun = {
	.get_send	= (void *)overrun_get_send,
	.name		= "bpf_overrun",
};
