// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers in BPF: a program is called, and what it chose is looked at
 *
 * For which connection? A program is handed its connection, and hands it, or one of its
 * subflows or their sockets, to functions of the kernel. Upstream's programs also hand over
 * what they found by following pointers (msk->first, subflow->tcp_sock). The verifier lets
 * such a pointer be read, and does not vouch for it. So the caller leaves the connection where
 * those functions find it, and they compare: what is no subflow of it is not believed
 * (bpf_upstream.c). They find none where nobody holds the msk lock: in what a program has called
 * later.
 *
 * What did it choose? A program decides with bpf_mptcp_sched_commit() and the like, which are
 * checked at once (bpf_kfunc.c), or as upstream's do: by a mark on a subflow
 * (mptcp_subflow_set_scheduled()). A mark says neither how much nor which data. It is carried
 * out as Linux does: the subflow gets a fragment, or what the program wrote into
 * msk->snd_burst. Marks on several subflows ask for everything on each of them. Linux would give
 * the next data to each in turn. Here each goes on from where it got to, as far as its
 * congestion window takes it (copies.c): a slow or dead one holds up no other, and no CPU.
 *
 * Locking: the msk lock.
 */

#include <linux/bottom_half.h>
#include <linux/bpf.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <net/tcp.h>
#include "protocol.h"
#include "sched/core.h"
#include "sched/bpf.h"
#include "sched/bpf_call.h"
#include "sched/bpf_kfunc.h"

/* The connection whose callback runs, and by whom */
struct mptcp_bpf_call {
	struct list_head list;
	const struct task_struct *task;
	struct mptcp_sock *msk;
};

/* Callbacks that cannot sleep: the one that runs here, with bottom halves off. */
static DEFINE_PER_CPU(const struct mptcp_bpf_call *, mptcp_bpf_call_here);

/* Those that may. */
static LIST_HEAD(mptcp_bpf_sleepers);
static DEFINE_SPINLOCK(mptcp_bpf_sleepers_lock);

static struct mptcp_sock *bpf_sleepers_msk(void)
{
	const struct mptcp_bpf_call *call;
	struct mptcp_sock *msk = NULL;

	spin_lock_bh(&mptcp_bpf_sleepers_lock);
	list_for_each_entry(call, &mptcp_bpf_sleepers, list) {
		if (call->task == current)
			msk = call->msk;
	}
	spin_unlock_bh(&mptcp_bpf_sleepers_lock);
	return msk;
}

/* The connection that calls the running program; NULL: none, as the program has itself called
 * by a timer or a work queue.
 */
struct mptcp_sock *mptcp_bpf_caller(void)
{
	const struct mptcp_bpf_call *call = this_cpu_read(mptcp_bpf_call_here);

	/* with PREEMPT_RT, one that sleeps may interrupt it */
	if (call && call->task == current)
		return call->msk;
	/* what interrupts one that sleeps has the same task */
	return in_task() ? bpf_sleepers_msk() : NULL;
}

static int bpf_call(struct mptcp_sock *msk, int (*callback)(struct mptcp_sock *msk))
{
	const struct mptcp_bpf_call call = { .task = current, .msk = msk }, *outer;
	int err;

	local_bh_disable();
	outer = this_cpu_read(mptcp_bpf_call_here);
	this_cpu_write(mptcp_bpf_call_here, &call);
	err = callback(msk);
	this_cpu_write(mptcp_bpf_call_here, outer);
	local_bh_enable();
	return err;
}

static void bpf_call_sleeper(struct mptcp_sock *msk, int (*callback)(struct mptcp_sock *msk))
{
	struct mptcp_bpf_call call = { .task = current, .msk = msk };

	spin_lock_bh(&mptcp_bpf_sleepers_lock);
	list_add(&call.list, &mptcp_bpf_sleepers);
	spin_unlock_bh(&mptcp_bpf_sleepers_lock);

	callback(msk);

	spin_lock_bh(&mptcp_bpf_sleepers_lock);
	list_del(&call.list);
	spin_unlock_bh(&mptcp_bpf_sleepers_lock);
}

/* Was @subflow marked, that is, chosen in upstream's way? */
static bool bpf_is_marked(const struct mptcp_subflow_context *subflow)
{
	return READ_ONCE(subflow->scheduled) && subflow->sched_what == MPTCP_SCHED_SEND_HEAD &&
	       subflow->sched_budget == MPTCP_SCHED_UNLIMITED;
}

/* Drop the marks on subflows that cannot carry them out; how many are left? */
static u32 bpf_count_marks(struct mptcp_sock *msk,
			   int (*can_take)(const struct mptcp_sock *msk,
					   struct mptcp_subflow_context *subflow, u32 bytes))
{
	struct mptcp_subflow_context *subflow;
	u32 n = 0;

	mptcp_for_each_subflow(msk, subflow) {
		if (!bpf_is_marked(subflow))
			continue;
		if (can_take(msk, subflow, MPTCP_SCHED_UNLIMITED))
			mptcp_sched_void(subflow);
		else
			n++;
	}

	return n;
}

static bool bpf_may_copy(struct mptcp_subflow_context *subflow, bool backups)
{
	return bpf_is_marked(subflow);
}

/* Of those that are marked, the one with the lowest RTT goes on; the others are asked for
 * again at once.
 */
static void bpf_take_copies(struct mptcp_sock *msk)
{
	struct mptcp_sched_choice best = mptcp_sched_best_copy(msk, bpf_may_copy);
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		if (bpf_is_marked(subflow))
			mptcp_sched_void(subflow);
	}
	if (best.subflow)
		mptcp_sched_commit_next(msk, &best);
}

static void bpf_take_marks(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	u32 n = bpf_count_marks(msk, mptcp_bpf_can_take_new);

	/* From now on it is also asked when there is nothing but old data to send: for all its
	 * connections, as it is the same program that decides about them.
	 */
	if (n > 1)
		WRITE_ONCE(msk->sched->copies, true);
	if (mptcp_sched_copies(msk->sched)) {
		bpf_take_copies(msk);
		return;
	}

	mptcp_for_each_subflow(msk, subflow) {
		if (bpf_is_marked(subflow))
			mptcp_sched_commit(msk, subflow, MPTCP_SCHED_UNLIMITED, MPTCP_SCHED_BEST);
	}
}

/* Ask for a decision about new data. */
int mptcp_bpf_call_get_send(struct mptcp_sock *msk)
{
	int err = bpf_call(msk, msk->sched->get_send);

	bpf_take_marks(msk);

	/* a decision counts, whatever is returned */
	return mptcp_sched_is_decided(msk) ? 0 : err;
}

/* Ask for one about what timed out: those that owe something themselves do not get it. */
void mptcp_sched_bpf_get_retrans(struct mptcp_sock *msk)
{
	struct mptcp_sched_ops *sched = msk->sched;
	struct mptcp_subflow_context *subflow;

	/* it may have itself replaced: what ends then waits for no program that sleeps */
	if (!bpf_try_module_get(sched, sched->owner))
		return;
	bpf_call_sleeper(msk, sched->get_retrans);
	bpf_module_put(sched, sched->owner);
	bpf_count_marks(msk, mptcp_bpf_can_take);
	mptcp_for_each_subflow(msk, subflow) {
		if (bpf_is_marked(subflow) &&
		    !tcp_rtx_and_write_queues_empty(mptcp_subflow_tcp_sock(subflow)))
			mptcp_sched_void(subflow);
	}
}

static int bpf_wnd_blocked(struct mptcp_sock *msk)
{
	msk->sched->wnd_blocked(msk);
	return 0;
}

/* Tell that the peer's window is used up. */
void mptcp_sched_bpf_wnd_blocked(struct mptcp_sock *msk)
{
	bpf_call(msk, bpf_wnd_blocked);
}
