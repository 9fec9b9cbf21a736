// SPDX-License-Identifier: GPL-2.0
/* Joins with a key from the application
 *
 * Paasch, "Improving Multipath TCP" (2014), 6.2.2: RFC 8684's keys go over the first subflow in
 * clear. Whoever saw that handshake can join for as long as the connection lives. Applications
 * that speak TLS or SSH have a secret that no eavesdropper has, and can give it to us:
 *
 *	both    MPTCP_ENABLE_APP_KEY before connect() and listen(): MP_CAPABLE gets bit G
 *		(SYN, and SYN/ACK if the peer wants it, too)
 *	both    a handshake of their own over the first subflow, TLS for example
 *	both    MPTCP_KEY: from then on further subflows
 *
 * In between nobody joins. The path manager waits, ADD_ADDRs wait, and a SYN with MP_JOIN of a
 * peer that is ahead of us gets no answer: TCP repeats it after a second.
 *
 * What is computed with it. K is the application's key, Key-C and Key-S those of MP_CAPABLE,
 * of the client and the server of the first subflow:
 *
 *	S-C = HMAC-SHA256(K, "MPTCP application key, client" | Key-C | Key-S)
 *	S-S = HMAC-SHA256(K, "MPTCP application key, server" | Key-C | Key-S)
 *
 * These take the place of the keys in RFC 8684's HMACs of MP_JOIN and ADD_ADDR, and in those of the
 * control stream, in its order:
 * HMAC-A = HMAC-SHA256(S-A | S-B, R-A | R-B), HMAC-B = HMAC-SHA256(S-B | S-A, R-B | R-A), A being
 * who joins. So both directions differ, and an application that gives the same key to two
 * connections does not make their HMACs alike. Together they are as long as a block
 * of SHA-256, and are used as they are. Tokens and first data sequence numbers stay those
 * of the keys in clear, as does MP_FASTCLOSE: it has no HMAC that this could replace.
 *
 * The thesis takes bit B, which RFC 8684 gave to something else meanwhile. Of its bits D to
 * H, by which the crypto algorithm is negotiated, G is the next one.
 *
 * Joins have the third ACK of 28 bytes, and leave no state, whatever net.mptcp.stateless_join is:
 * who sees a token does not fill the queue of somebody who cares for security.
 *
 * Locking: mptcp_sock.app_key is written before connect() or listen(), under the socket's lock, and
 * once while the handshake ends, under the first subflow's. The secrets are made under the
 * socket's lock and read under RCU, see state.c.
 */

#include <crypto/sha2.h>
#include <linux/random.h>
#include <net/mptcp.h>
#include "protocol.h"
#include "ext/join/join.h"
#include "mib.h"

/* Has any socket since the boot asked for this? Until then SYNs cost nothing. */
bool mptcp_join_key_used __read_mostly;

/* @key: at most a block of it */
static void join_hmac(const u8 *key, unsigned int key_len, const u8 *msg, unsigned int len,
		      u8 *hmac)
{
	u8 pad[SHA256_BLOCK_SIZE];
	struct sha256_state state;
	unsigned int i;

	for (i = 0; i < sizeof(pad); i++)
		pad[i] = (i < key_len ? key[i] : 0) ^ 0x36;
	sha256_init(&state);
	sha256_update(&state, pad, sizeof(pad));
	sha256_update(&state, msg, len);
	sha256_final(&state, hmac);

	for (i = 0; i < sizeof(pad); i++)
		pad[i] ^= 0x36 ^ 0x5c;
	sha256_init(&state);
	sha256_update(&state, pad, sizeof(pad));
	sha256_update(&state, hmac, SHA256_DIGEST_SIZE);
	sha256_final(&state, hmac);
	memzero_explicit(pad, sizeof(pad));
}

/* S-C or S-S */
static void join_key_derive(const struct mptcp_sock *msk, const u8 *key, unsigned int len,
			    const char *label, u8 *secret)
{
	bool server = READ_ONCE(msk->pm.server_side);
	u64 local = READ_ONCE(msk->local_key), remote = READ_ONCE(msk->remote_key);
	u8 msg[48];
	size_t n;

	n = strscpy(msg, label, sizeof(msg));
	put_unaligned_be64(server ? remote : local, &msg[n]);
	put_unaligned_be64(server ? local : remote, &msg[n + 8]);
	join_hmac(key, len, msg, n + 16, secret);
}

/* MPTCP_KEY, under the socket's lock, which keeps it from coming twice */
int mptcp_join_key_set(struct mptcp_sock *msk, const u8 *key, unsigned int len)
{
	bool server = READ_ONCE(msk->pm.server_side);
	struct mptcp_join_state *state;

	spin_lock_bh(&msk->pm.lock);
	state = mptcp_join_state_make(msk);
	spin_unlock_bh(&msk->pm.lock);
	if (!state)
		return -ENOMEM;

	join_key_derive(msk, key, len, "MPTCP application key, client",
			server ? state->remote : state->local);
	join_key_derive(msk, key, len, "MPTCP application key, server",
			server ? state->local : state->remote);
	smp_store_release(&state->keyed, true); /* pairs with join_keyed() */

	/* the path manager waited for it, and what the peer said in the control stream */
	mptcp_pm_join_ready(msk);
	mptcp_schedule_work((struct sock *)msk);
	return 0;
}

/* The state with the secrets, under RCU; NULL: there is no key yet */
static const struct mptcp_join_state *join_keyed(const struct mptcp_sock *msk)
{
	const struct mptcp_join_state *state = rcu_dereference(msk->join_state);

	/* pairs with mptcp_join_key_set() */
	return state && smp_load_acquire(&state->keyed) ? state : NULL;
}

/* The first subflow's handshake ends, at the passive end */
void mptcp_join_key_accepted(struct mptcp_sock *msk, bool agreed)
{
	if (!agreed)
		return;
	WRITE_ONCE(msk->app_key, msk->app_key | MPTCP_APP_KEY_AGREED);
	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_APPKEY);
}

/* The same at the active end: the SYN/ACK came */
void mptcp_join_key_answered(struct mptcp_sock *msk, bool granted)
{
	mptcp_join_key_accepted(msk, granted && mptcp_join_key_wanted((struct sock *)msk));
}

bool __mptcp_join_ready(const struct mptcp_sock *msk)
{
	u8 app_key = READ_ONCE(msk->app_key);
	bool keyed;

	if (!(app_key & MPTCP_APP_KEY_AGREED))
		return !(app_key & MPTCP_APP_KEY_ONLY);

	rcu_read_lock();
	keyed = join_keyed(msk);
	rcu_read_unlock();
	return keyed;
}

void __mptcp_join_key_hmac(const struct mptcp_sock *msk, bool local,
			   const u8 *msg, unsigned int len, u8 *hmac)
{
	const struct mptcp_join_state *secrets;
	u8 key[2 * SHA256_DIGEST_SIZE];

	rcu_read_lock();
	secrets = join_keyed(msk);
	if (secrets) {
		memcpy(key, local ? secrets->local : secrets->remote, SHA256_DIGEST_SIZE);
		memcpy(key + SHA256_DIGEST_SIZE, local ? secrets->remote : secrets->local,
		       SHA256_DIGEST_SIZE);
		join_hmac(key, sizeof(key), msg, len, hmac);
		memzero_explicit(key, sizeof(key));
	} else {
		/* nobody should ask before there is one; then none is right */
		get_random_bytes(hmac, SHA256_DIGEST_SIZE);
	}
	rcu_read_unlock();
}
