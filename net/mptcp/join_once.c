// SPDX-License-Identifier: GPL-2.0
/* Joins without state: a third ACK makes one subflow, not more
 *
 * With RFC 8684 the passive end's random number is new for each SYN, and who sends an old
 * third ACK once more, when its subflow has ended, gets nothing. A cookie is the same
 * for one to two minutes (join_cookie.c): who saw the third ACK, and can send from the address
 * that it came from, would join without the keys. The thesis does not say what is against it.
 *
 * So a connection remembers the R_B of each third ACK that it has accepted, as long as its
 * cookie can be valid. That is state, but of joins that have shown an HMAC: nobody
 * else adds to it. It is made with the first one, 512 bytes, and there is room for
 * MPTCP_JOIN_ONCE joins in two minutes; further ones are reset, and the peer may try again
 * when the oldest is two minutes old.
 *
 * Locking: the connection's pm.lock. What is there when the connection is destroyed is freed
 * after its token is gone; nothing is added from then on.
 */

#include <linux/slab.h>
#include <net/tcp.h>
#include "protocol.h"
#include "join.h"

#define MPTCP_JOIN_ONCE		64

struct mptcp_join_once {
	u32 nonce[MPTCP_JOIN_ONCE];
	u32 at[MPTCP_JOIN_ONCE];	/* jiffies, 0: free */
};

static bool join_valid(const struct mptcp_join_once *once, int i)
{
	return once->at[i] &&
	       tcp_jiffies32 - once->at[i] <= MAX_SYNCOOKIE_AGE * TCP_SYNCOOKIE_PERIOD;
}

/* Where @nonce is, or else a free place; -1: there is none */
static int join_find(const struct mptcp_join_once *once, u32 nonce, bool *seen)
{
	int i, room = -1;

	*seen = false;
	for (i = 0; i < MPTCP_JOIN_ONCE; i++) {
		if (!join_valid(once, i)) {
			room = i;
		} else if (once->nonce[i] == nonce) {
			*seen = true;
			return i;
		}
	}
	return room;
}

/* Was a third ACK with this R_B accepted before? */
bool mptcp_join_seen(struct mptcp_sock *msk, u32 nonce)
{
	bool seen = false;

	spin_lock_bh(&msk->pm.lock);
	if (msk->join_once)
		join_find(msk->join_once, nonce, &seen);
	spin_unlock_bh(&msk->pm.lock);
	return seen;
}

/* One is accepted now.
 * -EALREADY: was before, -ENOBUFS: too many, -ENOMEM, -ENOTCONN: the connection ends
 */
int mptcp_join_remember(struct mptcp_sock *msk, u32 nonce)
{
	int i, err = 0;
	bool seen;

	spin_lock_bh(&msk->pm.lock);
	if (msk->pm.status & BIT(MPTCP_PM_DESTROYING)) {
		err = -ENOTCONN;
		goto out;
	}
	if (!msk->join_once)
		msk->join_once = kzalloc(sizeof(*msk->join_once), GFP_ATOMIC);
	if (!msk->join_once) {
		err = -ENOMEM;
		goto out;
	}
	i = join_find(msk->join_once, nonce, &seen);
	if (seen || i < 0) {
		err = seen ? -EALREADY : -ENOBUFS;
		goto out;
	}
	msk->join_once->nonce[i] = nonce;
	msk->join_once->at[i] = tcp_jiffies32 ? : 1;
out:
	spin_unlock_bh(&msk->pm.lock);
	return err;
}

/* The connection is destroyed, and has no token any more */
void mptcp_join_forget(struct mptcp_sock *msk)
{
	struct mptcp_join_once *once;

	spin_lock_bh(&msk->pm.lock);
	once = msk->join_once;
	msk->join_once = NULL;
	spin_unlock_bh(&msk->pm.lock);
	kfree(once);
}
