/* SPDX-License-Identifier: GPL-2.0 */
/* The low-overhead handshake: see low_overhead.c. Included after protocol.h */
#ifndef _MPTCP_LOW_OVERHEAD_H
#define _MPTCP_LOW_OVERHEAD_H

#include <linux/random.h>
#include <net/tcp.h>
#include "ext/sysctl.h"
#include "ext/join/key.h"

/* Lengths of its options, see options.c */
#define TCPOLEN_MPTCP_LOW_SYNACK	8
#define TCPOLEN_MPTCP_LOW_ACK		12
#define TCPOLEN_MPTCP_LOW_ACK_DATA	14
#define TCPOLEN_MPTCP_LOW_ACK_DATA_CSUM	(TCPOLEN_MPTCP_LOW_ACK_DATA + TCPOLEN_MPTCP_DSS_CHECKSUM)
#define TCPOLEN_MPTCP_LOW_JOIN		8	/* SYN and third ACK */
#define TCPOLEN_MPTCP_LOW_JOIN_SYNACK	4

#define MPTCP_VERSION_LOW		2

#if IS_ENABLED(CONFIG_MPTCP_EXT_LOW_OVERHEAD)
/* low_overhead.c */
bool mptcp_low_wanted(const struct sock *sk, const struct net *net);
void mptcp_low_request(struct mptcp_subflow_request_sock *req, const struct sock *parent,
		       const struct mptcp_options_received *mp_opt, const struct sk_buff *skb);
bool mptcp_low_synack(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
		      const struct mptcp_options_received *mp_opt);
bool mptcp_low_third_ack(const struct mptcp_subflow_request_sock *req,
			 const struct mptcp_options_received *mp_opt);
void mptcp_low_accept(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
		      const struct mptcp_options_received *mp_opt);
bool mptcp_low_cookie(struct mptcp_subflow_request_sock *req, const struct sock *parent,
		      const struct sk_buff *skb, const struct mptcp_options_received *mp_opt);
u8 mptcp_low_ack_forms(const struct sock *parent, const struct net *net);

/* options.c */
bool mptcp_low_parse_capable(const struct sk_buff *skb, u8 forms, const u8 *ptr, int opsize,
			     struct mptcp_options_received *mp_opt);
bool mptcp_low_parse_join(const struct sk_buff *skb, u8 forms, const u8 *ptr, int opsize,
			  struct mptcp_options_received *mp_opt);
unsigned int mptcp_low_size(const struct mptcp_out_options *opts);
__be32 *mptcp_low_write(__be32 *ptr, const struct mptcp_out_options *opts);

/* token.c */
u32 mptcp_low_token(void);
u32 mptcp_low_cipher(u32 number, const siphash_key_t *key);

/* cookie.c */
#ifdef CONFIG_SYN_COOKIES
u32 mptcp_low_cookie_token(const struct net *net, const struct sk_buff *skb, unsigned int retries);
bool mptcp_low_cookie_valid(const struct net *net, const struct sk_buff *skb, u64 token);
#else
static inline u32 mptcp_low_cookie_token(const struct net *net, const struct sk_buff *skb,
					 unsigned int retries)
{
	return mptcp_low_token();
}

static inline bool mptcp_low_cookie_valid(const struct net *net, const struct sk_buff *skb,
					  u64 token)
{
	return false;
}
#endif

/* sockopt.c */
int mptcp_low_setsockopt(struct mptcp_sock *msk, sockptr_t optval, unsigned int optlen);
int mptcp_low_getsockopt(struct mptcp_sock *msk, char __user *optval, int __user *optlen);
#else
#include "ext/handshake/none.h"
#endif

/* Of what a connection is established by, or a request will be */
static inline u8 mptcp_low_forms(bool low_overhead)
{
	return unlikely(low_overhead) ? MPTCP_FORM_LOW : MPTCP_FORM_KEYS;
}

/* A SYN's: MP_CAPABLE is the same for both, and joins are there only to what they can join. */
static inline u8 mptcp_low_syn_forms(const struct net *net)
{
	return MPTCP_FORM_KEYS | (mptcp_low_used(net) ? MPTCP_FORM_LOW : 0);
}

/* A SYN/ACK's: both are answers to a SYN with MP_CAPABLE that offered it, also when it comes after
 * one without MP_CAPABLE went out.
 */
static inline u8 mptcp_low_synack_forms(const struct mptcp_subflow_context *subflow)
{
	return mptcp_low_forms(subflow->low_overhead) |
	       (subflow->request_join ? 0 : MPTCP_FORM_KEYS);
}

/* The key of a new request, at the @retries-th last try for a token that nobody has: in the
 * low-overhead handshake the token is in its place.
 */
static inline u64 mptcp_request_new_key(const struct mptcp_subflow_request_sock *req,
					const struct sk_buff *skb, unsigned int retries)
{
	if (likely(!req->low_overhead))
		return get_random_u64();
	if (req->sk.req.req.syncookie)
		return mptcp_low_cookie_token(read_pnet(&req->sk.req.ireq_net), skb, retries);
	return mptcp_low_token();
}

/* Its token, and the IDSN, which there depends on both tokens: see mptcp_low_accept(). */
static inline void mptcp_request_token(struct mptcp_subflow_request_sock *req)
{
	if (unlikely(req->low_overhead))
		req->token = req->local_key;
	else
		mptcp_crypto_key_sha(req->local_key, &req->token, &req->idsn);
}

/* The token at the peer, and what its DSNs begin behind */
static inline u32 mptcp_low_remote_token(const struct mptcp_subflow_context *subflow)
{
	return subflow->remote_key;
}

static inline u64 mptcp_low_peers_idsn(const struct mptcp_subflow_context *subflow)
{
	return subflow->local_key << 32 | (u32)subflow->remote_key;
}

#endif /* _MPTCP_LOW_OVERHEAD_H */
