/* SPDX-License-Identifier: GPL-2.0 */
/* The low-overhead handshake is not built in: what is called although no connection has it */
#ifndef _MPTCP_LOW_OVERHEAD_NONE_H
#define _MPTCP_LOW_OVERHEAD_NONE_H

static inline bool mptcp_low_wanted(const struct sock *sk, const struct net *net)
{
	return false;
}

static inline void mptcp_low_request(struct mptcp_subflow_request_sock *req,
				     const struct sock *parent,
				     const struct mptcp_options_received *mp_opt,
				     const struct sk_buff *skb) {}

static inline bool mptcp_low_synack(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
				    const struct mptcp_options_received *mp_opt)
{
	return true;
}

static inline bool mptcp_low_third_ack(const struct mptcp_subflow_request_sock *req,
				       const struct mptcp_options_received *mp_opt)
{
	return true;
}

static inline void mptcp_low_accept(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
				    const struct mptcp_options_received *mp_opt) {}

static inline bool mptcp_low_cookie(struct mptcp_subflow_request_sock *req,
				    const struct sock *parent, const struct sk_buff *skb,
				    const struct mptcp_options_received *mp_opt)
{
	return true;
}

static inline u8 mptcp_low_ack_forms(const struct sock *parent, const struct net *net)
{
	return MPTCP_FORM_KEYS;
}

static inline bool mptcp_low_parse_capable(const struct sk_buff *skb, u8 forms, const u8 *ptr,
					   int opsize, struct mptcp_options_received *mp_opt)
{
	return false;
}

static inline bool mptcp_low_parse_join(const struct sk_buff *skb, u8 forms, const u8 *ptr,
					int opsize, struct mptcp_options_received *mp_opt)
{
	return false;
}

static inline unsigned int mptcp_low_size(const struct mptcp_out_options *opts)
{
	return 0;
}

static inline __be32 *mptcp_low_write(__be32 *ptr, const struct mptcp_out_options *opts)
{
	return ptr;
}

static inline u32 mptcp_low_token(void)
{
	return 0;
}

static inline u32 mptcp_low_cookie_token(const struct net *net, const struct sk_buff *skb,
					 unsigned int retries)
{
	return 0;
}

static inline int mptcp_low_setsockopt(struct mptcp_sock *msk, sockptr_t optval,
				       unsigned int optlen)
{
	return -EOPNOTSUPP;
}

static inline int mptcp_low_getsockopt(struct mptcp_sock *msk, char __user *optval,
				       int __user *optlen)
{
	return -EOPNOTSUPP;
}

#endif /* _MPTCP_LOW_OVERHEAD_NONE_H */
