/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers: what they are built from
 *
 * A scheduler is a struct mptcp_sched_ops (include/net/mptcp.h). Its get_send()
 * looks at the usable subflows, takes one that has room, and commits the
 * decision with a budget in bytes:
 *
 *	choice = mptcp_sched_lowest(msk, tcp_clock_us(), my_key);
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

#include <net/tcp.h>
#include "protocol.h"
#include "sched/ranges.h"

/* A budget that is never used up: the subflow gets a whole data fragment. */
#define MPTCP_SCHED_UNLIMITED	U32_MAX

/* The largest budget worth giving, in bytes: what one GSO packet carries. */
#define MPTCP_SCHED_BURST	(U16_MAX - MAX_TCP_HEADER)

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

/* Extensions, bits of mptcp_sched_ops.ext and msk->sched_ext, in the order in which they
 * are shown.
 */
enum {
	MPTCP_SCHED_RP,		/* mods/rp.c */
	MPTCP_SCHED_BM,		/* mods/bm.c */
	MPTCP_SCHED_RS,		/* mods/rescue.c */
	MPTCP_SCHED_PRICE,	/* path/price.c */
	MPTCP_SCHED_EW,		/* mods/warn.c */
	MPTCP_SCHED_R,		/* three others of mods/rp.c, to compare with */
	MPTCP_SCHED_RP0,
	MPTCP_SCHED_RP1,
	MPTCP_SCHED_EXTENSIONS,	/* how many there are */
};

/* Of these a name has one at most. */
#define MPTCP_SCHED_RP_KINDS \
	(BIT(MPTCP_SCHED_RP) | BIT(MPTCP_SCHED_R) | BIT(MPTCP_SCHED_RP0) | BIT(MPTCP_SCHED_RP1))

/* What a scheduler can have by itself: all but what is there to compare with. */
#define MPTCP_SCHED_EXT_OWN \
	((BIT(MPTCP_SCHED_EXTENSIONS) - 1) & (~MPTCP_SCHED_RP_KINDS | BIT(MPTCP_SCHED_RP)))

/* Which data a decision is about: subflow->sched_what. All but the first begin at
 * subflow->sched_seq.
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

/* Who may send (pick.c). */
bool mptcp_sched_only_backups(struct mptcp_sock *msk);
bool mptcp_sched_usable(struct mptcp_subflow_context *subflow, bool backups);
struct mptcp_subflow_context *mptcp_sched_by_id(struct mptcp_sock *msk, u32 id);

/* How much (pick.c). */
u32 mptcp_sched_mss(const struct mptcp_subflow_context *subflow);
u32 mptcp_sched_run(const struct mptcp_subflow_context *subflow);
u32 mptcp_sched_cwnd(const struct mptcp_subflow_context *subflow);
u32 mptcp_sched_room(const struct mptcp_subflow_context *subflow);

/* What may be in flight where it is time to look at the lowest RTT, in percent of what fits
 * the path without a queue.
 */
#define MPTCP_SCHED_DRAIN_PERCENT	75

/* What is known of its path (model.c). */
bool mptcp_sched_drains(const struct mptcp_subflow_context *subflow);
u32 mptcp_sched_min_rtt(const struct mptcp_subflow_context *subflow);
u32 mptcp_sched_tcp_min_rtt(const struct tcp_sock *tp);
bool mptcp_sched_has_queue(const struct mptcp_subflow_context *subflow, u32 min_rtt);
bool mptcp_sched_is_full(const struct mptcp_subflow_context *subflow);
u32 mptcp_sched_max_rate(const struct mptcp_subflow_context *subflow);

/* The decision: about the next data, and about other data. */
void mptcp_sched_commit(struct mptcp_sock *msk,
			struct mptcp_subflow_context *subflow, u32 bytes,
			enum mptcp_sched_reason reason);
void mptcp_sched_commit_at(struct mptcp_sock *msk,
			   struct mptcp_subflow_context *subflow,
			   enum mptcp_sched_what what, u64 seq, u32 bytes);
void mptcp_sched_commit_again(struct mptcp_sock *msk,
			      struct mptcp_subflow_context *subflow,
			      u32 owner, u64 seq, u32 bytes);

/* Everything on several subflows (copies.c). */
struct mptcp_sched_choice
mptcp_sched_best_copy(struct mptcp_sock *msk,
		      bool (*may)(struct mptcp_subflow_context *subflow, bool backups));
void mptcp_sched_commit_next(struct mptcp_sock *msk, const struct mptcp_sched_choice *choice);

/* @subflow is short of memory; data up to @seq, @bytes of it unsent, would be of use (sndbuf.c). */
void mptcp_sched_want_memory(const struct mptcp_subflow_context *subflow);
void mptcp_sched_want_written(struct mptcp_sock *msk, u64 seq);
void mptcp_sched_want_unsent(struct mptcp_sock *msk, u64 seq, u32 bytes);

/* The next byte to send in turn. After a subflow failed, data is sent once more,
 * so it is not always snd_nxt; and that counts a DATA_FIN that is out, which is no byte.
 */
static inline u64 mptcp_sched_head(const struct mptcp_sock *msk)
{
	const struct mptcp_data_frag *dfrag = mptcp_send_head((struct sock *)msk);

	return dfrag ? dfrag->data_seq + dfrag->already_sent :
		       msk->snd_nxt - mptcp_data_fin_enabled(msk);
}

/* May the head be sent? It lies within the peer's window; or that is used up and nothing is in
 * flight, so that no ACK would tell when it opens: then the transmit path probes it.
 */
static inline bool mptcp_sched_may_send_new(const struct mptcp_sock *msk)
{
	return mptcp_send_head((struct sock *)msk) &&
	       (before64(mptcp_sched_head(msk), READ_ONCE(msk->wnd_end)) ||
		READ_ONCE(msk->snd_una) == msk->snd_nxt);
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

/* The RTT of @subflow, smoothed, as TCP has it, in 1/8 us. 0: there is no sample yet; as a key that
 * comes first, and gets one that way.
 */
static inline u64 mptcp_sched_srtt(const struct mptcp_subflow_context *subflow)
{
	return READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(subflow))->srtt_us);
}

/* In a ring of subflow ids, does @a come before @b after @last? The one that
 * had the last turn comes at the end; ids of subflows that are gone may serve
 * as @last.
 */
static inline bool mptcp_sched_ring_before(u32 last, u32 a, u32 b)
{
	return a - last - 1 < b - last - 1;
}

/* The subflow with the lowest @key at @now, in us, of those that have room; the first of
 * equals. @key may take note of what it saw. Inlined, so that it costs no indirect call.
 */
static __always_inline struct mptcp_sched_choice
mptcp_sched_lowest(struct mptcp_sock *msk, u64 now,
		   u64 (*key)(struct mptcp_subflow_context *subflow, u64 now))
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
		if (!room)
			continue;
		k = key(subflow, now);
		if (k < best_key) {
			best.subflow = subflow;
			best.room = room;
			best_key = k;
		}
	}

	return best;
}

static inline u64 __mptcp_sched_srtt(struct mptcp_subflow_context *subflow, u64 now)
{
	return mptcp_sched_srtt(subflow);
}

/* That with the lowest RTT, as TCP smooths it. */
static inline struct mptcp_sched_choice mptcp_sched_lowest_rtt(struct mptcp_sock *msk)
{
	return mptcp_sched_lowest(msk, 0, __mptcp_sched_srtt);
}

/* Bytes that are in flight on @subflow, whole segments of them, or wait in its send queue. */
static inline u32 mptcp_sched_queued(const struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));

	return mptcp_sched_in_flight(tp) * mptcp_sched_mss(subflow) +
	       READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_nxt);
}

/* How many segments were delivered, and in how many us: TCP's sample of the rate */
struct mptcp_sched_sample {
	u32 segs;
	u32 us;		/* 0: there is none yet */
};

void mptcp_sched_rp_halve(struct mptcp_subflow_context *subflow, struct tcp_sock *tp);

/* @tp, whose lock is held, is @subflow's, and got a packet: of use if it reports a delivery. */
static inline void mptcp_sched_publish(struct mptcp_subflow_context *subflow,
				       struct tcp_sock *tp)
{
	if (unlikely(READ_ONCE(subflow->sched_halve)))
		mptcp_sched_rp_halve(subflow, tp);
	if (tp->delivered_mstamp == tp->tcp_mstamp)
		mptcp_model_ack(&subflow->model, tp, tcp_clock_ms());
}

static inline struct mptcp_sched_sample
mptcp_sched_sample(const struct mptcp_subflow_context *subflow)
{
	u64 sample = atomic64_read(&subflow->model.sample);

	return (struct mptcp_sched_sample) { .segs = sample >> 32, .us = (u32)sample };
}

/* The rate at which @subflow delivered of late, as TCP took it last, in bytes per ms, at least 1;
 * 0: nothing yet.
 */
static inline u32 mptcp_sched_rate(const struct mptcp_subflow_context *subflow)
{
	struct mptcp_sched_sample sample = mptcp_sched_sample(subflow);
	u64 bytes = (u64)sample.segs * mptcp_sched_mss(subflow) * USEC_PER_MSEC;

	return sample.us ? clamp_t(u64, div_u64(bytes, sample.us), 1, U32_MAX) : 0;
}

/* The rate of @segs segments per RTT of @subflow, likewise: for a beginning. */
static inline u32 mptcp_sched_first_rate(const struct mptcp_subflow_context *subflow, u32 segs)
{
	u64 bytes = (u64)segs * mptcp_sched_mss(subflow) * USEC_PER_MSEC;

	return clamp_t(u64, div_u64(bytes, mptcp_sched_min_rtt(subflow)), 1, U32_MAX);
}

/* The usable subflow with the lowest @key, whether or not it has room, or NULL. */
static __always_inline struct mptcp_subflow_context *
mptcp_sched_first(struct mptcp_sock *msk,
		  u64 (*key)(const struct mptcp_subflow_context *subflow))
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow, *first = NULL;

	mptcp_for_each_subflow(msk, subflow) {
		if (mptcp_sched_usable(subflow, backups) &&
		    (!first || key(subflow) < key(first)))
			first = subflow;
	}

	return first;
}

#endif /* _MPTCP_SCHED_H */
