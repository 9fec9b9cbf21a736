/* SPDX-License-Identifier: GPL-2.0 */
/* The control stream is not built in: what is called although no connection has one */
#ifndef _MPTCP_CONTROL_NONE_H
#define _MPTCP_CONTROL_NONE_H

static inline bool mptcp_control_wanted(const struct mptcp_sock *msk)
{
	return false;
}

static inline void mptcp_control_ask(struct mptcp_sock *msk) {}

static inline bool mptcp_control_asks(const struct mptcp_sock *msk)
{
	return false;
}

static inline struct mptcp_control *mptcp_control_alloc(gfp_t gfp)
{
	return NULL;
}

static inline void mptcp_control_clone(struct sock *nsk, const struct sock *sk,
				       struct mptcp_control *control) {}
static inline void mptcp_control_start(struct mptcp_sock *msk, u64 idsn, u64 iasn,
				       bool granted) {}
static inline void mptcp_control_stop(struct mptcp_sock *msk) {}
static inline void mptcp_control_work(struct mptcp_sock *msk) {}

static inline bool mptcp_control_options(struct mptcp_subflow_context *subflow,
					 unsigned int *size, struct mptcp_out_options *opts)
{
	return false;
}

static inline bool mptcp_control_incoming(struct mptcp_sock *msk, struct sock *ssk,
					  const struct sk_buff *skb,
					  struct mptcp_options_received *mp_opt)
{
	return false;
}

static inline u64 mptcp_control_expected(const struct mptcp_sock *msk)
{
	return 0;
}

static inline void mptcp_control_take(struct mptcp_sock *msk, struct sock *ssk,
				      struct sk_buff *skb, bool data_lock_held) {}

static inline bool mptcp_control_heard(const struct mptcp_sock *msk,
				       const struct mptcp_options_received *mp_opt)
{
	return false;
}

static inline __poll_t mptcp_control_poll(const struct mptcp_sock *msk)
{
	return 0;
}

static inline bool mptcp_control_announce(struct mptcp_sock *msk,
					  const struct mptcp_addr_info *addr, bool echo)
{
	return false;
}

static inline bool mptcp_control_remove(struct mptcp_sock *msk, const struct mptcp_rm_list *list)
{
	return false;
}

static inline bool mptcp_control_prio(struct mptcp_sock *msk,
				      const struct mptcp_subflow_context *subflow, bool backup)
{
	return false;
}

static inline int mptcp_control_setsockopt(struct mptcp_sock *msk, int optname,
					   sockptr_t optval, unsigned int optlen)
{
	return -EOPNOTSUPP;
}

static inline int mptcp_control_getsockopt(struct mptcp_sock *msk, int optname,
					   char __user *optval, int __user *optlen)
{
	return -EOPNOTSUPP;
}

#endif /* _MPTCP_CONTROL_NONE_H */
