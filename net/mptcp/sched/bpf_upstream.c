// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers in BPF: the functions of upstream's programs
 *
 * The MPTCP developers have schedulers in BPF in their own tree, and the makers of bonding
 * routers have others that are built like them. No released kernel runs these. Here they run
 * unchanged: each function has the name, the arguments and the meaning that it has there.
 *
 *	mptcp_subflow_set_scheduled()	choose a subflow, or several: bpf_call.c
 *	mptcp_subflow_active()		can it send?
 *	bpf_sk_stream_memory_free()	does its send queue take more?
 *	bpf_mptcp_subflow_queues_empty()	is nothing of it unacknowledged?
 *	bpf_mptcp_subflow_ctx(), bpf_mptcp_subflow_tcp_sock()	from socket to subflow, and back
 *	mptcp_wnd_end()			the end of the peer's window
 *	mptcp_set_timeout(), bpf_mptcp_set_timeout()	when to send again; done here before each
 *					call, so that programs need not
 *	mptcp_pm_subflow_chk_stale()	count a timeout of a subflow that owes something
 *	mptcp_subflow_set_avoid()	a note of the program's about a subflow
 *
 * The iterator over subflows is in bpf_kfunc.c. Programs may write msk->snd_burst, the bytes
 * of a decision, and subflow->avg_pacing_rate, as Linux' default scheduler does.
 *
 * Not here: struct mptcp_sched_data and get_subflow(), which Linux had before 6.16.
 *
 * No function follows a pointer that a program hands over. __ign tells the verifier not to look
 * at it; it is compared with the subflows that there are. Only the connection itself is one
 * that the verifier vouches for.
 *
 * Locking: the msk lock.
 */

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <net/tcp.h>
#include "protocol.h"
#include "sched/core.h"
#include "sched/bpf_call.h"
#include "sched/bpf_kfunc.h"
#include "sched/bpf_upstream.h"

/* The subflow, of the connection that asks, that @it is, or whose socket; NULL: none. */
static struct mptcp_subflow_context *upstream_subflow(const void *it)
{
	struct mptcp_sock *msk = mptcp_bpf_caller();
	struct mptcp_subflow_context *subflow;

	if (!msk)
		return NULL;
	mptcp_for_each_subflow(msk, subflow) {
		if (it == subflow || it == mptcp_subflow_tcp_sock(subflow))
			return subflow;
	}

	return NULL;
}

/* The subflow whose socket @sk is, or NULL. */
__bpf_kfunc struct mptcp_subflow_context *bpf_mptcp_subflow_ctx(const struct sock *sk__ign)
{
	return upstream_subflow(sk__ign);
}

/* The socket of @subflow. */
__bpf_kfunc struct sock *
bpf_mptcp_subflow_tcp_sock(const struct mptcp_subflow_context *subflow__ign)
{
	struct mptcp_subflow_context *subflow = upstream_subflow(subflow__ign);

	return subflow ? mptcp_subflow_tcp_sock(subflow) : NULL;
}

/* Does the send queue of @sk take more? Newer programs hand over the subflow. */
__bpf_kfunc bool bpf_sk_stream_memory_free(const struct sock *sk__ign)
{
	struct mptcp_subflow_context *subflow = upstream_subflow(sk__ign);

	return subflow && sk_stream_memory_free(mptcp_subflow_tcp_sock(subflow));
}

/* Was all that @sk has sent acknowledged? What waits in its send queue does not count. */
__bpf_kfunc bool bpf_mptcp_subflow_queues_empty(struct sock *sk__ign)
{
	struct mptcp_subflow_context *subflow = upstream_subflow(sk__ign);

	return !subflow || tcp_rtx_queue_empty(mptcp_subflow_tcp_sock(subflow));
}

__bpf_kfunc void bpf_mptcp_set_timeout(struct mptcp_sock *msk)
{
	mptcp_set_timeout((struct sock *)msk);
}

/* Choose @subflow for what is asked for, or take that back. */
__bpf_kfunc void mptcp_subflow_set_scheduled(struct mptcp_subflow_context *subflow__ign,
					     bool scheduled)
{
	struct mptcp_subflow_context *subflow = upstream_subflow(subflow__ign);

	if (subflow)
		__mptcp_subflow_set_scheduled(subflow, scheduled);
}

/* Can @subflow send? */
__bpf_kfunc bool mptcp_subflow_active(struct mptcp_subflow_context *subflow__ign)
{
	struct mptcp_subflow_context *subflow = upstream_subflow(subflow__ign);

	return subflow && mptcp_subflow_is_active(subflow);
}

/* What timed out is still owed by @ssk: is it stale? */
__bpf_kfunc void mptcp_pm_subflow_chk_stale(const struct mptcp_sock *msk,
					    struct sock *ssk__ign)
{
	struct mptcp_subflow_context *subflow = upstream_subflow(ssk__ign);

	if (subflow)
		__mptcp_pm_subflow_chk_stale(msk, mptcp_subflow_tcp_sock(subflow));
}

/* Note that @subflow is to be avoided, or not: for the program itself, which reads it back
 * (subflow->avoid). Nobody else goes by it. Another scheduler begins without.
 */
__bpf_kfunc void mptcp_subflow_set_avoid(struct mptcp_subflow_context *subflow__ign, bool avoid)
{
	struct mptcp_subflow_context *subflow = upstream_subflow(subflow__ign);

	if (subflow)
		subflow->avoid = avoid;
}

BTF_KFUNCS_START(upstream_kfuncs)
BTF_ID_FLAGS(func, bpf_mptcp_subflow_ctx, KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_mptcp_subflow_tcp_sock, KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_sk_stream_memory_free)
BTF_ID_FLAGS(func, bpf_mptcp_subflow_queues_empty)
BTF_ID_FLAGS(func, mptcp_subflow_set_scheduled)
BTF_ID_FLAGS(func, mptcp_subflow_active)
BTF_ID_FLAGS(func, mptcp_subflow_set_avoid)
BTF_ID_FLAGS(func, mptcp_wnd_end, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, mptcp_set_timeout, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_mptcp_set_timeout, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, mptcp_pm_subflow_chk_stale, KF_TRUSTED_ARGS | KF_SLEEPABLE)
BTF_KFUNCS_END(upstream_kfuncs)

bool mptcp_bpf_is_upstreams(u32 kfunc)
{
	return btf_id_set8_contains(&upstream_kfuncs, kfunc);
}

/* Those that decide may call them. The kernel asks for each function that any struct_ops
 * program calls.
 */
static int upstream_filter(const struct bpf_prog *prog, u32 kfunc)
{
	if (!mptcp_bpf_is_upstreams(kfunc))
		return 0;

	switch (mptcp_bpf_callback(prog)) {
	case offsetof(struct mptcp_sched_ops, get_send):
	case offsetof(struct mptcp_sched_ops, get_retrans):
		return 0;
	default:
		return -EACCES;
	}
}

static const struct btf_kfunc_id_set upstream_kfunc_set = {
	.owner	= THIS_MODULE,
	.set	= &upstream_kfuncs,
	.filter	= upstream_filter,
};

int __init mptcp_bpf_register_upstream(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &upstream_kfunc_set);
}
