// SPDX-License-Identifier: GPL-2.0
/* "bpf_minrtt": of the subflows with room, the one with the lowest RTT. Begin here; the same
 * in C is net/mptcp/sched/minrtt.c.
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

SEC("struct_ops/minrtt_get_send")
int BPF_PROG(minrtt_get_send, struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow, *best = NULL;
	u32 best_rtt = U32_MAX, best_room = 0;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		u32 room, rtt;

		if (!mptcp_sched_usable(subflow, backups))
			continue;
		room = mptcp_sched_room(subflow);
		rtt = bpf_mptcp_sched_tcp_sock(subflow)->srtt_us;
		if (room && rtt < best_rtt) {
			best = subflow;
			best_rtt = rtt;
			best_room = room;
		}
	}

	return best ? bpf_mptcp_sched_commit(msk, best, best_room) : -EAGAIN;
}

SEC(".struct_ops")
struct mptcp_sched_ops minrtt = {
	.get_send	= (void *)minrtt_get_send,
	.name		= "bpf_minrtt",
};
