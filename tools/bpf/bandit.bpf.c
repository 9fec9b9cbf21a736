// SPDX-License-Identifier: GPL-2.0
/* "bpf_bandit": learns which subflow pays. Each subflow is an arm of a bandit; its reward is
 * the rate at which it delivers while it is busy, over its RTT, so that among equal rates the
 * shorter path wins. Mostly the best arm so far gets what it has room for, then the next
 * one; one time in EXPLORE a random one goes first, so that a path that has become better is
 * found out. Small on purpose: a place to put an idea of one's own.
 *
 * Shows private state per subflow, random numbers, and figures that a program outside can
 * read while it runs:
 *
 *	bpftool map dump name bandit.bss
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* One decision in this many is for learning. */
#define EXPLORE		32

/* A new sample counts 1 in 2^this. */
#define FORGET_SHIFT	3

/* Decisions so far, by all connections */
u64 greedy, explored;

/* What is known of an arm: in subflow->sched_priv, so 64 bytes at most. */
struct arm {
	u64 reward;		/* smoothed, bytes/s per ms; 0: not tried */
	u64 since;		/* when the sample in the making began, us; 0: none */
	u32 delivered;		/* what TCP had delivered then, segments */
};

static u32 arm_rtt(const struct tcp_sock *tp)
{
	/* in 8ths of a us */
	return tp->srtt_us >> 3 ? : 1;
}

/* A round trip has passed since the last sample: how much was delivered meanwhile? */
static void arm_learn(struct mptcp_subflow_context *subflow, u64 now)
{
	struct tcp_sock *tp = bpf_mptcp_sched_tcp_sock(subflow);
	struct arm *arm = (struct arm *)subflow->sched_priv;
	u64 rtt = arm_rtt(tp), took = now - arm->since, sample;
	u32 delivered = tp->delivered;

	if (arm->since && took < rtt)
		return;
	if (arm->since && took && delivered != arm->delivered) {
		sample = (u64)(delivered - arm->delivered) * mptcp_sched_mss(subflow) *
			 USEC_PER_SEC / took * 1000 / rtt;
		if (arm->reward)
			arm->reward += (sample >> FORGET_SHIFT) - (arm->reward >> FORGET_SHIFT);
		else
			arm->reward = sample;
	}
	arm->since = now;
	arm->delivered = delivered;
}

/* What an arm is worth now: untried ones and, when @explore, all by lot. */
static u64 arm_worth(struct mptcp_subflow_context *subflow, bool explore)
{
	struct arm *arm = (struct arm *)subflow->sched_priv;

	if (explore)
		return bpf_get_prandom_u32();
	return arm->reward ? : U64_MAX;
}

SEC("struct_ops/bandit_get_send")
int BPF_PROG(bandit_get_send, struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	bool explore = bpf_get_prandom_u32() % EXPLORE == 0;
	struct mptcp_subflow_context *subflow, *best = NULL;
	u64 now = bpf_ktime_get_ns() / 1000, best_worth = 0;
	u32 best_room = 0;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		u64 worth;
		u32 room;

		if (!mptcp_sched_usable(subflow, backups))
			continue;
		arm_learn(subflow, now);
		room = mptcp_sched_room(subflow);
		worth = arm_worth(subflow, explore);
		if (room && (!best || worth > best_worth)) {
			best = subflow;
			best_worth = worth;
			best_room = room;
		}
	}
	if (!best)
		return -EAGAIN;

	__sync_fetch_and_add(explore ? &explored : &greedy, 1);
	return bpf_mptcp_sched_commit(msk, best, best_room);
}

SEC(".struct_ops")
struct mptcp_sched_ops bandit = {
	.get_send	= (void *)bandit_get_send,
	.name		= "bpf_bandit",
};
