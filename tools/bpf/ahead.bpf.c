// SPDX-License-Identifier: GPL-2.0
/* "bpf_ahead": data arrives in order, simplified. The path with the lowest RTT gets the next
 * data. A slower one gets data from further back: from where the fast one will be when that
 * arrives. The fast one jumps over it when it comes there. Shows data ahead of its turn; how
 * to do it well is net/mptcp/sched/inorder.c.
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

static u32 ahead_rtt(const struct mptcp_subflow_context *subflow)
{
	return bpf_mptcp_sched_tcp_sock(subflow)->srtt_us >> 3;
}

/* The usable path with the lowest RTT, whether it has room or not. */
static struct mptcp_subflow_context *ahead_fastest(struct mptcp_sock *msk, bool backups)
{
	struct mptcp_subflow_context *subflow, *best = NULL;
	u32 best_rtt = U32_MAX;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		if (mptcp_sched_usable(subflow, backups) && ahead_rtt(subflow) < best_rtt) {
			best = subflow;
			best_rtt = ahead_rtt(subflow);
		}
	}

	return best;
}

/* How many bytes @fast sends in half of the time that @slow's RTT is longer. */
static u64 ahead_gap(const struct mptcp_subflow_context *fast,
		     const struct mptcp_subflow_context *slow)
{
	struct tcp_sock *tp = bpf_mptcp_sched_tcp_sock(fast);
	u64 in_a_rtt = (u64)tp->snd_cwnd * mptcp_sched_mss(fast);
	u32 rtt = ahead_rtt(fast) ? : 1, longer = ahead_rtt(slow);

	return longer > rtt ? in_a_rtt * (longer - rtt) / rtt / 2 : 0;
}

SEC("struct_ops/ahead_get_send")
int BPF_PROG(ahead_get_send, struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow, *fast = ahead_fastest(msk, backups);
	u64 head = bpf_mptcp_sched_head(msk);
	u32 room;

	if (!fast)
		return -EAGAIN;
	room = mptcp_sched_room(fast);
	if (room)
		return bpf_mptcp_sched_commit(msk, fast, room);

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		u64 gap = ahead_gap(fast, subflow);

		room = mptcp_sched_room(subflow);
		if (!mptcp_sched_usable(subflow, backups) || !room)
			continue;
		if (!gap)
			return bpf_mptcp_sched_commit(msk, subflow, room);
		/* refused where so much is not written, or not in the window */
		if (!bpf_mptcp_sched_commit_ahead(msk, subflow, head + gap, room))
			return 0;
	}

	return -EAGAIN;
}

SEC(".struct_ops")
struct mptcp_sched_ops ahead = {
	.get_send	= (void *)ahead_get_send,
	.name		= "bpf_ahead",
};
