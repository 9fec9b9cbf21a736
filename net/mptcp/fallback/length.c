// SPDX-License-Identifier: GPL-2.0
/* Falling back: notice that a middlebox changed the length of what it let pass, before the
 * application gets bytes in a wrong place. Off, unless net.mptcp.check_lengths is set.
 *
 * Some middleboxes replace text in the payload (the addresses in FTP's commands) and
 * correct TCP's sequence numbers behind it. To TCP that is what the peer has sent.
 * Mappings of MPTCP are relative to the sequence numbers of the sender: behind the
 * text they are off. RFC 8684 (section 3.3.1) finds that by checksums, which cost
 * time per byte and are off by default.
 *
 * The other trace is where mappings end. They follow each other without a gap, and so
 * at the sender each ends where a segment ends. If a segment reaches beyond its
 * mapping, or another mapping begins before the end, lengths were changed. But
 * a mapping may be one of many segments, since large segments are cut by network cards,
 * and when its end comes the application has got what was in front:
 *
 *   sent      |  s  |  s  |  s  | r |     one mapping, all segments but the last have
 *   mapping   |<------------------->|     the size s
 *   received  |  s  |  s  |  s+d  | r |   should end here: it is too late
 *
 * So a segment is looked at when it comes. Regular are those that lie as at the sender:
 * at a multiple of s, so long or up to the mapping's end. The others wait
 *  - until a regular one of the same mapping follows: no length was changed in between
 *    (splitters, probes of the path's MTU, a window that was full), or
 *  - until the mapping has come whole, and ends where it should, or
 *  - until it is seen that it does not. Then the subflow is reset, or the connection
 *    goes on as TCP if it may. The peer sends what waited, as it was not
 *    acknowledged at the data level.
 * What is regular, nearly everything, is passed on at once. s is learnt from the first
 * mapping with several segments, and again when it does not fit any more.
 *
 * A middlebox that joins segments is told apart by what is too much if it keeps the options
 * of the first one, check_rest(), and by where the mapping of the last one ends if it keeps
 * that, mptcp_length_cut(). While nothing comes behind a text that was made shorter it waits
 * until the peer sends it again: check_next().
 *
 * What waits takes memory, and the rest may need a window: if it could not come nothing
 * waits for it, nor behind MPTCP_LENGTH_SEGS segments of one mapping. Each segment is
 * looked at once. That leaves open: such a middlebox while the receiver's buffer is full,
 * and a text in two segments, of which the first has been passed on.
 *
 * The peer must not announce more in a mapping than it goes on to send: RFC 8684 lets
 * it, and what it sent would wait for ever. Therefore this is no default. Checksums
 * (net.mptcp.checksum_enabled) find all of this, and more, as the RFC has it.
 *
 * Locking: all under the subflow's lock, checks under the data lock, too.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"

/* More segments of a mapping than this need not wait: without an answer by then there
 * is none. A mapping is at most 64 KB, 45 full segments.
 */
#define MPTCP_LENGTH_SEGS	128

/* Is this where the sender had a segment of its mapping, if all but the last have the
 * size @seg? @size: of the parts that it was merged from.
 */
static bool is_regular(u32 offset, u32 payload, u32 size, u32 map_len, u32 seg)
{
	if (offset >= map_len || payload > map_len - offset)
		return false;
	if (payload == map_len)
		return true;
	if (!seg || offset % seg || (payload > seg && size != seg))
		return false;
	return payload == map_len - offset || !(payload % seg);
}

/* A segment with data and a mapping is about to be queued. */
void mptcp_length_note(struct sock *ssk, const struct sk_buff *skb, struct mptcp_ext *mpext)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	const struct tcp_skb_cb *cb = TCP_SKB_CB(skb);
	u32 payload = cb->end_seq - cb->seq - !!(cb->tcp_flags & TCPHDR_FIN);
	u32 offset = cb->seq - subflow->ssn_offset - mpext->subflow_seq;
	u32 size = skb_shinfo(skb)->gso_size ? : payload;
	u32 map_len = mpext->data_len - mpext->data_fin;

	/* checksums find it; an infinite mapping has no end */
	if (mpext->csum_reqd || !payload || !map_len ||
	    !mptcp_check_lengths(sock_net(ssk)))
		return;
	mpext->irregular = !is_regular(offset, payload, size, map_len, subflow->map_seg);
	if (subflow->map_seg || offset || payload >= map_len)
		return;

	/* Parts that were merged have one size, but the last may be shorter: with two
	 * of them it is known. One may have been changed itself.
	 */
	subflow->map_seg = size;
	if (payload >= 2 * size)
		mpext->irregular = !is_regular(0, payload, size, map_len, size);
}

/* Does the head of the receive queue have to be checked before it is passed on? */
bool mptcp_length_unchecked(const struct sock *ssk)
{
	const struct sk_buff *skb = skb_peek(&ssk->sk_receive_queue);
	const struct mptcp_ext *mpext = skb ? mptcp_get_ext(skb) : NULL;

	return mpext && mpext->irregular;
}

static bool is_current_mapping(const struct mptcp_subflow_context *subflow,
			       const struct mptcp_ext *mpext)
{
	return mpext->subflow_seq == subflow->map_subflow_seq &&
	       (u32)mpext->data_seq == (u32)subflow->map_seq &&
	       mpext->data_len - mpext->data_fin == subflow->map_data_len;
}

/* A mapping without data, of a DATA_FIN? */
static bool is_lone_fin(const struct mptcp_ext *mpext)
{
	return mpext->data_fin && mpext->data_len == 1;
}

/* Here is @mpext, another mapping, before the end of the current one was found: 0 if it
 * begins where the sender has it. Then no length was changed in front of it.
 */
static int check_next(struct sock *ssk, const struct sk_buff *skb, const struct mptcp_ext *mpext)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(subflow->conn);

	if (TCP_SKB_CB(skb)->seq - subflow->ssn_offset == mpext->subflow_seq)
		return 0;

	/* What waits comes again. As TCP the application would get it twice, so that this
	 * subflow must end, and the connection continue on another one.
	 */
	if (before((u32)mpext->data_seq, (u32)subflow->map_seq + subflow->map_data_len)) {
		spin_lock_bh(&msk->fallback_lock);
		msk->allow_infinite_fallback = false;
		WRITE_ONCE(msk->one_stream, false);
		spin_unlock_bh(&msk->fallback_lock);
	}
	return -EBADMSG;
}

/* @skb has @rest bytes more than its mapping: were segments joined? Then the mapping is
 * good, and the rest is as long as other segments, or the next mapping begins behind it.
 */
static int check_rest(struct sock *ssk, const struct sk_buff *skb, u32 rest)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	u32 seg = subflow->map_seg;
	const struct mptcp_ext *mpext;

	if (seg && rest >= seg / 2 && (!(rest % seg) || skb->len == 2 * rest))
		return 0;
	/* as TCP it is right in any case */
	if (READ_ONCE(mptcp_sk(subflow->conn)->allow_infinite_fallback))
		return -EBADMSG;
	if (skb_queue_is_last(&ssk->sk_receive_queue, skb))
		return -EAGAIN;
	mpext = mptcp_get_ext(skb->next);
	return mpext && mpext->use_map ? check_next(ssk, skb->next, mpext) : -EBADMSG;
}

/* From where the last look ended, in the mapping of the head of the receive queue, to its
 * end. *@at: the segment that told.
 */
static int check_mapping(struct sock *ssk, u32 end, const struct sk_buff **at)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	const struct sk_buff *skb = mptcp_subflow_skb_at(ssk, subflow->map_looked);
	const struct mptcp_ext *mpext;

	for (;; skb = skb->next) {
		u32 reached = TCP_SKB_CB(skb)->seq + skb->len;

		*at = skb;
		if (after(reached, end))
			return check_rest(ssk, skb, reached - end);
		if (reached == end) {
			subflow->map_seg = 0;
			return 0;
		}
		if (skb_queue_is_last(&ssk->sk_receive_queue, skb)) {
			subflow->map_looked = TCP_SKB_CB(skb)->seq;
			return -EAGAIN;
		}

		mpext = mptcp_get_ext(skb->next);
		if (!mpext || !mpext->use_map || is_lone_fin(mpext))
			continue;
		if (!is_current_mapping(subflow, mpext))
			return check_next(ssk, skb->next, mpext);
		if (!mpext->irregular)
			return 0;
	}
}

/* What is in front of @at need not be looked at again: each would have us walk up to there. */
static void pass_up_to(struct sock *ssk, const struct sk_buff *at)
{
	struct mptcp_ext *mpext;
	struct sk_buff *skb;

	skb_queue_walk(&ssk->sk_receive_queue, skb) {
		if (skb == at)
			return;
		mpext = mptcp_get_ext(skb);
		if (mpext)
			mpext->irregular = 0;
	}
}

/* Can the rest of a mapping come, up to @end, and is it worth waiting? The peer needs a
 * window, this host memory: if that is short TCP takes segments only while nothing waits.
 */
static bool may_come(const struct sock *ssk, u32 end)
{
	const struct tcp_sock *tp = tcp_sk(ssk);

	return mptcp_subflow_ctx(ssk)->map_looks < MPTCP_LENGTH_SEGS &&
	       !after(end, tp->rcv_wup + tp->rcv_wnd) &&
	       !(inet_csk(ssk)->icsk_ack.pending & ICSK_ACK_NOMEM) &&
	       atomic_read(&ssk->sk_rmem_alloc) <= READ_ONCE(ssk->sk_rcvbuf) / 2;
}

/* The head of the receive queue is irregular and has the current mapping. May it be
 * passed on? -EAGAIN: not yet, -EBADMSG: lengths were changed, do not.
 */
int mptcp_length_check(struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	u32 end = subflow->ssn_offset + subflow->map_subflow_seq + subflow->map_data_len;
	const struct sk_buff *at;
	int err = check_mapping(ssk, end, &at);

	if (!err)
		pass_up_to(ssk, at);
	subflow->map_looks += subflow->map_looks < MPTCP_LENGTH_SEGS;
	return err == -EAGAIN && !may_come(ssk, end) ? 0 : err;
}

/* The head of the receive queue begins in the current mapping and brings another one, @mpext.
 * Where segments were joined, and the options of the last one kept, that ends where the
 * segment does. Where something was cut out in front, it ends behind it.
 */
bool mptcp_length_cut(const struct sock *ssk, const struct mptcp_ext *mpext)
{
	const struct sk_buff *skb = skb_peek(&ssk->sk_receive_queue);
	u32 end = TCP_SKB_CB(skb)->seq + skb->len - mptcp_subflow_ctx(ssk)->ssn_offset;

	return mpext->irregular && mpext->subflow_seq + mpext->data_len - mpext->data_fin != end;
}

/* The same for a mapping with a checksum, which tells everything else: @skb, behind the
 * head, is to be part of it.
 */
void mptcp_length_next(struct sock *ssk, const struct sk_buff *skb)
{
	const struct mptcp_ext *mpext = mptcp_get_ext(skb);

	if (mpext && mpext->use_map && !is_lone_fin(mpext) &&
	    mptcp_check_lengths(sock_net(ssk)) &&
	    !is_current_mapping(mptcp_subflow_ctx(ssk), mpext))
		check_next(ssk, skb, mpext);
}
