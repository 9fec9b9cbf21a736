// SPDX-License-Identifier: GPL-2.0
/* The low-overhead handshake: tokens for keys
 *
 * Paasch's thesis (6.1) asks what of the handshake is there for security only, and takes it
 * away, for networks where nobody else is, and for applications with TLS. MP_CAPABLE of another
 * version carries a token of 32 bits where RFC 8684 has a key of 64. No key is drawn and hashed.
 * MP_JOIN carries the token of the connection, without nonces and HMACs. The initial DSNs are
 * IDSN_A = token B || token A, and IDSN_B the other way round.
 *
 * What it is worth: nothing against those who see a SYN of a join, which tells the token, and
 * 1 in 2^32 for each connection against those who guess. It is off by default, and a connection
 * with keys takes no join without: that is decided by the connection, not by the packet.
 *
 * Where ours deviates:
 * - The version is 2. The thesis has 1, which RFC 8684 uses since.
 * - A's token is not in the SYN, but in the third ACK, where RFC 8684 moved A's key since.
 *   The SYN is that of version 1 but for the number, so that a peer which knows version 1 only
 *   answers with that (RFC 8684, 3.1; Linux does), and the connection goes on with keys.
 *   With the token in the SYN Linux takes the option for a broken one and the connection is
 *   TCP. For that case the client has a key and the token of this, which goes both ways.
 * - Not with data in the SYN (TFO): B does not know its own IDSN before it has A's token.
 * - What needs keys later (ADD_ADDR's HMAC, MP_FASTCLOSE) has the tokens for keys. Who has
 *   seen both can forge these, too.
 * - State is kept for half-open joins, even with net.mptcp.stateless_join.
 * - Not for an application that wants to give a key (ext/join/key.c), at either end.
 *
 * Locking: a subflow's bit is written under its lock, or before others see it; the connection's
 * by its first subflow before there are others, and read without a lock.
 */

#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "ext/handshake/low_overhead.h"

/* Does the application of connection or listener @sk want it? Not if it wants to give a key, so
 * that nobody joins who only saw the handshake: a token alone would let him. @net is apart, as a
 * SYN meets a listener under RCU only, whose subflow keeps its namespace that long.
 */
bool mptcp_low_wanted(const struct sock *sk, const struct net *net)
{
	u8 asked = READ_ONCE(mptcp_sk(sk)->low_asked);

	if (mptcp_join_key_wanted(sk))
		return false;
	return asked ? asked == MPTCP_LOW_YES : mptcp_low_overhead(net);
}

/* A SYN with MP_CAPABLE came to @parent: is the answer of version 2? */
void mptcp_low_request(struct mptcp_subflow_request_sock *req, const struct sock *parent,
		       const struct mptcp_options_received *mp_opt, const struct sk_buff *skb)
{
	const struct net *net = read_pnet(&req->sk.req.ireq_net);

	req->low_overhead = mp_opt->low_overhead && mptcp_low_wanted(parent, net) &&
			    TCP_SKB_CB(skb)->end_seq == TCP_SKB_CB(skb)->seq + 1;
}

/* A's end of the connection, or B's, once it has the peer's token */
static u64 low_own_idsn(const struct mptcp_subflow_context *subflow, u32 peers)
{
	return (u64)peers << 32 | (u32)subflow->local_key;
}

/* The SYN/ACK came with MP_CAPABLE: its version decides. False if it is not one to go on with.
 * Under the subflow's lock, before the connection has sent anything.
 */
bool mptcp_low_synack(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
		      const struct mptcp_options_received *mp_opt)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));

	if (!mp_opt->low_overhead) {
		subflow->low_overhead = 0;
		return true;
	}
	if (!subflow->low_overhead || tp->syn_data || !mp_opt->sndr_key)
		return false;

	mptcp_low_use(sock_net((struct sock *)msk));
	subflow->local_key = subflow->token;
	subflow->idsn = low_own_idsn(subflow, mp_opt->sndr_key);
	WRITE_ONCE(msk->low_overhead, true);
	/* nothing was sent: no acknowledgment is true until the state is known, either */
	WRITE_ONCE(msk->snd_nxt, subflow->idsn);
	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_LOWOVERHEADSYNACKRX);
	return true;
}

/* The third ACK, or what came in its place, has to echo the request's token. */
bool mptcp_low_third_ack(const struct mptcp_subflow_request_sock *req,
			 const struct mptcp_options_received *mp_opt)
{
	if (likely(!req->low_overhead))
		return true;
	return mp_opt->suboptions & OPTION_MPTCP_MPC_ACK && mp_opt->sndr_key &&
	       mp_opt->rcvr_key == req->local_key;
}

/* The connection of a request that passed mptcp_low_third_ack() */
void mptcp_low_accept(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
		      const struct mptcp_options_received *mp_opt)
{
	if (!subflow->low_overhead)
		return;

	mptcp_low_use(sock_net((struct sock *)msk));
	subflow->idsn = low_own_idsn(subflow, mp_opt->sndr_key);
	WRITE_ONCE(msk->low_overhead, true);
	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_LOWOVERHEADACKRX);
}

/* Forms of a third ACK to a SYN cookie, when nothing is known of the SYN */
u8 mptcp_low_ack_forms(const struct sock *parent, const struct net *net)
{
	if (mptcp_low_used(net) || mptcp_low_wanted(parent, net))
		return MPTCP_FORM_KEYS | MPTCP_FORM_LOW;
	return MPTCP_FORM_KEYS;
}

/* A third ACK to a SYN cookie: nothing was kept, so that the token has to tell. */
bool mptcp_low_cookie(struct mptcp_subflow_request_sock *req, const struct sock *parent,
		      const struct sk_buff *skb, const struct mptcp_options_received *mp_opt)
{
	const struct net *net = read_pnet(&req->sk.req.ireq_net);

	if (!mp_opt->low_overhead)
		return true;
	if (!mptcp_low_wanted(parent, net) || !mptcp_low_cookie_valid(net, skb, mp_opt->rcvr_key))
		return false;

	req->low_overhead = 1;
	return true;
}
