// SPDX-License-Identifier: GPL-2.0
/* "bpf_turns": the subflows in turn, a burst each, in upstream's way: by what is found by following
 * pointers, and by marks. Shows what upstream's programs may read, call and write.
 */
#include "vmlinux.h"
#include "upstream.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define BURST	65428

/* The one after @last in the list; the first one after the last one, and of those that are new. */
static struct mptcp_subflow_context *turns_next(struct mptcp_sock *msk, u32 last)
{
	struct mptcp_subflow_context *subflow;
	bool found = false;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		if (found)
			return bpf_mptcp_subflow_ctx(subflow->tcp_sock);
		found = subflow->subflow_id == last;
	}

	return bpf_mptcp_subflow_ctx(msk->first);
}

SEC("struct_ops")
int BPF_PROG(turns_get_send, struct mptcp_sock *msk)
{
	u32 *last = (u32 *)msk->sched_priv;
	struct mptcp_subflow_context *subflow = turns_next(msk, *last);
	u64 left = mptcp_wnd_end(msk) - msk->snd_nxt;

	mptcp_set_timeout((struct sock *)msk);
	if (!subflow)
		return -EAGAIN;

	*last = subflow->subflow_id;
	if (subflow->avoid || !mptcp_subflow_active(subflow) ||
	    !bpf_sk_stream_memory_free(subflow->tcp_sock))
		return -EAGAIN;

	subflow->avg_pacing_rate = 0;
	msk->snd_burst = left < BURST ? left : BURST;
	mptcp_subflow_set_avoid(subflow, false);
	mptcp_subflow_set_scheduled(subflow, true);
	return 0;
}

SEC(".struct_ops.link")
struct mptcp_sched_ops turns = {
	.get_send	= (void *)turns_get_send,
	.name		= "bpf_turns",
};
