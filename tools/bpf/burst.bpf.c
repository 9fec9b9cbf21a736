// SPDX-License-Identifier: GPL-2.0
/* "bpf_burst": what Linux does by default, simplified. Of the usable subflows, whose send
 * queue is empty first: what waits there, divided by the rate at which it leaves. It gets a
 * burst, and has it for itself until it is used up, so that packets are large. Shows reading
 * a socket, and choosing for data that timed out.
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* What one packet for segmentation offload carries, in bytes */
#define BURST	65000

/* How long what @subflow has queued takes to leave, in us. */
static u64 burst_linger(const struct mptcp_subflow_context *subflow)
{
	struct tcp_sock *tp = bpf_mptcp_sched_tcp_sock(subflow);
	struct sock *sk = (struct sock *)tp;
	u64 rate = sk->sk_pacing_rate, queued = sk->sk_wmem_queued;

	/* nothing sent yet: it gets a sample that way */
	return rate ? queued * USEC_PER_SEC / rate : 0;
}

SEC("struct_ops/burst_get_send")
int BPF_PROG(burst_get_send, struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow, *best = NULL;
	u64 best_linger = U64_MAX;
	u32 best_room = 0;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		u64 linger;
		u32 room;

		if (!mptcp_sched_usable(subflow, backups))
			continue;
		room = mptcp_sched_room(subflow);
		linger = burst_linger(subflow);
		if (room && linger < best_linger) {
			best = subflow;
			best_linger = linger;
			best_room = room;
		}
	}
	if (!best)
		return -EAGAIN;

	return bpf_mptcp_sched_commit(msk, best, best_room < BURST ? best_room : BURST);
}

/* The first that owes nothing: bpf_mptcp_sched_retransmit() takes no other. */
SEC("struct_ops/burst_get_retrans")
int BPF_PROG(burst_get_retrans, struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		if (mptcp_sched_usable(subflow, backups) &&
		    !bpf_mptcp_sched_retransmit(msk, subflow))
			return 0;
	}

	return -EAGAIN;
}

SEC(".struct_ops")
struct mptcp_sched_ops burst = {
	.get_send	= (void *)burst_get_send,
	.get_retrans	= (void *)burst_get_retrans,
	.name		= "bpf_burst",
};
