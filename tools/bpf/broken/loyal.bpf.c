// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: keeps to the first subflow that it saw, dead or alive, and asks for
 * neither room nor state.
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/loyal_get_send")
int BPF_PROG(loyal_get_send, struct mptcp_sock *msk)
{
	u32 *first = (u32 *)msk->sched_priv;
	struct mptcp_subflow_context *subflow;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		if (!*first)
			*first = subflow->subflow_id;
		if (*first == subflow->subflow_id)
			bpf_mptcp_sched_commit(msk, subflow, U32_MAX);
	}

	return 0;
}

SEC(".struct_ops")
struct mptcp_sched_ops loyal = {
	.get_send	= (void *)loyal_get_send,
	.name		= "bpf_loyal",
};
