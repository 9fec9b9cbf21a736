// SPDX-License-Identifier: GPL-2.0
/* Systematic coding: the receiver
 *
 * A symbol comes through its subflow in order, as data does, and is taken out of the subflow's
 * queue where data would be passed on; or before its turn, when segments in front of it are
 * missing: it is not data, and waits for none. One that a middlebox split stays in that queue until
 * it is whole. Symbols are kept as long as something in their generation is missing, in their share
 * of the receive buffer: those of what is needed last give way.
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
 * generations' lengths for each that is repaired, for which it has to send symbols of that size.
 * Many can wait for the same segment: MPTCP_CODING_AT_ONCE are repaired, the rest by the worker, as
 * many at a time. A generation spread over more pieces is not repaired. One whose check fails is
 * not tried again, and after MPTCP_CODING_FAILURES of them no symbol is taken: a middlebox changes
 * what is sent, or the peer lies. All that lasts is charged to the connection.
 *
 * Early delivery (ext/early/early.c) has its own share for what is not next. What is kept here
 * is no part of that: mptcp_coding_kept().
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
#include "ext/coding/coding.h"
#include "ext/control/control.h"
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

/* What a repair needs, while it lasts */
struct coding_work {
	const struct sk_buff *pieces[MPTCP_CODING_PIECES];
	u8 symbol[MPTCP_CODING_SYMBOL];		/* of data */
};

/* What tells generations that begin at the same place apart */
static u64 coding_kind(u64 key, u32 size)
{
	return (u64)coding_span(key) << 32 | size << 16 | coding_check(key);
}

/* The end of the symbol's generation */
static u64 coding_end(const struct sk_buff *skb)
{
	return MPTCP_CODING_CB(skb)->start + (MPTCP_CODING_CB(skb)->kind >> 32);
}

/* A segment came: whether it is a symbol, or part of one. If it is the peer has given up falling
 * back, and so does this end. A DATA_FIN cannot be a part of it.
 */
bool mptcp_coding_incoming(struct mptcp_sock *msk, struct mptcp_options_received *mp_opt)
{
	if (!(mp_opt->payload & MPTCP_DSS_CODED) || !mptcp_coding_agreed(msk) ||
	    !mptcp_end_stream(msk))
		return false;
	mp_opt->data_fin = 0;
	return true;
}

/* Under the data lock */
static struct mptcp_coding *coding_locked(const struct mptcp_sock *msk)
{
	const struct sock *sk = (const struct sock *)msk;

	return rcu_dereference_protected(msk->coding, lockdep_is_held(&sk->sk_lock.slock));
}

static void coding_free(struct mptcp_coding *coding, struct sk_buff *skb)
{
	rb_erase(&skb->rbnode, &coding->symbols);
	coding->symbols_size -= skb->truesize;
	kfree_skb(skb);
}

/* Free all that is kept. Under the data lock, by who owns the socket */
void mptcp_coding_purge(struct mptcp_coding *coding)
{
	struct sk_buff *skb;

	while ((skb = rb_to_skb(rb_first(&coding->symbols))))
		coding_free(coding, skb);
	__skb_queue_purge(&coding->read);
	WRITE_ONCE(coding->read_size, 0);
}

/* No repair is tried with it: it is of a generation that had the byte where one failed, or too many
 * did.
 */
static bool coding_hopeless(const struct mptcp_coding *coding, const struct sk_buff *skb)
{
	return coding->failures >= MPTCP_CODING_FAILURES ||
	       (coding->failures && !after64(MPTCP_CODING_CB(skb)->start, coding->failed));
}

/* Symbols whose generation is through, or not to be repaired, go. */
static void coding_expire(const struct mptcp_sock *msk, struct mptcp_coding *coding)
{
	struct sk_buff *skb;

	while ((skb = rb_to_skb(rb_first(&coding->symbols))) &&
	       (!after64(coding_end(skb), msk->ack_seq) || coding_hopeless(coding, skb)))
		coding_free(coding, skb);
}

/* Is there room for the symbol? What is needed later goes for it. */
static bool coding_room(struct mptcp_sock *msk, struct mptcp_coding *coding,
			const struct sk_buff *skb)
{
	struct sock *sk = (struct sock *)msk;
	u32 most = min_t(u32, READ_ONCE(sk->sk_rcvbuf) / 4, MPTCP_CODING_WAIT);
	struct sk_buff *last;

	if (atomic_read(&sk->sk_rmem_alloc) > READ_ONCE(sk->sk_rcvbuf))
		return false;
	while (coding->symbols_size + skb->truesize > most) {
		last = rb_to_skb(rb_last(&coding->symbols));
		if (!last || !after64(MPTCP_CODING_CB(last)->start, MPTCP_CODING_CB(skb)->start))
			return false;
		MPTCP_INC_STATS(sock_net(sk), MPTCP_MIB_CODEDDROP);
		coding_free(coding, last);
	}
	return mptcp_rmem_schedule(sk, skb->truesize);
}

/* Is @a in front of @b (less than 0), behind it, or the same symbol (0)? */
static int coding_compare(const struct mptcp_coding_cb *a, const struct mptcp_coding_cb *b)
{
	if (a->start != b->start)
		return before64(a->start, b->start) ? -1 : 1;
	if (a->kind != b->kind)
		return a->kind < b->kind ? -1 : 1;
	return (int)a->row - (int)b->row;
}

/* The place of the symbol among those that wait: *@place, below @parent. False: it is there */
static bool coding_place(struct mptcp_coding *coding, const struct sk_buff *skb,
			 struct rb_node ***place, struct rb_node **parent)
{
	int side;

	*place = &coding->symbols.rb_node;
	*parent = NULL;
	while (**place) {
		*parent = **place;
		side = coding_compare(MPTCP_CODING_CB(skb), MPTCP_CODING_CB(rb_to_skb(*parent)));
		if (!side)
			return false;
		*place = side < 0 ? &(*parent)->rb_left : &(*parent)->rb_right;
	}
	return true;
}

/* Keep the symbol, if it is of use and there is memory for it. What came of it: a counter */
static int coding_store(struct mptcp_sock *msk, struct mptcp_coding *coding, struct sk_buff *skb)
{
	const struct mptcp_coding_cb *cb = MPTCP_CODING_CB(skb);
	struct rb_node **place, *parent;

	WRITE_ONCE(coding->seen, true);
	coding_expire(msk, coding);
	if (!after64(coding_end(skb), msk->ack_seq) ||
	    !coding_place(coding, skb, &place, &parent))
		return MPTCP_MIB_CODEDLATE;
	if (!before64(cb->start, atomic64_read(&msk->rcv_wnd_sent)) ||
	    coding_hopeless(coding, skb) || !coding_room(msk, coding, skb))
		return MPTCP_MIB_CODEDDROP;

	/* others may have gone for it */
	coding_place(coding, skb, &place, &parent);
	rb_link_node(&skb->rbnode, parent, place);
	rb_insert_color(&skb->rbnode, &coding->symbols);
	coding->symbols_size += skb->truesize;
	mptcp_set_owner_r(skb, (struct sock *)msk);
	return MPTCP_MIB_CODEDRX;
}

/* A symbol came, all of it, or NULL: it did not, or there was no memory. Under the data lock */
static void __coding_came(struct mptcp_sock *msk, struct sk_buff *skb, u64 key)
{
	struct mptcp_coding *coding = coding_locked(msk);
	struct sock *sk = (struct sock *)msk;
	int what = MPTCP_MIB_CODEDDROP;

	if (skb && coding) {
		MPTCP_CODING_CB(skb)->start = mptcp_expand_seq(msk->ack_seq, key >> 32, false);
		MPTCP_CODING_CB(skb)->kind = coding_kind(key, skb->len);
		MPTCP_CODING_CB(skb)->row = coding_row(key);
		what = coding_store(msk, coding, skb);
	}
	if (what != MPTCP_MIB_CODEDRX)
		kfree_skb(skb);
	MPTCP_INC_STATS(sock_net(sk), what);
}

static void coding_came(struct mptcp_sock *msk, struct sk_buff *skb, u64 key)
{
	struct sock *sk = (struct sock *)msk;

	mptcp_data_lock(sk);
	__coding_came(msk, skb, key);
	mptcp_data_unlock(sk);
}

/* Is the segment where its mapping has it? Else a middlebox changed lengths, and it is something
 * else. What comes in its turn is asked this by get_mapping_status().
 */
static bool coding_is_mapped(const struct sock *ssk, const struct sk_buff *skb,
			     const struct mptcp_ext *ext)
{
	const struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);

	return ext->dsn64 && !ext->irregular &&
	       ext->subflow_seq == TCP_SKB_CB(skb)->seq - subflow->ssn_offset;
}

/* A segment came before its turn and is a symbol, all of it. With the subflow's lock. With
 * checksums it waits for its turn, when they are looked at. The TCP header is still there.
 */
void mptcp_coding_early(struct mptcp_sock *msk, struct sock *ssk, const struct sk_buff *skb,
			const struct mptcp_ext *ext)
{
	u32 header = tcp_hdrlen(skb), len = skb->len - header;
	struct sk_buff *symbol;

	if (ext->csum_reqd || READ_ONCE(msk->csum_enabled) || !coding_is_mapped(ssk, skb, ext) ||
	    ext->data_len != len || !coding_sane(ext->data_seq, len) ||
	    !after(TCP_SKB_CB(skb)->seq, tcp_sk(ssk)->rcv_nxt))
		return;
	symbol = alloc_skb(len, GFP_ATOMIC | __GFP_NOWARN);
	if (symbol && skb_copy_bits(skb, header, skb_put(symbol, len), len)) {
		kfree_skb(symbol);
		symbol = NULL;
	}
	coding_came(msk, symbol, ext->data_seq);
	mptcp_coding_ready(msk);
}

/* How many bytes the subflow's queue has: they follow each other. */
static u32 coding_there(const struct sock *ssk)
{
	const struct sk_buff *last = skb_peek_tail(&ssk->sk_receive_queue);
	bool fin = TCP_SKB_CB(last)->tcp_flags & TCPHDR_FIN;

	return TCP_SKB_CB(last)->end_seq - fin - tcp_sk(ssk)->copied_seq;
}

/* The symbol whose first bytes @skb has, at the head of the subflow's queue. NULL without memory,
 * or if what follows has no data (ext/early/early.c), and then belongs to something else.
 */
static struct sk_buff *coding_queued(const struct sock *ssk, const struct sk_buff *skb, u32 size)
{
	struct sk_buff *symbol = alloc_skb(size, GFP_ATOMIC | __GFP_NOWARN);
	u32 seq = tcp_sk(ssk)->copied_seq, offset, take;

	if (!symbol)
		return NULL;
	skb_queue_walk_from(&ssk->sk_receive_queue, skb) {
		offset = seq - TCP_SKB_CB(skb)->seq;
		if (offset >= skb->len)
			break;
		take = min(size - symbol->len, skb->len - offset);
		if (skb_copy_bits(skb, offset, skb_put(symbol, take), take))
			break;
		if (symbol->len == size)
			return symbol;
		seq += take;
	}
	kfree_skb(symbol);
	return NULL;
}

/* The segment at the head of the subflow's queue has bytes of a symbol. With the subflow's lock.
 * A middlebox may have split it: it is taken with its first byte, and the rest is skipped. False:
 * not all of it is there yet.
 */
bool mptcp_coding_take(struct mptcp_sock *msk, struct sock *ssk, struct sk_buff *skb,
		       bool data_lock_held)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	u32 got = mptcp_subflow_get_map_offset(subflow);
	u32 size = subflow->map_data_len;
	struct sk_buff *symbol = NULL;

	if (!got && mptcp_coding_has(msk)) {
		if (coding_sane(subflow->map_seq, size)) {
			if (coding_there(ssk) >= size)
				symbol = coding_queued(ssk, skb, size);
			else if (!(ssk->sk_shutdown & RCV_SHUTDOWN))
				return false;
		}
		if (data_lock_held)
			__coding_came(msk, symbol, subflow->map_seq);
		else
			coding_came(msk, symbol, subflow->map_seq);
	}
	mptcp_subflow_skip_data(ssk, skb, size - got);
	return true;
}

static struct mptcp_coding *coding_owned(const struct mptcp_sock *msk)
{
	return rcu_dereference_protected(msk->coding,
					 lockdep_sock_is_held((const struct sock *)msk));
}

/* Where the segment's data begins: what was read of it is still there. */
static u64 coding_piece_start(const struct sk_buff *skb)
{
	return MPTCP_SKB_CB(skb)->map_seq - MPTCP_SKB_CB(skb)->read;
}

/* From the end of the queue to its begin: those at or behind @start. False: too many */
static bool coding_collect_back(struct coding_work *work, const struct sk_buff_head *queue,
				u64 start, int *first)
{
	const struct sk_buff *skb;

	skb_queue_reverse_walk(queue, skb) {
		if (!after64(MPTCP_SKB_CB(skb)->end_seq, start))
			break;
		if (!*first)
			return false;
		work->pieces[--*first] = skb;
	}
	return true;
}

/* What there is of the generation, in order: pieces[first] to pieces[end - 1]. */
static bool coding_collect(struct mptcp_sock *msk, const struct mptcp_coding *coding,
			   struct coding_work *work, const struct mptcp_generation *gen,
			   int *first, int *end)
{
	struct sock *sk = (struct sock *)msk;
	const struct sk_buff *skb;
	struct rb_node *p;

	*first = MPTCP_CODING_PIECES / 2;
	*end = *first;
	if (!coding_collect_back(work, &sk->sk_receive_queue, gen->start, first) ||
	    !coding_collect_back(work, &msk->receive_queue, gen->start, first) ||
	    !coding_collect_back(work, &coding->read, gen->start, first))
		return false;
	for (p = rb_first(&msk->out_of_order_queue); p; p = rb_next(p)) {
		skb = rb_to_skb(p);
		if (!before64(MPTCP_SKB_CB(skb)->map_seq, gen->start + gen->span))
			break;
		if (*end == MPTCP_CODING_PIECES)
			return false;
		work->pieces[(*end)++] = skb;
	}
	return true;
}

/* The bytes from @seq on, if all are there. @at: the piece where they are looked for first, which
 * is moved on. @to: may be NULL
 */
static bool coding_gather(const struct coding_work *work, int *at, int end, u64 seq, u32 len,
			  u8 *to)
{
	const struct sk_buff *skb;
	u32 take;

	while (*at < end) {
		skb = work->pieces[*at];
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
static bool coding_compute(struct coding_work *work, struct mptcp_generation *gen, int first,
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
		} else if (!coding_gather(work, &first, end, gen->start + i * gen->size, len,
					  work->symbol)) {
			return false;
		}
		for (j = 0; j < m; j++)
			mptcp_coding_next(sums[j], gen->size, work->symbol, len, rows[j]);
	}
	for (j = 0; j < m; j++)
		mptcp_coding_add(sums[j], gen->rows[rows[j]]->data, gen->size, 1);
	mptcp_coding_solve(sums, rows, missing, m, n, gen->size);
	return true;
}

/* Is it what the sender had? A middlebox may have changed data that the rest was computed from. */
static bool coding_sound(struct coding_work *work, const struct mptcp_generation *gen, int first,
			 int end, const u8 *missing, unsigned int m, u8 **sums)
{
	unsigned int i, lost = 0, n = DIV_ROUND_UP(gen->span, gen->size);
	const u8 *data;
	u32 check = 0;

	for (i = 0; i < n; i++) {
		data = work->symbol;
		if (lost < m && missing[lost] == i)
			data = sums[lost++];
		else if (!coding_gather(work, &first, end, gen->start + i * gen->size,
					coding_length(gen, i), work->symbol))
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

/* Which symbols of data are missing, if not more than @most: how many, or 0 */
static unsigned int coding_missing(const struct coding_work *work,
				   const struct mptcp_generation *gen, int first, int end,
				   unsigned int most, u8 *missing)
{
	unsigned int i, m = 0, n = DIV_ROUND_UP(gen->span, gen->size);

	for (i = 0; i < n; i++) {
		if (coding_gather(work, &first, end, gen->start + i * gen->size,
				  coding_length(gen, i), NULL))
			continue;
		if (m == most)
			return 0;
		missing[m++] = i;
	}
	return m;
}

static void coding_forget(struct mptcp_coding *coding, struct mptcp_generation *gen)
{
	int row;

	for (row = 0; row < MPTCP_CODING_ROWS; row++)
		if (gen->rows[row])
			coding_free(coding, gen->rows[row]);
}

/* What was computed is not what the sender had. */
static void coding_failed(const struct mptcp_sock *msk, struct mptcp_coding *coding)
{
	coding->failed = msk->ack_seq;
	WRITE_ONCE(coding->failures, coding->failures + 1);
	MPTCP_INC_STATS(sock_net((const struct sock *)msk), MPTCP_MIB_CODEDDROP);
}

/* Compute what the generation lacks, if that is possible. */
static bool coding_repair(struct mptcp_sock *msk, struct mptcp_coding *coding,
			  struct mptcp_generation *gen, struct coding_work *work)
{
	u8 rows[MPTCP_CODING_ROWS], missing[MPTCP_CODING_ROWS], *sums[MPTCP_CODING_ROWS];
	struct sk_buff *skbs[MPTCP_CODING_ROWS];
	struct sock *sk = (struct sock *)msk;
	unsigned int j, row, k = 0, m;
	int first, end;
	bool done;

	for (row = 0; row < MPTCP_CODING_ROWS; row++)
		if (gen->rows[row])
			rows[k++] = row;
	if (!coding_collect(msk, coding, work, gen, &first, &end))
		return false;
	m = coding_missing(work, gen, first, end, k, missing);
	if (!m || !coding_alloc(sk, skbs, m, gen->size))
		return false;

	for (j = 0; j < m; j++)
		sums[j] = skbs[j]->data;
	done = coding_compute(work, gen, first, end, rows, missing, m, sums) &&
	       coding_sound(work, gen, first, end, missing, m, sums);
	for (j = 0; j < m; j++) {
		if (done)
			coding_deliver(sk, gen, skbs[j], missing[j]);
		else
			kfree_skb(skbs[j]);
	}
	coding_forget(coding, gen);
	if (done)
		__mptcp_ofo_queue(msk);
	else
		coding_failed(msk, coding);
	return done;
}

/* The generation that the next byte is part of, if there are symbols of it */
static bool coding_blocked(const struct mptcp_sock *msk, struct mptcp_coding *coding,
			   struct mptcp_generation *gen)
{
	const struct mptcp_coding_cb *first, *cb;
	struct sk_buff *skb;

	coding_expire(msk, coding);
	skb = rb_to_skb(rb_first(&coding->symbols));
	if (!skb || after64(MPTCP_CODING_CB(skb)->start, msk->ack_seq))
		return false;

	first = MPTCP_CODING_CB(skb);
	*gen = (struct mptcp_generation) {
		.start = first->start,
		.span = first->kind >> 32,
		.size = first->kind >> 16,
		.check = first->kind,
	};
	/* if it is a long one, more data followed, and may be on its way: nothing tells that
	 * this is lost
	 */
	if (DIV_ROUND_UP(gen->span, gen->size) == MPTCP_CODING_COLUMNS &&
	    RB_EMPTY_ROOT(&msk->out_of_order_queue))
		return false;
	for (; skb; skb = rb_to_skb(rb_next(&skb->rbnode))) {
		cb = MPTCP_CODING_CB(skb);
		if (cb->start != gen->start || cb->kind != first->kind)
			break;
		gen->rows[cb->row] = skb;
	}
	return true;
}

/* More can be repaired: when the worker releases the socket. */
static void coding_repair_later(struct mptcp_sock *msk)
{
	__set_bit(MPTCP_CODING_DECODE, &msk->cb_flags);
	mptcp_schedule_work((struct sock *)msk);
}

/* Repair as far as it goes, or as much as may be at once. True: there is more to read */
bool mptcp_coding_released(struct mptcp_sock *msk)
{
	struct mptcp_coding *coding = coding_locked(msk);
	unsigned int left = MPTCP_CODING_AT_ONCE;
	struct mptcp_generation gen;
	struct coding_work *work;
	bool more = false;

	if (!coding || !coding->agreed || !coding_blocked(msk, coding, &gen))
		return false;
	work = kmalloc(sizeof(*work), GFP_ATOMIC | __GFP_NOWARN);
	if (!work)
		return false;
	while (coding_repair(msk, coding, &gen, work)) {
		more = true;
		if (!coding_blocked(msk, coding, &gen))
			break;
		if (!--left) {
			coding_repair_later(msk);
			break;
		}
	}
	kfree(work);
	if (more && READ_ONCE(msk->rcv_data_fin))
		mptcp_schedule_work((struct sock *)msk);
	return more;
}

/* Data came, or a symbol. With the data lock. What was left to the worker stays so. */
bool mptcp_coding_decode(struct mptcp_sock *msk)
{
	struct sock *sk = (struct sock *)msk;

	if (!sock_owned_by_user(sk) && !test_bit(MPTCP_CODING_DECODE, &msk->cb_flags))
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

/* How much of the receive buffer holds what is kept here: neither data to be read nor data that
 * waits for what is next. Under the data lock
 */
int mptcp_coding_kept(const struct mptcp_sock *msk)
{
	const struct mptcp_coding *coding = coding_locked(msk);

	return coding ? coding->symbols_size + READ_ONCE(coding->read_size) : 0;
}

/* What the application has read is not freed at once, if a generation may need it, unless memory
 * is short, or the peer's data has come to its end. By the reader, who owns the socket. What goes
 * in its place is released as what was read is. False: it is not kept
 */
bool mptcp_coding_keep(struct mptcp_sock *msk, struct sk_buff *skb)
{
	struct mptcp_coding *coding = coding_owned(msk);
	u32 most = min_t(u32, READ_ONCE(((struct sock *)msk)->sk_rcvbuf) / 4, MPTCP_CODING_READ);
	u64 keep = MPTCP_SKB_CB(skb)->end_seq - MPTCP_CODING_SYMBOL * MPTCP_CODING_COLUMNS;
	struct sk_buff *old;

	if (!READ_ONCE(coding->seen))
		return false;
	if (READ_ONCE(coding->failures) >= MPTCP_CODING_FAILURES ||
	    ((struct sock *)msk)->sk_shutdown & RCV_SHUTDOWN ||
	    tcp_under_memory_pressure((struct sock *)msk))
		most = 0;
	__skb_unlink(skb, &msk->receive_queue);
	__skb_queue_tail(&coding->read, skb);
	WRITE_ONCE(coding->read_size, coding->read_size + skb->truesize);
	while ((old = skb_peek(&coding->read)) &&
	       (coding->read_size > most || !after64(MPTCP_SKB_CB(old)->end_seq, keep))) {
		__skb_unlink(old, &coding->read);
		WRITE_ONCE(coding->read_size, coding->read_size - old->truesize);
		mptcp_skb_read(msk, old);
	}
	return true;
}
