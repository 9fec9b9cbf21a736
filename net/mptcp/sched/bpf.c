// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers in BPF: loaded into a running kernel, checked before they run
 *
 * A scheduler is a struct mptcp_sched_ops. Here its callbacks may be BPF programs
 * (struct_ops, as BPF has it for TCP's congestion controls). Who loads one fills in the
 * struct, and the kernel makes of it a scheduler like any other: it has a name, obeys
 * net.mptcp.allowed_schedulers, takes extensions ("mine+rp"), and stays for the
 * connections that use it when it is unloaded.
 *
 * What a program can do is what the verifier lets through:
 *
 * - It reads the connection, its subflows and their sockets, field by field. It writes
 *   nothing but the scheduler's own 64 bytes of each, sched_priv, and what Linux' default
 *   scheduler keeps there: msk->snd_burst, subflow->avg_pacing_rate.
 * - It calls the functions of bpf_kfunc.c, which say who may send and how much,
 *   and which decide; or upstream's (bpf_upstream.c). They check what they are given. Of
 *   others' functions it calls none that takes a socket, and none of a module.
 * - It calls no other program by a map, which may sleep where it itself may not.
 * - It comes to an end.
 *
 * So a program cannot crash the kernel nor corrupt a connection, unless it means to: four helpers
 * take a socket on trust, as they do from congestion controls, also one that was found in a segment
 * which another CPU frees meanwhile. It can be wrong, and send nothing: bpf_watch.c sees to that.
 *
 * Who may: loading takes CAP_BPF and CAP_NET_ADMIN, and CAP_PERFMON since programs read
 * kernel memory, in the initial user namespace; the scheduler is there for all network
 * namespaces.
 *
 * Lifetime: the struct lives in a BPF map. Connections and namespaces hold a reference
 * on that (bpf_try_module_get()), as they do on the module of another scheduler. When
 * the one who loaded it lets go, by closing the link or by dying, the name is gone at
 * once; map and programs go with the last connection.
 *
 * Locking: programs run under the msk lock, as all callbacks (sched.h).
 */

#include <linux/bpf.h>
#include <linux/bpf_verifier.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <net/bpf_sk_storage.h>
#include "protocol.h"
#include "sched/core.h"
#include "sched/bpf_kfunc.h"

/* How many there may be: the sysctl that lists schedulers has a buffer for twice as many. */
#define MPTCP_BPF_SCHED_MAX	(MPTCP_SCHED_MAX / 2)

static atomic_t mptcp_bpf_scheds;

enum {
	TYPE_MSK,
	TYPE_SUBFLOW,
};

BTF_ID_LIST(mptcp_bpf_types)
BTF_ID(struct, mptcp_sock)
BTF_ID(struct, mptcp_subflow_context)

/* Helpers of the kernel, beside those for all programs: storage per connection, and a socket
 * as what it is. No timers: nobody holds the msk lock when they call. No tail calls: a map of
 * programs does not tell those that sleep from others.
 */
static const struct bpf_func_proto *
mptcp_bpf_get_func_proto(enum bpf_func_id func_id, const struct bpf_prog *prog)
{
	switch (func_id) {
	case BPF_FUNC_sk_storage_get:
		return &bpf_sk_storage_get_proto;
	case BPF_FUNC_sk_storage_delete:
		return &bpf_sk_storage_delete_proto;
	case BPF_FUNC_skc_to_tcp_sock:
		return &bpf_skc_to_tcp_sock_proto;
	case BPF_FUNC_skc_to_tcp6_sock:
		return &bpf_skc_to_tcp6_sock_proto;
	case BPF_FUNC_timer_init:
	case BPF_FUNC_timer_set_callback:
	case BPF_FUNC_timer_start:
	case BPF_FUNC_tail_call:
		return NULL;
	default:
		return bpf_base_func_proto(func_id, prog);
	}
}

/* What programs may write: @size bytes at @start of the struct @type. */
struct mptcp_bpf_field {
	u32 type;
	u32 start;
	u32 size;
};

static const struct mptcp_bpf_field mptcp_bpf_fields[] = {
	{ TYPE_MSK, offsetof(struct mptcp_sock, sched_priv), MPTCP_SCHED_PRIV_SIZE },
	{ TYPE_MSK, offsetof(struct mptcp_sock, snd_burst),
	  sizeof_field(struct mptcp_sock, snd_burst) },
	{ TYPE_SUBFLOW, offsetof(struct mptcp_subflow_context, sched_priv),
	  MPTCP_SCHED_PRIV_SIZE },
	{ TYPE_SUBFLOW, offsetof(struct mptcp_subflow_context, avg_pacing_rate),
	  sizeof_field(struct mptcp_subflow_context, avg_pacing_rate) },
};

/* Does @reg point to a @type, without a doubt? What was found by following pointers does not. A
 * subflow is never found that way: nothing that a program can get at has a pointer to one; so
 * it comes from our functions, whose word older kernels do not take for as good.
 */
static bool mptcp_bpf_is_sure(const struct bpf_reg_state *reg, u32 type)
{
	return reg->btf_id == mptcp_bpf_types[type] &&
	       (reg->type & PTR_TRUSTED ||
		(type == TYPE_SUBFLOW && !bpf_type_has_unsafe_modifiers(reg->type)));
}

/* May a program write @size bytes at @off into the struct that @reg points to? */
static int mptcp_bpf_struct_access(struct bpf_verifier_log *log,
				   const struct bpf_reg_state *reg, int off, int size)
{
	const struct mptcp_bpf_field *field = mptcp_bpf_fields;
	int i;

	for (i = 0; i < ARRAY_SIZE(mptcp_bpf_fields); i++, field++) {
		if (mptcp_bpf_is_sure(reg, field->type) && off >= field->start &&
		    off + size <= field->start + field->size)
			return 0;
	}

	bpf_log(log, "offset %d: only sched_priv, snd_burst and avg_pacing_rate may be written\n",
		off);
	return -EACCES;
}

static const struct bpf_verifier_ops mptcp_bpf_verifier_ops = {
	.get_func_proto		= mptcp_bpf_get_func_proto,
	.is_valid_access	= bpf_tracing_btf_ctx_access,
	.btf_struct_access	= mptcp_bpf_struct_access,
};

/* Members that are no programs: 1: taken over, 0: see to it yourself. */
static int mptcp_bpf_init_member(const struct btf_type *t,
				 const struct btf_member *member,
				 void *kdata, const void *udata)
{
	const struct mptcp_sched_ops *from = udata;
	struct mptcp_sched_ops *sched = kdata;

	switch (__btf_member_bit_offset(t, member) / 8) {
	case offsetof(struct mptcp_sched_ops, name):
		if (bpf_obj_name_cpy(sched->name, from->name, sizeof(sched->name)) <= 0)
			return -EINVAL;
		return 1;
	case offsetof(struct mptcp_sched_ops, copies):
		/* a byte of the user's, which may be any */
		sched->copies = !!*(const u8 *)&from->copies;
		return 1;
	case offsetof(struct mptcp_sched_ops, ext):
		if (from->ext & ~(u16)MPTCP_SCHED_EXT_OWN)
			return -EINVAL;
		sched->ext = from->ext;
		return 1;
	}

	return 0;
}

static int mptcp_bpf_validate(void *kdata)
{
	const struct mptcp_sched_ops *sched = kdata;

	return sched->get_send ? 0 : -EINVAL;
}

/* The names of modules are theirs, loaded or not. BPF itself asks for CAP_BPF, and for
 * CAP_PERFMON.
 */
static int mptcp_bpf_reg(void *kdata, struct bpf_link *link)
{
	struct mptcp_sched_ops *sched = kdata;
	int err;

	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	if (mptcp_sched_is_known(sched->name))
		return -EEXIST;
	if (!atomic_add_unless(&mptcp_bpf_scheds, 1, MPTCP_BPF_SCHED_MAX))
		return -ENOSPC;
	err = mptcp_register_scheduler(sched);
	if (err)
		atomic_dec(&mptcp_bpf_scheds);
	return err;
}

static void mptcp_bpf_unreg(void *kdata, struct bpf_link *link)
{
	mptcp_unregister_scheduler(kdata);
	atomic_dec(&mptcp_bpf_scheds);
}

static int mptcp_bpf_init(struct btf *btf)
{
	return mptcp_bpf_kfunc_init(btf);
}

/* They run under spinlocks, where nobody may sleep; but what timed out is for the worker. Of
 * functions of modules nobody asks mptcp_bpf_filter().
 */
static int mptcp_bpf_check_member(const struct btf_type *t, const struct btf_member *member,
				  const struct bpf_prog *prog)
{
	if (prog->aux->kfunc_btf_tab)
		return -EACCES;
	if (__btf_member_bit_offset(t, member) / 8 == offsetof(struct mptcp_sched_ops, get_retrans))
		return 0;
	return prog->sleepable ? -EINVAL : 0;
}

/* What callbacks look like; never called. */
static int mptcp_bpf_stub_get_send(struct mptcp_sock *msk)
{
	return 0;
}

static int mptcp_bpf_stub_get_retrans(struct mptcp_sock *msk)
{
	return 0;
}

static void mptcp_bpf_stub_wnd_blocked(struct mptcp_sock *msk)
{
}

static void mptcp_bpf_stub_init(struct mptcp_sock *msk)
{
}

static void mptcp_bpf_stub_release(struct mptcp_sock *msk)
{
}

static struct mptcp_sched_ops mptcp_bpf_stubs = {
	.get_send	= mptcp_bpf_stub_get_send,
	.get_retrans	= mptcp_bpf_stub_get_retrans,
	.wnd_blocked	= mptcp_bpf_stub_wnd_blocked,
	.init		= mptcp_bpf_stub_init,
	.release	= mptcp_bpf_stub_release,
};

static struct bpf_struct_ops mptcp_bpf_sched_ops = {
	.verifier_ops	= &mptcp_bpf_verifier_ops,
	.init		= mptcp_bpf_init,
	.check_member	= mptcp_bpf_check_member,
	.init_member	= mptcp_bpf_init_member,
	.validate	= mptcp_bpf_validate,
	.reg		= mptcp_bpf_reg,
	.unreg		= mptcp_bpf_unreg,
	.name		= "mptcp_sched_ops",
	.cfi_stubs	= &mptcp_bpf_stubs,
	.owner		= THIS_MODULE,
};

static int __init mptcp_bpf_sched_init(void)
{
	int err = mptcp_bpf_register_kfuncs();

	return err ?: register_bpf_struct_ops(&mptcp_bpf_sched_ops, mptcp_sched_ops);
}
late_initcall(mptcp_bpf_sched_init);
