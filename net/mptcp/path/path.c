// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: what a subflow's path costs, and what part it shall carry
 *
 * Prices and weights belong to network interfaces: it is the DSL line or the modem that
 * costs. A network namespace has a list of each, and a connection may have its own, whose
 * entries come first:
 *
 *	net.mptcp.path_price = "lte0=10 sat0=50"	others cost nothing
 *	net.mptcp.path_weight = "dsl0=3"		others have 1
 *
 * An entry may also be for peers, "10.64.0.0/10=10" or "2001:db8::/32=10": a server has
 * one interface, and what its clients pay shows in their addresses. The first entry that
 * fits counts. Who may not change the namespace's prices decides only among paths that cost
 * the same by those: it is the administrator who pays.
 *
 * Interfaces are named, not numbered: a modem that was reset, or a PPP session that was
 * dialled again, comes back with another index under the same name, and the list may be
 * there before the interface is.
 *
 * Which interface has a subflow? The one of the route that its TCP sends by now
 * (sk_dst_cache). Neither its local address nor its endpoint would tell: an address can
 * be on an interface by which nothing leaves, endpoints need not name one, and the first
 * subflow may have no endpoint. While there is no route, what was known holds.
 *
 * A subflow remembers its price and weight for a second: that is how late a change of the
 * sysctls or of the route shows. A change by socket option shows at once.
 *
 * Locking: a list is read under RCU and replaced as a whole; a connection's own are
 * written under the msk lock, as is what subflows remember.
 */

#include <net/ipv6.h>
#include <net/tcp.h>
#include "protocol.h"
#include "path/path.h"

/* What an interface has that is not in a list. */
static const u8 path_defaults[MPTCP_PATH_KINDS] = {
	[MPTCP_PATH_KIND_PRICE] = 0,
	[MPTCP_PATH_KIND_WEIGHT] = 1,
};

/* The interface that @subflow sends by, to @name of IFNAMSIZ characters; false: there is
 * none now. A name that changes meanwhile may be torn: then it is that of nobody.
 */
bool mptcp_path_name(const struct mptcp_subflow_context *subflow, char *name)
{
	const struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
	const struct net_device *dev = NULL;
	const struct dst_entry *dst;

	rcu_read_lock();
	dst = rcu_dereference(ssk->sk_dst_cache);
	if (dst)
		dev = READ_ONCE(dst->dev);
	/* what routes get whose interface goes */
	if (dev == blackhole_netdev)
		dev = NULL;
	if (dev)
		strscpy(name, dev->name, IFNAMSIZ);
	rcu_read_unlock();

	return dev;
}

#if IS_ENABLED(CONFIG_IPV6)
static void path_peer(const struct sock *ssk, struct in6_addr *peer)
{
	if (ssk->sk_family == AF_INET6)
		*peer = ssk->sk_v6_daddr;
	else
		ipv6_addr_set_v4mapped(ssk->sk_daddr, peer);
}
#else
static void path_peer(const struct sock *ssk, struct in6_addr *peer)
{
	ipv6_addr_set_v4mapped(ssk->sk_daddr, peer);
}
#endif

static bool path_is(const struct mptcp_path_value *value, const char *name,
		    const struct in6_addr *peer)
{
	if (*value->name)
		return !strcmp(value->name, name);
	return ipv6_prefix_equal(&value->peer, peer, value->bits);
}

static const struct mptcp_path_value *
path_find(const struct mptcp_path_list *list, enum mptcp_path_kind kind, const char *name,
	  const struct in6_addr *peer)
{
	unsigned int i;

	for (i = 0; list && i < list->count; i++) {
		if (list->of[i].kind == kind && path_is(&list->of[i], name, peer))
			return &list->of[i];
	}

	return NULL;
}

/* The connection's own value, else the namespace's. @imposed: not what a user has set. */
static u8 path_value(const struct mptcp_sock *msk, enum mptcp_path_kind kind,
		     const char *name, const struct in6_addr *peer, bool imposed)
{
	const struct mptcp_path_net *pn = mptcp_path_net(sock_net((struct sock *)msk));
	const struct mptcp_path_value *found;
	u8 value;

	rcu_read_lock();
	found = path_find(rcu_dereference(msk->path_list), kind, name, peer);
	if (!found || (imposed && !found->privileged))
		found = path_find(rcu_dereference(pn->lists[kind]), kind, name, peer);
	value = found ? found->value : path_defaults[kind];
	rcu_read_unlock();

	return value;
}

/* Which path is the dearer one is the administrator's to say; where that is equal the user's. */
static u16 path_price(const struct mptcp_sock *msk, const char *name, const struct in6_addr *peer)
{
	u8 imposed = path_value(msk, MPTCP_PATH_KIND_PRICE, name, peer, true);

	return imposed << BITS_PER_BYTE |
	       path_value(msk, MPTCP_PATH_KIND_PRICE, name, peer, false);
}

/* Learn what @subflow's path costs and what part it shall carry. */
void __mptcp_path_look(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow)
{
	struct in6_addr peer;
	char name[IFNAMSIZ];

	path_peer(mptcp_subflow_tcp_sock(subflow), &peer);
	if (mptcp_path_name(subflow, name)) {
		subflow->sched_price = path_price(msk, name, &peer);
		subflow->sched_weight = path_value(msk, MPTCP_PATH_KIND_WEIGHT, name, &peer,
						   false);
	} else if (!subflow->sched_path_at) {
		subflow->sched_price = path_defaults[MPTCP_PATH_KIND_PRICE];
		subflow->sched_weight = path_defaults[MPTCP_PATH_KIND_WEIGHT];
	}
	subflow->sched_path_at = tcp_jiffies32 ?: 1;
}
EXPORT_SYMBOL_GPL(__mptcp_path_look);

static void path_list_put(struct mptcp_path_list *list)
{
	if (list && refcount_dec_and_test(&list->users))
		kfree_rcu(list, rcu);
}

/* Put @new into its place, NULL: no list. The caller keeps other writers away. */
void mptcp_path_replace(struct mptcp_path_list __rcu **at, struct mptcp_path_list *new)
{
	path_list_put(rcu_replace_pointer(*at, new, true));
}

/* @msk was cloned from a listener, and shares its list; a new socket has none. It may be
 * replaced there just now; RCU (softirq is a reader) keeps the memory valid.
 */
void mptcp_path_inherit(struct mptcp_sock *msk)
{
	struct mptcp_path_list *list = rcu_access_pointer(msk->path_list);

	if (list && !refcount_inc_not_zero(&list->users))
		RCU_INIT_POINTER(msk->path_list, NULL);
}
