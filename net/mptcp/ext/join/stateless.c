// SPDX-License-Identifier: GPL-2.0
/* Joins without state: the SYN with MP_JOIN leaves nothing behind
 *
 * Paasch, "Improving Multipath TCP" (2014), 6.1.4 and 6.2.1: RFC 8684's third ACK has only an
 * HMAC, so that the passive end has to remember which connection a SYN was for, and with
 * which random numbers. Who knows a token, since it saw a join once, fills the
 * listener's queue with one packet each: then nobody gets in, neither joins nor first SYNs.
 *
 *	active end                                   passive end
 *	    | SYN      MP_JOIN 12: asks, token_B, R_A     |
 *	    |-------------------------------------------->| computes R_B, its ISN, an HMAC;
 *	    | SYN/ACK  MP_JOIN 16: granted, HMAC_B, R_B   | forgets them
 *	    |<--------------------------------------------|
 *	    | ACK      MP_JOIN 28: HMAC_A, R_A, token_B   |
 *	    |-------------------------------------------->| cookie, token, HMAC are right:
 *	    | ACK                                         | the subflow
 *	    |<--------------------------------------------|
 *
 * The third ACK has 128 of HMAC_A's bits instead of 160, as the thesis has it: beside
 * timestamps there is room for 28 bytes. It is repeated until the fourth one comes, as RFC 8684
 * has it. What is asked and granted by a bit beside B, which RFC 8684 wants to be zero and
 * ignored, the thesis took for granted: a peer that does not know it joins as before.
 *
 * What each packet can cost the passive end, in this order: a SYN a lookup of its token, and if
 * it is known one HMAC, as without this. A third ACK two SipHashes; if its cookie is
 * right a lookup of the token; if it is known and this third ACK is new, one HMAC. All else is
 * for who knows the keys.
 *
 * Joins of the old kind still take a place in the listener's queue. Without SYN cookies
 * those of a connection could keep all newcomers out; here they get the first half.
 *
 * Locking: in BH, without a lock. A listener and what the SYN says do not change meanwhile, a
 * connection found by its token is held by the request.
 */

#include <linux/tcp.h>
#include <net/mptcp.h>
#include <net/request_sock.h>
#include <net/tcp.h>
#include "protocol.h"
#include "ext/join/join.h"
#include "ext/join/key.h"
#include "ext/handshake/low_overhead.h"
#include "mib.h"

/* Has the listener's queue got only the half left that is not for joins? */
static bool join_queue_half(const struct sock *lsk)
{
	int max = min_t(int, READ_ONCE(lsk->sk_max_ack_backlog),
			READ_ONCE(sock_net(lsk)->ipv4.sysctl_max_syn_backlog));

	return inet_csk_reqsk_queue_len(lsk) > max / 2;
}

/* A connection that has agreed on keys from the application: those who do not ask are none of
 * its peer's, and until there is a key nobody joins.
 */
static bool join_syn_keyed(struct net *net, const struct mptcp_options_received *opt,
			   enum mptcp_join_how *how)
{
	struct mptcp_sock *msk;
	bool agreed;

	if (!READ_ONCE(mptcp_join_key_used))
		return false;
	msk = mptcp_token_get_sock(net, opt->token);
	if (!msk)
		return false;
	agreed = mptcp_join_key_agreed(msk);
	*how = opt->ext && mptcp_join_ready(msk) ? MPTCP_JOIN_STATELESS : MPTCP_JOIN_DROP;
	sock_put((struct sock *)msk);
	if (agreed && *how == MPTCP_JOIN_DROP)
		MPTCP_INC_STATS(net, MPTCP_MIB_JOINSYNNOKEY);
	return agreed;
}

/* How is the SYN @skb to be answered? */
enum mptcp_join_how mptcp_join_syn(struct sock *lsk, const struct sk_buff *skb)
{
	struct mptcp_options_received opt;
	struct net *net = sock_net(lsk);
	enum mptcp_join_how how;

	if (!mptcp_join_any(net) || !mptcp_subflow_ctx(lsk)->request_mptcp)
		return MPTCP_JOIN_STATEFUL;

	mptcp_get_forms(skb, mptcp_low_syn_forms(net), &opt);
	if (!(opt.suboptions & OPTION_MPTCP_MPJ_SYN))
		return MPTCP_JOIN_STATEFUL;
	if (join_syn_keyed(net, &opt, &how))
		return how;
	if (!mptcp_stateless_join(net))
		return MPTCP_JOIN_STATEFUL;
	if (opt.ext)
		return MPTCP_JOIN_STATELESS;
	if (!READ_ONCE(net->ipv4.sysctl_tcp_syncookies) && join_queue_half(lsk)) {
		MPTCP_INC_STATS(net, MPTCP_MIB_JOINSYNQUEUE);
		return MPTCP_JOIN_DROP;
	}
	return MPTCP_JOIN_STATEFUL;
}

/* The numbers of the SYN/ACK that answers it, see subflow_check_req() */
void mptcp_join_synack(struct request_sock *req, const struct sk_buff *skb,
		       const struct mptcp_options_received *opt)
{
	struct mptcp_subflow_request_sock *subflow_req = mptcp_subflow_rsk(req);
	struct net *net = sock_net(req_to_sk(req));

	tcp_rsk(req)->snt_isn = mptcp_join_cookie(net, skb, opt, &req->mss,
						  &subflow_req->local_nonce);
	MPTCP_INC_STATS(net, MPTCP_MIB_JOINSTATELESSSYN);
}

/* tcp_request_sock_ops.stateless_isn: route_req() has computed it */
u32 mptcp_join_isn(const struct request_sock *req)
{
	return tcp_rsk(req)->snt_isn;
}

/* Is the ACK @skb, which belongs to nothing that is known, the third one of such a join? Its
 * MSS, else 0. The cheap half of the answer.
 */
int mptcp_join_cookie_mss_slow(const struct sock *lsk, const struct sk_buff *skb)
{
	struct mptcp_options_received opt;
	struct net *net = sock_net(lsk);
	u32 nonce;
	int mss;

	if (!mptcp_join_any(net) || !mptcp_subflow_ctx(lsk)->request_mptcp)
		return 0;
	mptcp_get_forms(skb, mptcp_join_cookie_forms(lsk), &opt);
	if (!(opt.suboptions & OPTION_MPTCP_MPJ_ACK) || !opt.ext)
		return 0;

	mss = mptcp_join_cookie_check(net, skb, &opt, &nonce);
	if (!mss)
		MPTCP_INC_STATS(net, MPTCP_MIB_JOINSTATELESSCOOKIE);
	return mss;
}

/* What the request had if there was one */
static void join_request_restore(struct request_sock *req, const struct sk_buff *skb,
				 const struct mptcp_options_received *opt)
{
	struct mptcp_subflow_request_sock *subflow_req = mptcp_subflow_rsk(req);
	struct inet_request_sock *ireq = inet_rsk(req);

	if (skb->protocol == htons(ETH_P_IP)) {
		sk_rcv_saddr_set(req_to_sk(req), ip_hdr(skb)->daddr);
		sk_daddr_set(req_to_sk(req), ip_hdr(skb)->saddr);
	} else {
		ireq->ir_v6_rmt_addr = ipv6_hdr(skb)->saddr;
		ireq->ir_v6_loc_addr = ipv6_hdr(skb)->daddr;
	}
	subflow_req->token = opt->token;
	subflow_req->remote_nonce = opt->nonce;
	subflow_req->remote_id = opt->join_id;
	subflow_req->backup = opt->backup;
	subflow_req->ssn_offset = TCP_SKB_CB(skb)->seq - 1;
}

/* A third ACK makes no subflow, @err: why, of once.c. The reason that a reset gives */
static u8 join_refused(struct net *net, int err)
{
	bool again = err == -EALREADY || err == -EINPROGRESS;

	MPTCP_INC_STATS(net, again ? MPTCP_MIB_JOINSTATELESSREPLAY : MPTCP_MIB_JOINSTATELESSBUSY);
	return again ? MPTCP_RST_EMPTCP : MPTCP_RST_ERESOURCE;
}

/* Its subflow is made, where a full queue of the listener would have prevented it, and the third
 * ACK could have come again. From now on it cannot. 0, or the reason of a reset: another one was
 * faster, or there is no room.
 */
u8 mptcp_join_adopt(const struct request_sock *req)
{
	const struct mptcp_subflow_request_sock *subflow_req = mptcp_subflow_rsk(req);
	struct net *net = sock_net(req_to_sk((struct request_sock *)req));
	int err = mptcp_join_remember(subflow_req->msk, subflow_req->local_nonce);

	if (err)
		return join_refused(net, err);
	MPTCP_INC_STATS(net, MPTCP_MIB_JOINSTATELESSACK);
	return 0;
}

/* The third ACK @skb with a cookie that mptcp_join_cookie_mss() has found right: a request out
 * of it, as if it had waited. On error a reset has been sent where RFC 8684 has one.
 */
int mptcp_join_third_ack(struct request_sock *req, const struct sock *lsk, struct sk_buff *skb,
			 const struct mptcp_options_received *opt)
{
	struct mptcp_subflow_request_sock *subflow_req = mptcp_subflow_rsk(req);
	struct net *net = sock_net(lsk);
	u8 reason = MPTCP_RST_EMPTCP;
	int err;

	if (!mptcp_join_cookie_check(net, skb, opt, &subflow_req->local_nonce))
		return -EINVAL;

	join_request_restore(req, skb, opt);
	subflow_req->msk = mptcp_subflow_join_request(req);
	if (!subflow_req->msk ||
	    !(mptcp_stateless_join(net) || mptcp_join_key_agreed(subflow_req->msk))) {
		mptcp_subflow_join_reset(lsk, req, skb, MPTCP_RST_EMPTCP);
		return -EINVAL;
	}

	/* what comes again costs no HMAC */
	err = mptcp_join_seen(subflow_req->msk, subflow_req->local_nonce);
	if (err) {
		reason = join_refused(net, err);
	} else if (!mptcp_subflow_join_hmac_valid(req, opt, MPTCPOPT_HMAC_LONG_LEN)) {
		MPTCP_INC_STATS(net, MPTCP_MIB_JOINACKMAC);
	} else {
		subflow_req->mp_join = 1;
		subflow_req->stateless = 1;
		return 0;
	}

	/* a copy, on another CPU, is not to end what the first one has just begun */
	if (err != -EINPROGRESS)
		mptcp_subflow_join_reset(lsk, req, skb, reason);
	return -EPERM;
}
