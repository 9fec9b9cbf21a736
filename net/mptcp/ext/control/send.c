// SPDX-License-Identifier: GPL-2.0
/* The control stream: how a TLV gets to the peer
 *
 * TLVs wait in a queue. The first one is laid into a page and sent as a segment of its own on
 * the best subflow: an skb with its mapping, which TCP neither merges with data nor sends when the
 * congestion or the receiver's window forbids it. TCP sends it again when it is lost.
 * That is not enough: the subflow may die, or what the peer's TCP acknowledged be dropped
 * above, where a middlebox damaged the mapping. So it is sent again on another subflow,
 *
 *  - at once when the subflow that had it last is gone, and
 *  - when no acknowledgment came within the subflow's retransmission timeout, as it is without
 *    losses, twice that time after the second, and so on.
 *
 * A subflow whose TCP still has the TLV gets no second one: TCP goes on with the first. After
 * CONTROL_TRIES the stream is given up: what waits goes as options where there are some, and what
 * was on its way is told as well. The data is not affected.
 *
 * Before the first one, the peer is asked to open the stream (control.c), as often and as long. On
 * a connection that is not fully established, the third ACK is sent again instead.
 *
 * Acknowledgments with S are pure ACKs beside those of the data, which have no room for both. The
 * window that they announce counts from the DATA_ACK that they do not have, so a usual ACK
 * follows each TLV, and an acknowledgment if there is anything new to say: a question is
 * answered by one packet.
 *
 * Locking: see control.c.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"
#include "ext/control/control.h"
#include "sched/core.h"
#include "mib.h"

/* With a timeout of 200 ms, for 51 s */
#define CONTROL_TRIES	8
#define CONTROL_WAIT	(60 * HZ)

/* Whether the stream takes it: there is room. Softirqs may call it. */
bool mptcp_control_queue(struct mptcp_sock *msk, struct mptcp_control_msg *msg)
{
	struct mptcp_control *control = mptcp_control(msk);
	bool own = mptcp_control_is_own(msg->type);
	bool room;

	spin_lock_bh(&control->lock);
	room = mptcp_control_sends(control) &&
	       (own ? !control->own_waits : control->queue_nr < MPTCP_CONTROL_QUEUE);
	if (room) {
		list_add_tail(&msg->list, &control->queue);
		if (own)
			WRITE_ONCE(control->own_waits, true);
		else
			control->queue_nr++;
	}
	spin_unlock_bh(&control->lock);

	if (room)
		mptcp_schedule_work((struct sock *)msk);
	return room;
}

/* Of those that wait and the one on its way, @is any so to @msg? */
bool mptcp_control_any(struct mptcp_control *control, const struct mptcp_control_msg *msg,
		       bool (*is)(const struct mptcp_control_msg *,
				  const struct mptcp_control_msg *))
{
	const struct mptcp_control_msg *other;
	bool any;

	spin_lock_bh(&control->lock);
	any = control->sending && is(control->sending, msg);
	list_for_each_entry(other, &control->queue, list)
		any |= is(other, msg);
	spin_unlock_bh(&control->lock);
	return any;
}

/* The options of a pure ACK that speaks of the stream. */
bool mptcp_control_options(struct mptcp_subflow_context *subflow, unsigned int *size,
			   struct mptcp_out_options *opts)
{
	struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	struct mptcp_ext *ext = &opts->ext_copy;

	*size = TCPOLEN_MPTCP_DSS_BASE;
	ext->payload = MPTCP_PAYLOAD_CONTROL;
	if (subflow->control_say == MPTCP_CONTROL_SAY_ACK) {
		*size += TCPOLEN_MPTCP_DSS_ACK64;
		ext->use_ack = 1;
		ext->ack64 = 1;
		/* as each DATA_ACK announces what there is room for, the window must shrink */
		tp->rcv_wnd = tp->rcv_nxt - tp->rcv_wup;
	}
	opts->suboptions = OPTION_MPTCP_DSS;
	return true;
}

/* Does its TCP still have a TLV? */
static bool control_has_copy(struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	/* without the subflow's lock: what is sent meanwhile comes on top */
	u32 una = READ_ONCE(tp->snd_una);

	if (subflow->control_sent &&
	    !mptcp_control_has(una, READ_ONCE(tp->write_seq), subflow->control_end))
		subflow->control_sent = false;
	return subflow->control_sent;
}

static bool control_usable(struct mptcp_subflow_context *subflow)
{
	return !subflow->closing && !subflow->resetting && mptcp_subflow_active(subflow);
}

/* The subflow with that id, if it can be used. */
struct mptcp_subflow_context *mptcp_control_subflow(struct mptcp_sock *msk, u32 id)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		if (subflow->subflow_id == id)
			return control_usable(subflow) ? subflow : NULL;
	}
	return NULL;
}

/* The least is best: first those that had it not last, then the lowest RTT. */
static u64 control_rank(const struct mptcp_subflow_context *subflow, u32 last)
{
	u64 rtt = READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(subflow))->srtt_us);
	bool backup = mptcp_sched_is_backup(subflow);

	return rtt | (u64)(subflow->subflow_id == last) << 32 | (u64)backup << 33;
}

/* @copies: a subflow whose TCP still has a TLV is good as well */
static struct mptcp_subflow_context *control_pick(struct mptcp_sock *msk, u32 last, bool copies)
{
	struct mptcp_subflow_context *subflow, *best = NULL;

	mptcp_for_each_subflow(msk, subflow) {
		if (!control_usable(subflow) || (!copies && control_has_copy(subflow)))
			continue;
		if (!best || control_rank(subflow, last) < control_rank(best, last))
			best = subflow;
	}
	return best;
}

static void control_reset_timer(struct mptcp_control *control, unsigned long wait)
{
	control->expired = false;
	sk_reset_timer(control->sk, &control->timer, jiffies + wait);
}

/* How long to wait for an answer of that subflow: longer from try to try. */
static unsigned long control_patience(const struct mptcp_control *control, const struct sock *ssk)
{
	const struct tcp_sock *tp = tcp_sk(ssk);
	unsigned long rto = usecs_to_jiffies((READ_ONCE(tp->srtt_us) >> 3) +
					     READ_ONCE(tp->rttvar_us));

	return min_t(unsigned long, rto << min_t(u8, control->tries, CONTROL_TRIES), CONTROL_WAIT);
}

/* The window as @ssk announces it, in units of its scale */
static u32 control_window(const struct sock *ssk)
{
	return tcp_sk(ssk)->rcv_wnd >> tcp_sk(ssk)->rx_opt.rcv_wscale;
}

/* Say something in a pure ACK. If it took the place of one that was due, or tells of another
 * window than the last one, which nobody understands without a DATA_ACK, a usual one follows.
 */
static void control_say(struct mptcp_subflow_context *subflow, enum mptcp_control_say what)
{
	struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
	bool slow = lock_sock_fast(ssk);
	bool due = inet_csk_ack_scheduled(ssk);
	u32 window = control_window(ssk);

	subflow->control_say = what;
	__mptcp_subflow_send_ack(ssk);
	/* it may not have been sent, and must not stand in the way of DATA_ACKs */
	subflow->control_say = MPTCP_CONTROL_SAY_NOTHING;
	if (due || window != control_window(ssk))
		__mptcp_subflow_send_ack(ssk);
	unlock_sock_fast(ssk, slow);
}

/* Acknowledge what came, where it came from. */
void mptcp_control_answer(struct mptcp_sock *msk, struct mptcp_control *control)
{
	struct mptcp_subflow_context *subflow;
	bool due;

	spin_lock_bh(&control->lock);
	due = control->answer;
	control->answer = false;
	spin_unlock_bh(&control->lock);
	if (!due || !mptcp_end_stream(msk))
		return;

	subflow = mptcp_control_subflow(msk, READ_ONCE(control->rcv_on));
	if (!subflow)
		subflow = control_pick(msk, 0, true);
	if (subflow)
		control_say(subflow, MPTCP_CONTROL_SAY_ACK);
}

static u32 control_whole(const struct mptcp_control *control)
{
	return MPTCP_CONTROL_HEADER + get_unaligned_be16(page_address(control->page) + 2);
}

/* Queue @len bytes of @page on @ssk, locked, behind what it has to send: one segment in any case,
 * with a mapping of its own to @seq, which the caller says the meaning of. The page is charged to
 * the subflow, as its data is. NULL: there is no memory.
 */
struct mptcp_ext *mptcp_control_map(struct mptcp_sock *msk, struct sock *ssk, struct page *page,
				    u32 offset, u32 len, u64 seq, bool data_lock_held)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct sk_buff *skb, *tail = tcp_write_queue_tail(ssk);
	struct mptcp_ext *ext;

	skb = mptcp_alloc_tx_skb((struct sock *)msk, ssk, data_lock_held);
	if (!skb)
		return NULL;
	if (tail)
		TCP_SKB_CB(tail)->eor = 1;
	if (!sk_wmem_schedule(ssk, len))
		sk_forced_mem_schedule(ssk, len);

	get_page(page);
	skb_fill_page_desc(skb, 0, page, offset, len);
	skb->len += len;
	skb->data_len += len;
	skb->truesize += len;
	sk_wmem_queued_add(ssk, len);
	sk_mem_charge(ssk, len);
	WRITE_ONCE(tcp_sk(ssk)->write_seq, tcp_sk(ssk)->write_seq + len);
	TCP_SKB_CB(skb)->end_seq += len;
	TCP_SKB_CB(skb)->eor = 1;
	tcp_skb_pcount_set(skb, 0);

	ext = mptcp_get_ext(skb);
	memset(ext, 0, sizeof(*ext));
	ext->data_seq = seq;
	ext->subflow_seq = subflow->rel_write_seq;
	ext->data_len = len;
	ext->use_map = 1;
	ext->dsn64 = 1;
	ext->frozen = 1;
	if (READ_ONCE(msk->csum_enabled))
		ext->csum = csum_fold(skb_checksum(skb, 0, len, 0));
	subflow->rel_write_seq += len;
	return ext;
}

/* What of it is not acknowledged, as a segment of its own behind what the subflow has to send. */
static bool control_xmit(struct mptcp_sock *msk, struct mptcp_control *control,
			 struct mptcp_subflow_context *subflow)
{
	struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
	struct mptcp_ext *ext = NULL;
	u32 len;
	u64 una;

	spin_lock_bh(&control->lock);
	una = control->snd_una;
	len = control->snd_nxt - una;
	spin_unlock_bh(&control->lock);

	lock_sock(ssk);
	if (!len || !__tcp_can_send(ssk))
		goto unlock;
	ext = mptcp_control_map(msk, ssk, control->page, control_whole(control) - len, len, una,
				false);
	if (!ext)
		goto unlock;

	ext->payload = MPTCP_PAYLOAD_CONTROL;
	subflow->control_end = tcp_sk(ssk)->write_seq;
	subflow->control_sent = true;
	__tcp_push_pending_frames(ssk, tcp_current_mss(ssk), TCP_NAGLE_PUSH);
	__mptcp_subflow_send_ack(ssk);
unlock:
	release_sock(ssk);
	return ext;
}

/* The one on its way is no more: it arrived, or will never. */
static void control_done(struct mptcp_control *control)
{
	bool own = mptcp_control_is_own(control->sending->type);
	struct mptcp_control_msg *msg;

	put_page(control->page);
	control->page = NULL;
	control->tries = 0;
	spin_lock_bh(&control->lock);
	control->snd_nxt = control->snd_una;
	msg = control->sending;
	control->sending = NULL;
	if (own)
		WRITE_ONCE(control->own_waits, false);
	spin_unlock_bh(&control->lock);
	kfree(msg);
	if (own)
		mptcp_control_wake(control, EPOLLWRBAND);
}

/* Lay @msg out as it is sent, from @seq on. */
static void control_lay(struct mptcp_sock *msk, const struct mptcp_control_msg *msg, u16 hmac,
			u64 seq)
{
	u8 *to = page_address(msk->control->page);

	put_unaligned_be16(msg->type, to);
	put_unaligned_be16(msg->len + hmac, to + 2);
	to += MPTCP_CONTROL_HEADER;
	memcpy(to, msg->value, msg->len);
	if (hmac)
		put_unaligned_be64(mptcp_control_hmac(msk, true, seq, msg->type, msg->value,
						      msg->len), to + msg->len);
}

/* The next one is on its way. */
static bool control_next(struct mptcp_sock *msk, struct mptcp_control *control)
{
	struct mptcp_control_msg *msg;
	u16 hmac;
	u64 seq;

	control->page = alloc_page(GFP_KERNEL_ACCOUNT);
	if (!control->page)
		return false;

	spin_lock_bh(&control->lock);
	msg = list_first_entry(&control->queue, struct mptcp_control_msg, list);
	list_del(&msg->list);
	control->sending = msg;
	if (!mptcp_control_is_own(msg->type))
		control->queue_nr--;
	hmac = mptcp_control_is_signed(msg->type) ? MPTCP_CONTROL_HMAC : 0;
	seq = control->snd_una;
	control->snd_nxt = seq + MPTCP_CONTROL_HEADER + msg->len + hmac;
	spin_unlock_bh(&control->lock);

	control_lay(msk, msg, hmac, seq);
	control->tries = 0;
	control->snd_on = 0;
	return true;
}

/* Free all that waits. By who owns the socket, which pays for what came. */
void mptcp_control_forget(struct mptcp_control *control)
{
	struct mptcp_control_msg *msg, *tmp;
	LIST_HEAD(gone);

	if (control->page)
		put_page(control->page);
	control->page = NULL;
	control->tries = 0;
	control->snd_on = 0;
	WRITE_ONCE(control->early, false);
	mptcp_data_lock(control->sk);
	spin_lock(&control->lock);
	list_splice_init(&control->queue, &gone);
	if (control->sending)
		list_add(&control->sending->list, &gone);
	control->sending = NULL;
	control->queue_nr = 0;
	WRITE_ONCE(control->own_waits, false);
	control->rcv_done = false;
	control->answer = false;
	control->snd_nxt = control->snd_una;
	kfree_skb(control->rcv_value);
	control->rcv_value = NULL;
	control->rcv_got = 0;
	__skb_queue_purge(&control->unread);
	__skb_queue_purge(&control->deferred);
	WRITE_ONCE(control->rcv_size, 0);
	spin_unlock(&control->lock);
	mptcp_data_unlock(control->sk);
	bitmap_zero(control->announced, MPTCP_PM_MAX_ADDR_ID + 1);
	memset(control->removed, 0, sizeof(control->removed));
	list_for_each_entry_safe(msg, tmp, &gone, list)
		kfree(msg);
}

/* The peer does not answer. What has an option goes there; the stream is not tried again. */
static void control_give_up(struct mptcp_sock *msk, struct mptcp_control *control)
{
	struct mptcp_control_msg *msg = control->sending, *tmp;
	LIST_HEAD(queue);

	spin_lock_bh(&control->lock);
	WRITE_ONCE(control->state, MPTCP_CONTROL_GIVEN_UP);
	list_splice_init(&control->queue, &queue);
	spin_unlock_bh(&control->lock);
	MPTCP_INC_STATS(sock_net(control->sk), MPTCP_MIB_CONTROLGIVENUP);

	if (msg)
		mptcp_control_as_option(msk, msg->type, msg->value, msg->len);
	list_for_each_entry_safe(msg, tmp, &queue, list) {
		mptcp_control_as_option(msk, msg->type, msg->value, msg->len);
		kfree(msg);
	}

	if (control->page)
		control_done(control);
	spin_lock_bh(&control->lock);
	WRITE_ONCE(control->own_waits, false);
	control->queue_nr = 0;
	spin_unlock_bh(&control->lock);
	mptcp_control_wake(control, EPOLLWRBAND);
}

/* Ask the peer to open the stream; before, have it know our key. */
static void control_open(struct mptcp_sock *msk, struct mptcp_control *control)
{
	struct mptcp_subflow_context *subflow = control_pick(msk, 0, true);
	enum mptcp_control_say what = MPTCP_CONTROL_SAY_NOTHING;

	if (!subflow) {
		control_reset_timer(control, HZ);
		return;
	}
	WRITE_ONCE(control->early, true);
	if (READ_ONCE(subflow->fully_established)) {
		WRITE_ONCE(control->early, false);
		if (!mptcp_end_stream(msk)) {
			control_give_up(msk, control);
			return;
		}
		what = MPTCP_CONTROL_SAY_ASK;
	}
	control_say(subflow, what);
	control_reset_timer(control, control_patience(control, mptcp_subflow_tcp_sock(subflow)));
	control->tries++;
}

/* Where the one on its way goes next */
static struct mptcp_subflow_context *control_pick_next(struct mptcp_sock *msk,
						       const struct mptcp_control *control)
{
	struct mptcp_subflow_context *place = NULL;

	if (!control->tries)
		place = mptcp_control_place(msk, control->sending);
	/* the peer may not know it yet */
	if (place && !READ_ONCE(place->fully_established))
		return NULL;
	return place && control_usable(place) && !control_has_copy(place) ? place :
	       control_pick(msk, control->snd_on, false);
}

/* The one on its way, for the first time or again. */
static void control_push(struct mptcp_sock *msk, struct mptcp_control *control)
{
	struct mptcp_subflow_context *subflow = control_pick_next(msk, control);

	/* no subflow, or each has it, or it has not joined yet, or no memory */
	if (!subflow || !control_xmit(msk, control, subflow)) {
		control_reset_timer(control, HZ);
		return;
	}
	if (control->tries) {
		control->info.again++;
		MPTCP_INC_STATS(sock_net(control->sk), MPTCP_MIB_CONTROLAGAIN);
	} else {
		control->info.sent++;
		MPTCP_INC_STATS(sock_net(control->sk), MPTCP_MIB_CONTROLTX);
	}
	control->snd_on = subflow->subflow_id;
	control_reset_timer(control, control_patience(control, mptcp_subflow_tcp_sock(subflow)));
	control->tries++;
}

/* Did the peer get all of it? */
static bool control_arrived(struct mptcp_sock *msk, struct mptcp_control *control)
{
	const struct mptcp_control_msg *msg = control->sending;
	bool whole;

	spin_lock_bh(&control->lock);
	whole = control->snd_una == control->snd_nxt;
	spin_unlock_bh(&control->lock);
	if (!whole)
		return false;

	control->info.acked++;
	mptcp_control_arrived(msk, msg->type, msg->value, msg->len);
	control_done(control);
	return true;
}

/* Is it time to send again? */
static bool control_again(struct mptcp_sock *msk, const struct mptcp_control *control)
{
	return READ_ONCE(control->expired) || !control->tries ||
	       (control->snd_on && !mptcp_control_subflow(msk, control->snd_on));
}

/* Do what is to be done for what waits. */
void mptcp_control_send(struct mptcp_sock *msk, struct mptcp_control *control)
{
	bool open = READ_ONCE(control->state) == MPTCP_CONTROL_OPEN;

	if (control->page)
		control_arrived(msk, control);
	if (!control->page && list_empty_careful(&control->queue)) {
		sk_stop_timer(control->sk, &control->timer);
		return;
	}
	if (open && !control->page && !control_next(msk, control)) {
		control_reset_timer(control, HZ);
		return;
	}
	if (!control_again(msk, control))
		return;
	if (control->tries >= CONTROL_TRIES)
		control_give_up(msk, control);
	else if (open)
		control_push(msk, control);
	else
		control_open(msk, control);
}
