// SPDX-License-Identifier: GPL-2.0
/* "bpf_redundant": everything on every subflow, so that what arrives first counts. Each goes
 * on from where it got to, or from the first byte that the peer has not acknowledged. Shows
 * copies; the same in C, and why it is so, is net/mptcp/sched/redundant.c.
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Where @subflow goes on. */
static u64 redundant_next(const struct mptcp_sock *msk,
			  const struct mptcp_subflow_context *subflow)
{
	u64 next = subflow->sched_next, una = msk->snd_una;

	/* sequence numbers wrap: next lies between una and snd_nxt */
	return next - una <= msk->snd_nxt - una ? next : una;
}

static bool redundant_has_work(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow)
{
	return (s64)(redundant_next(msk, subflow) - bpf_mptcp_sched_head(msk)) < 0 ||
	       bpf_mptcp_sched_has_new(msk);
}

SEC("struct_ops/redundant_get_send")
int BPF_PROG(redundant_get_send, struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow, *best = NULL;
	u32 best_rtt = U32_MAX, best_room = 0;
	u64 next;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		u32 room, rtt = bpf_mptcp_sched_tcp_sock(subflow)->srtt_us;

		if (!mptcp_sched_usable(subflow, backups) || !redundant_has_work(msk, subflow))
			continue;
		room = mptcp_sched_room(subflow);
		if (room && rtt < best_rtt) {
			best = subflow;
			best_rtt = rtt;
			best_room = room;
		}
	}
	if (!best)
		return -EAGAIN;

	next = redundant_next(msk, best);
	if ((s64)(next - bpf_mptcp_sched_head(msk)) < 0)
		return bpf_mptcp_sched_commit_copy(msk, best, next, best_room);
	return bpf_mptcp_sched_commit(msk, best, best_room);
}

SEC(".struct_ops")
struct mptcp_sched_ops redundant = {
	.get_send	= (void *)redundant_get_send,
	.copies		= true,
	.name		= "bpf_redundant",
};
