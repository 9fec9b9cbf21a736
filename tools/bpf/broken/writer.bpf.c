// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: writes to what is not its own. The verifier must not let it in. */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/writer_get_send")
int BPF_PROG(writer_get_send, struct mptcp_sock *msk)
{
	msk->snd_nxt++;
	return -EAGAIN;
}

SEC(".struct_ops")
struct mptcp_sched_ops writer = {
	.get_send	= (void *)writer_get_send,
	.name		= "bpf_writer",
};
