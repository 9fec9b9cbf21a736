// SPDX-License-Identifier: GPL-2.0
/* Socket options MPTCP_PATH_PRICE and MPTCP_PATH_WEIGHT of level SOL_MPTCP
 *
 * A connection's own prices and weights, as text: "lte0=10 192.0.2.0/24=50", with or
 * without a final NUL, at most 511 characters. What is not named has what the network
 * namespace's sysctl says; an empty value leaves all to that. Before connect() or listen()
 * they are for the connections to come (accepted sockets inherit them), later for the next
 * decision. A price that was set without CAP_NET_ADMIN in the user namespace of the network
 * namespace decides only between interfaces for which the sysctl says the same.
 *
 * set: EINVAL   too long, or a word that is not IFNAME=VALUE or ADDRESS/BITS=VALUE, a
 *		 value out of range, or one that comes twice
 *      Nothing changes on error.
 * get: the list, with a final NUL, as much of it as the buffer takes.
 */

#include <linux/capability.h>
#include <net/sock.h>
#include "protocol.h"
#include "sockopt/value.h"
#include "path/path.h"

static enum mptcp_path_kind path_kind(int optname)
{
	return optname == MPTCP_PATH_PRICE ? MPTCP_PATH_KIND_PRICE : MPTCP_PATH_KIND_WEIGHT;
}

/* Whoever sets @list may change what holds for the namespace, or not. */
static void path_authorize(const struct mptcp_sock *msk, struct mptcp_path_list *list)
{
	bool may = ns_capable(sock_net((struct sock *)msk)->user_ns, CAP_NET_ADMIN);
	unsigned int i;

	for (i = 0; list && i < list->count; i++)
		list->of[i].privileged = may;
}

static int path_set(struct mptcp_sock *msk, const struct mptcp_path_list *new,
		    enum mptcp_path_kind kind)
{
	struct mptcp_subflow_context *subflow;
	struct sock *sk = (struct sock *)msk;
	struct mptcp_path_list *list;

	lock_sock(sk);
	list = mptcp_path_merge(rcu_dereference_protected(msk->path_list, true), new, kind);
	if (!IS_ERR(list)) {
		mptcp_path_replace(&msk->path_list, list);
		/* with the next decision; one without a route just now keeps what it had */
		mptcp_for_each_subflow(msk, subflow)
			if (subflow->sched_path_at)
				subflow->sched_path_at = (tcp_jiffies32 - 2 * HZ) ?: 1;
	}
	release_sock(sk);

	return PTR_ERR_OR_ZERO(list);
}

int mptcp_path_setsockopt(struct mptcp_sock *msk, int optname, sockptr_t optval,
			  unsigned int optlen)
{
	enum mptcp_path_kind kind = path_kind(optname);
	struct mptcp_path_list *list;
	char *text;
	int err;

	if (optlen >= MPTCP_PATH_OPTION_MAX)
		return -EINVAL;
	text = memdup_sockptr_nul(optval, optlen);
	if (IS_ERR(text))
		return PTR_ERR(text);
	list = mptcp_path_parse(text, kind);
	kfree(text);
	if (IS_ERR(list))
		return PTR_ERR(list);

	path_authorize(msk, list);
	err = path_set(msk, list, kind);
	kfree(list);
	return err;
}

int mptcp_path_getsockopt(struct mptcp_sock *msk, int optname, char __user *optval,
			  int __user *optlen)
{
	char text[MPTCP_PATH_OPTION_MAX];

	rcu_read_lock();
	mptcp_path_print(rcu_dereference(msk->path_list), path_kind(optname), text, sizeof(text));
	rcu_read_unlock();

	return mptcp_option_answer(text, strlen(text) + 1, optval, optlen);
}
