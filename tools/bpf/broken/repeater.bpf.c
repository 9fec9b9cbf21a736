// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: sends one new segment, then that again and again. */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/repeater_get_send")
int BPF_PROG(repeater_get_send, struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		if (!bpf_mptcp_sched_commit_copy(msk, subflow, msk->snd_una, 1))
			return 0;
		if (msk->bytes_sent < 1000 && !bpf_mptcp_sched_commit(msk, subflow, 1))
			return 0;
	}

	return -EAGAIN;
}

SEC(".struct_ops")
struct mptcp_sched_ops repeater = {
	.get_send	= (void *)repeater_get_send,
	.copies		= true,
	.name		= "bpf_repeater",
};
