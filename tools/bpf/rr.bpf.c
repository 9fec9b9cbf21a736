// SPDX-License-Identifier: GPL-2.0
/* "bpf_rr": the subflows take turns, in the order of their ids; one without room loses its
 * turn. Shows private state: whose turn it was, in the connection's sched_priv.
 */
#include "vmlinux.h"
#include "mptcp_sched.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct rr {
	u32 last_id;	/* the subflow that had the last turn, 0: none yet */
};

/* The subflow that is next in the ring has the lowest key; who had the last turn, the
 * highest.
 */
static u32 rr_key(u32 last_id, u32 id)
{
	return id - last_id - 1;
}

SEC("struct_ops/rr_get_send")
int BPF_PROG(rr_get_send, struct mptcp_sock *msk)
{
	struct rr *rr = (struct rr *)msk->sched_priv;
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow, *next = NULL;
	u32 next_key = U32_MAX;
	int err;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		u32 key = rr_key(rr->last_id, subflow->subflow_id);

		if (mptcp_sched_usable(subflow, backups) && mptcp_sched_room(subflow) &&
		    (!next || key < next_key)) {
			next = subflow;
			next_key = key;
		}
	}
	if (!next)
		return -EAGAIN;

	err = bpf_mptcp_sched_commit(msk, next, mptcp_sched_mss(next));
	if (!err)
		rr->last_id = next->subflow_id;
	return err;
}

SEC(".struct_ops")
struct mptcp_sched_ops rr = {
	.get_send	= (void *)rr_get_send,
	.name		= "bpf_rr",
};
