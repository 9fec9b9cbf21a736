/* SPDX-License-Identifier: GPL-2.0 */
/* Keys from the application: what the files of joins tell each other, see key.c */
#ifndef _MPTCP_JOIN_KEY_H
#define _MPTCP_JOIN_KEY_H

#include <crypto/sha2.h>
#include <linux/unaligned.h>
#include "protocol.h"

/* mptcp_sock.app_key: what the application asked for, and what came of it */
#define MPTCP_APP_KEY_WANTED	BIT(0)
#define MPTCP_APP_KEY_ONLY	BIT(1)	/* rather no subflow than with keys in clear */
#define MPTCP_APP_KEY_AGREED	BIT(2)	/* by bit G of both ends */

#if IS_ENABLED(CONFIG_MPTCP_EXT_JOIN)
extern bool mptcp_join_key_used;

void mptcp_join_key_accepted(struct mptcp_sock *msk, bool agreed);
void mptcp_join_key_answered(struct mptcp_sock *msk, bool granted);
int mptcp_join_key_set(struct mptcp_sock *msk, const u8 *key, unsigned int len);
bool __mptcp_join_ready(const struct mptcp_sock *msk);
void __mptcp_join_key_hmac(const struct mptcp_sock *msk, bool local,
			   const u8 *msg, unsigned int len, u8 *hmac);

int mptcp_join_key_setsockopt(struct mptcp_sock *msk, int optname, sockptr_t optval,
			      unsigned int optlen);
int mptcp_join_key_getsockopt(struct mptcp_sock *msk, int optname, char __user *optval,
			      int __user *optlen);

static inline bool mptcp_join_key_is_option(int optname)
{
	return optname == MPTCP_ENABLE_APP_KEY || optname == MPTCP_KEY;
}
#else
#define mptcp_join_key_used	false

static inline void mptcp_join_key_accepted(struct mptcp_sock *msk, bool agreed) {}
static inline void mptcp_join_key_answered(struct mptcp_sock *msk, bool granted) {}
static inline bool __mptcp_join_ready(const struct mptcp_sock *msk)
{
	return true;
}

static inline void __mptcp_join_key_hmac(const struct mptcp_sock *msk, bool local,
					 const u8 *msg, unsigned int len, u8 *hmac) {}

static inline bool mptcp_join_key_is_option(int optname)
{
	return false;
}

static inline int mptcp_join_key_setsockopt(struct mptcp_sock *msk, int optname,
					    sockptr_t optval, unsigned int optlen)
{
	return -EOPNOTSUPP;
}

static inline int mptcp_join_key_getsockopt(struct mptcp_sock *msk, int optname,
					    char __user *optval, int __user *optlen)
{
	return -EOPNOTSUPP;
}
#endif

static inline bool mptcp_join_key_wanted(const struct sock *sk)
{
	return READ_ONCE(mptcp_sk(sk)->app_key) & MPTCP_APP_KEY_WANTED;
}

static inline bool mptcp_join_key_agreed(const struct mptcp_sock *msk)
{
	return READ_ONCE(msk->app_key) & MPTCP_APP_KEY_AGREED;
}

/* May subflows join? Without the option always. */
static inline bool mptcp_join_ready(const struct mptcp_sock *msk)
{
	return likely(!READ_ONCE(msk->app_key)) || __mptcp_join_ready(msk);
}

/* RFC 8684's HMAC, with the application's key if that was agreed on. @local: by this end, or
 * else by the peer. False: with the keys in clear, as usual.
 */
static inline bool mptcp_join_key_hmac(const struct mptcp_sock *msk, bool local,
				       const u8 *msg, unsigned int len, u8 *hmac)
{
	if (likely(!mptcp_join_key_agreed(msk)))
		return false;
	__mptcp_join_key_hmac(msk, local, msg, len, hmac);
	return true;
}

/* The last 64 bits of either, the key of the end whose HMAC it is being the first one */
static inline u64 mptcp_join_hmac64(const struct mptcp_sock *msk, bool local, u8 *msg,
				    unsigned int len)
{
	u64 ours = READ_ONCE(msk->local_key), theirs = READ_ONCE(msk->remote_key);
	u8 hmac[SHA256_DIGEST_SIZE];

	if (!mptcp_join_key_hmac(msk, local, msg, len, hmac))
		mptcp_crypto_hmac_sha(local ? ours : theirs, local ? theirs : ours, msg, len,
				      hmac);
	return get_unaligned_be64(&hmac[SHA256_DIGEST_SIZE - sizeof(u64)]);
}

#endif /* _MPTCP_JOIN_KEY_H */
