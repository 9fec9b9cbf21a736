/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers: what they are built from
 *
 * A scheduler is a struct mptcp_sched_ops (include/net/mptcp.h). Its get_send()
 * looks at the usable subflows, takes one that has room, and commits the
 * decision with a budget in bytes:
 *
 *	choice = mptcp_sched_lowest(msk, my_key);
 *	if (!choice.subflow)
 *		return -EAGAIN;
 *	mptcp_sched_commit(msk, choice.subflow, choice.room, MPTCP_SCHED_BEST);
 *	return 0;
 *
 * The framework hands that many bytes to the subflow and asks again. It is
 * asked when the application writes, when an ACK arrives on any subflow, and
 * when a subflow joins or fails.
 *
 * Locking: everything here runs under the msk lock, that is, owned by a process
 * or with the spinlock held in softirq. Other contexts change the subflows'
 * TCP state at the same time, so it is a snapshot: a decision may rest on
 * values that are a packet old, and nothing may depend on two of them being
 * consistent.
 */
#ifndef _MPTCP_SCHED_H
#define _MPTCP_SCHED_H

#include <linux/sockptr.h>
#include <net/tcp.h>
#include "protocol.h"
#include "sched_ahead.h"

/* A budget that is never used up: the subflow gets a whole data fragment. */
#define MPTCP_SCHED_UNLIMITED	U32_MAX

/* The largest budget worth giving, in bytes: what one GSO packet carries. */
#define MPTCP_SCHED_BURST	(U16_MAX - MAX_TCP_HEADER)

/* Segments that may wait in a subflow's send queue beyond its congestion
 * window, if a run is not longer. With none the window would never count as used
 * up, and would stop growing (see tcp_is_cwnd_limited()); more of them cannot be
 * taken back when another subflow turns out to be the better one.
 */
#define MPTCP_SCHED_QUEUED_SEGS	2U

/* A run is what a subflow's pacing rate makes in a second, shifted by this: in a
 * millisecond.
 */
#define MPTCP_SCHED_RUN_SHIFT	10

/* A decision carried out looks at no more fragments of the send buffer than this: an
 * application can make them as small as a byte, and keep as many as its buffer takes.
 */
#define MPTCP_SCHED_STEPS	512

/* Why a subflow was chosen; shown by the mptcp_sched_decision tracepoint. */
enum mptcp_sched_reason {
	MPTCP_SCHED_DEFAULT,	/* by upstream's scheduler */
	MPTCP_SCHED_BEST,	/* it has the lowest key of those with room */
	MPTCP_SCHED_TURN,	/* it is its turn */
	MPTCP_SCHED_RETRANS,	/* for data that timed out on another one */
	MPTCP_SCHED_AHEAD,	/* it will have delivered when the others get there */
	MPTCP_SCHED_AGAIN,	/* it delivers sooner what another one has not yet */
	MPTCP_SCHED_COPY,	/* it carries what another one does, too */
	MPTCP_SCHED_NONE,	/* data waits, but no subflow has room */
};

/* How long the highest rate of a subflow counts, in ms: long enough to outlive a
 * pause of the application, and at least this many RTTs.
 */
#define MPTCP_SCHED_RATE_WINDOW	1000U
#define MPTCP_SCHED_RATE_RTTS	8

/* An RTT below its lowest plus this part, and plus this time in us, says that
 * there is no queue.
 */
#define MPTCP_SCHED_QUEUE_SHIFT	2
#define MPTCP_SCHED_QUEUE_US	1000

/* Extensions, bits of msk->sched_ext, in the order in which they are shown. */
enum {
	MPTCP_SCHED_RP,		/* sched_rp.c */
	MPTCP_SCHED_BM,		/* sched_bm.c */
	MPTCP_SCHED_RS,		/* sched_rescue.c */
};

/* No extension limits how much of its congestion window a subflow uses. */
#define MPTCP_SCHED_UNCAPPED	U32_MAX

struct mptcp_sched_name {
	char base[MPTCP_SCHED_NAME_MAX];
	u8 ext;
};

/* Which data a decision is about: subflow->sched_ahead. All but the first begin at
 * subflow->sched_ahead_seq.
 */
enum mptcp_sched_what {
	MPTCP_SCHED_SEND_HEAD,	/* the next of the connection */
	MPTCP_SCHED_SEND_AHEAD,	/* data that is not sent yet, further back */
	MPTCP_SCHED_SEND_AGAIN,	/* what others have and the peer waits for */
	MPTCP_SCHED_SEND_COPY,	/* what was sent before */
};

struct mptcp_sched_choice {
	struct mptcp_subflow_context *subflow;	/* NULL: none has room */
	u32 room;				/* bytes that it takes now */
};

/* For schedulers (sched_pick.c). */
bool mptcp_sched_only_backups(struct mptcp_sock *msk);
bool mptcp_sched_usable(struct mptcp_subflow_context *subflow, bool backups);
u32 mptcp_sched_mss(const struct mptcp_subflow_context *subflow);
u32 mptcp_sched_room(const struct mptcp_subflow_context *subflow);
u32 mptcp_sched_min_rtt(const struct tcp_sock *tp);
bool mptcp_sched_has_queue(const struct tcp_sock *tp, u32 min_rtt);
void mptcp_sched_take_rate(const struct tcp_sock *tp, struct minmax *highest, u32 rate);
void mptcp_sched_commit(struct mptcp_sock *msk,
			struct mptcp_subflow_context *subflow, u32 bytes,
			enum mptcp_sched_reason reason);

void mptcp_sched_commit_at(struct mptcp_sock *msk,
			   struct mptcp_subflow_context *subflow,
			   enum mptcp_sched_what what, u64 seq, u32 bytes);
void mptcp_sched_commit_again(struct mptcp_sock *msk,
			      struct mptcp_subflow_context *subflow,
			      u32 owner, u64 seq, u32 bytes);
void mptcp_sched_reset(struct mptcp_sock *msk);
struct mptcp_subflow_context *mptcp_sched_by_id(struct mptcp_sock *msk, u32 id);
struct mptcp_ahead *mptcp_sched_ahead(struct mptcp_sock *msk);
void mptcp_sched_want_written(struct mptcp_sock *msk, u64 seq);

/* For the transmit path and the control interfaces. */
int mptcp_sched_push_copy(struct sock *sk, struct sock *ssk,
			  struct mptcp_sendmsg_info *info);
int mptcp_sched_push_ahead(struct sock *sk, struct sock *ssk,
			   struct mptcp_sendmsg_info *info);
int mptcp_sched_push_again(struct sock *sk, struct sock *ssk,
			   struct mptcp_sendmsg_info *info);
int mptcp_sched_push_other(struct sock *sk, struct sock *ssk,
			   struct mptcp_sendmsg_info *info);
struct mptcp_data_frag *mptcp_sched_dfrag(struct mptcp_sock *msk,
					  struct mptcp_subflow_context *subflow,
					  u64 seq, u32 *steps);
u32 mptcp_sched_send_from(struct sock *ssk, struct mptcp_sendmsg_info *info,
			  u64 seq, u64 len, u32 *steps);
void mptcp_sched_own(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow,
		     u64 seq, u32 len);
void __mptcp_sched_skip_ahead(struct mptcp_sock *msk);
void __mptcp_sched_tidy_ahead(struct mptcp_sock *msk);
void mptcp_sched_free_ahead(struct mptcp_sock *msk);
int mptcp_sched_ask(struct mptcp_sock *msk);
void mptcp_sched_retransmitted(struct mptcp_sock *msk,
			       const struct mptcp_subflow_context *subflow);
void mptcp_sched_count(struct mptcp_sock *msk, unsigned int mib, u64 *counter,
		       u32 n);
int mptcp_sched_setsockopt(struct mptcp_sock *msk, sockptr_t optval,
			   unsigned int optlen);
int mptcp_sched_getsockopt(struct mptcp_sock *msk, char __user *optval,
			   int __user *optlen);
int mptcp_option_answer(const void *from, unsigned int size,
			char __user *optval, int __user *optlen);
int mptcp_sched_getinfo(struct mptcp_sock *msk, char __user *optval,
			int __user *optlen);
struct mptcp_sched_ops *mptcp_sched_get(const struct net *net,
					const struct mptcp_sched_name *name,
					bool capable_net_admin);
int mptcp_sched_set_default(struct net *net, char *scheduler, const char *name);
void mptcp_sched_add_loadable(char *buf, size_t len);
bool mptcp_sched_list_has(const char *list, const char *name);
void mptcp_sched_list_add(char *list, size_t len, const char *name);
u32 mptcp_sched_bm_lambda(const struct net *net);

/* Extensions (sched_ext.c, sched_rp.c, sched_bm.c, sched_rescue.c). */
int mptcp_sched_parse(const char *name, struct mptcp_sched_name *parsed);
bool mptcp_sched_print(char *buf, const char *base, u8 ext);
void mptcp_sched_list_extensions(char *buf, size_t len);
bool mptcp_sched_ext_get_send(struct mptcp_sock *msk, bool wnd_used_up);
bool mptcp_sched_rp_get_send(struct mptcp_sock *msk);
u32 mptcp_sched_rp_segs(u32 penalty, u32 before, u32 rtts, bool slow_start);
u32 mptcp_sched_rp_cap(struct mptcp_subflow_context *subflow);
u32 mptcp_sched_bm_segs(u32 rate, u32 min_rtt, u32 lambda);
u32 mptcp_sched_bm_cap(struct mptcp_sock *msk,
		       struct mptcp_subflow_context *subflow);
u32 mptcp_sched_patience(u32 srtt_us, u32 mdev_us, bool delayed);
bool mptcp_sched_rescue_look(struct mptcp_sock *msk, u64 *next);
bool mptcp_sched_rescue_get_send(struct mptcp_sock *msk);
void __mptcp_sched_watch(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow);

static inline bool mptcp_sched_is_backup(const struct mptcp_subflow_context *subflow)
{
	/* Without the subflow's lock, under which these bits and those beside
	 * them change at any time: by MP_PRIO, or the path manager.
	 */
	return data_race(subflow->backup || subflow->request_bkup);
}

/* Has @subflow delivered nothing for long, nor since that was noticed? See sched_rescue.c. */
static inline bool mptcp_sched_is_silent(const struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp;

	if (!subflow->sched_silent)
		return false;
	tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	return (READ_ONCE(tp->packets_out) ||
		READ_ONCE(tp->write_seq) != READ_ONCE(tp->snd_nxt)) &&
	       READ_ONCE(tp->delivered_mstamp) == subflow->sched_silent_since;
}

/* Extensions in use: those that were asked for, and those of the scheduler itself. Callers
 * in softirq may not hold the msk lock: see mptcp_sched_has_work().
 */
static inline u8 mptcp_sched_extensions(const struct mptcp_sock *msk)
{
	const struct mptcp_sched_ops *sched = READ_ONCE(msk->sched);

	return READ_ONCE(msk->sched_ext) | (sched ? sched->ext : 0);
}

/* Data was given to @subflow: look whether it is answered. */
static inline void mptcp_sched_watch(struct mptcp_sock *msk,
				     const struct mptcp_subflow_context *subflow)
{
	if (mptcp_sched_extensions(msk) & BIT(MPTCP_SCHED_RS) &&
	    !list_is_singular(&msk->conn_list))
		__mptcp_sched_watch(msk, subflow);
}

/* The next byte to send in turn. After a subflow failed, data is sent once more,
 * so it is not always snd_nxt.
 */
static inline u64 mptcp_sched_head(const struct mptcp_sock *msk)
{
	const struct mptcp_data_frag *dfrag = mptcp_send_head((struct sock *)msk);

	return dfrag ? dfrag->data_seq + dfrag->already_sent : msk->snd_nxt;
}

/* How far into @dfrag the decision for @subflow reaches: not into what has been
 * sent ahead.
 */
static inline u16 mptcp_sched_limit(const struct mptcp_sock *msk,
				    const struct mptcp_subflow_context *subflow,
				    const struct mptcp_data_frag *dfrag)
{
	u32 left = min_t(u32, dfrag->data_len - dfrag->already_sent,
			 subflow->sched_budget);

	if (msk->ahead && msk->ahead->count) {
		u64 head = dfrag->data_seq + dfrag->already_sent;

		left = min_t(u64, left, mptcp_ahead_next(msk->ahead, head) - head);
	}

	return dfrag->already_sent + left;
}

/* Something was acknowledged, or a subflow is gone. */
static inline void mptcp_sched_tidy_ahead(struct mptcp_sock *msk)
{
	if (msk->ahead)
		__mptcp_sched_tidy_ahead(msk);
}

static inline void mptcp_sched_skip_ahead(struct mptcp_sock *msk)
{
	if (msk->ahead)
		__mptcp_sched_skip_ahead(msk);
}

/* Everything is sent again, in turn. */
static inline void mptcp_sched_drop_ahead(struct mptcp_sock *msk)
{
	if (msk->ahead)
		msk->ahead->count = 0;
}

/* Nothing is decided for @subflow. */
static inline void mptcp_sched_void(struct mptcp_subflow_context *subflow)
{
	WRITE_ONCE(subflow->scheduled, false);
	subflow->sched_budget = MPTCP_SCHED_UNLIMITED;
	subflow->sched_ahead = MPTCP_SCHED_SEND_HEAD;
}

/* @sent bytes of the decision went to @subflow, in segments of @mss bytes. */
static inline void mptcp_sched_spend(struct mptcp_subflow_context *subflow,
				     u32 sent, u32 mss)
{
	subflow->sched_mss = mss;
	if (subflow->sched_budget != MPTCP_SCHED_UNLIMITED)
		subflow->sched_budget -= min(sent, subflow->sched_budget);
}

/* The same, for @sent bytes of the head from @seq on. */
static inline void mptcp_sched_spend_head(struct mptcp_sock *msk,
					  struct mptcp_subflow_context *subflow,
					  u64 seq, u32 sent, u32 mss)
{
	mptcp_sched_spend(subflow, sent, mss);
	subflow->sched_next = seq + sent;
	if (mptcp_sched_extensions(msk) & (BIT(MPTCP_SCHED_RP) | BIT(MPTCP_SCHED_RS)))
		mptcp_sched_own(msk, subflow, seq, sent);
}

/* Is there something to send? With a scheduler that copies, also what is not
 * acknowledged yet; else also what a silent subflow owes. Callers in softirq may not
 * hold the msk lock: the scheduler may change under them; RCU (softirq is a reader)
 * keeps it valid.
 */
static inline bool mptcp_sched_has_work(const struct mptcp_sock *msk)
{
	const struct mptcp_sched_ops *sched = READ_ONCE(msk->sched);

	return READ_ONCE(msk->first_pending) || READ_ONCE(msk->sched_silent) ||
	       (sched && sched->copies &&
		READ_ONCE(msk->snd_una) != READ_ONCE(msk->snd_nxt));
}

/* Is the scheduler to be asked even though the peer's window is used up? It may
 * have something to do that needs no window.
 */
static inline bool mptcp_sched_wants_blocked(const struct mptcp_sock *msk)
{
	const struct mptcp_sched_ops *sched = READ_ONCE(msk->sched);

	return sched && mptcp_sched_has_work(msk) &&
	       (sched->wnd_blocked || sched->copies || READ_ONCE(msk->sched_silent) ||
		mptcp_sched_extensions(msk) & BIT(MPTCP_SCHED_RP));
}

/* Segments that a congestion window of @cwnd takes, of which extensions let @cap
 * be used, besides @in_flight segments and @unsent bytes in the send queue. None, until
 * they are a @run, or a quarter of the window; what extensions let be used is exact.
 */
static inline u32 mptcp_sched_free_segs(u32 cwnd, u32 cap, u32 in_flight,
					u32 unsent, u32 mss, u32 run)
{
	u64 used = (u64)in_flight + DIV_ROUND_UP_ULL(unsent, mss);
	u64 limit;

	run = cap == MPTCP_SCHED_UNCAPPED ? min(run, cwnd / 4) : 0;
	limit = min_t(u64, (u64)cwnd + max(run, MPTCP_SCHED_QUEUED_SEGS), cap);
	return used + run <= limit ? limit - used : 0;
}

/* Segments in flight on @tp, whose lock is not held: each counter is read once, but
 * not all at the same moment, so that the sum could be negative.
 */
static inline u32 mptcp_sched_in_flight(const struct tcp_sock *tp)
{
	s32 out = READ_ONCE(tp->packets_out) + READ_ONCE(tp->retrans_out);

	out -= READ_ONCE(tp->sacked_out) + READ_ONCE(tp->lost_out);
	return max(out, 0);
}

/* In a ring of subflow ids, does @a come before @b after @last? The one that
 * had the last turn comes at the end; ids of subflows that are gone may serve
 * as @last.
 */
static inline bool mptcp_sched_ring_before(u32 last, u32 a, u32 b)
{
	return a - last - 1 < b - last - 1;
}

/* The subflow with the lowest @key of those that have room; the first of
 * equals. Inlined, so that @key costs no indirect call.
 */
static __always_inline struct mptcp_sched_choice
mptcp_sched_lowest(struct mptcp_sock *msk,
		   u64 (*key)(const struct mptcp_subflow_context *subflow))
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;
	struct mptcp_sched_choice best = {};
	u64 best_key = U64_MAX;

	mptcp_for_each_subflow(msk, subflow) {
		u32 room;
		u64 k;

		if (!mptcp_sched_usable(subflow, backups))
			continue;
		room = mptcp_sched_room(subflow);
		k = key(subflow);
		if (room && k < best_key) {
			best.subflow = subflow;
			best.room = room;
			best_key = k;
		}
	}

	return best;
}

#endif /* _MPTCP_SCHED_H */
