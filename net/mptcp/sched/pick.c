// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: which subflows may send, how much, and the decision
 *
 * Three questions stand behind each decision, and each has one answer here for
 * all schedulers:
 *
 * - Usable? The subflow is established (a joined one after the fourth ACK), it
 *   is not stale, nor silent (mods/rescue.c), nor too dear (path/price.c), and it is
 *   no backup, unless
 *   nothing but backups is left (RFC 8684, section 3.3.8). A subflow that could
 *   send but has a full window still is "left": backups stand in for failures,
 *   not for congestion.
 * - Room? The congestion window takes more than what is in flight and what
 *   waits in the subflow's own send queue. Bytes beyond that would sit in the
 *   queue of a subflow that may have become the wrong one when they leave. An
 *   ACK makes room for two segments; given out as it comes, on subflows in turn,
 *   data would leave in packets of two. So there is no room until there is for a
 *   run: what the subflow carries in a millisecond, which is what TCP by itself puts
 *   into a packet for segmentation offload on paths that are not very short
 *   (tcp_tso_autosize()). Just that may wait beyond the window, which so is always
 *   used.
 * - Who decided, for whom, how much? Each decision is counted (nstat:
 *   MPTcpExtSched*) and can be traced (mptcp_sched:mptcp_sched_decision).
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched/core.h"
#include "sched/bpf.h"

#define CREATE_TRACE_POINTS
#include "sched/trace.h"

/* A run is what a subflow's pacing rate makes in a second, shifted by this: in a
 * millisecond.
 */
#define MPTCP_SCHED_RUN_SHIFT	10

/* The longest DSS option: 64-bit ack and mapping, checksum. */
#define MPTCP_SCHED_DSS_LEN	28

/* Are backup subflows all that is left? */
bool mptcp_sched_only_backups(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		if (!mptcp_sched_is_backup(subflow) &&
		    mptcp_subflow_active(subflow))
			return false;
	}

	return true;
}
EXPORT_SYMBOL_GPL(mptcp_sched_only_backups);

/* May @subflow carry new data? @backups: what mptcp_sched_only_backups() says. */
bool mptcp_sched_usable(struct mptcp_subflow_context *subflow, bool backups)
{
	return mptcp_sched_is_backup(subflow) == backups &&
	       mptcp_subflow_active(subflow) && !mptcp_sched_is_silent(subflow) &&
	       !subflow->sched_dear;
}
EXPORT_SYMBOL_GPL(mptcp_sched_usable);

/* Payload of a full segment on @subflow, in bytes, at least 1. */
u32 mptcp_sched_mss(const struct mptcp_subflow_context *subflow)
{
	u32 mss = subflow->sched_mss;

	if (mss)
		return mss;

	/* Nothing sent yet. tcp_current_mss() wants the subflow's lock. */
	mss = READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(subflow))->mss_cache);
	return mss > MPTCP_SCHED_DSS_LEN ? mss - MPTCP_SCHED_DSS_LEN : 1;
}
EXPORT_SYMBOL_GPL(mptcp_sched_mss);

/* A run on @subflow, in bytes: what it carries in a millisecond, in whole segments, but
 * one at least; no more than fits MPTCP_SCHED_BURST, if one does.
 */
u32 mptcp_sched_run(const struct mptcp_subflow_context *subflow)
{
	const struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
	u32 run = min_t(unsigned long, READ_ONCE(ssk->sk_pacing_rate) >> MPTCP_SCHED_RUN_SHIFT,
			MPTCP_SCHED_BURST);
	u32 mss = mptcp_sched_mss(subflow);

	return max(rounddown(run, mss), mss);
}
EXPORT_SYMBOL_GPL(mptcp_sched_run);

/* The congestion window of @subflow, or what TCP makes of it as soon as it sends again after
 * a pause (tcp_cwnd_restart()): what is decided by the old one would wait in the subflow.
 */
u32 mptcp_sched_cwnd(const struct mptcp_subflow_context *subflow)
{
	const struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
	const struct tcp_sock *tp = tcp_sk(ssk);
	u32 cwnd = READ_ONCE(tp->snd_cwnd);
	s32 rto, idle;

	if (READ_ONCE(tp->packets_out) || !READ_ONCE(subflow->model.restarts) ||
	    !READ_ONCE(sock_net(ssk)->ipv4.sysctl_tcp_slow_start_after_idle))
		return cwnd;

	rto = READ_ONCE(inet_csk(ssk)->icsk_rto);
	idle = tcp_jiffies32 - READ_ONCE(tp->lsndtime);
	while ((idle -= rto) > 0 && cwnd > TCP_INIT_CWND)
		cwnd = max(cwnd / 2, TCP_INIT_CWND);
	return cwnd;
}
EXPORT_SYMBOL_GPL(mptcp_sched_cwnd);

/* Segments that the congestion window of @subflow takes, of which extensions let @cap be
 * used.
 */
u32 mptcp_sched_window(const struct mptcp_subflow_context *subflow, u32 cap)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	u32 unsent = READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_nxt);
	u32 mss = mptcp_sched_mss(subflow);

	return mptcp_sched_free_segs(mptcp_sched_cwnd(subflow), cap, mptcp_sched_in_flight(tp),
				     unsent, mss, mptcp_sched_run(subflow) / mss);
}

/* Bytes that @subflow takes without piling them up in its send queue, at most
 * MPTCP_SCHED_BURST; 0: it has no room.
 */
u32 mptcp_sched_room(const struct mptcp_subflow_context *subflow)
{
	const struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
	u32 segs;

	if (!sk_stream_memory_free(ssk) || mptcp_sched_is_silent(subflow) ||
	    subflow->sched_dear)
		return 0;

	segs = mptcp_sched_window(subflow, subflow->sched_cap ?: MPTCP_SCHED_UNCAPPED);
	return min_t(u64, (u64)segs * mptcp_sched_mss(subflow), MPTCP_SCHED_BURST);
}
EXPORT_SYMBOL_GPL(mptcp_sched_room);

static void mptcp_sched_count_decision(struct mptcp_sock *msk,
				       const struct mptcp_subflow_context *subflow,
				       enum mptcp_sched_reason reason)
{
	struct net *net = sock_net((struct sock *)msk);

	switch (reason) {
	case MPTCP_SCHED_RETRANS:
		MPTCP_INC_STATS(net, MPTCP_MIB_SCHEDRETRANS);
		break;
	case MPTCP_SCHED_AHEAD:
		MPTCP_INC_STATS(net, MPTCP_MIB_SCHEDAHEAD);
		break;
	case MPTCP_SCHED_AGAIN:
		MPTCP_INC_STATS(net, MPTCP_MIB_SCHEDAGAIN);
		break;
	case MPTCP_SCHED_COPY:
		MPTCP_INC_STATS(net, MPTCP_MIB_SCHEDCOPY);
		break;
	default:
		MPTCP_INC_STATS(net, MPTCP_MIB_SCHEDPICK);
	}
	if (mptcp_sched_is_backup(subflow))
		MPTCP_INC_STATS(net, MPTCP_MIB_SCHEDBACKUP);
}

/* Data that timed out was sent on @subflow. The decision is made at each timeout,
 * also when nothing is left to send.
 */
void mptcp_sched_retransmitted(struct mptcp_sock *msk,
			       const struct mptcp_subflow_context *subflow)
{
	mptcp_sched_count_decision(msk, subflow, MPTCP_SCHED_RETRANS);
}

/* Decide: @subflow gets the next @bytes of the connection, or what there is. */
void mptcp_sched_commit(struct mptcp_sock *msk,
			struct mptcp_subflow_context *subflow, u32 bytes,
			enum mptcp_sched_reason reason)
{
	mptcp_subflow_set_scheduled(subflow, true);
	subflow->sched_budget = bytes;

	/* The default scheduler keeps its own budget there, for the connection.
	 * Ours is the subflow's: it must not end where that one did.
	 */
	if (bytes != MPTCP_SCHED_UNLIMITED)
		msk->snd_burst = bytes;

	if (reason != MPTCP_SCHED_RETRANS)
		mptcp_sched_count_decision(msk, subflow, reason);
	trace_mptcp_sched_decision(msk, subflow, bytes, reason);
}
EXPORT_SYMBOL_GPL(mptcp_sched_commit);

/* Decide: @subflow gets up to @bytes from @seq on, of the data that @what names. */
void mptcp_sched_commit_at(struct mptcp_sock *msk,
			   struct mptcp_subflow_context *subflow,
			   enum mptcp_sched_what what, u64 seq, u32 bytes)
{
	static const enum mptcp_sched_reason reasons[] = {
		[MPTCP_SCHED_SEND_AHEAD] = MPTCP_SCHED_AHEAD,
		[MPTCP_SCHED_SEND_AGAIN] = MPTCP_SCHED_AGAIN,
		[MPTCP_SCHED_SEND_COPY] = MPTCP_SCHED_COPY,
	};

	mptcp_sched_commit(msk, subflow, bytes, reasons[what]);
	subflow->sched_what = what;
	subflow->sched_seq = seq;
}
EXPORT_SYMBOL_GPL(mptcp_sched_commit_at);

/* Decide: @subflow gets up to @bytes from @seq on, of what was sent on @owner, or on any
 * other (MPTCP_RANGES_ANYBODY).
 */
void mptcp_sched_commit_again(struct mptcp_sock *msk,
			      struct mptcp_subflow_context *subflow,
			      u32 owner, u64 seq, u32 bytes)
{
	mptcp_sched_commit_at(msk, subflow, MPTCP_SCHED_SEND_AGAIN, seq, bytes);
	subflow->sched_again_of = owner;
}
EXPORT_SYMBOL_GPL(mptcp_sched_commit_again);

/* Another scheduler is to come, or another connection: decisions that were not
 * carried out yet are void, and what was kept for others is gone.
 */
void mptcp_sched_reset(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		mptcp_sched_void(subflow);
		subflow->sched_cap = 0;
		subflow->sched_penalty = 0;
		WRITE_ONCE(subflow->sched_halve, 0);
		subflow->sched_silent = false;
		subflow->sched_dear = false;
		subflow->avoid = false;
		memset(subflow->sched_priv, 0, sizeof(subflow->sched_priv));
	}
	memset(msk->sched_priv, 0, sizeof(msk->sched_priv));
	mptcp_sched_bpf_forget(msk);
	WRITE_ONCE(msk->sched_silent, false);
	WRITE_ONCE(msk->sched_helpless, false);
	msk->sched_rp.known = false;
	mptcp_sched_begin(msk);
	mptcp_budgets_unseen(msk);
	/* what waits now was not limited by the application */
	msk->sched_fresh = !msk->first_pending;
	if (msk->ranges) {
		msk->ranges->unused = true;
		mptcp_sched_tidy_ranges(msk);
	}
	if (msk->sched_sndbuf) {
		msk->sched_sndbuf = 0;
		__mptcp_sync_sndbuf((struct sock *)msk);
	}
}

struct mptcp_subflow_context *mptcp_sched_by_id(struct mptcp_sock *msk, u32 id)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		if (subflow->subflow_id == id)
			return subflow;
	}

	return NULL;
}
EXPORT_SYMBOL_GPL(mptcp_sched_by_id);

/* Add @n to a counter of the host (MPTCP_MIB_*) and to @counter, a member of the
 * connection's sched_info.
 */
void mptcp_sched_count(struct mptcp_sock *msk, unsigned int mib, u64 *counter,
		       u32 n)
{
	*counter += n;
	MPTCP_ADD_STATS(sock_net((struct sock *)msk), mib, n);
}

/* Does data wait, beyond the peer's window of the connection? */
bool mptcp_sched_wnd_is_used_up(const struct mptcp_sock *msk)
{
	return msk->first_pending &&
	       !after64(READ_ONCE(msk->wnd_end), mptcp_sched_head(msk));
}

/* Has a scheduler that says so chosen a subflow? Without one the transmit path
 * has nothing to do, and would ask again at once, for ever.
 */
static bool mptcp_sched_has_decided(struct mptcp_sock *msk)
{
	if (mptcp_sched_is_decided(msk))
		return true;

	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_SCHEDUNDECIDED);
	pr_warn_once("scheduler %s: get_send() returned 0 and chose no subflow\n",
		     msk->sched->name);
	return false;
}

static void mptcp_sched_tell_blocked(struct mptcp_sock *msk)
{
	if (mptcp_sched_is_bpf(msk->sched))
		mptcp_sched_bpf_wnd_blocked(msk);
	else
		msk->sched->wnd_blocked(msk);
}

/* The transmit path asks for a decision about new data. */
int mptcp_sched_ask(struct mptcp_sock *msk)
{
	const struct mptcp_sched_ops *sched = msk->sched;
	bool used_up, silent = msk->sched_silent;
	int err;

	used_up = mptcp_sched_wnd_is_used_up(msk);
	if (used_up) {
		mptcp_sched_count(msk, MPTCP_MIB_SCHEDWNDBLOCKED,
				  &msk->sched_info.wnd_blocked, 1);
		if (sched->wnd_blocked)
			mptcp_sched_tell_blocked(msk);
	}
	if (mptcp_sched_extensions(msk) && mptcp_sched_ext_get_send(msk, used_up))
		return 0;
	/* to rescue may have been all that there was to do */
	if (silent && !msk->first_pending && !mptcp_sched_copies(sched))
		return -EAGAIN;

	err = mptcp_sched_is_bpf(sched) ? mptcp_sched_bpf_get_send(msk, used_up) :
					  sched->get_send(msk);
	if (!err && !mptcp_sched_has_decided(msk))
		return -EAGAIN;
	if (err && msk->first_pending && !used_up) {
		MPTCP_INC_STATS(sock_net((struct sock *)msk),
				MPTCP_MIB_SCHEDNOROOM);
		trace_mptcp_sched_decision(msk, NULL, 0, MPTCP_SCHED_NONE);
	}
	return err;
}
EXPORT_SYMBOL_GPL(mptcp_sched_ask);
