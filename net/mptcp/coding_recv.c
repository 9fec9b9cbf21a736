// SPDX-License-Identifier: GPL-2.0
/* Systematic coding: the receiver
 *
 * A symbol comes through its subflow in order, as data does, and is taken out of the subflow's
 * queue where data would be passed on; or before its turn, when segments in front of it are
 * missing: it is not data, and waits for none. Symbols are kept for at most eight generations, as
 * long as something in them is missing.
 *
 * Data is delivered as ever. Only when the next byte is missing, and there are symbols of its
 * generation, the decoder looks what else is there of it:
 *
 *	[read by the application][receive queues]  missing  [out-of-order queue]
 *
 * What the application has read of the generation at the next byte is not freed until the data is
 * a generation's length further: mptcp_coding_keep(). If no more symbols are missing than there
 * are redundant ones, they are computed, and go into the connection's queue as data that a subflow
 * received does: the same checks of window and memory, overlaps included. TCP sends the lost
 * segment again, and it is dropped as a duplicate.
 *
 * What a peer can have us do: per segment that arrives, look at up to MPTCP_CODING_PIECES pieces
 * of data for each generation that is repaired, and one that is not; compute as much as three
 * generations' lengths for each that is repaired, for which it has to send symbols of that size. A
 * generation spread over more pieces is not repaired.
 *
 * Locking: see coding.c. mptcp_coding_decode() is called with the data lock; if somebody owns the
 * socket, mptcp_release_cb() does it, since a reader uses the queue of what it reads without that
 * lock.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <linux/crc32.h>
#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"
#include "coding.h"
#include "control.h"
#include "mib.h"

static u32 coding_span(u64 key)
{
	return (u16)(key >> 16);
}

static u32 coding_row(u64 key)
{
	return (u16)key >> MPTCP_CODING_CHECK;
}

static u32 coding_check(u64 key)
{
	return key & GENMASK(MPTCP_CODING_CHECK - 1, 0);
}

static bool coding_sane(u64 key, u32 size)
{
	return size && size <= MPTCP_CODING_SYMBOL && coding_span(key) &&
	       coding_span(key) <= size * MPTCP_CODING_COLUMNS &&
	       coding_row(key) < MPTCP_CODING_ROWS;
}

/* A segment came: whether it is a symbol, or part of one. If it is the peer has given up falling
 * back, and so does this end. A DATA_FIN cannot be a part of it.
 */
bool mptcp_coding_incoming(struct mptcp_sock *msk, struct mptcp_options_received *mp_opt)
{
	if (!(mp_opt->payload & MPTCP_DSS_CODED) || !mptcp_coding_agreed(msk) ||
	    !mptcp_control_commit(msk))
		return false;
	mp_opt->data_fin = 0;
	return true;
}

/* A symbol of that kind is to be stored: room for it, or NULL. */
static struct sk_buff *coding_room(struct mptcp_coding *coding, const struct sock *ssk, u64 key,
				   u32 size)
{
	struct sk_buff *skb;

	if (!READ_ONCE(coding->agreed) || !coding_sane(key, size) ||
	    skb_queue_len_lockless(&coding->arrived) >= MPTCP_CODING_ARRIVED)
		return NULL;
	skb = alloc_skb(size, GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	MPTCP_CODING_CB(skb)->key = key;
	MPTCP_CODING_CB(skb)->subflow_id = mptcp_subflow_ctx(ssk)->subflow_id;
	MPTCP_CODING_CB(skb)->want = size;
	return skb;
}

/* @len bytes of a symbol, @got bytes behind its first one. A middlebox may have split it. The
 * pieces of a subflow come in order, and each waits at the end of the queue.
 */
static void coding_bytes(struct mptcp_coding *coding, const struct sock *ssk,
			 const struct sk_buff *from, u32 offset, u32 len, u64 key, u32 size,
			 u32 got)
{
	struct sk_buff *skb = NULL, *at;
	bool fresh = false;

	if (!got) {
		skb = coding_room(coding, ssk, key, size);
		fresh = true;
	}

	spin_lock_bh(&coding->arrived.lock);
	skb_queue_walk(&coding->arrived, at) {
		if (!fresh && MPTCP_CODING_CB(at)->key == key && at->len == got &&
		    MPTCP_CODING_CB(at)->subflow_id == mptcp_subflow_ctx(ssk)->subflow_id)
			skb = at;
	}
	if (skb && skb->len + len <= MPTCP_CODING_CB(skb)->want &&
	    !skb_copy_bits(from, offset, skb_tail_pointer(skb), len)) {
		__skb_put(skb, len);
		if (fresh)
			__skb_queue_tail(&coding->arrived, skb);
		fresh = false;
	}
	spin_unlock_bh(&coding->arrived.lock);

	if (fresh)
		kfree_skb(skb);
	if (!skb)
		MPTCP_INC_STATS(sock_net(ssk), MPTCP_MIB_CODEDDROP);
}

/* A segment came before its turn and is a symbol, all of it. With the subflow's lock. With
 * checksums it waits for its turn, when they are looked at. The TCP header is still there.
 */
void mptcp_coding_early(struct mptcp_sock *msk, struct sock *ssk, const struct sk_buff *skb,
			const struct mptcp_ext *ext)
{
	u32 header = tcp_hdrlen(skb), len = skb->len - header;
	struct mptcp_coding *coding;

	if (ext->csum_reqd || ext->data_len != len ||
	    !after(TCP_SKB_CB(skb)->seq, tcp_sk(ssk)->rcv_nxt))
		return;
	rcu_read_lock();
	coding = rcu_dereference(msk->coding);
	if (coding)
		coding_bytes(coding, ssk, skb, header, len, ext->data_seq, len, 0);
	rcu_read_unlock();
	mptcp_coding_ready(msk);
}

/* The segment at the head of the subflow's queue has bytes of a symbol. With the subflow's lock. */
void mptcp_coding_take(struct mptcp_sock *msk, struct sock *ssk, struct sk_buff *skb)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	u32 offset = tcp_sk(ssk)->copied_seq - TCP_SKB_CB(skb)->seq;
	u32 got = mptcp_subflow_get_map_offset(subflow);
	u32 left = subflow->map_data_len - got;
	struct mptcp_coding *coding;

	rcu_read_lock();
	coding = rcu_dereference(msk->coding);
	if (coding && offset < skb->len)
		coding_bytes(coding, ssk, skb, offset, min(left, skb->len - offset),
			     subflow->map_seq, subflow->map_data_len, got);
	rcu_read_unlock();
	mptcp_subflow_skip_data(ssk, skb, left);
}

static struct mptcp_coding *coding_owned(const struct mptcp_sock *msk)
{
	return rcu_dereference_protected(msk->coding,
					 lockdep_sock_is_held((const struct sock *)msk));
}

static void coding_forget(struct mptcp_generation *gen)
{
	int row;

	gen->span = 0;
	for (row = 0; row < MPTCP_CODING_ROWS; row++) {
		kfree_skb(gen->rows[row]);
		gen->rows[row] = NULL;
	}
}

/* The generation of a symbol, perhaps a new one, or NULL if there is no room. */
static struct mptcp_generation *coding_generation(struct mptcp_coding *coding, u64 start, u64 key,
						  u32 size)
{
	struct mptcp_generation *gen, *room = NULL;

	for (gen = coding->generations;
	     gen < coding->generations + MPTCP_CODING_GENERATIONS; gen++) {
		if (!gen->span)
			room = gen;
		else if (gen->start == start && gen->span == coding_span(key) &&
			 gen->size == size && gen->check == coding_check(key))
			return gen;
	}
	if (room) {
		room->start = start;
		room->span = coding_span(key);
		room->size = size;
		room->check = coding_check(key);
	}
	return room;
}

/* Whether the symbol is kept: it is of use, and there is memory for it. */
static bool coding_store(struct mptcp_sock *msk, struct mptcp_coding *coding, struct sk_buff *skb)
{
	u64 key = MPTCP_CODING_CB(skb)->key;
	struct sock *sk = (struct sock *)msk;
	u64 start = mptcp_expand_seq(msk->ack_seq, key >> 32, false);
	struct mptcp_generation *gen;

	if (!after64(start + coding_span(key), msk->ack_seq)) {
		MPTCP_INC_STATS(sock_net(sk), MPTCP_MIB_CODEDLATE);
		return false;
	}
	if (!before64(start, atomic64_read(&msk->rcv_wnd_sent)) ||
	    atomic_read(&sk->sk_rmem_alloc) > READ_ONCE(sk->sk_rcvbuf) ||
	    !mptcp_rmem_schedule(sk, skb->truesize))
		goto drop;
	gen = coding_generation(coding, start, key, skb->len);
	if (!gen)
		goto drop;
	if (gen->rows[coding_row(key)]) {
		MPTCP_INC_STATS(sock_net(sk), MPTCP_MIB_CODEDLATE);
		return false;
	}

	mptcp_set_owner_r(skb, sk);
	gen->rows[coding_row(key)] = skb;
	MPTCP_INC_STATS(sock_net(sk), MPTCP_MIB_CODEDRX);
	return true;

drop:
	MPTCP_INC_STATS(sock_net(sk), MPTCP_MIB_CODEDDROP);
	return false;
}

/* Symbols that are whole go to their generations; generations that are through go. */
static void coding_sort(struct mptcp_sock *msk, struct mptcp_coding *coding)
{
	struct mptcp_generation *gen;
	struct sk_buff *skb, *next;
	struct sk_buff_head whole;

	for (gen = coding->generations;
	     gen < coding->generations + MPTCP_CODING_GENERATIONS; gen++)
		if (gen->span && !after64(gen->start + gen->span, msk->ack_seq))
			coding_forget(gen);
	if (skb_queue_empty_lockless(&coding->arrived))
		return;

	__skb_queue_head_init(&whole);
	spin_lock_bh(&coding->arrived.lock);
	skb_queue_walk_safe(&coding->arrived, skb, next) {
		if (skb->len == MPTCP_CODING_CB(skb)->want) {
			__skb_unlink(skb, &coding->arrived);
			__skb_queue_tail(&whole, skb);
		}
	}
	spin_unlock_bh(&coding->arrived.lock);

	while ((skb = __skb_dequeue(&whole))) {
		coding->seen = true;
		if (!coding_store(msk, coding, skb))
			kfree_skb(skb);
	}
}

/* Where the segment's data begins: what was read of it is still there. */
static u64 coding_piece_start(const struct sk_buff *skb)
{
	return MPTCP_SKB_CB(skb)->map_seq - MPTCP_SKB_CB(skb)->read;
}

/* From the end of the queue to its begin: those at or behind @start. False: too many */
static bool coding_collect_back(struct mptcp_coding *coding, const struct sk_buff_head *queue,
				u64 start, int *first)
{
	const struct sk_buff *skb;

	skb_queue_reverse_walk(queue, skb) {
		if (!after64(MPTCP_SKB_CB(skb)->end_seq, start))
			break;
		if (!*first)
			return false;
		coding->pieces[--*first] = skb;
	}
	return true;
}

/* What there is of the generation, in order: pieces[first] to pieces[end - 1]. */
static bool coding_collect(struct mptcp_sock *msk, struct mptcp_coding *coding,
			   const struct mptcp_generation *gen, int *first, int *end)
{
	struct sock *sk = (struct sock *)msk;
	const struct sk_buff *skb;
	struct rb_node *p;

	*first = MPTCP_CODING_PIECES / 2;
	*end = *first;
	if (!coding_collect_back(coding, &sk->sk_receive_queue, gen->start, first) ||
	    !coding_collect_back(coding, &msk->receive_queue, gen->start, first) ||
	    !coding_collect_back(coding, &coding->read, gen->start, first))
		return false;
	for (p = rb_first(&msk->out_of_order_queue); p; p = rb_next(p)) {
		skb = rb_to_skb(p);
		if (!before64(MPTCP_SKB_CB(skb)->map_seq, gen->start + gen->span))
			break;
		if (*end == MPTCP_CODING_PIECES)
			return false;
		coding->pieces[(*end)++] = skb;
	}
	return true;
}

/* The bytes from @seq on, if all are there. @at: the piece where they are looked for first, which
 * is moved on. @to: may be NULL
 */
static bool coding_gather(const struct mptcp_coding *coding, int *at, int end, u64 seq, u32 len,
			  u8 *to)
{
	const struct sk_buff *skb;
	u32 take;

	while (*at < end) {
		skb = coding->pieces[*at];
		if (!after64(MPTCP_SKB_CB(skb)->end_seq, seq)) {
			++*at;
			continue;
		}
		if (after64(coding_piece_start(skb), seq))
			return false;
		take = min_t(u64, MPTCP_SKB_CB(skb)->end_seq - seq, len);
		if (to) {
			if (skb_copy_bits(skb, (int)MPTCP_SKB_CB(skb)->offset +
					  (int)(seq - MPTCP_SKB_CB(skb)->map_seq), to, take))
				return false;
			to += take;
		}
		seq += take;
		len -= take;
		if (!len)
			return true;
	}
	return false;
}

/* The length of symbol @i */
static u32 coding_length(const struct mptcp_generation *gen, unsigned int i)
{
	return min_t(u32, gen->size, gen->span - i * gen->size);
}

/* Segments for what is missing, with memory that is charged when they are queued. */
static bool coding_alloc(struct sock *sk, struct sk_buff **skbs, unsigned int m, u32 size)
{
	unsigned int j, need = 0;

	for (j = 0; j < m; j++) {
		skbs[j] = alloc_skb(size, GFP_ATOMIC | __GFP_NOWARN);
		if (!skbs[j])
			break;
		need += skbs[j]->truesize;
	}
	if (j == m && mptcp_rmem_schedule(sk, need))
		return true;
	while (j--)
		kfree_skb(skbs[j]);
	return false;
}

/* Compute what is missing. @rows: those that are used, in ascending order */
static bool coding_compute(struct mptcp_coding *coding, struct mptcp_generation *gen, int first,
			   int end, const u8 *rows, const u8 *missing, unsigned int m, u8 **sums)
{
	unsigned int i, j, lost = 0, n = DIV_ROUND_UP(gen->span, gen->size);
	u32 len;

	for (j = 0; j < m; j++)
		memset(sums[j], 0, gen->size);
	for (i = 0; i < n; i++) {
		len = coding_length(gen, i);
		if (lost < m && missing[lost] == i) {
			lost++;
			len = 0;
		} else if (!coding_gather(coding, &first, end, gen->start + i * gen->size, len,
					  coding->symbol)) {
			return false;
		}
		for (j = 0; j < m; j++)
			mptcp_coding_next(sums[j], gen->size, coding->symbol, len, rows[j]);
	}
	for (j = 0; j < m; j++)
		mptcp_coding_add(sums[j], gen->rows[rows[j]]->data, gen->size, 1);
	mptcp_coding_solve(sums, rows, missing, m, n, gen->size);
	return true;
}

/* Is it what the sender had? A middlebox may have changed data that the rest was computed from. */
static bool coding_sound(struct mptcp_coding *coding, const struct mptcp_generation *gen, int first,
			 int end, const u8 *missing, unsigned int m, u8 **sums)
{
	unsigned int i, lost = 0, n = DIV_ROUND_UP(gen->span, gen->size);
	const u8 *data;
	u32 check = 0;

	for (i = 0; i < n; i++) {
		data = coding->symbol;
		if (lost < m && missing[lost] == i)
			data = sums[lost++];
		else if (!coding_gather(coding, &first, end, gen->start + i * gen->size,
					coding_length(gen, i), coding->symbol))
			return false;
		check = crc32_le(check, data, coding_length(gen, i));
	}
	return coding_check(check) == gen->check;
}

static void coding_deliver(struct sock *sk, const struct mptcp_generation *gen, struct sk_buff *skb,
			   unsigned int i)
{
	__skb_put(skb, coding_length(gen, i));
	memset(skb->cb, 0, sizeof(skb->cb));
	MPTCP_SKB_CB(skb)->map_seq = gen->start + i * gen->size;
	MPTCP_SKB_CB(skb)->end_seq = MPTCP_SKB_CB(skb)->map_seq + skb->len;
	__mptcp_move_skb(sk, skb);
	MPTCP_INC_STATS(sock_net(sk), MPTCP_MIB_CODEDREPAIR);
}

/* Compute what the generation lacks, if that is possible. */
static bool coding_repair(struct mptcp_sock *msk, struct mptcp_coding *coding,
			  struct mptcp_generation *gen)
{
	u8 rows[MPTCP_CODING_ROWS], missing[MPTCP_CODING_ROWS], *sums[MPTCP_CODING_ROWS];
	unsigned int i, j, row, k = 0, m = 0, n = DIV_ROUND_UP(gen->span, gen->size);
	struct sk_buff *skbs[MPTCP_CODING_ROWS];
	struct sock *sk = (struct sock *)msk;
	int first, end, at;
	bool done;

	/* more data followed, and may be on its way: nothing tells that this is lost */
	if (n == MPTCP_CODING_COLUMNS && RB_EMPTY_ROOT(&msk->out_of_order_queue))
		return false;
	for (row = 0; row < MPTCP_CODING_ROWS; row++)
		if (gen->rows[row])
			rows[k++] = row;
	if (!coding_collect(msk, coding, gen, &first, &end))
		return false;

	for (i = 0, at = first; i < n; i++) {
		if (coding_gather(coding, &at, end, gen->start + i * gen->size,
				  coding_length(gen, i), NULL))
			continue;
		if (m == k)
			return false;
		missing[m++] = i;
	}
	if (!m || !coding_alloc(sk, skbs, m, gen->size))
		return false;

	for (j = 0; j < m; j++)
		sums[j] = skbs[j]->data;
	done = coding_compute(coding, gen, first, end, rows, missing, m, sums) &&
	       coding_sound(coding, gen, first, end, missing, m, sums);
	for (j = 0; j < m; j++) {
		if (done)
			coding_deliver(sk, gen, skbs[j], missing[j]);
		else
			kfree_skb(skbs[j]);
	}
	if (!done) {
		MPTCP_INC_STATS(sock_net(sk), MPTCP_MIB_CODEDDROP);
		coding_forget(gen);
	}
	return done;
}

/* The generation that the next byte is part of */
static struct mptcp_generation *coding_blocked(const struct mptcp_sock *msk,
					       struct mptcp_coding *coding)
{
	struct mptcp_generation *gen;

	for (gen = coding->generations;
	     gen < coding->generations + MPTCP_CODING_GENERATIONS; gen++)
		if (gen->span && !before64(msk->ack_seq, gen->start) &&
		    before64(msk->ack_seq, gen->start + gen->span))
			return gen;
	return NULL;
}

/* Repair as far as it goes. True: there is more to read */
bool mptcp_coding_released(struct mptcp_sock *msk)
{
	struct mptcp_coding *coding = coding_owned(msk);
	struct mptcp_generation *gen;
	bool more = false;

	if (!coding || !coding->agreed)
		return false;
	coding_sort(msk, coding);
	while ((gen = coding_blocked(msk, coding)) && coding_repair(msk, coding, gen)) {
		__mptcp_ofo_queue(msk);
		coding_forget(gen);
		more = true;
	}
	if (more && READ_ONCE(msk->rcv_data_fin))
		mptcp_schedule_work((struct sock *)msk);
	return more;
}

/* Data came, or a symbol. With the data lock */
bool mptcp_coding_decode(struct mptcp_sock *msk)
{
	struct sock *sk = (struct sock *)msk;

	if (!sock_owned_by_user(sk))
		return mptcp_coding_released(msk);
	__set_bit(MPTCP_CODING_DECODE, &msk->cb_flags);
	return false;
}

/* A symbol came; there may be no data with it. With the subflow's lock */
void mptcp_coding_ready(struct mptcp_sock *msk)
{
	struct sock *sk = (struct sock *)msk;

	mptcp_data_lock(sk);
	if (mptcp_coding_has(msk) && mptcp_coding_decode(msk) && mptcp_epollin_ready(sk))
		sk->sk_data_ready(sk);
	mptcp_data_unlock(sk);
}

/* What the application has read is not freed at once, if a generation may need it. By the reader,
 * who owns the socket. What goes in its place is released as what was read is. False: it is not
 * kept
 */
bool mptcp_coding_keep(struct mptcp_sock *msk, struct sk_buff *skb)
{
	struct mptcp_coding *coding = coding_owned(msk);
	u32 most = min_t(u32, READ_ONCE(((struct sock *)msk)->sk_rcvbuf) / 4, MPTCP_CODING_READ);
	u64 keep = MPTCP_SKB_CB(skb)->end_seq - MPTCP_CODING_SYMBOL * MPTCP_CODING_COLUMNS;
	struct sk_buff *old;

	if (!coding->seen)
		return false;
	__skb_unlink(skb, &msk->receive_queue);
	__skb_queue_tail(&coding->read, skb);
	coding->read_size += skb->truesize;
	while ((old = skb_peek(&coding->read)) &&
	       (coding->read_size > most || !after64(MPTCP_SKB_CB(old)->end_seq, keep))) {
		__skb_unlink(old, &coding->read);
		coding->read_size -= old->truesize;
		mptcp_skb_read(msk, old);
	}
	return true;
}
