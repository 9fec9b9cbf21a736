// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers in BPF: what programs can call
 *
 * Three kinds (and those that upstream's programs call: bpf_upstream.c):
 *
 * - What sched.h says about subflows, under the same names: mptcp_sched_usable(),
 *   mptcp_sched_room() and so on.
 * - What C finds by pointers and lists, which a program cannot follow: the iterator over
 *   a connection's subflows, a subflow's TCP socket, the head.
 * - The decisions, which a module is trusted to make rightly. A program is not: what it
 *   decides is checked here, and refused if the transmit path could not carry it out.
 *   Above all, a subflow that is closed or whose send queue is full gets nothing: with
 *   such a decision the path would have nothing to do, and ask again.
 *
 * Each callback may call what makes sense there: get_send() decides about new data,
 * get_retrans() about data that timed out. init() and release() see the connection, but
 * not its subflows, of which it may have none yet or no more.
 *
 * Locking: programs run under the msk lock. It keeps all subflows where they are, so
 * what the iterator returned stays valid until the program ends.
 */

#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <net/tcp.h>
#include "protocol.h"
#include "sched/core.h"
#include "sched/bpf_call.h"
#include "sched/bpf_kfunc.h"

/* What is in a struct bpf_iter_mptcp_subflow. */
struct mptcp_bpf_iter {
	struct list_head *head;
	struct list_head *at;
};

static const struct btf *mptcp_bpf_btf;
static const struct btf_type *mptcp_bpf_ops_type;

__bpf_kfunc int bpf_iter_mptcp_subflow_new(struct bpf_iter_mptcp_subflow *it,
					   struct sock *sk)
{
	struct mptcp_sock *msk = mptcp_bpf_caller();
	struct mptcp_bpf_iter *iter = (void *)it;

	BUILD_BUG_ON(sizeof(struct mptcp_bpf_iter) > sizeof(struct bpf_iter_mptcp_subflow));
	BUILD_BUG_ON(__alignof__(struct mptcp_bpf_iter) >
		     __alignof__(struct bpf_iter_mptcp_subflow));

	/* nothing is to be read */
	iter->head = NULL;
	if (!msk || sk != (struct sock *)msk)
		return -EINVAL;

	iter->head = &msk->conn_list;
	iter->at = iter->head;
	return 0;
}

__bpf_kfunc struct mptcp_subflow_context *
bpf_iter_mptcp_subflow_next(struct bpf_iter_mptcp_subflow *it)
{
	struct mptcp_bpf_iter *iter = (void *)it;

	if (!iter->head || list_is_last(iter->at, iter->head))
		return NULL;

	iter->at = iter->at->next;
	return list_entry(iter->at, struct mptcp_subflow_context, node);
}

__bpf_kfunc void bpf_iter_mptcp_subflow_destroy(struct bpf_iter_mptcp_subflow *it)
{
}

/* The socket of @subflow, to read: a snapshot, as sched.h says. */
__bpf_kfunc struct tcp_sock *
bpf_mptcp_sched_tcp_sock(const struct mptcp_subflow_context *subflow)
{
	return tcp_sk(mptcp_subflow_tcp_sock(subflow));
}

/* The next byte to send in turn. */
__bpf_kfunc u64 bpf_mptcp_sched_head(struct mptcp_sock *msk)
{
	return mptcp_sched_head(msk);
}

/* Does new data wait that may be sent: within the peer's window, or to probe it? */
__bpf_kfunc bool bpf_mptcp_sched_has_new(struct mptcp_sock *msk)
{
	return mptcp_sched_may_send_new(msk);
}

/* Can a decision for @subflow of @msk be carried out? 0, or why not. */
int mptcp_bpf_can_take(const struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
		       u32 bytes)
{
	if (subflow->conn != (struct sock *)msk || !bytes)
		return -EINVAL;
	if (!mptcp_subflow_active(subflow) || mptcp_sched_is_silent(subflow))
		return -ENOTCONN;
	if (!sk_stream_memory_free(mptcp_subflow_tcp_sock(subflow)))
		return -EAGAIN;

	return 0;
}

/* The same for data that is sent in turn, ahead or as a copy: no extension keeps it away either,
 * as what is dear or has its part of the window. What timed out goes by any path.
 */
int mptcp_bpf_can_take_new(const struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
			   u32 bytes)
{
	int err = mptcp_bpf_can_take(msk, subflow, bytes);

	if (!err && (subflow->sched_dear ||
		     (subflow->sched_cap && !mptcp_sched_room(subflow))))
		err = -EAGAIN;
	return err;
}

/* @bytes, but a segment at least: smaller packets would cost more than they carry; and an
 * end, or it would be taken for a mark (bpf_call.c).
 */
static u32 mptcp_bpf_budget(const struct mptcp_subflow_context *subflow, u32 bytes)
{
	return clamp_t(u32, bytes, mptcp_sched_mss(subflow), S32_MAX);
}

/* Decide: @subflow gets the next @bytes. Returns 0, -EINVAL (no bytes), -ENOTCONN (it
 * cannot send), -EAGAIN (its send queue is full, or an extension keeps data away from it).
 */
__bpf_kfunc int bpf_mptcp_sched_commit(struct mptcp_sock *msk,
				       struct mptcp_subflow_context *subflow, u32 bytes)
{
	int err = mptcp_bpf_can_take_new(msk, subflow, bytes);

	if (!err)
		mptcp_sched_commit(msk, subflow, mptcp_bpf_budget(subflow, bytes),
				   MPTCP_SCHED_BEST);
	return err;
}

/* Decide: @subflow gets up to @bytes from @seq on, further back than the head. Errors
 * as above, and -EINVAL (not between head and end of the peer's window), -ENOMEM. -EAGAIN
 * also: all of that was sent ahead already, or in as many pieces as can be remembered.
 */
__bpf_kfunc int bpf_mptcp_sched_commit_ahead(struct mptcp_sock *msk,
					     struct mptcp_subflow_context *subflow,
					     u64 seq, u32 bytes)
{
	u64 end = READ_ONCE(msk->wnd_end);
	int err = mptcp_bpf_can_take_new(msk, subflow, bytes);
	const struct mptcp_ranges *ranges;

	if (err)
		return err;
	if (before64(msk->write_seq, end))
		end = msk->write_seq;
	if (!after64(seq, mptcp_sched_head(msk)) || !before64(seq, end))
		return -EINVAL;
	ranges = mptcp_sched_ranges(msk);
	if (!ranges)
		return -ENOMEM;
	if (mptcp_ranges_is_full(ranges) || !before64(mptcp_ranges_free_from(ranges, seq), end))
		return -EAGAIN;

	mptcp_sched_commit_at(msk, subflow, MPTCP_SCHED_SEND_AHEAD, seq,
			      mptcp_bpf_budget(subflow, bytes));
	return 0;
}

/* Decide: @subflow gets a copy of up to @bytes from @seq on, which were sent before and
 * are not acknowledged; of a scheduler with .copies. Errors as above.
 */
__bpf_kfunc int bpf_mptcp_sched_commit_copy(struct mptcp_sock *msk,
					    struct mptcp_subflow_context *subflow,
					    u64 seq, u32 bytes)
{
	int err = mptcp_bpf_can_take_new(msk, subflow, bytes);

	if (err)
		return err;
	if (!mptcp_sched_copies(msk->sched) || before64(seq, READ_ONCE(msk->snd_una)) ||
	    !before64(seq, mptcp_sched_head(msk)))
		return -EINVAL;

	mptcp_sched_commit_at(msk, subflow, MPTCP_SCHED_SEND_COPY, seq,
			      mptcp_bpf_budget(subflow, bytes));
	return 0;
}

/* Decide: @subflow gets what timed out. -EAGAIN: it owes something itself, as the one
 * that let it time out does.
 */
__bpf_kfunc int bpf_mptcp_sched_retransmit(struct mptcp_sock *msk,
					   struct mptcp_subflow_context *subflow)
{
	int err = mptcp_bpf_can_take(msk, subflow, MPTCP_SCHED_UNLIMITED);

	if (err)
		return err;
	if (!tcp_rtx_and_write_queues_empty(mptcp_subflow_tcp_sock(subflow)))
		return -EAGAIN;

	mptcp_sched_commit(msk, subflow, MPTCP_SCHED_UNLIMITED, MPTCP_SCHED_RETRANS);
	return 0;
}

BTF_KFUNCS_START(mptcp_bpf_kfuncs)
BTF_ID_FLAGS(func, bpf_iter_mptcp_subflow_new, KF_ITER_NEW | KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_iter_mptcp_subflow_next, KF_ITER_NEXT | KF_RET_NULL)
BTF_ID_FLAGS(func, bpf_iter_mptcp_subflow_destroy, KF_ITER_DESTROY)
BTF_ID_FLAGS(func, bpf_mptcp_sched_tcp_sock, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_mptcp_sched_head, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_mptcp_sched_has_new, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_mptcp_sched_commit, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_mptcp_sched_commit_ahead, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_mptcp_sched_commit_copy, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, bpf_mptcp_sched_retransmit, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, mptcp_sched_only_backups, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, mptcp_sched_usable, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, mptcp_sched_mss, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, mptcp_sched_run, KF_TRUSTED_ARGS)
BTF_ID_FLAGS(func, mptcp_sched_room, KF_TRUSTED_ARGS)
BTF_KFUNCS_END(mptcp_bpf_kfuncs)

/* Those that are for one callback only; all others are for those that decide. */
BTF_SET_START(mptcp_bpf_for_send)
BTF_ID(func, bpf_mptcp_sched_commit)
BTF_ID(func, bpf_mptcp_sched_commit_ahead)
BTF_ID(func, bpf_mptcp_sched_commit_copy)
BTF_SET_END(mptcp_bpf_for_send)

BTF_SET_START(mptcp_bpf_for_retrans)
BTF_ID(func, bpf_mptcp_sched_retransmit)
BTF_SET_END(mptcp_bpf_for_retrans)

BTF_ID_LIST_SINGLE(mptcp_bpf_ops_id, struct, mptcp_sched_ops)

/* Which callback of a scheduler is @prog? Its place in struct mptcp_sched_ops; -1: none. */
long mptcp_bpf_callback(const struct bpf_prog *prog)
{
	const struct btf_member *callback;

	/* one that replaces a function of another one is a part of that */
	if (prog->type == BPF_PROG_TYPE_EXT && prog->aux->dst_prog)
		prog = prog->aux->dst_prog;
	if (prog->type != BPF_PROG_TYPE_STRUCT_OPS ||
	    prog->aux->attach_btf_id != mptcp_bpf_ops_id[0] || !mptcp_bpf_ops_type ||
	    prog->expected_attach_type >= btf_type_vlen(mptcp_bpf_ops_type))
		return -1;

	callback = btf_type_member(mptcp_bpf_ops_type) + prog->expected_attach_type;
	return __btf_member_bit_offset(mptcp_bpf_ops_type, callback) / 8;
}

/* Is @type a pointer to a socket? */
static bool mptcp_bpf_is_socket(u32 type)
{
	const struct btf_type *t = btf_type_skip_modifiers(mptcp_bpf_btf, type, NULL);
	u32 id;

	if (!btf_type_is_ptr(t))
		return false;
	btf_type_skip_modifiers(mptcp_bpf_btf, t->type, &id);
	return id == btf_sock_ids[BTF_SOCK_TYPE_SOCK] || id == btf_sock_ids[BTF_SOCK_TYPE_TCP];
}

/* Is @kfunc, somebody else's, for sockets? TCP's congestion controls have such functions for
 * programs of their kind: these run with the socket's lock, and know whose private state it has.
 */
static bool mptcp_bpf_is_of_tcp(u32 kfunc)
{
	const struct btf_type *proto;
	const struct btf_param *arg;
	u32 i;

	proto = btf_type_by_id(mptcp_bpf_btf, btf_type_by_id(mptcp_bpf_btf, kfunc)->type);
	arg = btf_params(proto);
	for (i = 0; i < btf_type_vlen(proto); i++, arg++) {
		if (mptcp_bpf_is_socket(arg->type))
			return true;
	}

	return false;
}

/* May @prog call @kfunc? The kernel asks for each one that any struct_ops program calls. */
static int mptcp_bpf_filter(const struct bpf_prog *prog, u32 kfunc)
{
	if (!btf_id_set8_contains(&mptcp_bpf_kfuncs, kfunc))
		return mptcp_bpf_callback(prog) >= 0 && !mptcp_bpf_is_upstreams(kfunc) &&
		       mptcp_bpf_is_of_tcp(kfunc) ? -EACCES : 0;

	switch (mptcp_bpf_callback(prog)) {
	case offsetof(struct mptcp_sched_ops, get_send):
		return btf_id_set_contains(&mptcp_bpf_for_retrans, kfunc) ? -EACCES : 0;
	case offsetof(struct mptcp_sched_ops, get_retrans):
		return btf_id_set_contains(&mptcp_bpf_for_send, kfunc) ? -EACCES : 0;
	case offsetof(struct mptcp_sched_ops, wnd_blocked):
		return btf_id_set_contains(&mptcp_bpf_for_send, kfunc) ||
		       btf_id_set_contains(&mptcp_bpf_for_retrans, kfunc) ? -EACCES : 0;
	default:
		return -EACCES;
	}
}

static const struct btf_kfunc_id_set mptcp_bpf_kfunc_set = {
	.owner	= THIS_MODULE,
	.set	= &mptcp_bpf_kfuncs,
	.filter	= mptcp_bpf_filter,
};

/* Before the first program is loaded. */
int mptcp_bpf_kfunc_init(struct btf *btf)
{
	mptcp_bpf_btf = btf;
	mptcp_bpf_ops_type = btf_type_by_id(btf, mptcp_bpf_ops_id[0]);
	return mptcp_bpf_ops_type ? 0 : -EINVAL;
}

int __init mptcp_bpf_register_kfuncs(void)
{
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_STRUCT_OPS, &mptcp_bpf_kfunc_set) ?:
	       mptcp_bpf_register_upstream();
}
