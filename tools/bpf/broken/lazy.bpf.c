// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: never chooses anybody, and says so. */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/lazy_get_send")
int BPF_PROG(lazy_get_send, struct mptcp_sock *msk)
{
	return -EAGAIN;
}

SEC("struct_ops/lazy_get_retrans")
int BPF_PROG(lazy_get_retrans, struct mptcp_sock *msk)
{
	return -EAGAIN;
}

SEC(".struct_ops")
struct mptcp_sched_ops lazy = {
	.get_send	= (void *)lazy_get_send,
	.get_retrans	= (void *)lazy_get_retrans,
	.name		= "bpf_lazy",
};
