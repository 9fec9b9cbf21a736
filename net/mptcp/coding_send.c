// SPDX-License-Identifier: GPL-2.0
/* Systematic coding: the sender
 *
 * A generation begins where data is about to be sent for the first time and the one before is
 * through. It has what the application has written by then, up to 32 segments' length: the last
 * one of a block is shorter, and nothing waits for data that may never come. Its symbols are
 * computed from the data in the connection's queue and go in front of it, into the queue of the
 * subflow that is about to send: "redundancy first", as the thesis has it. There they use the
 * congestion window as data does, and are sent again by TCP, whose receiver needs all bytes. The
 * rest of the generation goes where the scheduler sends it.
 *
 * A segment ends where a generation does, so that segments and symbols begin together.
 *
 * How many symbols: see coding_rate.c, or with net.mptcp.coding of 2 to 10 that percentage of the
 * data. In any case credit is needed, of which each byte of data gives an eighth of a byte, or
 * that percentage: writes of few bytes, each a generation, get a symbol now and then instead of
 * each. Without memory for a symbol it is left out, and so it is while the subflow's queue is
 * full.
 *
 * Locking: see coding.c. Here the lock of the subflow is held as well.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"
#include "coding.h"
#include "control.h"
#include "mib.h"

/* Is nobody able to take symbols for data any more? The peer gave up falling back for good when it
 * had a DSS option on the subflow that joined: payload that was acknowledged there had one.
 */
static bool coding_safe(struct mptcp_sock *msk, const struct mptcp_subflow_context *subflow)
{
	const struct mptcp_subflow_context *other;
	bool joined = false;
	int full = 0;

	if (!READ_ONCE(subflow->fully_established) || __mptcp_check_fallback(msk) ||
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

/* Add the data from @seq on, @len bytes, to the sums, as the next symbol. @dfrag has its first
 * byte; returned is that of the next one.
 */
static struct mptcp_data_frag *coding_symbol(struct mptcp_sock *msk, struct mptcp_coding *coding,
					     struct mptcp_data_frag *dfrag, u64 seq, u32 len)
{
	u32 got = 0, from, take;

	while (got < len) {
		from = seq + got - dfrag->data_seq;
		if (from == dfrag->data_len) {
			dfrag = list_next_entry(dfrag, list);
			continue;
		}
		take = min_t(u32, len - got, dfrag->data_len - from);
		memcpy(coding->symbol + got, page_address(dfrag->page) + dfrag->offset + from,
		       take);
		got += take;
	}
	return dfrag;
}

/* Compute symbols of that generation, into the pages. */
static void coding_encode(struct mptcp_sock *msk, struct mptcp_coding *coding,
			  struct mptcp_data_frag *dfrag, u64 start, u32 span, u32 size,
			  struct page **pages, unsigned int k)
{
	u32 done, len;
	unsigned int row;

	for (row = 0; row < k; row++)
		memset(page_address(pages[row]), 0, size);
	for (done = 0; done < span; done += len) {
		len = min(size, span - done);
		dfrag = coding_symbol(msk, coding, dfrag, start + done, len);
		for (row = 0; row < k; row++)
			mptcp_coding_next(page_address(pages[row]), size, coding->symbol, len, row);
	}
}

/* Queue a symbol on the subflow. */
static bool coding_queue(struct mptcp_sock *msk, struct sock *ssk, struct page *page, u64 key,
			 u32 size, bool data_lock_held)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct sk_buff *skb, *tail = tcp_write_queue_tail(ssk);
	struct mptcp_ext *ext;

	skb = mptcp_control_skb((struct sock *)msk, ssk, page, 0, size, data_lock_held);
	if (!skb)
		return false;
	if (tail)
		TCP_SKB_CB(tail)->eor = 1;

	ext = mptcp_get_ext(skb);
	memset(ext, 0, sizeof(*ext));
	ext->data_seq = key;
	ext->subflow_seq = subflow->rel_write_seq;
	ext->data_len = size;
	ext->use_map = 1;
	ext->dsn64 = 1;
	ext->coded = 1;
	ext->frozen = 1;
	if (READ_ONCE(msk->csum_enabled))
		ext->csum = csum_fold(skb_checksum(skb, 0, size, 0));
	subflow->rel_write_seq += size;
	MPTCP_INC_STATS(sock_net(ssk), MPTCP_MIB_CODEDTX);
	return true;
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

/* A generation begins with @dfrag's byte @seq. */
static void coding_begin(struct mptcp_sock *msk, struct mptcp_coding *coding, struct sock *ssk,
			 struct mptcp_data_frag *dfrag, u64 seq, bool data_lock_held)
{
	struct page *pages[MPTCP_CODING_ROWS];
	u32 size = tcp_current_mss(ssk), span;
	struct mptcp_data_frag *last;
	unsigned int row, k;

	coding->snd_end = seq;
	if (!size || size > MPTCP_CODING_SYMBOL || !coding_safe(msk, mptcp_subflow_ctx(ssk)))
		return;

	/* write_seq may count a DATA_FIN */
	last = list_last_entry(&msk->rtx_queue, struct mptcp_data_frag, list);
	span = min_t(u64, last->data_seq + last->data_len - seq, size * MPTCP_CODING_COLUMNS);
	k = coding_count(msk, coding, span, size);
	coding->snd_end = seq + span;
	if (!sk_stream_memory_free(ssk))
		return;

	for (row = 0; row < k; row++) {
		pages[row] = alloc_page(GFP_ATOMIC | __GFP_NOWARN);
		if (!pages[row])
			break;
	}
	k = row;
	if (k)
		coding_encode(msk, coding, dfrag, seq, span, size, pages, k);
	for (row = 0; row < k; row++) {
		if (coding_queue(msk, ssk, pages[row],
				 (u64)(u32)seq << 32 | span << 16 | row << 8, size,
				 data_lock_held))
			coding->credit -= size;
		put_page(pages[row]);
	}
}

/* The subflow is about to send from the fragment: how far it may. */
int mptcp_coding_limit(struct mptcp_sock *msk, struct sock *ssk, struct mptcp_data_frag *dfrag,
		       const struct mptcp_sendmsg_info *info)
{
	struct mptcp_coding *coding = rcu_dereference_protected(msk->coding, true);
	u64 seq = dfrag->data_seq + info->sent;

	if (!coding->agreed)
		return info->limit;
	if (!before64(seq, coding->snd_end) || after64(coding->snd_end, msk->write_seq))
		coding_begin(msk, coding, ssk, dfrag, seq, info->data_lock_held);
	if (!after64(coding->snd_end, seq))
		return info->limit;
	return min_t(u64, info->limit, coding->snd_end - dfrag->data_seq);
}
