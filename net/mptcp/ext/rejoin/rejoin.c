// SPDX-License-Identifier: GPL-2.0
/* MPTCP: paths that come again
 *
 * A subflow that a router forgot, a middlebox reset or a long silence ended is never made
 * again by Linux, nor one that could not begin as its address was not there yet: the
 * connection goes on with less, though the path is back. With net.mptcp.rejoin, the end
 * that opened such a subflow opens it again:
 *
 *	lost . 1 s . try . 2 s . try . 4 s . try ...	up to net.mptcp.rejoin seconds
 *	                                 ^
 *	a link, an address or a default route comes: at once, and from 1 s on anew
 *
 * Only a subflow that lived for a minute makes the pauses short again: a path on which
 * joins begin, and end at once, is not tried each second.
 *
 * What it tries is what was there: from the same address, by the same interface, to the
 * same address of the peer. It is over when the endpoint of that address is gone, when the
 * peer takes its address back (REMOVE_ADDR), when another subflow is there, and when the
 * peer said that trying is in vain (MP_TCPRST without the T flag, RFC 8684, 3.6). Paths
 * that were closed on purpose, by either end, are not lost. Limits of the path manager hold,
 * at both ends; paths of one in user space are that one's. Attempts do not keep a connection
 * alive: without a subflow for net.mptcp.close_timeout it ends as it would without them.
 *
 * Who is silent and still there is woken by the same events, see event.c; how long it may
 * wait otherwise is net.mptcp.silent_rto_max, see ext/timers/timers.c.
 *
 * Locking: the msk lock; timer and events set a bit for the worker only.
 */

#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "ext/rejoin/paths.h"
#include "ext/rejoin/rejoin.h"

/* A subflow that was there for so long was no attempt. */
#define REJOIN_LIVED	(60 * HZ)

static bool rejoin_same_local(const struct mptcp_rejoin_path *path,
			      const struct mptcp_addr_info *addr)
{
	const struct mptcp_addr_info any = { .family = path->local.addr.family };

	return mptcp_addresses_equal(&path->local.addr, &any, false) ||
	       mptcp_addresses_equal(&path->local.addr, addr, false);
}

static struct mptcp_rejoin_path *rejoin_find(struct mptcp_rejoin *rejoin,
					     const struct mptcp_addr_info *local,
					     const struct mptcp_addr_info *remote)
{
	unsigned int i;

	for (i = 0; i < rejoin->count; i++)
		if (rejoin_same_local(&rejoin->path[i], local) &&
		    mptcp_addresses_equal(&rejoin->path[i].remote, remote, true))
			return &rejoin->path[i];
	return NULL;
}

/* Is a subflow there? */
static bool rejoin_is_there(const struct mptcp_sock *msk, const struct mptcp_rejoin_path *path)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
		struct mptcp_addr_info local, remote;

		mptcp_local_address((struct sock_common *)ssk, &local);
		mptcp_remote_address((struct sock_common *)ssk, &remote);
		if (inet_sk_state_load(ssk) != TCP_CLOSE && rejoin_same_local(path, &local) &&
		    mptcp_addresses_equal(&path->remote, &remote, true))
			return true;
	}
	return false;
}

/* A place for another path: if all are taken, that of one on which there is nothing, and nothing
 * is tried any more. NULL: all are in use.
 */
static struct mptcp_rejoin_path *rejoin_add(struct mptcp_sock *msk, struct mptcp_rejoin *rejoin)
{
	unsigned int i;

	if (rejoin->count < rejoin->room)
		return &rejoin->path[rejoin->count++];
	for (i = 0; i < rejoin->count; i++)
		if (!rejoin->path[i].waits && !rejoin_is_there(msk, &rejoin->path[i]))
			return &rejoin->path[i];
	return NULL;
}

/* The path from @local to @remote, with the ids that they have now: who deletes an endpoint and
 * adds it again gives it another one, and the old one to another address.
 */
static struct mptcp_rejoin_path *rejoin_path(struct mptcp_sock *msk, struct mptcp_rejoin *rejoin,
					     const struct mptcp_pm_local *local,
					     const struct mptcp_addr_info *remote)
{
	struct mptcp_rejoin_path *path = rejoin_find(rejoin, &local->addr, remote);

	if (!path) {
		path = rejoin_add(msk, rejoin);
		if (!path)
			return NULL;
		*path = (struct mptcp_rejoin_path) { .local = *local, .last = jiffies };
		path->local.addr.port = 0;
	}
	if (path->remote.id != remote->id)
		path->counted = false;
	path->local.addr.id = local->addr.id;
	path->remote = *remote;
	/* it may be gone already, when the path is noticed to be lost */
	path->endpoint |= mptcp_pm_nl_endpoint(sock_net(rejoin->sk), &path->local);
	return path;
}

static void rejoin_forget(struct mptcp_rejoin *rejoin, unsigned int i)
{
	rejoin->path[i] = rejoin->path[--rejoin->count];
}

/* When a connection that is alone ends, in jiffies */
static u32 rejoin_end(const struct mptcp_rejoin *rejoin)
{
	return rejoin->alone + mptcp_close_timeout(rejoin->sk) + 1;
}

/* The next attempt of any, or the end */
static void rejoin_arm(struct mptcp_rejoin *rejoin)
{
	s32 next = S32_MAX;
	unsigned int i;

	if (rejoin->alone)
		next = rejoin_end(rejoin) - tcp_jiffies32;
	for (i = 0; i < rejoin->count; i++)
		if (rejoin->path[i].waits)
			next = min(next, (s32)(rejoin->path[i].next - jiffies));
	if (next != S32_MAX)
		sk_reset_timer(rejoin->sk, &rejoin->timer, jiffies + max(next, 0));
}

/* Does the namespace still want it? */
static bool rejoin_is_wanted(const struct mptcp_sock *msk)
{
	return mptcp_ext_get(sock_net((struct sock *)msk), MPTCP_EXT_REJOIN);
}

static void rejoin_later(struct mptcp_rejoin *rejoin, struct mptcp_rejoin_path *path)
{
	u32 most = max(mptcp_ext_get(sock_net(rejoin->sk), MPTCP_EXT_REJOIN), 1U);

	path->waits = true;
	path->next = jiffies + min(1U << path->failures, most) * HZ;
	if (1U << path->failures < MPTCP_REJOIN_MOST)
		path->failures++;
	rejoin_arm(rejoin);
}

static void rejoin_timer(struct timer_list *timer)
{
	struct mptcp_rejoin *rejoin = from_timer(rejoin, timer, timer);
	struct sock *sk = rejoin->sk;

	set_bit(MPTCP_WORK_REJOIN, &mptcp_sk(sk)->flags);
	mptcp_schedule_work(sk);
	sock_put(sk);
}

/* With room for the subflows that the path manager may open, and the first */
static struct mptcp_rejoin *rejoin_begin(struct mptcp_sock *msk)
{
	unsigned int most = max(mptcp_pm_get_subflows_max(msk), MPTCP_PM_ADDR_MAX + 0U) + 1;
	struct mptcp_rejoin *rejoin;

	rejoin = kzalloc(struct_size(rejoin, path, most), GFP_KERNEL);
	if (!rejoin)
		return NULL;
	rejoin->room = most;
	rejoin->sk = (struct sock *)msk;
	timer_setup(&rejoin->timer, rejoin_timer, 0);
	mptcp_rejoin_enlist(rejoin);
	WRITE_ONCE(msk->rejoin, rejoin);
	return rejoin;
}

void __mptcp_rejoin_tried(struct mptcp_sock *msk, const struct mptcp_pm_local *local,
			  const struct mptcp_addr_info *remote, int err)
{
	struct mptcp_rejoin *rejoin = msk->rejoin;
	struct mptcp_rejoin_path *path;

	if (!mptcp_pm_is_kernel(msk))
		return;
	if (!rejoin)
		rejoin = rejoin_begin(msk);
	if (!rejoin)
		return;

	__clear_bit(remote->id, rejoin->removed);
	path = rejoin_path(msk, rejoin, local, remote);
	if (!path)
		return;
	path->last = jiffies;
	path->waits = false;
	if (err)
		rejoin_later(rejoin, path);
	else
		path->counted = true;
}

/* This end opened it, and neither end closed it on purpose, nor has its address been taken back
 * since it was reset. One that was given up while it joined has no port of the peer any more. A
 * reset behind a FIN of the peer is no more than an answer to what was under way.
 */
static bool rejoin_is_lost(const struct mptcp_sock *msk, const struct sock *ssk)
{
	const struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	bool opened = subflow->request_join || (ssk == msk->first && !msk->pm.server_side);

	return opened && !test_bit(READ_ONCE(subflow->remote_id), msk->rejoin->removed) &&
	       inet_sk_state_load(ssk) == TCP_CLOSE && inet_sk(ssk)->inet_dport &&
	       !sock_flag(ssk, SOCK_DONE) &&
	       ((struct sock *)msk)->sk_state == TCP_ESTABLISHED &&
	       (!subflow->reset_seen || subflow->reset_transient) &&
	       (READ_ONCE(subflow->remote_id) || !READ_ONCE(msk->pm.remote_deny_join_id0));
}

/* The first path of a connection is lost that had no other, or before the sysctl was set. NULL: not
 * to be opened again, or there is no memory.
 */
static struct mptcp_rejoin *rejoin_begin_late(struct mptcp_sock *msk, const struct sock *ssk)
{
	if (!rejoin_is_wanted(msk) || !mptcp_pm_is_kernel(msk) || __mptcp_check_fallback(msk) ||
	    ((struct sock *)msk)->sk_state != TCP_ESTABLISHED ||
	    inet_sk_state_load(ssk) != TCP_CLOSE)
		return NULL;
	return rejoin_begin(msk);
}

void __mptcp_rejoin_lost(struct mptcp_sock *msk, struct sock *ssk)
{
	const struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_pm_local local = { .ifindex = READ_ONCE(ssk->sk_bound_dev_if) };
	struct mptcp_rejoin *rejoin = msk->rejoin ?: rejoin_begin_late(msk, ssk);
	struct mptcp_rejoin_path *path;
	struct mptcp_addr_info remote;

	if (!rejoin)
		return;
	if (READ_ONCE(subflow->fully_established))
		rejoin->alone = 0;
	if (!rejoin_is_wanted(msk) || !rejoin_is_lost(msk, ssk))
		return;
	mptcp_local_address((struct sock_common *)ssk, &local.addr);
	mptcp_remote_address((struct sock_common *)ssk, &remote);
	local.addr.id = max(READ_ONCE(subflow->local_id), 0);
	remote.id = READ_ONCE(subflow->remote_id);

	/* of the first subflow nobody has heard */
	path = rejoin_path(msk, rejoin, &local, &remote);
	if (!path)
		return;
	path->counted = true;
	if (READ_ONCE(subflow->fully_established) && time_after(jiffies, path->last + REJOIN_LIVED))
		path->failures = 0;
	rejoin_later(rejoin, path);
}

void __mptcp_rejoin_removed(struct mptcp_sock *msk, u8 remote_id)
{
	struct mptcp_rejoin *rejoin = msk->rejoin;
	unsigned int i;

	/* a subflow that was reset may not have been noticed to be lost yet */
	__set_bit(remote_id, rejoin->removed);
	for (i = rejoin->count; i-- > 0;)
		if (rejoin->path[i].remote.id == remote_id)
			rejoin_forget(rejoin, i);
}

/* Nothing is to be tried there any more. */
static bool rejoin_is_void(struct mptcp_sock *msk, struct mptcp_rejoin_path *path)
{
	return rejoin_is_there(msk, path) ||
	       (path->endpoint &&
		!mptcp_pm_nl_endpoint(sock_net((struct sock *)msk), &path->local));
}

/* Is the peer's address one of those that the path manager has accepted? It counts them as it opens
 * subflows to them, and when it cannot, nobody did.
 */
static bool rejoin_is_counted(const struct mptcp_sock *msk, u8 remote_id)
{
	const struct mptcp_rejoin *rejoin = msk->rejoin;
	const struct mptcp_subflow_context *subflow;
	unsigned int i;

	for (i = 0; i < rejoin->count; i++)
		if (rejoin->path[i].remote.id == remote_id && rejoin->path[i].counted)
			return true;
	mptcp_for_each_subflow(msk, subflow)
		if (subflow->request_join && READ_ONCE(subflow->remote_id) == remote_id)
			return true;
	return !remote_id;
}

/* Room for a subflow, which is taken, and for an address if that is @new: there is for the first,
 * as the path manager would not have tried it otherwise. A connection's first subflow does not
 * count: when it is closed there is room for one more in its place.
 */
static bool rejoin_take_room(struct mptcp_sock *msk, bool new)
{
	unsigned int addresses = max(mptcp_pm_get_add_addr_accept_max(msk), 1U);
	unsigned int subflows = mptcp_pm_get_subflows_max(msk);
	bool room;

	subflows += subflows && (!msk->first || inet_sk_state_load(msk->first) == TCP_CLOSE);
	spin_lock_bh(&msk->pm.lock);
	room = msk->pm.subflows < subflows &&
	       (!new || msk->pm.add_addr_accepted < addresses);
	msk->pm.subflows += room;
	spin_unlock_bh(&msk->pm.lock);

	return room;
}

/* REMOVE_ADDR takes it off again. */
static void rejoin_accept(struct mptcp_sock *msk)
{
	spin_lock_bh(&msk->pm.lock);
	msk->pm.add_addr_accepted++;
	spin_unlock_bh(&msk->pm.lock);
}

/* Does the connection have a subflow that the peer has answered on? */
static bool rejoin_has_subflow(struct mptcp_sock *msk)
{
	const struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow)
		if (READ_ONCE(subflow->fully_established) &&
		    inet_sk_state_load(mptcp_subflow_tcp_sock(subflow)) != TCP_CLOSE)
			return true;
	return false;
}

/* True: it has been alone for too long. The worker, whose next step it is, sees the timeout. */
static bool rejoin_is_over(struct mptcp_sock *msk)
{
	struct mptcp_rejoin *rejoin = msk->rejoin;

	if (rejoin->sk->sk_state != TCP_ESTABLISHED || rejoin_has_subflow(msk))
		rejoin->alone = 0;
	if (!rejoin->alone || (s32)(rejoin_end(rejoin) - tcp_jiffies32) > 0)
		return false;
	mptcp_set_close_tout(rejoin->sk, rejoin->alone);
	rejoin->alone = 0;
	return true;
}

/* __mptcp_subflow_connect() says how it went, by __mptcp_rejoin_tried(), unless there is not even
 * a socket. It stops the timeout of a connection without subflows.
 */
static void rejoin_try(struct mptcp_sock *msk, struct mptcp_rejoin_path *path)
{
	u32 alone = inet_csk((struct sock *)msk)->icsk_mtup.probe_timestamp;
	bool new = !rejoin_is_counted(msk, path->remote.id);
	int err;

	if (!rejoin_take_room(msk, new)) {
		rejoin_later(msk->rejoin, path);
		return;
	}
	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_REJOIN);
	path->waits = false;
	err = __mptcp_subflow_connect((struct sock *)msk, &path->local, &path->remote);
	if (!err && !msk->rejoin->alone)
		msk->rejoin->alone = alone;
	if (!err && new)
		rejoin_accept(msk);
	if (err && !path->waits)
		rejoin_later(msk->rejoin, path);
}

void __mptcp_rejoin_work(struct mptcp_sock *msk)
{
	bool now = test_and_clear_bit(MPTCP_WORK_REJOIN_NOW, &msk->flags);
	struct mptcp_rejoin *rejoin = msk->rejoin;
	unsigned int i;

	if (rejoin_is_over(msk))
		return;
	if (!rejoin_is_wanted(msk)) {
		rejoin->count = 0;
		/* one that is alone ends in time */
		rejoin_arm(rejoin);
		return;
	}
	if (now)
		mptcp_rejoin_wake(msk);
	if (((struct sock *)msk)->sk_state != TCP_ESTABLISHED || __mptcp_check_fallback(msk))
		return;

	for (i = rejoin->count; i-- > 0;) {
		struct mptcp_rejoin_path *path = &rejoin->path[i];

		if (now)
			path->failures = 0;
		if (!path->waits || (!now && time_before(jiffies, path->next)))
			continue;
		if (rejoin_is_void(msk, path))
			rejoin_forget(rejoin, i);
		else
			rejoin_try(msk, path);
	}
	rejoin_arm(rejoin);
}

void __mptcp_rejoin_free(struct mptcp_sock *msk)
{
	struct mptcp_rejoin *rejoin = msk->rejoin;

	mptcp_rejoin_delist(rejoin);
	sk_stop_timer_sync(rejoin->sk, &rejoin->timer);
	WRITE_ONCE(msk->rejoin, NULL);
	kfree(rejoin);
}
