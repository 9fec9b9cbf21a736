// SPDX-License-Identifier: GPL-2.0
/* Early delivery: data that a subflow has out of order goes to the connection at once. Off,
 * unless net.mptcp.early_delivery is set. For the receiver only, nothing changes on the wire.
 *
 * A subflow delivers in the order of its own sequence numbers. When it lacks a segment, TCP
 * keeps what came behind it in the subflow's out-of-order queue until the segment is sent
 * again, a round trip or more later. Each segment tells where its data belongs, in its mapping.
 * Often that is what the application waits for:
 *
 *   data, as numbered   1   2   3   4   5   6
 *   subflow A sends     1       3       5           1 and 3 arrive
 *   subflow B sends         2       4       6       2 is lost, 4 and 6 are behind it
 *   then A sends 2 once more: now 1 2 3 are there, and 4 is, but B's TCP holds it
 *
 * Likewise where a subflow sends data out of its order: what other subflows owe, copies, and
 * what goes ahead of its turn.
 *
 * So the data of such a segment is moved to the connection, which has an out-of-order queue
 * of its own. TCP needs to know that the segment came, for SACK and for the time when the
 * missing one closes the gap. It keeps a placeholder: a segment with the sequence numbers and
 * the mapping, but without data. It is marked unreadable, as segments are whose data is in a
 * device's memory: TCP does not collapse those, nor join them with others. When the
 * placeholder becomes next in order, its mapping goes through the checks of all mappings, and
 * it is dropped. Segments of one mapping that follow each other share one.
 *
 * What is believed. The same as in order, or less: the subflow is fully established, and no
 * fallback to TCP can come any more, for which the subflow's bytes would have to be whole. A
 * mapping must cover the whole segment, must not contradict the one that the subflow is in,
 * and lies in the window of the connection. With checksums it must lie wholly in this segment,
 * and be right. What does not qualify stays with TCP until its turn: infinite mappings, the
 * control stream, redundant symbols (ext/coding/coding.c), lengths that look wrong
 * (fallback/length.c), segments with FIN or urgent data. If TCP throws a placeholder away for
 * lack of memory, the peer sends the segment again, and the connection drops it as a duplicate.
 *
 * Memory. Data is charged once, to the connection, its placeholder to the subflow. What is
 * not next comes early only as long as a 16th of the connection's buffer holds all that is
 * there: what waits with the connection counts against its window, with TCP it does not. What is
 * kept for coding and of the control stream has a share of its own, and is no part of that.
 *
 * The DATA_ACK may then be ahead of what the subflow acknowledges. RFC 8684 (section 3.3.2)
 * has them independent; the peer's TCP goes on to send what its own peer lacks.
 *
 * Locking: all under the subflow's lock; what is the connection's, under its data lock, too.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <kunit/visibility.h>
#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"
#include "ext/coding/coding.h"
#include "ext/control/control.h"
#include "ext/early/early.h"
#include "ext/sysctl.h"
#include "mib.h"

/* Does @mpext say of all @len bytes of a segment, at @ssn of the subflow, what data they are? */
bool mptcp_early_mapped(const struct mptcp_ext *mpext, u32 ssn, u32 len, bool csum_reqd)
{
	u32 offset = ssn - mpext->subflow_seq;
	u32 map_len;

	if (!mpext->use_map || mpext->mpc_map || mpext->payload != MPTCP_PAYLOAD_DATA ||
	    mpext->irregular || !mpext->data_len || mpext->csum_reqd != csum_reqd)
		return false;

	map_len = mpext->data_len - mpext->data_fin;
	if (!len || offset >= map_len || len > map_len - offset)
		return false;
	/* a checksum needs all that it is made of */
	return !csum_reqd || len == map_len;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_early_mapped);

/* May the connection, which has @rmem already, take a segment? */
bool mptcp_early_has_room(int rmem, u32 truesize, int rcvbuf, bool next)
{
	int limit = next ? rcvbuf : rcvbuf / 16;

	return rmem <= limit && truesize <= limit - rmem;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_early_has_room);

/* Could the connection go on as TCP? Then it needs all bytes of this subflow in their order. */
static bool early_may_fall_back(const struct mptcp_sock *msk)
{
	return READ_ONCE(msk->allow_infinite_fallback) || READ_ONCE(msk->one_stream) ||
	       __mptcp_check_fallback(msk);
}

/* In the range of the mapping that the subflow is in only that one may be repeated. */
static bool early_contradicts(const struct mptcp_subflow_context *subflow,
			      const struct mptcp_ext *mpext, u64 map_seq, u32 ssn)
{
	if (!subflow->map_valid || !before(ssn, subflow->map_subflow_seq + subflow->map_data_len))
		return false;
	return subflow->map_seq != map_seq || subflow->map_subflow_seq != mpext->subflow_seq ||
	       subflow->map_data_len != mpext->data_len - mpext->data_fin ||
	       subflow->map_payload != MPTCP_PAYLOAD_DATA ||
	       subflow->map_csum_reqd != mpext->csum_reqd;
}

/* Of a mapping with a checksum @skb is the whole, which begins at @seq. */
static bool early_csum_ok(struct mptcp_subflow_context *subflow, const struct sk_buff *skb, u64 seq)
{
	const struct mptcp_ext *mpext = mptcp_get_ext(skb);
	__wsum csum;

	if (!mpext->csum_reqd)
		return true;
	csum = skb_checksum(skb, 0, skb->len, csum_unfold(mpext->csum));
	if (__mptcp_make_csum(seq, mpext->subflow_seq, mpext->data_len, csum))
		return false;
	subflow->valid_csum_seen = 1;
	return true;
}

/* Where the data of @skb belongs, if it may go there: under the data lock. */
static bool early_find_seq(const struct mptcp_subflow_context *subflow, const struct sk_buff *skb,
			   u64 *seq)
{
	const struct mptcp_sock *msk = mptcp_sk(subflow->conn);
	u32 ssn = TCP_SKB_CB(skb)->seq - subflow->ssn_offset;
	const struct mptcp_ext *mpext = mptcp_get_ext(skb);
	u64 map_seq;
	bool next;
	int kept;

	kept = mptcp_control_kept(msk) + (mptcp_coding_has(msk) ? mptcp_coding_kept(msk) : 0);
	map_seq = mptcp_expand_seq(msk->ack_seq, mpext->data_seq, mpext->dsn64);
	*seq = map_seq + (ssn - mpext->subflow_seq);
	next = !after64(*seq, msk->ack_seq);
	return !early_contradicts(subflow, mpext, map_seq, ssn) &&
	       !after64(*seq + skb->len, atomic64_read(&msk->rcv_wnd_sent)) &&
	       mptcp_early_has_room(__mptcp_rmem(subflow->conn) - (next ? 0 : kept),
				    skb->truesize, READ_ONCE(subflow->conn->sk_rcvbuf), next);
}

/* @skb stays in the subflow's out-of-order queue as a placeholder, without its data: as
 * *@place, NULL where the one before it now says so, too. False: there is no memory for it.
 */
static bool early_replace(struct sock *ssk, struct sk_buff *skb, struct sk_buff **place)
{
	struct sk_buff *prev = rb_to_skb(rb_prev(&skb->rbnode));
	struct tcp_sock *tp = tcp_sk(ssk);
	struct sk_buff *stub = NULL;

	if (prev && mptcp_early_taken(prev) && mptcp_skb_can_collapse(prev, skb) &&
	    TCP_SKB_CB(prev)->end_seq == TCP_SKB_CB(skb)->seq) {
		TCP_SKB_CB(prev)->end_seq = TCP_SKB_CB(skb)->end_seq;
		rb_erase(&skb->rbnode, &tp->out_of_order_queue);
	} else {
		stub = alloc_skb(0, GFP_ATOMIC | __GFP_NOWARN);
		if (!stub)
			return false;
		if (!sk_rmem_schedule(ssk, stub, stub->truesize)) {
			kfree_skb(stub);
			return false;
		}
		memcpy(stub->cb, skb->cb, sizeof(stub->cb));
		TCP_SKB_CB(stub)->has_rxtstamp = false;
		stub->unreadable = true;
		mptcp_skb_ext_move(stub, skb);
		rb_replace_node(&skb->rbnode, &stub->rbnode, &tp->out_of_order_queue);
		prev = stub;
	}
	if (tp->ooo_last_skb == skb)
		tp->ooo_last_skb = prev;
	*place = stub;
	return true;
}

/* The data that the connection has been waiting for may have come. */
static void early_moved(struct sock *sk)
{
	struct mptcp_sock *msk = mptcp_sk(sk);

	__mptcp_ofo_queue(msk);
	if (mptcp_coding_has(msk))
		mptcp_coding_decode(msk);
	msk->last_data_recv = tcp_jiffies32;
	if (mptcp_pending_data_fin(sk))
		mptcp_schedule_work(sk);
	if (mptcp_epollin_ready(sk))
		sk->sk_data_ready(sk);
}

/* The stream ends behind this data: as get_mapping_status() tells it. */
static void early_data_fin(struct mptcp_sock *msk, const struct mptcp_ext *mpext)
{
	u64 seq = mpext->data_seq + mpext->data_len - 1;

	if (mpext->data_fin &&
	    mptcp_update_rcv_data_fin(msk, mpext->dsn64 ? seq : (u32)seq, mpext->dsn64))
		mptcp_schedule_work((struct sock *)msk);
}

static void early_deliver(struct sock *sk, struct sk_buff *skb, u64 seq)
{
	bool has_rxtstamp = TCP_SKB_CB(skb)->has_rxtstamp;
	struct mptcp_sock *msk = mptcp_sk(sk);

	MPTCP_INC_STATS(sock_net(sk), MPTCP_MIB_EARLYSEGS);
	MPTCP_ADD_STATS(sock_net(sk), MPTCP_MIB_EARLYBYTES, skb->len);

	MPTCP_SKB_CB(skb)->map_seq = seq;
	MPTCP_SKB_CB(skb)->end_seq = seq + skb->len;
	MPTCP_SKB_CB(skb)->offset = 0;
	MPTCP_SKB_CB(skb)->has_rxtstamp = has_rxtstamp;
	MPTCP_SKB_CB(skb)->cant_coalesce = 0;
	skb_ext_reset(skb);
	skb_dst_drop(skb);
	/* also behind a hole it may be what a symbol lacked */
	if (__mptcp_move_skb(sk, skb) || (mptcp_coding_has(msk) && mptcp_coding_decode(msk)))
		early_moved(sk);
}

/* Can this segment go early, as far as it, its mapping and the state of things tell? */
static bool early_qualifies(const struct sock *ssk, const struct sk_buff *skb)
{
	const struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	const struct mptcp_sock *msk = mptcp_sk(subflow->conn);
	const struct mptcp_ext *mpext = mptcp_get_ext(skb);

	if (!READ_ONCE(subflow->fully_established) || subflow->closing ||
	    !READ_ONCE(msk->can_ack) || early_may_fall_back(msk))
		return false;
	if (TCP_SKB_CB(skb)->tcp_flags & (TCPHDR_SYN | TCPHDR_FIN | TCPHDR_RST | TCPHDR_URG) ||
	    tcp_sk(ssk)->urg_data || !skb_frags_readable(skb))
		return false;
	return mpext && mptcp_early_mapped(mpext, TCP_SKB_CB(skb)->seq - subflow->ssn_offset,
					   skb->len, READ_ONCE(msk->csum_enabled));
}

/* TCP put @skb into the subflow's out-of-order queue. What it is to charge for: @skb, what is
 * there in its place, or NULL.
 */
struct sk_buff *mptcp_early(struct sock *ssk, struct sk_buff *skb)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct sock *sk = subflow->conn;
	struct sk_buff *place = skb;
	u64 seq;

	if (!mptcp_early_delivery(sock_net(ssk)) || !early_qualifies(ssk, skb))
		return skb;

	mptcp_data_lock(sk);
	if (early_find_seq(subflow, skb, &seq) && early_csum_ok(subflow, skb, seq) &&
	    mptcp_rmem_schedule(sk, skb->truesize)) {
		struct mptcp_ext mpext = *mptcp_get_ext(skb);

		if (early_replace(ssk, skb, &place)) {
			early_data_fin(mptcp_sk(sk), &mpext);
			early_deliver(sk, skb, seq);
		}
	}
	mptcp_data_unlock(sk);
	return place;
}

/* A placeholder became the head of the subflow's queue, and its mapping is good. */
void mptcp_early_skip(struct sock *ssk, struct sk_buff *skb)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	u32 end = TCP_SKB_CB(skb)->end_seq;
	struct tcp_sock *tp = tcp_sk(ssk);

	MPTCP_ADD_STATS(sock_net(ssk), MPTCP_MIB_EARLYDROPBYTES, end - tp->copied_seq);
	WRITE_ONCE(tp->copied_seq, end);
	sk_eat_skb(ssk, skb);
	if (mptcp_subflow_get_map_offset(subflow) >= subflow->map_data_len)
		subflow->map_valid = 0;
}
