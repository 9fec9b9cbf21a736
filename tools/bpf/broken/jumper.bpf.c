// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: goes on in another program, by a map. That one may sleep, in a callback
 * that must not. The verifier refuses it.
 */
#include "vmlinux.h"
#include "upstream/upstream.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, u32);
} others SEC(".maps");

SEC("struct_ops")
int BPF_PROG(jumper_get_send, struct mptcp_sock *msk)
{
	bpf_tail_call(ctx, &others, 0);
	return -EAGAIN;
}

SEC(".struct_ops.link")
struct mptcp_sched_ops jumper = {
	.get_send	= (void *)jumper_get_send,
	.name		= "bpf_jumper",
};
