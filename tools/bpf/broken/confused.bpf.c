// SPDX-License-Identifier: GPL-2.0
/* Broken, for the tests: hands the socket of a subflow over for that of the connection, the
 * other way round, and what is no pointer at all. None of that does harm, and it goes on as
 * if nothing were.
 */
#include "vmlinux.h"
#include "upstream/upstream.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops")
int BPF_PROG(confused_get_send, struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	struct sock *sk = (struct sock *)msk;

	if (bpf_mptcp_subflow_ctx(sk) || bpf_mptcp_subflow_ctx((struct sock *)0xdead) ||
	    bpf_mptcp_subflow_ctx((struct sock *)(u64)bpf_get_prandom_u32()) ||
	    bpf_sk_stream_memory_free(sk) || !bpf_mptcp_subflow_queues_empty(NULL))
		return -EAGAIN;

	bpf_for_each(mptcp_subflow, subflow, sk) {
		struct sock *ssk = bpf_mptcp_subflow_tcp_sock(subflow);

		if (!ssk || bpf_mptcp_subflow_ctx(ssk) != subflow)
			return -EAGAIN;
		if (bpf_sk_stream_memory_free((struct sock *)subflow)) {
			mptcp_subflow_set_scheduled(subflow, true);
			return 0;
		}
	}

	return -EAGAIN;
}

SEC("struct_ops.s")
int BPF_PROG(confused_get_retrans, struct mptcp_sock *msk)
{
	mptcp_pm_subflow_chk_stale(msk, (struct sock *)msk);
	return -EAGAIN;
}

SEC(".struct_ops.link")
struct mptcp_sched_ops confused = {
	.get_send	= (void *)confused_get_send,
	.get_retrans	= (void *)confused_get_retrans,
	.name		= "bpf_confused",
};
