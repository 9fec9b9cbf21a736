// SPDX-License-Identifier: GPL-2.0
/* The control stream: what the peer sends
 *
 * A segment whose mapping has S comes through its subflow in order, as data does, and goes
 * through the same checks: mappings, lengths, checksums. Where data would be passed on,
 * mptcp_control_take() takes the bytes out.
 *
 * The next TLV is put together in a buffer of its size, which is charged to the connection as
 * data is; without memory it is dropped. What was there before is skipped; what is further
 * back than the next byte is dropped: the peer sends a TLV as a whole, so what is dropped
 * comes again. While a whole one waits for the worker nothing is taken: the
 * peer may not have sent more. Values longer than MPTCP_CONTROL_MAX, and those that would make what
 * the application has not read more than a quarter of the receive buffer, are read and thrown
 * away. So a peer can have one buffer filled, and makes one piece of work at a time.
 *
 * Acknowledged are whole TLVs, by the worker, once it has read them; and again whatever
 * comes again, since the acknowledgment may have been lost. One for which there is no room where it
 * goes to is dropped as one without memory is.
 *
 * Locking: see control.c.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"
#include "ext/control/control.h"
#include "mib.h"

/* The peer says something with S, so it gave up falling back. */
static void control_opened(struct mptcp_control *control)
{
	spin_lock_bh(&control->lock);
	if (control->state == MPTCP_CONTROL_AGREED)
		WRITE_ONCE(control->state, MPTCP_CONTROL_OPEN);
	spin_unlock_bh(&control->lock);
}

/* The peer acknowledges up to @ack. */
static void control_ack(struct mptcp_control *control, u64 ack, bool wide)
{
	spin_lock_bh(&control->lock);
	ack = mptcp_expand_seq(control->snd_una, ack, wide);
	if (after64(ack, control->snd_una) && !after64(ack, control->snd_nxt))
		control->snd_una = ack;
	spin_unlock_bh(&control->lock);
}

/* An answer is due: at the worker's leisure, and once for all that came until then. */
static void control_answer_due(struct mptcp_control *control, const struct sock *ssk)
{
	spin_lock_bh(&control->lock);
	control->rcv_on = mptcp_subflow_ctx(ssk)->subflow_id;
	control->answer = true;
	spin_unlock_bh(&control->lock);
}

/* Options say what TLVs say, too, unless the path manager will drop them. */
static void control_note_removed(struct mptcp_sock *msk, struct mptcp_control *control,
				 const struct mptcp_rm_list *list)
{
	int i;

	if (!mptcp_control_may_remove(msk, list->nr))
		return;
	for (i = 0; i < list->nr; i++)
		mptcp_control_pair(control, MPTCP_CONTROL_BY_OPTION, list->ids[i]);
}

/* Who speaks of the stream has our key, as the third ACK said it. */
bool mptcp_control_heard(const struct mptcp_sock *msk,
			 const struct mptcp_options_received *mp_opt)
{
	return mp_opt->payload & MPTCP_DSS_STREAM && mptcp_control_agreed(mptcp_control(msk));
}

/* A segment came: is it about the stream? What it says with S is taken out of @mp_opt, but for the
 * mapping of its payload, of which no DATA_FIN can be a part. The peer's third ACK is answered,
 * also when it comes again: who wants to use the stream before there is data has to know that
 * we have its key.
 */
bool mptcp_control_incoming(struct mptcp_sock *msk, struct sock *ssk, const struct sk_buff *skb,
			    struct mptcp_options_received *mp_opt)
{
	bool payload = TCP_SKB_CB(skb)->seq != TCP_SKB_CB(skb)->end_seq;
	struct mptcp_control *control = mptcp_control(msk);

	if (!mptcp_control_agreed(control))
		return false;
	if (mp_opt->suboptions & OPTION_MPTCP_MPC_ACK && !payload &&
	    READ_ONCE(msk->pm.server_side))
		tcp_send_ack(ssk);
	if (READ_ONCE(control->early) && mptcp_subflow_ctx(ssk)->fully_established) {
		WRITE_ONCE(control->early, false);
		WRITE_ONCE(control->expired, true);
		mptcp_schedule_work((struct sock *)msk);
	}
	if (mp_opt->suboptions & OPTION_MPTCP_RM_ADDR)
		control_note_removed(msk, control, &mp_opt->rm_list);
	if (!(mp_opt->payload & MPTCP_DSS_STREAM))
		return false;

	/* not if it is about to: the peer has no business with S then */
	if (mptcp_end_stream(msk)) {
		control_opened(control);
		if (mp_opt->use_ack)
			control_ack(control, mp_opt->data_ack, mp_opt->ack64);
		else if (!payload)
			control_answer_due(control, ssk);
		mptcp_schedule_work((struct sock *)msk);
	}
	mp_opt->use_ack = 0;
	mp_opt->data_fin = 0;
	return true;
}

/* The next byte, near which those of a mapping with 32 bits are */
u64 mptcp_control_expected(const struct mptcp_sock *msk)
{
	const struct mptcp_control *control = mptcp_control(msk);

	return control ? READ_ONCE(control->rcv_una) : 0;
}

/* How long the TLV is that comes, as far as it is known: with its header */
static u32 control_length(const struct mptcp_control *control)
{
	return MPTCP_CONTROL_HEADER + (control->rcv_got < MPTCP_CONTROL_HEADER ? 0 :
				       get_unaligned_be16(&control->rcv_header[2]));
}

/* Values that wait leave most of the receive buffer to data. */
static bool control_too_much(const struct mptcp_control *control, u32 truesize)
{
	return truesize > READ_ONCE(control->sk->sk_rcvbuf) / 4;
}

/* May @skb wait behind those in @queue? */
bool mptcp_control_may_wait(const struct mptcp_control *control, const struct sk_buff_head *queue,
			    const struct sk_buff *skb)
{
	const struct sk_buff *other;
	u32 size = skb->truesize;

	skb_queue_walk(queue, other)
		size += other->truesize;
	return skb_queue_len(queue) < MPTCP_CONTROL_UNREAD && !control_too_much(control, size);
}

/* The header came. False: there is no memory for what follows. Under the data lock */
static bool control_room(struct mptcp_control *control)
{
	u32 len = get_unaligned_be16(&control->rcv_header[2]);
	struct sk_buff *skb;

	if (len > MPTCP_CONTROL_MAX)
		return true;
	skb = alloc_skb(len, GFP_ATOMIC | __GFP_NOWARN);
	if (skb && len > MPTCP_CONTROL_SMALL && control_too_much(control, skb->truesize)) {
		kfree_skb(skb);
		return true;
	}
	if (!skb || !mptcp_rmem_schedule(control->sk, skb->truesize)) {
		kfree_skb(skb);
		return false;
	}
	mptcp_set_owner_r(skb, control->sk);
	WRITE_ONCE(control->rcv_size, control->rcv_size + skb->truesize);
	control->rcv_value = skb;
	return true;
}

/* Where the next @take bytes go to, of the header or of what follows. NULL: nowhere */
static u8 *control_place(struct mptcp_control *control, u32 take)
{
	if (control->rcv_got < MPTCP_CONTROL_HEADER)
		return &control->rcv_header[control->rcv_got];
	return control->rcv_value ? skb_put(control->rcv_value, take) : NULL;
}

/* Take what belongs to the TLV out of @len bytes. */
static void control_feed(struct mptcp_control *control, const struct sk_buff *skb, u32 offset,
			 u32 len)
{
	u32 take;
	u8 *to;

	while (len && !control->rcv_done) {
		take = min(control_length(control) - control->rcv_got, len);
		to = control_place(control, take);
		if (to)
			skb_copy_bits(skb, offset, to, take);
		control->rcv_got += take;
		offset += take;
		len -= take;
		if (control->rcv_got == MPTCP_CONTROL_HEADER && !control_room(control)) {
			control->rcv_got = 0;
			return;
		}
		control->rcv_done = control->rcv_got >= MPTCP_CONTROL_HEADER &&
				    control->rcv_got == control_length(control);
	}
}

/* @len bytes of the stream, from @seq on. Under the data lock. */
static void __control_bytes(struct mptcp_control *control, const struct sock *ssk,
			    const struct sk_buff *skb, u32 offset, u32 len, u64 seq)
{
	u32 id = mptcp_subflow_ctx(ssk)->subflow_id;
	u64 next;

	/* the connection may have ended meanwhile */
	if (!mptcp_control_agreed(control))
		return;

	spin_lock(&control->lock);
	next = control->rcv_una + control->rcv_got;
	control->rcv_on = id;
	if (before64(next, seq) || !before64(next, seq + len)) {
		control->answer |= !control->rcv_done;
		if (!after64(seq + len, control->rcv_una))
			MPTCP_INC_STATS(sock_net(control->sk), MPTCP_MIB_CONTROLDUP);
	} else if (!control->rcv_done) {
		control_feed(control, skb, offset + (next - seq), len - (next - seq));
	}
	spin_unlock(&control->lock);
}

static void control_bytes(struct mptcp_control *control, const struct sock *ssk,
			  const struct sk_buff *skb, u32 offset, u32 len, u64 seq)
{
	mptcp_data_lock(control->sk);
	__control_bytes(control, ssk, skb, offset, len, seq);
	mptcp_data_unlock(control->sk);
}

/* The segment at the head of the subflow's queue has bytes of control. With the subflow's lock. */
void mptcp_control_take(struct mptcp_sock *msk, struct sock *ssk, struct sk_buff *skb,
			bool data_lock_held)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	u32 offset = tcp_sk(ssk)->copied_seq - TCP_SKB_CB(skb)->seq;
	u32 left = subflow->map_data_len - mptcp_subflow_get_map_offset(subflow);
	u64 seq = mptcp_subflow_get_mapped_dsn(subflow);
	struct mptcp_control *control = mptcp_control(msk);
	u32 len;

	if (control && offset < skb->len) {
		len = min(left, skb->len - offset);
		if (data_lock_held)
			__control_bytes(control, ssk, skb, offset, len, seq);
		else
			control_bytes(control, ssk, skb, offset, len, seq);
		mptcp_schedule_work((struct sock *)msk);
	}
	mptcp_subflow_skip_data(ssk, skb, left);
}

static void control_drop(struct mptcp_control *control)
{
	control->info.dropped++;
	MPTCP_INC_STATS(sock_net(control->sk), MPTCP_MIB_CONTROLDROP);
}

/* Tell who polls, or sleeps, for these events. */
void mptcp_control_wake(const struct mptcp_control *control, __poll_t events)
{
	rcu_read_lock();
	if (skwq_has_sleeper(rcu_dereference(control->sk->sk_wq)))
		wake_up_interruptible_poll(&rcu_dereference(control->sk->sk_wq)->wait, events);
	if (events & EPOLLPRI)
		sk_wake_async_rcu(control->sk, SOCK_WAKE_URG, POLL_PRI);
	rcu_read_unlock();
}

/* A value that was read: who pays gets it back. By who owns the socket. One that is deferred has
 * two users.
 */
void mptcp_control_free(struct mptcp_control *control, struct sk_buff *skb)
{
	mptcp_data_lock(control->sk);
	if (!skb_shared(skb))
		WRITE_ONCE(control->rcv_size, control->rcv_size - skb->truesize);
	kfree_skb(skb);
	mptcp_data_unlock(control->sk);
}

/* The application gets it, if it reads what there is. Nobody else waits for it. */
static void control_keep(struct mptcp_control *control, struct sk_buff *skb)
{
	if (!mptcp_control_may_wait(control, &control->unread, skb)) {
		control_drop(control);
		mptcp_control_free(control, skb);
		return;
	}
	__skb_queue_tail(&control->unread, skb);
	mptcp_control_wake(control, EPOLLPRI);
}

/* The TLV that came was read, or, if not @taken, has to come again. */
static void control_next(struct mptcp_control *control, u16 len, bool taken)
{
	spin_lock_bh(&control->lock);
	if (taken) {
		WRITE_ONCE(control->rcv_una, control->rcv_una + MPTCP_CONTROL_HEADER + len);
		control->answer = true;
	}
	control->rcv_got = 0;
	control->rcv_done = false;
	spin_unlock_bh(&control->lock);
	if (!taken)
		return;
	control->info.received++;
	MPTCP_INC_STATS(sock_net(control->sk), MPTCP_MIB_CONTROLRX);
}

/* Read the TLV that came, if it is whole: until it is acknowledged nobody writes to it. */
void mptcp_control_receive(struct mptcp_sock *msk, struct mptcp_control *control)
{
	struct sk_buff *value = NULL;
	bool done, taken = true;
	u16 type, len;

	mptcp_control_deferred(msk, control);
	spin_lock_bh(&control->lock);
	done = control->rcv_done;
	if (done)
		swap(value, control->rcv_value);
	spin_unlock_bh(&control->lock);
	if (!done)
		return;

	type = get_unaligned_be16(control->rcv_header);
	len = get_unaligned_be16(&control->rcv_header[2]);
	if (!value) {
		control_drop(control);
		goto next;
	}
	MPTCP_CONTROL_CB(value)->seq = control->rcv_una;
	MPTCP_CONTROL_CB(value)->type = type;
	if (mptcp_control_is_own(type)) {
		control_keep(control, value);
	} else {
		taken = mptcp_control_read(msk, value);
		mptcp_control_free(control, value);
	}
next:
	control_next(control, len, taken);
}

__poll_t mptcp_control_poll(const struct mptcp_sock *msk)
{
	const struct mptcp_control *control = mptcp_control(msk);
	__poll_t mask = 0;

	if (control && !skb_queue_empty_lockless(&control->unread))
		mask |= EPOLLPRI;
	/* what was given up does not let wait, either */
	if (mptcp_control_agreed(control) && !READ_ONCE(control->own_waits))
		mask |= EPOLLWRBAND;
	return mask;
}
