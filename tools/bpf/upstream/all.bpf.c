// SPDX-License-Identifier: GPL-2.0
/* "bpf_all": every subflow is marked, in upstream's way, so that each carries everything. What
 * times out goes to the first subflow that owes nothing. Shows marks on several subflows,
 * storage per connection, and a callback that may sleep.
 */
#include "vmlinux.h"
#include "upstream.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, u64);
} asked SEC(".maps");

SEC("struct_ops")
void BPF_PROG(all_init, struct mptcp_sock *msk)
{
	bpf_sk_storage_get(&asked, msk, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
}

SEC("struct_ops")
void BPF_PROG(all_release, struct mptcp_sock *msk)
{
	bpf_sk_storage_delete(&asked, msk);
}

SEC("struct_ops")
int BPF_PROG(all_get_send, struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	u64 *times = bpf_sk_storage_get(&asked, msk, NULL, 0);

	/* init() made it */
	if (!times)
		return -EAGAIN;

	++*times;
	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk)
		mptcp_subflow_set_scheduled(subflow, true);

	return 0;
}

static bool owes_nothing(struct sock *sk)
{
	const struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);

	return tp && tp->write_seq == tp->snd_nxt && bpf_mptcp_subflow_queues_empty(sk);
}

SEC("struct_ops.s")
int BPF_PROG(all_get_retrans, struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	bpf_for_each(mptcp_subflow, subflow, (struct sock *)msk) {
		struct sock *ssk = bpf_mptcp_subflow_tcp_sock(subflow);

		if (!ssk || !mptcp_subflow_active(subflow))
			continue;
		if (!owes_nothing(ssk)) {
			mptcp_pm_subflow_chk_stale(msk, ssk);
			continue;
		}
		mptcp_subflow_set_scheduled(subflow, true);
		return 0;
	}

	return -EAGAIN;
}

SEC(".struct_ops.link")
struct mptcp_sched_ops everywhere = {
	.init		= (void *)all_init,
	.release	= (void *)all_release,
	.get_send	= (void *)all_get_send,
	.get_retrans	= (void *)all_get_retrans,
	.name		= "bpf_all",
};
