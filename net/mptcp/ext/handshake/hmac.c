// SPDX-License-Identifier: GPL-2.0
/* Joins: the HMACs of a connection, half of the work done once
 *
 * Each join takes two HMACs at each end (RFC 8684, 3.2): the SYN/ACK's and that of the
 * third ACK. HMAC-SHA256 of a short message is four runs of the compression function
 * (RFC 2104): the padded key and the message, twice. The first of each pair depends on the
 * key only, and a connection has two keys for as long as it lives: its own key in front of
 * the peer's for what it sends, and the other way round. Their four states are kept, and an
 * HMAC takes two runs instead of four. RFC 2104, section 4, proposes this.
 *
 * Paasch's thesis (6.1.5) finds a third of the time for a SYN/ACK with MP_JOIN here, and
 * drops the HMAC. This stays what it was on the wire, bit for bit.
 *
 * The first join makes the states: its two HMACs then take eight runs, as without.
 * Connections without one have no memory of it. Where there is no memory, an HMAC is made as
 * it was before.
 *
 * Locking: SYNs come without the msk lock, several at a time. The states do not change once
 * they are published, under pm.lock, which also keeps them from a connection that is being
 * destroyed. Readers are under RCU. A connection that is used again after a disconnect() has
 * other keys, and a SYN may be late: the states bear the keys they are of.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <kunit/visibility.h>
#include <linux/slab.h>
#include <linux/unaligned.h>
#include "protocol.h"
#include "ext/handshake/handshake.h"
#include "ext/join/key.h"

struct mptcp_hmac_states {
	u64			local_key;
	u64			remote_key;
	struct mptcp_hmac_state	state[2];	/* by enum mptcp_hmac_whose */
	struct rcu_head		rcu;
};

/* One block of the padded key: what SHA-256 is after it. */
static void hmac_pad(u32 *state, u64 key1, u64 key2, u8 pad)
{
	struct sha256_state sha;
	u8 block[SHA256_BLOCK_SIZE];
	int i;

	memset(block, 0, sizeof(block));
	put_unaligned_be64(key1, block);
	put_unaligned_be64(key2, block + sizeof(key1));
	for (i = 0; i < sizeof(block); i++)
		block[i] ^= pad;

	sha256_init(&sha);
	sha256_update(&sha, block, sizeof(block));
	memcpy(state, sha.state, sizeof(sha.state));
}

void mptcp_hmac_prepare(struct mptcp_hmac_state *state, u64 key1, u64 key2)
{
	hmac_pad(state->inner, key1, key2, 0x36);
	hmac_pad(state->outer, key1, key2, 0x5c);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_hmac_prepare);

/* SHA-256 of the block that @from stands for, and the @len bytes at @data behind it */
static void hmac_half(const u32 *from, const u8 *data, int len, u8 *out)
{
	struct sha256_state sha;

	memcpy(sha.state, from, sizeof(sha.state));
	sha.count = SHA256_BLOCK_SIZE;
	sha256_update(&sha, data, len);
	sha256_final(&sha, out);
}

void mptcp_hmac_finish(const struct mptcp_hmac_state *state, const u8 *msg, int len, u8 *hmac)
{
	u8 digest[SHA256_DIGEST_SIZE];

	hmac_half(state->inner, msg, len, digest);
	hmac_half(state->outer, digest, sizeof(digest), hmac);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_hmac_finish);

static bool hmac_states_fit(const struct mptcp_hmac_states *states, const struct mptcp_sock *msk)
{
	return states->local_key == READ_ONCE(msk->local_key) &&
	       states->remote_key == READ_ONCE(msk->remote_key);
}

/* Publish @states, unless another SYN was faster or the connection ends: then there is no
 * need for them.
 */
static bool hmac_publish(struct mptcp_sock *msk, struct mptcp_hmac_states *states)
{
	bool wanted;

	spin_lock_bh(&msk->pm.lock);
	wanted = !rcu_access_pointer(msk->hmac_states) &&
		 !(msk->pm.status & BIT(MPTCP_PM_DESTROYING));
	if (wanted)
		rcu_assign_pointer(msk->hmac_states, states);
	spin_unlock_bh(&msk->pm.lock);
	return wanted;
}

/* under RCU */
static const struct mptcp_hmac_states *hmac_make(struct mptcp_sock *msk)
{
	struct mptcp_hmac_states *states = kmalloc(sizeof(*states), GFP_ATOMIC);
	u64 local = READ_ONCE(msk->local_key), remote = READ_ONCE(msk->remote_key);

	if (!states)
		return NULL;

	states->local_key = local;
	states->remote_key = remote;
	mptcp_hmac_prepare(&states->state[MPTCP_HMAC_OURS], local, remote);
	mptcp_hmac_prepare(&states->state[MPTCP_HMAC_PEERS], remote, local);
	if (hmac_publish(msk, states))
		return states;

	kfree(states);
	return rcu_dereference(msk->hmac_states);
}

static void hmac_plain(const struct mptcp_sock *msk, enum mptcp_hmac_whose whose, u8 *msg, int len,
		       u8 *hmac)
{
	u64 local = READ_ONCE(msk->local_key), remote = READ_ONCE(msk->remote_key);

	if (whose == MPTCP_HMAC_OURS)
		mptcp_crypto_hmac_sha(local, remote, msg, len, hmac);
	else
		mptcp_crypto_hmac_sha(remote, local, msg, len, hmac);
}

/* The HMAC of a join: @nonce1 is of the end whose HMAC it is. A key from the application takes
 * the place of those in clear, and has no states.
 */
void mptcp_join_hmac(struct mptcp_sock *msk, enum mptcp_hmac_whose whose,
		     u32 nonce1, u32 nonce2, u8 *hmac)
{
	const struct mptcp_hmac_states *states;
	u8 msg[2 * sizeof(u32)];

	put_unaligned_be32(nonce1, msg);
	put_unaligned_be32(nonce2, msg + sizeof(nonce1));
	if (mptcp_join_key_hmac(msk, whose == MPTCP_HMAC_OURS, msg, sizeof(msg), hmac))
		return;

	rcu_read_lock();
	states = rcu_dereference(msk->hmac_states) ?: hmac_make(msk);
	if (likely(states && hmac_states_fit(states, msk)))
		mptcp_hmac_finish(&states->state[whose], msg, sizeof(msg), hmac);
	else
		hmac_plain(msk, whose, msg, sizeof(msg), hmac);
	rcu_read_unlock();
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_join_hmac);

/* The connection ends, and MPTCP_PM_DESTROYING says so. */
void mptcp_hmac_free(struct mptcp_sock *msk)
{
	struct mptcp_hmac_states *states;

	states = rcu_replace_pointer(msk->hmac_states, NULL, true);
	if (states)
		kfree_rcu(states, rcu);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_hmac_free);
