// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: has the name of a module. */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/impostor_get_send")
int BPF_PROG(impostor_get_send, struct mptcp_sock *msk)
{
	return -EAGAIN;
}

SEC(".struct_ops")
struct mptcp_sched_ops impostor = {
	.get_send	= (void *)impostor_get_send,
	.name		= "minrtt",
};
