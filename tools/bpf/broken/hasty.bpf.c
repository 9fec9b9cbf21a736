// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: leaves out the first byte that is to be sent, on each subflow in turn.
 * Once all behind it is out, there is nothing to do for what it decides.
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

u32 turn;

SEC("struct_ops/hasty_get_send")
int BPF_PROG(hasty_get_send, struct mptcp_sock *msk)
{
	u64 head = bpf_mptcp_sched_head(msk);
	struct mptcp_subflow_context *subflow;
	u32 place = 0;

	if (msk->bytes_sent < 1000) {
		bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk)
			if (!bpf_mptcp_sched_commit(msk, subflow, 1))
				return 0;
		return -EAGAIN;
	}

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		if (place++ % 2 == turn % 2)
			continue;
		if (!bpf_mptcp_sched_commit_ahead(msk, subflow, head + 1, 100000)) {
			turn++;
			return 0;
		}
	}

	return -EAGAIN;
}

SEC(".struct_ops")
struct mptcp_sched_ops hasty = {
	.get_send	= (void *)hasty_get_send,
	.name		= "bpf_hasty",
};
