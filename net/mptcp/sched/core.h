/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers: what lies between them and the rest of MPTCP
 *
 * The transmit path asks for decisions, carries them out and says what became of them;
 * the control interfaces name schedulers; extensions act before a scheduler is asked. A
 * scheduler itself needs none of this: see sched.h.
 *
 *	sockopt.c  name.c	which scheduler
 *	words.c			names as text
 *	model.c			what is known of a path
 *	pick.c			a decision, with the extensions' part: mods/mods.c
 *	mods/			rp.c, warn.c, bm.c, rescue.c; path/price.c (and path/path.h)
 *	bpf.c			schedulers in BPF: bpf_kfunc.c, bpf_upstream.c,
 *				bpf_call.c, bpf_watch.c
 *	ranges.c		who has which data
 *	copies.c		everything on several subflows
 *	send.c     sndbuf.c	to carry it out
 *	research/		schedulers of papers, to compare with
 *
 * Locking: as in sched.h, where nothing else is said.
 */
#ifndef _MPTCP_SCHED_CORE_H
#define _MPTCP_SCHED_CORE_H

#include <linux/sockptr.h>
#include "sched/sched.h"

/* Segments that may wait in a subflow's send queue beyond its congestion
 * window, if a run is not longer. With none the window would never count as used
 * up, and would stop growing (see tcp_is_cwnd_limited()); more of them cannot be
 * taken back when another subflow turns out to be the better one.
 */
#define MPTCP_SCHED_QUEUED_SEGS	2U

/* A decision carried out looks at no more fragments of the send buffer than this: an
 * application can make them as small as a byte, and keep as many as its buffer takes.
 */
#define MPTCP_SCHED_STEPS	512

/* No extension limits how much of its congestion window a subflow uses. */
#define MPTCP_SCHED_UNCAPPED	U32_MAX

/* What the peer waits for first (mods/rp.c). */
struct mptcp_sched_owed {
	struct mptcp_subflow_context *owner;	/* NULL: it is gone */
	struct mptcp_sched_choice helper;	/* who could send it again */
	u64 soon;	/* bytes that the owner delivers no later than the helper could: 0 if it
			 * has lost some
			 */
};

struct mptcp_sched_name {
	char base[MPTCP_SCHED_NAME_MAX];
	u16 ext;
};

/* Decisions (pick.c). */
int mptcp_sched_ask(struct mptcp_sock *msk);
u32 mptcp_sched_window(const struct mptcp_subflow_context *subflow, u32 cap);
bool mptcp_sched_wnd_is_used_up(const struct mptcp_sock *msk);
void mptcp_sched_reset(struct mptcp_sock *msk);
void mptcp_sched_retransmitted(struct mptcp_sock *msk,
			       const struct mptcp_subflow_context *subflow);
void mptcp_sched_count(struct mptcp_sock *msk, unsigned int mib, u64 *counter,
		       u32 n);

/* Data out of turn (send.c). */
int mptcp_sched_push_other(struct sock *sk, struct sock *ssk,
			   struct mptcp_sendmsg_info *info);
struct mptcp_data_frag *mptcp_sched_dfrag(struct mptcp_sock *msk,
					  struct mptcp_subflow_context *subflow,
					  u64 seq, u32 *steps);
void __mptcp_sched_skip_sent(struct mptcp_sock *msk);
void mptcp_sched_go_on(struct mptcp_sock *msk);

/* Everything on several subflows (copies.c). */
u64 mptcp_sched_copied(struct mptcp_sock *msk);

/* Names as text (words.c). */
int mptcp_sched_parse(const char *name, struct mptcp_sched_name *parsed);
void mptcp_sched_print(char *buf, const char *base, u16 ext);
bool mptcp_sched_list_has(const char *list, const char *name);
void mptcp_sched_list_add(char *list, size_t len, const char *name);
int mptcp_sched_list_text(char *list, size_t most, const void *buffer, size_t len, loff_t *ppos);
void mptcp_sched_list_extensions(char *buf, size_t len);

/* Schedulers by name (name.c). */
bool mptcp_sched_is_known(const char *name);
struct mptcp_sched_ops *mptcp_sched_find_get(const char *name);
struct mptcp_sched_ops *mptcp_sched_get(const struct net *net,
					const struct mptcp_sched_name *name,
					bool capable_net_admin);
u8 mptcp_sched_imposed(const struct net *net);
int mptcp_sched_set_default(struct net *net, char *scheduler, const char *name);
void mptcp_sched_add_loadable(char *buf, size_t len);

/* Socket options (sockopt.c). */
void mptcp_sched_switch(struct mptcp_sock *msk, struct mptcp_sched_ops *sched, u16 ext);
int mptcp_sched_setsockopt(struct mptcp_sock *msk, sockptr_t optval,
			   unsigned int optlen);
int mptcp_sched_getsockopt(struct mptcp_sock *msk, char __user *optval,
			   int __user *optlen);
int mptcp_sched_getinfo(struct mptcp_sock *msk, char __user *optval,
			int __user *optlen);

int mptcp_path_init(void);

/* Socket options (path/sockopt.c). */
int mptcp_path_setsockopt(struct mptcp_sock *msk, int optname, sockptr_t optval,
			  unsigned int optlen);
int mptcp_path_getsockopt(struct mptcp_sock *msk, int optname, char __user *optval,
			  int __user *optlen);

static inline bool mptcp_path_is_option(int optname)
{
	return optname == MPTCP_PATH_PRICE || optname == MPTCP_PATH_WEIGHT;
}

/* Extensions (mods/, path/price.c). */
bool mptcp_sched_ext_get_send(struct mptcp_sock *msk, bool wnd_used_up);
bool mptcp_sched_rp_get_send(struct mptcp_sock *msk);
bool mptcp_sched_rp_owed(struct mptcp_sock *msk, struct mptcp_sched_owed *owed);
u64 mptcp_sched_rp_first(struct mptcp_sock *msk, u32 helper, u64 soon, u64 head);
bool mptcp_sched_warn_get_send(struct mptcp_sock *msk);
u32 mptcp_sched_rp_segs(u32 penalty, u32 before, u32 rtts);
u32 mptcp_sched_rp_cap(struct mptcp_subflow_context *subflow);
u32 mptcp_sched_bm_segs(u32 rate, u32 min_rtt, u32 lambda);
u32 mptcp_sched_bm_cap(struct mptcp_sock *msk,
		       struct mptcp_subflow_context *subflow);
u32 mptcp_sched_patience(u32 srtt_us, u32 mdev_us, bool delayed);
bool mptcp_sched_rescue_look(struct mptcp_sock *msk, u64 *next);
bool mptcp_sched_rescue_get_send(struct mptcp_sock *msk);
void __mptcp_sched_watch(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow);
bool mptcp_sched_look(struct mptcp_sock *msk);
void __mptcp_sched_acked(struct sock *sk, struct sock *ssk);
void mptcp_sched_set_timer(struct mptcp_sock *msk, u64 us);
void mptcp_sched_price_limit(struct mptcp_sock *msk, bool wnd_used_up);
bool mptcp_sched_price_is_due(struct mptcp_sock *msk, u64 *next);
void mptcp_budgets_unseen(struct mptcp_sock *msk);
void mptcp_budgets_notice(struct mptcp_sock *msk);
void mptcp_budgets_work(struct mptcp_sock *msk);

static inline bool mptcp_sched_is_backup(const struct mptcp_subflow_context *subflow)
{
	/* Without the subflow's lock, under which these bits and those beside
	 * them change at any time: by MP_PRIO, or the path manager.
	 */
	return data_race(subflow->backup || subflow->request_bkup || subflow->sched_spent);
}

/* Has @subflow delivered nothing for long, nor since that was noticed? See mods/rescue.c. */
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

/* What the peer has, for who owns the socket: ACKs move it meanwhile, on 32 bits in two steps. */
static inline u64 mptcp_sched_una(const struct mptcp_sock *msk)
{
	u64 una = READ_ONCE(msk->snd_una);

	if (after64(una, msk->snd_nxt))
		una = READ_ONCE(msk->snd_una);
	return after64(una, msk->snd_nxt) ? msk->snd_nxt : una;
}

/* How many subflows of @msk are not closed. */
static inline u32 mptcp_sched_open(const struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	u32 n = 0;

	mptcp_for_each_subflow(msk, subflow)
		n += inet_sk_state_load(mptcp_subflow_tcp_sock(subflow)) != TCP_CLOSE;

	return n;
}

/* Is there a decision that was not carried out yet? */
static inline bool mptcp_sched_is_decided(const struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		if (READ_ONCE(subflow->scheduled))
			return true;
	}

	return false;
}

/* Extensions in use: those that were asked for, those of the scheduler itself, and what
 * they need (path/price.c). Callers in softirq may not hold the msk lock: see
 * mptcp_sched_has_work().
 */
static inline u16 mptcp_sched_extensions(const struct mptcp_sock *msk)
{
	const struct mptcp_sched_ops *sched = READ_ONCE(msk->sched);
	u16 ext = READ_ONCE(msk->sched_ext) | (sched ? sched->ext : 0);

	if (ext & BIT(MPTCP_SCHED_PRICE))
		ext |= BIT(MPTCP_SCHED_RS);
	if (ext & (BIT(MPTCP_SCHED_EW) | MPTCP_SCHED_RP_KINDS))
		ext |= BIT(MPTCP_SCHED_RP);
	return ext;
}

/* Data was given to @subflow: look whether it is answered. */
static inline void mptcp_sched_watch(struct mptcp_sock *msk,
				     const struct mptcp_subflow_context *subflow)
{
	msk->sched_rp.known = false;
	if (mptcp_sched_extensions(msk) & BIT(MPTCP_SCHED_RS) &&
	    !list_is_singular(&msk->conn_list))
		__mptcp_sched_watch(msk, subflow);
}

/* Something was acknowledged on @ssk: look at all subflows now and then, and when nothing is
 * left. With the subflow's lock and the msk's spinlock.
 */
static inline void mptcp_sched_acked(struct sock *sk, struct sock *ssk)
{
	const struct mptcp_sock *msk = mptcp_sk(sk);

	if (timer_pending(&msk->sched_timer) &&
	    (!time_before32(tcp_jiffies32, READ_ONCE(msk->sched_look_at)) ||
	     READ_ONCE(msk->sched_helpless) || msk->snd_una == READ_ONCE(msk->snd_nxt)))
		__mptcp_sched_acked(sk, ssk);
}

/* A subflow joined, and may be used: it may be the one that can help. */
static inline void mptcp_sched_joined(struct mptcp_sock *msk)
{
	if (READ_ONCE(msk->sched_helpless))
		mptcp_sched_set_timer(msk, 0);
	mptcp_budgets_unseen(msk);
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

	if (msk->ranges && msk->ranges->count) {
		u64 head = dfrag->data_seq + dfrag->already_sent;

		left = min_t(u64, left, mptcp_ranges_next(msk->ranges, head) - head);
	}

	return dfrag->already_sent + left;
}

/* The application writes, and nothing waited: for what is to be paid, see path/price.c.
 * Until a decision finds no room, it is the application that limits what subflows carry.
 */
static inline void mptcp_sched_begin(struct mptcp_sock *msk)
{
	msk->sched_fresh = true;
	msk->sched_price = 0;
	msk->sched_full_since = 0;
}

/* Something was acknowledged, or a subflow is gone. */
static inline void mptcp_sched_tidy_ranges(struct mptcp_sock *msk)
{
	if (msk->ranges)
		__mptcp_sched_tidy_ranges(msk);
}

void mptcp_sched_send_fin(struct mptcp_sock *msk);

/* The peer acknowledged data. In recovery that may be more than the head had come to: then nothing
 * is sent, and who sends would not look for a DATA_FIN.
 */
static inline void mptcp_sched_una_moved(struct mptcp_sock *msk)
{
	mptcp_sched_tidy_ranges(msk);
	if (unlikely(msk->recovery))
		mptcp_sched_send_fin(msk);
}

static inline void mptcp_sched_skip_sent(struct mptcp_sock *msk)
{
	if (msk->ranges)
		__mptcp_sched_skip_sent(msk);
}

/* A program in BPF may turn out to at any time, see sched/bpf_call.c. */
static inline bool mptcp_sched_copies(const struct mptcp_sched_ops *sched)
{
	return sched && READ_ONCE(sched->copies);
}

/* A subflow failed. False: it had nothing that the peer has not. */
static inline bool mptcp_sched_lost(struct mptcp_sock *msk)
{
	bool lost = !msk->ranges || __mptcp_sched_lost(msk);

	msk->sched_rp.known = false;
	/* a DATA_FIN goes out on all */
	if (lost && mptcp_sched_copies(msk->sched))
		lost = before64(mptcp_sched_copied(msk),
				msk->snd_nxt - mptcp_data_fin_enabled(msk));
	return lost;
}

/* Nothing is decided for @subflow. */
static inline void mptcp_sched_void(struct mptcp_subflow_context *subflow)
{
	WRITE_ONCE(subflow->scheduled, false);
	subflow->sched_budget = MPTCP_SCHED_UNLIMITED;
	subflow->sched_what = MPTCP_SCHED_SEND_HEAD;
}

/* Is what was decided for @subflow about other data than the head? Until it is carried out, the
 * peer may have acknowledged that: then nothing is sent, and somebody has to ask again.
 */
static inline bool mptcp_sched_may_lapse(const struct mptcp_subflow_context *subflow)
{
	return subflow->sched_what != MPTCP_SCHED_SEND_HEAD;
}

/* @sent bytes of the decision went to @subflow, in segments of @mss bytes. */
static inline void mptcp_sched_spend(struct mptcp_subflow_context *subflow,
				     u32 sent, u32 mss)
{
	subflow->sched_mss = mss;
	if (subflow->sched_budget != MPTCP_SCHED_UNLIMITED)
		subflow->sched_budget -= min(sent, subflow->sched_budget);
}

/* @len bytes from @seq on went to @subflow, of the head or copies: some it may have had before. */
static inline void mptcp_sched_carries(struct mptcp_subflow_context *subflow, u64 seq, u32 len)
{
	u64 next = subflow->sched_next, start = next - subflow->sched_run;

	if (before64(seq, start) || after64(seq, next)) {
		start = seq;
		next = seq;
	}
	if (after64(seq + len, next))
		next = seq + len;
	subflow->sched_run = min_t(u64, next - start, U32_MAX);
	subflow->sched_next = next;
}

/* The same, for @sent bytes of the head from @seq on. */
static inline void mptcp_sched_spend_head(struct mptcp_sock *msk,
					  struct mptcp_subflow_context *subflow,
					  u64 seq, u32 sent, u32 mss)
{
	mptcp_sched_spend(subflow, sent, mss);
	mptcp_sched_carries(subflow, seq, sent);
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
	       (mptcp_sched_copies(sched) &&
		READ_ONCE(msk->snd_una) != READ_ONCE(msk->snd_nxt));
}

/* Is the scheduler to be asked even though the peer's window is used up? It may
 * have something to do that needs no window; and after a subflow failed, the head is
 * further in front than the window's end tells.
 */
static inline bool mptcp_sched_wants_blocked(const struct mptcp_sock *msk)
{
	const struct mptcp_sched_ops *sched = READ_ONCE(msk->sched);

	return sched && mptcp_sched_has_work(msk) &&
	       (sched->wnd_blocked || mptcp_sched_copies(sched) ||
		READ_ONCE(msk->sched_silent) || READ_ONCE(msk->recovery) ||
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

#endif /* _MPTCP_SCHED_CORE_H */
