/* SPDX-License-Identifier: GPL-2.0 */
/* Handshakes that cost less: see hmac.c */
#ifndef _MPTCP_HANDSHAKE_H
#define _MPTCP_HANDSHAKE_H

#include <crypto/sha2.h>

struct mptcp_sock;

/* SHA-256 after the first block of either half of an HMAC: all that depends on its key */
struct mptcp_hmac_state {
	u32	inner[SHA256_DIGEST_SIZE / sizeof(u32)];
	u32	outer[SHA256_DIGEST_SIZE / sizeof(u32)];
};

/* Whose HMAC: the sender's key comes first (RFC 8684, 3.2) */
enum mptcp_hmac_whose {
	MPTCP_HMAC_OURS,
	MPTCP_HMAC_PEERS,
};

void mptcp_hmac_prepare(struct mptcp_hmac_state *state, u64 key1, u64 key2);
void mptcp_hmac_finish(const struct mptcp_hmac_state *state, const u8 *msg, int len, u8 *hmac);
void mptcp_join_hmac(struct mptcp_sock *msk, enum mptcp_hmac_whose whose,
		     u32 nonce1, u32 nonce2, u8 *hmac);
void mptcp_hmac_free(struct mptcp_sock *msk);

#endif /* _MPTCP_HANDSHAKE_H */
