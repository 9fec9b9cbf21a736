// SPDX-License-Identifier: GPL-2.0
/* Restart: when a middlebox has broken the last subflow of a connection, go on as
 * TCP on a new one.
 *
 * A middlebox that begins to remove options in mid-connection, or to change what
 * is sent, breaks the subflows that pass it: without mappings their bytes have no
 * place in the data sequence, with a wrong checksum they are not what was sent.
 * RFC 8684 has a connection with one subflow go on as TCP, by an infinite mapping;
 * one of several subflows is closed. When all of them are behind such a box all get
 * closed, and the connection dies where one of TCP would live. Section 3.7 has the
 * way out: "The sender MAY attempt to create a new subflow belonging to the same
 * connection and, if it chooses to do so, it SHOULD place the single subflow
 * immediately in single-path mode by setting an infinite data sequence mapping.
 * This mapping will begin from the data sequence number that was declared in the
 * MP_FAIL by the receiver."
 *
 * So both ends have to know where the other one's stream begins on the new subflow,
 * and that it is the only one:
 *
 *   client                                            server
 *      all subflows are closed; at least one broke: BROKEN
 *      -------------- MP_JOIN, four segments ---------->
 *      nothing is sent on it                           (if it knows: nor here)
 *   ASKED: what is out of order is dropped
 *      -------- DSS, MP_FAIL (what it expects next) --->
 *                                                      what is out of order is
 *                                                      dropped; it fell back
 *      <------- MP_FAIL (what it expects next) ---------
 *   it fell back
 *      <======= both streams, as TCP; the first ========>
 *               segment has an infinite mapping
 *
 * MP_FAIL is not reliable: the client repeats its own until it is answered, and the
 * server answers each; its first segment of data is an answer, too: it has DATA_ACK.
 * The subflow must not have carried anything before, in either
 * direction: so the sequence numbers of TCP tell all, even if no option gets through
 * from here on. If the server sent data on the new subflow, since it did not know
 * that the others are gone, it resets it; now it knows, and the client tries again.
 *
 * A peer that does not know this answer to MP_FAIL never answers: the client gives
 * up after a while, as it did at once before there was a restart. A subflow that is
 * reset counts as broken, too: a RST that goes through such a middlebox has lost the
 * option which says why. If the peer is gone the restart fails in one round trip.
 *
 * Each end sends again what the other one did not get, from the data sequence number
 * that MP_FAIL declared: mptcp_restart_rewind().
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched.h"

#define MPTCP_RESTART_TRIES	3	/* joins */
#define MPTCP_RESTART_ASKS	6	/* MP_FAILs on one, each after twice the time */
#define MPTCP_RESTART_LINGER	(8 * HZ) /* what is closed already waits so long for the peer */

void mptcp_restart_init(struct mptcp_sock *msk)
{
	memset(&msk->restart, 0, sizeof(msk->restart));
	INIT_LIST_HEAD(&msk->restart.replaced);
}

/* The path of this subflow changes what it carries. */
void mptcp_reset_broken(struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);

	lock_sock(ssk);
	subflow->broken = 1;
	subflow->reset_transient = 0;
	subflow->reset_reason = MPTCP_RST_EMIDDLEBOX;
	mptcp_subflow_reset(ssk);
	release_sock(ssk);
}

/* A reset came. With MP_TCPRST the peer says why; decisions of the peer's
 * administrator or application are none of a middlebox.
 */
void mptcp_restart_reset_received(struct mptcp_subflow_context *subflow,
				  const struct mptcp_options_received *mp_opt)
{
	const u16 broken = BIT(MPTCP_RST_EUNSPEC) | BIT(MPTCP_RST_EMPTCP) |
			   BIT(MPTCP_RST_EMIDDLEBOX);

	if (!subflow->fully_established || mp_opt->suboptions & OPTION_MPTCP_FASTCLOSE)
		return;
	if (mp_opt->suboptions & OPTION_MPTCP_RST && !(BIT(mp_opt->reset_reason) & broken))
		return;
	subflow->broken = 1;
}

/* The caller holds both locks and is about to close @ssk. If it broke its path is the
 * one to try again, unless the peer had opened it.
 */
void mptcp_restart_note(struct mptcp_sock *msk, struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	bool opened_here = !subflow->mp_join || subflow->request_join;
	struct sock_common *path = (struct sock_common *)(opened_here ? ssk : (struct sock *)msk);
	struct mptcp_restart *restart = &msk->restart;

	/* One that was refused tells nothing. The only one falls back by itself, unless
	 * the peer could not.
	 */
	if (__mptcp_check_fallback(msk) || !READ_ONCE(subflow->fully_established) ||
	    (READ_ONCE(msk->allow_infinite_fallback) && !subflow->reset_seen))
		return;

	restart->broken = subflow->broken;
	if (!restart->broken)
		return;
	mptcp_local_address(path, &restart->local.addr);
	mptcp_remote_address(path, &restart->remote);
	restart->local.addr.port = 0;
	restart->local.addr.id = opened_here ? max_t(int, subflow->local_id, 0) : 0;
	restart->remote.id = opened_here ? READ_ONCE(subflow->remote_id) : 0;
	restart->local.ifindex = opened_here ? ssk->sk_bound_dev_if : 0;
}

/* Is there anything left that a new subflow would be for? */
static bool mptcp_restart_wanted(const struct sock *sk)
{
	const struct mptcp_sock *msk = mptcp_sk(sk);

	if (!msk->restart.broken || !READ_ONCE(msk->fully_established) || msk->in_accept_queue ||
	    __mptcp_check_fallback(msk) || msk->restart.tries >= MPTCP_RESTART_TRIES ||
	    !((1 << inet_sk_state_load(sk)) & (TCPF_ESTABLISHED | MPTCP_RESTART_STATES)))
		return false;
	if (READ_ONCE(msk->snd_una) != READ_ONCE(msk->write_seq))
		return true;
	return !sock_flag(sk, SOCK_DEAD) && !(READ_ONCE(sk->sk_shutdown) & RCV_SHUTDOWN);
}

static void mptcp_restart_schedule(struct mptcp_sock *msk)
{
	set_bit(MPTCP_WORK_RESTART, &msk->flags);
	mptcp_schedule_work((struct sock *)msk);
}

static void mptcp_restart_set_close_tout(struct sock *sk)
{
	u32 tout = mptcp_close_timeout(sk);

	mptcp_start_tout_timer(sk);
	if (sk->sk_state == TCP_ESTABLISHED || tout < MPTCP_RESTART_LINGER)
		return;
	mptcp_set_close_tout(sk, tcp_jiffies32 - tout + MPTCP_RESTART_LINGER);
	mptcp_reset_tout_timer(mptcp_sk(sk), 0);
}

/* All subflows are closed. True if the connection shall wait for a new one. */
bool mptcp_restart_wait(struct sock *sk)
{
	struct mptcp_sock *msk = mptcp_sk(sk);

	msk_owned_by_me(msk);

	if (!mptcp_restart_wanted(sk)) {
		WRITE_ONCE(msk->restart.state, MPTCP_RESTART_NONE);
		return false;
	}

	if (msk->restart.state == MPTCP_RESTART_NONE || !inet_csk(sk)->icsk_mtup.probe_timestamp)
		mptcp_restart_set_close_tout(sk);
	/* an attempt may have failed after it was agreed to be the only subflow */
	spin_lock_bh(&msk->fallback_lock);
	msk->allow_subflows = true;
	spin_unlock_bh(&msk->fallback_lock);
	WRITE_ONCE(msk->restart.state, MPTCP_RESTART_BROKEN);
	if (!READ_ONCE(msk->pm.server_side))
		mptcp_restart_schedule(msk);
	return true;
}

/* Softirq, under the lock of the subflow, which has joined. */
void mptcp_restart_joined(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow)
{
	if (subflow->request_join && READ_ONCE(msk->restart.state) == MPTCP_RESTART_BROKEN &&
	    !READ_ONCE(msk->pm.server_side))
		mptcp_restart_schedule(msk);
}

static void mptcp_restart_note_answer(struct mptcp_subflow_context *subflow, u64 seq)
{
	subflow->restart_seq = seq;
	subflow->restart_answered = 1;
	mptcp_restart_schedule(mptcp_sk(subflow->conn));
}

/* Softirq, under the lock of the subflow: MP_FAIL without a reset came on a joined
 * subflow. False if it is not about a restart.
 */
bool mptcp_restart_fail_received(struct sock *ssk, const struct sk_buff *skb, u64 fail_seq)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);

	if (tcp_hdr(skb)->rst || !(subflow->mp_join || subflow->request_join))
		return false;

	mptcp_restart_note_answer(subflow, fail_seq);
	return true;
}

/* Softirq, under the lock of the subflow, on which this end asked: the segment with
 * the infinite mapping says what MP_FAIL does, if that was lost.
 */
void mptcp_restart_map_received(struct sock *ssk, const struct mptcp_options_received *mp_opt)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(subflow->conn);

	if (!mp_opt->use_map || mp_opt->data_len || !mp_opt->use_ack)
		return;
	mptcp_restart_note_answer(subflow, mptcp_expand_seq(READ_ONCE(msk->snd_una),
							    mp_opt->data_ack, mp_opt->ack64));
}

static void mptcp_restart_send_fail(struct sock *ssk)
{
	mptcp_subflow_ctx(ssk)->send_mp_fail = 1;
	tcp_send_ack(ssk);
}

/* Softirq, under the lock of the subflow: this end answered and fell back. If the
 * peer asks again the answer was lost.
 */
void mptcp_restart_answer_again(struct sock *ssk, const struct sk_buff *skb)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_options_received mp_opt;

	if (subflow->request_join)
		return;

	mptcp_get_options(skb, &mp_opt);
	if (mp_opt.suboptions & OPTION_MPTCP_FAIL && mp_opt.fail_seq == subflow->restart_seq)
		mptcp_restart_send_fail(ssk);
}

/* Nothing was sent on this subflow, and nothing came. */
static bool mptcp_restart_unused(const struct sock *ssk)
{
	const struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);

	return subflow->rel_write_seq == 1 && ssk->sk_state == TCP_ESTABLISHED &&
	       tcp_sk(ssk)->rcv_nxt == subflow->ssn_offset + 1;
}

/* @ssk is the only subflow from now on. The one that was the first one until now
 * stays until the connection goes: see the comment at msk->first.
 */
static void mptcp_restart_only(struct sock *sk, struct sock *ssk)
{
	struct mptcp_subflow_context *other, *tmp;
	struct mptcp_sock *msk = mptcp_sk(sk);
	struct sock *old = msk->first;

	mptcp_for_each_subflow_safe(msk, other, tmp) {
		struct sock *other_ssk = mptcp_subflow_tcp_sock(other);

		if (other_ssk == ssk)
			continue;
		lock_sock(other_ssk);
		mptcp_subflow_reset(other_ssk);
		release_sock(other_ssk);
		mptcp_close_ssk(sk, other_ssk, other);
	}

	if (old == ssk)
		return;
	WRITE_ONCE(msk->first, ssk);
	list_move(&mptcp_subflow_ctx(old)->node, &msk->restart.replaced);
	lock_sock(old);
	old->sk_socket = NULL;
	old->sk_wq = NULL;
	release_sock(old);
}

/* From here on, what comes on @ssk is what comes next. */
static void mptcp_restart_freeze(struct sock *sk, struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(sk);

	spin_lock_bh(&msk->fallback_lock);
	msk->allow_subflows = false;
	spin_unlock_bh(&msk->fallback_lock);

	mptcp_data_lock(sk);
	skb_rbtree_purge(&msk->out_of_order_queue);
	msk->ooo_last_skb = NULL;
	WRITE_ONCE(msk->rcv_data_fin, 0);
	subflow->iasn = msk->ack_seq;
	subflow->map_seq = msk->ack_seq;
	subflow->map_valid = 0;
	mptcp_data_unlock(sk);
}

static void mptcp_restart_set_timer(struct mptcp_sock *msk, struct sock *ssk)
{
	unsigned long tout = inet_csk(ssk)->icsk_rto << msk->restart.asks++;

	tout = jiffies + min_t(unsigned long, tout, TCP_RTO_MAX);
	WRITE_ONCE(mptcp_subflow_ctx(ssk)->fail_tout, tout ? : 1);
	mptcp_reset_tout_timer(msk, tout ? : 1);
}

/* The client's new subflow is ready. */
static void mptcp_restart_ask(struct sock *sk, struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(sk);

	lock_sock(ssk);
	subflow->restart = mptcp_restart_unused(ssk);
	release_sock(ssk);
	if (!sock_flag(sk, SOCK_DEAD))
		mptcp_stop_tout_timer(sk);
	if (!subflow->restart) {
		/* The peer sends mappings here: it goes on with many paths. */
		WRITE_ONCE(msk->restart.state, MPTCP_RESTART_NONE);
		__mptcp_push_pending(sk, 0);
		return;
	}

	WRITE_ONCE(msk->restart.state, MPTCP_RESTART_ASKED);
	mptcp_restart_only(sk, ssk);
	msk->restart.asks = 0;

	lock_sock(ssk);
	mptcp_restart_freeze(sk, ssk);
	mptcp_restart_send_fail(ssk);
	mptcp_restart_set_timer(msk, ssk);
	release_sock(ssk);
}

/* No answer. False if it was asked often enough. */
bool mptcp_restart_ask_again(struct sock *sk)
{
	struct mptcp_sock *msk = mptcp_sk(sk);
	struct sock *ssk = msk->first;

	if (msk->restart.state != MPTCP_RESTART_ASKED)
		return false;
	if (msk->restart.asks >= MPTCP_RESTART_ASKS) {
		msk->restart.tries = MPTCP_RESTART_TRIES;
		return false;
	}

	lock_sock(ssk);
	mptcp_restart_send_fail(ssk);
	mptcp_restart_set_timer(msk, ssk);
	release_sock(ssk);
	return true;
}

/* What is to be sent, from where the peer wants it: that is acknowledged, nothing
 * behind it is sent. A DATA_FIN becomes a FIN, even if the peer had it.
 */
static void mptcp_restart_rewind(struct sock *sk, u64 seq)
{
	struct mptcp_sock *msk = mptcp_sk(sk);
	struct mptcp_data_frag *dfrag;

	if (msk->snd_data_fin_enable && seq == msk->write_seq)
		seq--;
	mptcp_sched_drop_ahead(msk);
	msk->recovery = false;
	msk->snd_burst = 0;
	WRITE_ONCE(msk->snd_nxt, seq);
	msk->first_pending = list_first_entry_or_null(&msk->rtx_queue, typeof(*dfrag), list);
	list_for_each_entry(dfrag, &msk->rtx_queue, list)
		dfrag->already_sent = after64(seq, dfrag->data_seq) ? seq - dfrag->data_seq : 0;
}

/* May the peer want that? Acknowledges it, if so. */
static bool mptcp_restart_acked(struct sock *sk, u64 seq)
{
	struct mptcp_sock *msk = mptcp_sk(sk);
	bool valid;

	mptcp_data_lock(sk);
	valid = !before64(seq, msk->snd_una) && !after64(seq, msk->snd_nxt);
	if (valid) {
		__mptcp_snd_una_update(msk, seq);
		__mptcp_clean_una_wakeup(sk);
	}
	mptcp_data_unlock(sk);
	return valid;
}

/* Not on this subflow. But the peer has no other one. */
static void mptcp_restart_refuse(struct sock *sk, struct sock *ssk)
{
	struct mptcp_sock *msk = mptcp_sk(sk);

	if (!msk->in_accept_queue)
		mptcp_restart_only(sk, ssk);
	WRITE_ONCE(msk->restart.state, MPTCP_RESTART_BROKEN);
	mptcp_reset_broken(ssk);
}

/* The peer said where this end's stream begins: go on as TCP. */
static void mptcp_restart_go_on(struct sock *sk, struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(sk);
	bool asked = subflow->restart;

	WRITE_ONCE(msk->restart.state, MPTCP_RESTART_ASKED);
	lock_sock(ssk);
	subflow->restart_answered = 0;
	subflow->restart = asked || mptcp_restart_unused(ssk);
	release_sock(ssk);
	if (!subflow->restart || msk->in_accept_queue ||
	    !mptcp_restart_acked(sk, subflow->restart_seq)) {
		mptcp_restart_refuse(sk, ssk);
		return;
	}
	mptcp_restart_only(sk, ssk);

	lock_sock(ssk);
	if (!asked)
		mptcp_restart_freeze(sk, ssk);
	mptcp_data_lock(sk);
	mptcp_restart_rewind(sk, subflow->restart_seq);
	spin_lock(&msk->fallback_lock);
	set_bit(MPTCP_FALLBACK_DONE, &msk->flags);
	clear_bit(MPTCP_RTX_ENABLED, &msk->flags);
	spin_unlock(&msk->fallback_lock);
	mptcp_data_unlock(sk);
	WRITE_ONCE(subflow->fail_tout, 0);
	subflow->send_infinite_map = 1;
	if (!asked)
		mptcp_restart_send_fail(ssk);
	if (ssk->sk_shutdown & RCV_SHUTDOWN)
		mptcp_fin_as_tcp(msk);
	release_sock(ssk);

	WRITE_ONCE(msk->restart.state, MPTCP_RESTART_NONE);
	MPTCP_INC_STATS(sock_net(sk), MPTCP_MIB_RESTARTFALLBACK);
	if (sock_flag(sk, SOCK_DEAD))
		mptcp_start_close_tout(sk);
	__mptcp_push_pending(sk, 0);
	mptcp_check_send_data_fin(sk);
	mptcp_check_first(sk);
}

static void mptcp_restart_connect(struct sock *sk)
{
	struct mptcp_sock *msk = mptcp_sk(sk);

	msk->restart.tries++;
	/* __mptcp_subflow_connect() and the end of the subflow take it off again */
	spin_lock_bh(&msk->pm.lock);
	msk->pm.subflows++;
	spin_unlock_bh(&msk->pm.lock);
	if (__mptcp_subflow_connect(sk, &msk->restart.local, &msk->restart.remote))
		mptcp_check_all_closed(sk);
}

/* The part of the worker, which holds the msk lock. */
void mptcp_restart_work(struct sock *sk)
{
	struct mptcp_subflow_context *subflow;
	struct mptcp_sock *msk = mptcp_sk(sk);
	bool alive = false;

	if (__mptcp_check_fallback(msk))
		return;

	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);

		if (inet_sk_state_load(ssk) == TCP_CLOSE)
			continue;
		if (subflow->restart_answered) {
			mptcp_restart_go_on(sk, ssk);
			return;
		}
		alive = true;
	}
	if (msk->restart.state != MPTCP_RESTART_BROKEN || READ_ONCE(msk->pm.server_side))
		return;
	if (!alive) {
		mptcp_restart_connect(sk);
		return;
	}
	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);

		if (subflow->request_join && READ_ONCE(subflow->fully_established) &&
		    inet_sk_state_load(ssk) != TCP_CLOSE) {
			mptcp_restart_ask(sk, ssk);
			return;
		}
	}
}
