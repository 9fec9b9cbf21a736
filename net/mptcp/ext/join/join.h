/* SPDX-License-Identifier: GPL-2.0 */
/* Joins that leave no state at the passive end: what their files tell each other
 *
 * options.c    what of it is in MP_JOIN, at the active end
 * cookie.c     what the SYN/ACK's numbers are made of, and whether they come back
 * once.c       a third ACK makes one subflow, not more
 * state.c      what that and a key take, once there is one
 * key.c        keys from the application, see key.h
 * stateless.c  which SYNs are answered so, which third ACKs join
 */
#ifndef _MPTCP_JOIN_H
#define _MPTCP_JOIN_H

#include <crypto/sha2.h>
#include "protocol.h"
#include "ext/sysctl.h"
#include "ext/handshake/low_overhead.h"
#include "ext/join/key.h"

#define MPTCP_JOIN_ONCE		48

/* Of a connection that needs it; with the ring it fits into 512 bytes */
struct mptcp_join_state {
	u8	local[SHA256_DIGEST_SIZE];	/* key.c: this end's secret, the peer's, */
	u8	remote[SHA256_DIGEST_SIZE];
	bool	keyed;				/* and whether they are there */
	u32	nonce[MPTCP_JOIN_ONCE];		/* once.c, under pm.lock */
	u32	at[MPTCP_JOIN_ONCE];		/* jiffies, 0: free */
	struct rcu_head rcu;
};

/* Is a third ACK of 28 bytes one? */
static inline u8 mptcp_join_forms(bool stateless)
{
	return stateless ? MPTCP_FORM_LONG : 0;
}

/* How a SYN is answered */
enum mptcp_join_how {
	MPTCP_JOIN_STATEFUL,	/* as all others: a request waits for the third ACK */
	MPTCP_JOIN_STATELESS,
	MPTCP_JOIN_DROP,	/* not at all; TCP repeats it */
};

#if IS_ENABLED(CONFIG_MPTCP_EXT_JOIN)
u32 mptcp_join_cookie(const struct net *net, const struct sk_buff *skb,
		      const struct mptcp_options_received *opt, u16 *mss, u32 *nonce);
int mptcp_join_cookie_check(const struct net *net, const struct sk_buff *skb,
			    const struct mptcp_options_received *opt, u32 *nonce);

int mptcp_join_seen(struct mptcp_sock *msk, u32 nonce);
int mptcp_join_remember(struct mptcp_sock *msk, u32 nonce);
struct mptcp_join_state *mptcp_join_state_make(struct mptcp_sock *msk);
void mptcp_join_forget(struct mptcp_sock *msk);

enum mptcp_join_how mptcp_join_syn(struct sock *lsk, const struct sk_buff *skb);
void mptcp_join_synack(struct request_sock *req, const struct sk_buff *skb,
		       const struct mptcp_options_received *opt);
u32 mptcp_join_isn(const struct request_sock *req);
int mptcp_join_third_ack(struct request_sock *req, const struct sock *lsk, struct sk_buff *skb,
			 const struct mptcp_options_received *opt);
u8 mptcp_join_adopt(const struct request_sock *req);

u8 mptcp_join_syn_flags(const struct sock *ssk, struct mptcp_subflow_context *subflow);
unsigned int mptcp_join_ack_prepare(const struct mptcp_subflow_context *subflow,
				    struct mptcp_out_options *opts);
__be32 *mptcp_join_ack_write(__be32 *ptr, const struct mptcp_out_options *opts);
void mptcp_join_ack_parse(const u8 *ptr, struct mptcp_options_received *opt);

/* Is there any reason to look at joins? */
static inline bool mptcp_join_any(const struct net *net)
{
	return mptcp_stateless_join(net) || READ_ONCE(mptcp_join_key_used);
}
#else
static inline bool mptcp_join_any(const struct net *net)
{
	return false;
}

static inline enum mptcp_join_how mptcp_join_syn(struct sock *lsk, const struct sk_buff *skb)
{
	return MPTCP_JOIN_STATEFUL;
}

static inline u32 mptcp_join_isn(const struct request_sock *req)
{
	return 0;
}

static inline void mptcp_join_synack(struct request_sock *req, const struct sk_buff *skb,
				     const struct mptcp_options_received *opt)
{
}

static inline void mptcp_join_forget(struct mptcp_sock *msk)
{
}

static inline u8 mptcp_join_adopt(const struct request_sock *req)
{
	return MPTCP_RST_EPROHIBIT;
}

static inline int mptcp_join_third_ack(struct request_sock *req, const struct sock *lsk,
				       struct sk_buff *skb,
				       const struct mptcp_options_received *opt)
{
	return -EINVAL;
}

static inline u8 mptcp_join_syn_flags(const struct sock *ssk,
				      struct mptcp_subflow_context *subflow)
{
	return 0;
}

static inline unsigned int mptcp_join_ack_prepare(const struct mptcp_subflow_context *subflow,
						  struct mptcp_out_options *opts)
{
	return TCPOLEN_MPTCP_MPJ_ACK;
}

static inline __be32 *mptcp_join_ack_write(__be32 *ptr, const struct mptcp_out_options *opts)
{
	return ptr;
}

static inline void mptcp_join_ack_parse(const u8 *ptr, struct mptcp_options_received *opt) {}
#endif

/* Forms of a third ACK to a SYN cookie or a join's: who looks at it first, and who makes a request
 * of it, have to see the same
 */
static inline u8 mptcp_join_cookie_forms(const struct sock *lsk)
{
	return mptcp_low_ack_forms(mptcp_subflow_ctx(lsk)->conn, sock_net(lsk)) |
	       mptcp_join_forms(mptcp_join_any(sock_net(lsk)));
}

/* subflow.c */
struct mptcp_sock *mptcp_subflow_join_request(struct request_sock *req);
void mptcp_subflow_join_reset(const struct sock *lsk, struct request_sock *req,
			      struct sk_buff *skb, u8 reason);
bool mptcp_subflow_join_hmac_valid(const struct request_sock *req,
				   const struct mptcp_options_received *opt, unsigned int len);

#endif /* _MPTCP_JOIN_H */
