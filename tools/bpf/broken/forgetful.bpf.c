// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: sends well, and does not care about what timed out. */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/forgetful_get_send")
int BPF_PROG(forgetful_get_send, struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		u32 room = mptcp_sched_room(subflow);

		if (mptcp_sched_usable(subflow, backups) && room &&
		    !bpf_mptcp_sched_commit(msk, subflow, room))
			return 0;
	}

	return -EAGAIN;
}

SEC("struct_ops/forgetful_get_retrans")
int BPF_PROG(forgetful_get_retrans, struct mptcp_sock *msk)
{
	return 0;
}

SEC(".struct_ops")
struct mptcp_sched_ops forgetful = {
	.get_send	= (void *)forgetful_get_send,
	.get_retrans	= (void *)forgetful_get_retrans,
	.name		= "bpf_forgetful",
};
