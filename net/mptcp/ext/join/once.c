// SPDX-License-Identifier: GPL-2.0
/* Joins without state: a third ACK makes one subflow, not more
 *
 * With RFC 8684 the passive end's random number is new for each SYN, and who sends an old
 * third ACK once more, when its subflow has ended, gets nothing. A cookie is the same
 * for one to two minutes (cookie.c): who saw the third ACK, and can send from the address
 * that it came from, would join without the keys. The thesis does not say what is against it.
 *
 * So a connection remembers the R_B of each third ACK that it has accepted, as long as its
 * cookie can be valid. That is state, but of joins that have shown an HMAC: nobody else
 * adds to it. There is room for MPTCP_JOIN_ONCE joins in two minutes; further ones are reset, and
 * the peer may try again when the oldest is two minutes old.
 *
 * Locking: the connection's pm.lock.
 */

#include <net/tcp.h>
#include "protocol.h"
#include "ext/join/join.h"

/* One that is too old is gone for good: jiffies come again. */
static bool join_valid(struct mptcp_join_state *state, int i)
{
	if (tcp_jiffies32 - state->at[i] > MAX_SYNCOOKIE_AGE * TCP_SYNCOOKIE_PERIOD)
		state->at[i] = 0;
	return state->at[i];
}

/* Where @nonce is, or else a free place; -1: there is none */
static int join_find(struct mptcp_join_state *state, u32 nonce, bool *seen)
{
	int i, room = -1;

	*seen = false;
	for (i = 0; i < MPTCP_JOIN_ONCE; i++) {
		if (!join_valid(state, i)) {
			room = i;
		} else if (state->nonce[i] == nonce) {
			*seen = true;
			return i;
		}
	}
	return room;
}

/* What remembering it would say; -EINPROGRESS: one has made a subflow within a second */
int mptcp_join_seen(struct mptcp_sock *msk, u32 nonce)
{
	struct mptcp_join_state *state;
	int i, err = 0;
	bool seen;

	spin_lock_bh(&msk->pm.lock);
	state = rcu_dereference_protected(msk->join_state, lockdep_is_held(&msk->pm.lock));
	if (state) {
		i = join_find(state, nonce, &seen);
		if (i < 0)
			err = -ENOBUFS;
		else if (seen)
			err = time_before32(tcp_jiffies32, state->at[i] + HZ) ?
			      -EINPROGRESS : -EALREADY;
	}
	spin_unlock_bh(&msk->pm.lock);
	return err;
}

/* The third ACK with this R_B has made a subflow. 0, or why it must not:
 * -EALREADY: one has before, -ENOBUFS: too many, -ENOMEM: no memory, or the connection ends
 */
int mptcp_join_remember(struct mptcp_sock *msk, u32 nonce)
{
	struct mptcp_join_state *state;
	int i, err = -ENOMEM;
	bool seen;

	spin_lock_bh(&msk->pm.lock);
	state = mptcp_join_state_make(msk);
	if (state) {
		i = join_find(state, nonce, &seen);
		err = seen ? -EALREADY : i < 0 ? -ENOBUFS : 0;
	}
	if (!err) {
		state->nonce[i] = nonce;
		state->at[i] = tcp_jiffies32 ? : 1;
	}
	spin_unlock_bh(&msk->pm.lock);
	return err;
}
