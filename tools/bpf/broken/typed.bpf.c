// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: calls the socket of a subflow a connection, where the verifier looks. */
#include "vmlinux.h"
#include "upstream/upstream.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops")
int BPF_PROG(typed_get_send, struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		struct sock *ssk = bpf_mptcp_subflow_tcp_sock(subflow);

		if (ssk)
			bpf_mptcp_set_timeout((struct mptcp_sock *)ssk);
	}

	return -EAGAIN;
}

SEC(".struct_ops.link")
struct mptcp_sched_ops typed = {
	.get_send	= (void *)typed_get_send,
	.name		= "bpf_typed",
};
