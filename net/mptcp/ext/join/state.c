// SPDX-License-Identifier: GPL-2.0
/* Joins: what a connection keeps for joins without state and with keys, once it needs to
 *
 * Most connections have none of it, and it is made when there is the first of these: a join
 * that has shown its HMAC (once.c), or a key of the application (key.c).
 *
 * Locking: made under the connection's pm.lock, found under that or RCU, freed after a grace
 * period when the connection is destroyed and has no token any more. After that none is made.
 */

#include <linux/rcupdate.h>
#include <linux/slab.h>
#include "protocol.h"
#include "ext/join/join.h"

/* What there is, or a new one. Under pm.lock. NULL: no memory, or the connection ends. */
struct mptcp_join_state *mptcp_join_state_make(struct mptcp_sock *msk)
{
	struct mptcp_join_state *state;

	lockdep_assert_held(&msk->pm.lock);

	state = rcu_dereference_protected(msk->join_state, lockdep_is_held(&msk->pm.lock));
	if (state || msk->pm.status & BIT(MPTCP_PM_DESTROYING))
		return state;

	state = kzalloc(sizeof(*state), GFP_ATOMIC);
	rcu_assign_pointer(msk->join_state, state);
	return state;
}

static void join_state_free(struct rcu_head *rcu)
{
	kfree_sensitive(container_of(rcu, struct mptcp_join_state, rcu));
}

void mptcp_join_forget(struct mptcp_sock *msk)
{
	struct mptcp_join_state *state;

	spin_lock_bh(&msk->pm.lock);
	state = rcu_replace_pointer(msk->join_state, NULL, lockdep_is_held(&msk->pm.lock));
	WRITE_ONCE(msk->app_key, msk->app_key & ~MPTCP_APP_KEY_AGREED);
	spin_unlock_bh(&msk->pm.lock);
	if (state)
		call_rcu(&state->rcu, join_state_free);
}
