// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: says that it has chosen, and has not. */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/liar_get_send")
int BPF_PROG(liar_get_send, struct mptcp_sock *msk)
{
	return 0;
}

SEC("struct_ops/liar_get_retrans")
int BPF_PROG(liar_get_retrans, struct mptcp_sock *msk)
{
	return 0;
}

SEC(".struct_ops")
struct mptcp_sched_ops liar = {
	.get_send	= (void *)liar_get_send,
	.get_retrans	= (void *)liar_get_retrans,
	.name		= "bpf_liar",
};
