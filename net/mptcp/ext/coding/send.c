// SPDX-License-Identifier: GPL-2.0
/* Systematic coding: the sender
 *
 * A generation begins where data is about to be sent for the first time and the one before is
 * through. It has what the application has written by then, up to 32 segments' length: the last
 * one of a block is shorter, and nothing waits for data that may never come. Its symbols are
 * computed then, from the data in the connection's queue: later some of it may be acknowledged and
 * freed. They wait, in up to three pages, until the last byte of the generation was sent, and
 * follow it on the same subflow, or if that has no room, in front of what is sent next.
 *
 * The thesis sends them first. There they take the place of data in the congestion window, and on
 * a path that loses that is short: the end of a block may come a round trip later for it. Behind
 * the data they cost it nothing, and a generation is repaired no later, as it is not whole before
 * its last segment came. They use the congestion window as data does, and are sent again by TCP,
 * whose receiver needs all bytes.
 *
 * A segment ends where a generation does, so that segments and symbols begin together.
 *
 * How many symbols: see rate.c, or with net.mptcp.coding of 2 to 10 that percentage of the
 * data. In any case credit is needed, of which each byte of data gives an eighth of a byte, or
 * that percentage: writes of few bytes, each a generation, get a symbol now and then instead of
 * each. Where memory is short a symbol is left out: it is a luxury.
 *
 * Locking: see coding.c. Here the lock of the subflow is held as well.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <linux/crc32.h>
#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"
#include "ext/coding/coding.h"
#include "ext/control/control.h"
#include "mib.h"

static struct mptcp_coding *coding_owned(const struct mptcp_sock *msk)
{
	return rcu_dereference_protected(msk->coding,
					 lockdep_sock_is_held((const struct sock *)msk));
}

/* Is nobody able to take symbols for data any more? The peer gave up falling back for good when it
 * had a DSS option on the subflow that joined: payload that was acknowledged there had one.
 */
static bool coding_safe(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow)
{
	const struct mptcp_subflow_context *other;
	bool joined = false;
	int full = 0;

	if (!READ_ONCE(subflow->fully_established) || __mptcp_check_fallback(msk) ||
	    !__tcp_can_send(mptcp_subflow_tcp_sock(subflow)) ||
	    READ_ONCE(msk->allow_infinite_fallback) || READ_ONCE(msk->one_stream))
		return false;
	mptcp_for_each_subflow(msk, other) {
		if (!READ_ONCE(other->fully_established) || other->closing)
			continue;
		full++;
		/* one is the SYN's */
		joined |= other->mp_join &&
			  READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(other))->bytes_acked) > 1;
	}
	return full > 1 && joined;
}

/* The symbols' sums, as they wait */
static u8 *coding_sum(const struct mptcp_coding *coding, unsigned int row)
{
	return page_address(coding->pages[row]);
}

/* Add the data from @seq on, @len bytes, to the sums, as the next symbol. @dfrag has its first
 * byte; returned is that of the next one.
 */
static struct mptcp_data_frag *coding_symbol(struct mptcp_coding *coding,
					     struct mptcp_data_frag *dfrag, u64 seq, u32 len,
					     u32 *check)
{
	u32 got = 0, from, take;
	unsigned int row;
	const u8 *data;

	for (row = 0; row < coding->snd_rows; row++)
		mptcp_coding_next(coding_sum(coding, row), coding->snd_size, NULL, 0, row);
	while (got < len) {
		from = seq + got - dfrag->data_seq;
		if (from == dfrag->data_len) {
			dfrag = list_next_entry(dfrag, list);
			continue;
		}
		take = min_t(u32, len - got, dfrag->data_len - from);
		data = page_address(dfrag->page) + dfrag->offset + from;
		*check = crc32_le(*check, data, take);
		/* of row 0: that only adds */
		for (row = 0; row < coding->snd_rows; row++)
			mptcp_coding_next(coding_sum(coding, row) + got, take, data, take, 0);
		got += take;
	}
	return dfrag;
}

/* Compute symbols of the generation, into the pages. */
static void coding_encode(struct mptcp_coding *coding, struct mptcp_data_frag *dfrag)
{
	unsigned int row;
	u32 check = 0;
	u64 seq;
	u32 len;

	for (row = 0; row < coding->snd_rows; row++)
		memset(coding_sum(coding, row), 0, coding->snd_size);
	for (seq = coding->snd_start; before64(seq, coding->snd_end); seq += len) {
		len = min_t(u64, coding->snd_size, coding->snd_end - seq);
		dfrag = coding_symbol(coding, dfrag, seq, len, &check);
	}
	coding->snd_check = check & GENMASK(MPTCP_CODING_CHECK - 1, 0);
}

/* Queue a symbol on the subflow. */
static void coding_queue(struct mptcp_sock *msk, struct sock *ssk, struct page *page, u64 key,
			 u32 size, bool data_lock_held)
{
	struct mptcp_ext *ext;

	ext = mptcp_control_map(msk, ssk, page, 0, size, key, data_lock_held);
	if (!ext)
		return;
	ext->payload = MPTCP_PAYLOAD_SYMBOL;
	MPTCP_INC_STATS(sock_net(ssk), MPTCP_MIB_CODEDTX);
}

/* How many symbols a generation of that length gets */
static unsigned int coding_count(struct mptcp_sock *msk, struct mptcp_coding *coding, u32 span,
				 u32 size)
{
	u8 how = mptcp_coding_wanted(sock_net((struct sock *)msk));
	unsigned int k;

	if (how == 1) {
		mptcp_coding_measure(msk, coding);
		k = mptcp_coding_rows(DIV_ROUND_UP(span, size), coding->loss);
		coding->credit += span / 8;
	} else {
		k = MPTCP_CODING_ROWS;
		coding->credit += span * how / 100;
	}
	coding->credit = min(coding->credit, (MPTCP_CODING_ROWS + 1) * size);
	return how ? min(k, coding->credit / size) : 0;
}

/* A page for one more symbol, charged to the connection. False: memory is short */
static bool coding_page(struct sock *sk, struct mptcp_coding *coding)
{
	struct page *page;

	if (tcp_under_memory_pressure(sk) || !sk_wmem_schedule(sk, PAGE_SIZE))
		return false;
	page = alloc_page(GFP_ATOMIC | __GFP_NOWARN);
	if (!page)
		return false;
	sk_mem_charge(sk, PAGE_SIZE);
	coding->pages[coding->snd_rows++] = page;
	return true;
}

/* The symbols that wait are no more. */
void mptcp_coding_unsend(struct mptcp_sock *msk, struct mptcp_coding *coding)
{
	while (coding->snd_rows) {
		put_page(coding->pages[--coding->snd_rows]);
		sk_mem_uncharge((struct sock *)msk, PAGE_SIZE);
	}
}

/* Queue the symbols that wait. */
static void coding_flush(struct mptcp_sock *msk, struct mptcp_coding *coding, struct sock *ssk,
			 bool data_lock_held)
{
	u32 span = coding->snd_end - coding->snd_start;
	unsigned int row;

	for (row = 0; row < coding->snd_rows; row++)
		coding_queue(msk, ssk, coding->pages[row],
			     coding->snd_start << 32 | span << 16 |
			     row << MPTCP_CODING_CHECK | coding->snd_check,
			     coding->snd_size, data_lock_held);
	mptcp_coding_unsend(msk, coding);
}

/* A generation begins with @dfrag's byte @seq. */
static void coding_begin(struct mptcp_sock *msk, struct mptcp_coding *coding, struct sock *ssk,
			 struct mptcp_data_frag *dfrag, u64 seq, bool data_lock_held)
{
	u32 size = tcp_current_mss(ssk), span;
	bool safe = coding_safe(msk, mptcp_subflow_ctx(ssk));
	struct mptcp_data_frag *last;
	unsigned int k;

	if (safe)
		coding_flush(msk, coding, ssk, data_lock_held);
	mptcp_coding_unsend(msk, coding);
	coding->snd_start = seq;
	coding->snd_end = seq;
	if (!safe || !size || size > MPTCP_CODING_SYMBOL)
		return;

	/* write_seq may count a DATA_FIN */
	last = list_last_entry(&msk->rtx_queue, struct mptcp_data_frag, list);
	span = min_t(u64, last->data_seq + last->data_len - seq, size * MPTCP_CODING_COLUMNS);
	coding->snd_end = seq + span;
	coding->snd_size = size;
	for (k = coding_count(msk, coding, span, size); k; k--) {
		if (!coding_page((struct sock *)msk, coding))
			break;
		coding->credit -= size;
	}
	if (coding->snd_rows)
		coding_encode(coding, dfrag);
}

/* The subflow sent data, and @end is the next byte that was not, on any. If all of a generation was
 * sent, its symbols follow; if the subflow has no room, on the one that sends next.
 */
void mptcp_coding_sent(struct mptcp_sock *msk, struct sock *ssk, u64 end, bool data_lock_held)
{
	struct mptcp_coding *coding = coding_owned(msk);

	if (coding->snd_rows && !before64(end, coding->snd_end) && sk_stream_memory_free(ssk) &&
	    coding_safe(msk, mptcp_subflow_ctx(ssk)))
		coding_flush(msk, coding, ssk, data_lock_held);
}

/* The subflow is about to send from the fragment: how far it may. */
int mptcp_coding_limit(struct mptcp_sock *msk, struct sock *ssk, struct mptcp_data_frag *dfrag,
		       const struct mptcp_sendmsg_info *info)
{
	struct mptcp_coding *coding = coding_owned(msk);
	u64 seq = dfrag->data_seq + info->sent;

	if (!coding->agreed)
		return info->limit;
	if (!before64(seq, coding->snd_end) || after64(coding->snd_end, msk->write_seq))
		coding_begin(msk, coding, ssk, dfrag, seq, info->data_lock_held);
	if (!after64(coding->snd_end, seq))
		return info->limit;
	return min_t(u64, info->limit, coding->snd_end - dfrag->data_seq);
}
