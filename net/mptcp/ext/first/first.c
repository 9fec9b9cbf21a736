// SPDX-License-Identifier: GPL-2.0
/* MPTCP: over which path a connection begins
 *
 * A connection has one path until its first subflow is established, and the routing table
 * chooses it. Connections that are there survive its loss; new ones hang on it, and many
 * short requests all begin on it, full as it may be. So, by net.mptcp.first_path or the
 * socket option MPTCP_FIRST_PATH:
 *
 *	route		as the routes say, as Linux does
 *	failover	the same; each SYN that is not answered in time is followed by one
 *			from another address
 *	turns		connections begin at one address after the other, with failover
 *
 * The addresses are the one that the route gives and those of the kernel's endpoints for
 * subflows, with their interface if they name one; those for backup come last, and it is
 * not their turn otherwise. Where routes by source address are set up, as other subflows
 * need them, each address is a path.
 *
 * The subflow moves, it is not one of several: it takes the other address and route in
 * front of a retransmission of its SYN, as TCP does for net.ipv4.ip_dynaddr. Thus there
 * are no more SYNs than TCP sends, no second socket is to be given up, and whatever
 * follows knows one first subflow. An answer that comes too late, to an address that was
 * left, gets a RST, and the peer forgets that attempt.
 *
 * In time is net.mptcp.first_path_timeout in the first round, in which each address sends
 * one SYN; then TCP's own timeout from its beginning, so that paths are found, too, whose
 * round trip is longer. SYNs without MPTCP, for middleboxes that drop those with it, come
 * after two of each address. A router that says that there is no way, by ICMP, speaks of one
 * path: the next SYN leaves at once.
 *
 * Sockets that were bound to an address or interface, and connections to this machine
 * itself, do not move.
 *
 * Locking: the subflow's lock, as connect() and timer have it.
 */

#include <net/addrconf.h>
#include <net/inet6_hashtables.h>
#include <net/inet_hashtables.h>
#include <net/ip6_route.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sockopt/value.h"
#include "ext/first/first.h"

/* Where the subflow can begin. The first one is what the route says. */
struct first_paths {
	struct mptcp_pm_local of[1 + MPTCP_PM_ADDR_MAX];
	unsigned int count;
};

/* Socket option MPTCP_FIRST_PATH. set: EINVAL: not an int, or none of MPTCP_FIRST_...;
 * EISCONN: it is too late, after connect(). get: what holds for this socket.
 */
int mptcp_first_path_setsockopt(struct mptcp_sock *msk, sockptr_t optval, unsigned int optlen)
{
	struct sock *sk = (struct sock *)msk;
	int mode, err;

	err = mptcp_option_int(optval, optlen, MPTCP_FIRST_DEFAULT, MPTCP_FIRST_TURNS, &mode);
	if (err)
		return err;

	lock_sock(sk);
	if (sk->sk_state == TCP_CLOSE)
		WRITE_ONCE(msk->first_path, mode);
	else
		err = -EISCONN;
	release_sock(sk);
	return err;
}

static int first_mode(const struct mptcp_sock *msk)
{
	return READ_ONCE(msk->first_path) ?: MPTCP_FIRST_ROUTE +
	       mptcp_ext_get(sock_net((struct sock *)msk), MPTCP_EXT_FIRST_PATH);
}

int mptcp_first_path_getsockopt(const struct mptcp_sock *msk, char __user *optval,
				int __user *optlen)
{
	int mode = first_mode(msk);

	return mptcp_option_answer(&mode, sizeof(mode), optval, optlen);
}

/* The route of @ssk from @local, which gets an address if it has none. */
static struct dst_entry *first_route_v4(struct sock *ssk, struct mptcp_pm_local *local,
					struct flowi *fl)
{
	const struct inet_sock *inet = inet_sk(ssk);
	struct rtable *rt;

	rt = ip_route_output_ports(sock_net(ssk), &fl->u.ip4, ssk, inet->inet_daddr,
				   local->addr.addr.s_addr, inet->inet_dport, inet->inet_sport,
				   ssk->sk_protocol, ip_sock_rt_tos(ssk), local->ifindex);
	if (IS_ERR(rt))
		return ERR_CAST(rt);
	local->addr.addr.s_addr = fl->u.ip4.saddr;
	return &rt->dst;
}

/* Another connection of ours to the same port has that address and our port. */
static bool first_is_taken_v4(struct sock *ssk, const struct mptcp_pm_local *local, int dif)
{
	const struct inet_sock *inet = inet_sk(ssk);
	struct net *net = sock_net(ssk);
	struct sock *other;

	rcu_read_lock();
	other = __inet_lookup_established(net, net->ipv4.tcp_death_row.hashinfo,
					  inet->inet_daddr, inet->inet_dport,
					  local->addr.addr.s_addr, inet->inet_num, dif, 0);
	rcu_read_unlock();
	if (other)
		sock_gen_put(other);
	return other;
}

#if IS_ENABLED(CONFIG_MPTCP_IPV6)
static bool first_is_v4(const struct sock *ssk)
{
	return ssk->sk_family == AF_INET || ipv6_addr_v4mapped(&ssk->sk_v6_daddr);
}

static struct dst_entry *first_route_v6(struct sock *ssk, struct mptcp_pm_local *local,
					struct flowi *fl)
{
	const struct in6_addr *from = &local->addr.addr6;
	struct flowi6 *fl6 = &fl->u.ip6;
	struct dst_entry *dst;

	/* routes of IPv4 are not for addresses that this machine lacks, those of IPv6 are */
	if (!ipv6_addr_any(from) && !ipv6_chk_addr(sock_net(ssk), from, NULL, 0))
		return ERR_PTR(-EADDRNOTAVAIL);

	memset(fl6, 0, sizeof(*fl6));
	fl6->flowi6_proto = ssk->sk_protocol;
	fl6->daddr = ssk->sk_v6_daddr;
	fl6->saddr = local->addr.addr6;
	fl6->flowlabel = inet6_sk(ssk)->flow_label;
	fl6->flowi6_oif = local->ifindex;
	fl6->flowi6_mark = ssk->sk_mark;
	fl6->fl6_dport = inet_sk(ssk)->inet_dport;
	fl6->fl6_sport = inet_sk(ssk)->inet_sport;
	fl6->flowi6_uid = ssk->sk_uid;
	security_sk_classify_flow(ssk, flowi6_to_flowi_common(fl6));

	dst = ip6_dst_lookup_flow(sock_net(ssk), ssk, fl6, NULL);
	if (!IS_ERR(dst))
		local->addr.addr6 = fl6->saddr;
	return dst;
}

static bool first_is_taken_v6(struct sock *ssk, const struct mptcp_pm_local *local, int dif)
{
	struct net *net = sock_net(ssk);
	struct sock *other;

	rcu_read_lock();
	other = __inet6_lookup_established(net, net->ipv4.tcp_death_row.hashinfo,
					   &ssk->sk_v6_daddr, inet_sk(ssk)->inet_dport,
					   &local->addr.addr6, inet_sk(ssk)->inet_num, dif, 0);
	rcu_read_unlock();
	if (other)
		sock_gen_put(other);
	return other;
}

static int first_take_v6(struct sock *ssk, struct mptcp_pm_local *local, struct dst_entry *dst,
			 const struct flowi *fl)
{
	int err = inet_bhash2_update_saddr(ssk, &local->addr.addr6, AF_INET6);

	if (err)
		return err;
	inet6_sk(ssk)->saddr = local->addr.addr6;
	/* newer kernels take the addresses of packets from there, as of IPv4 */
	inet_sk(ssk)->cork.fl = *fl;
	ip6_dst_store(ssk, dst, NULL, false);
	return 0;
}

/* IPv4 by a socket of IPv6 */
static void first_map_v4(struct sock *ssk)
{
	if (ssk->sk_family != AF_INET6)
		return;
	ipv6_addr_set_v4mapped(inet_sk(ssk)->inet_saddr, &ssk->sk_v6_rcv_saddr);
	inet6_sk(ssk)->saddr = ssk->sk_v6_rcv_saddr;
}
#else
static bool first_is_v4(const struct sock *ssk)
{
	return true;
}

static struct dst_entry *first_route_v6(struct sock *ssk, struct mptcp_pm_local *local,
					struct flowi *fl)
{
	return ERR_PTR(-EAFNOSUPPORT);
}

static bool first_is_taken_v6(struct sock *ssk, const struct mptcp_pm_local *local, int dif)
{
	return true;
}

static int first_take_v6(struct sock *ssk, struct mptcp_pm_local *local, struct dst_entry *dst,
			 const struct flowi *fl)
{
	return -EAFNOSUPPORT;
}

static void first_map_v4(struct sock *ssk) {}
#endif

static int first_take_v4(struct sock *ssk, struct mptcp_pm_local *local, struct dst_entry *dst,
			 const struct flowi *fl)
{
	int err = inet_bhash2_update_saddr(ssk, &local->addr.addr.s_addr, AF_INET);

	if (err)
		return err;
	first_map_v4(ssk);
	inet_sk(ssk)->cork.fl = *fl;
	sk_setup_caps(ssk, dst);
	return 0;
}

static struct dst_entry *first_route(struct sock *ssk, struct mptcp_pm_local *local,
				     struct flowi *fl)
{
	return first_is_v4(ssk) ? first_route_v4(ssk, local, fl) : first_route_v6(ssk, local, fl);
}

static bool first_is_taken(struct sock *ssk, const struct mptcp_pm_local *local, int dif)
{
	return first_is_v4(ssk) ? first_is_taken_v4(ssk, local, dif) :
				  first_is_taken_v6(ssk, local, dif);
}

/* The interface of a route may go, also while somebody holds the route. */
static int first_ifindex(const struct dst_entry *dst)
{
	int ifindex;

	rcu_read_lock();
	ifindex = dst_dev_rcu(dst)->ifindex;
	rcu_read_unlock();
	return ifindex;
}

static bool first_is_outside(const struct dst_entry *dst)
{
	bool outside;

	rcu_read_lock();
	outside = !(READ_ONCE(dst_dev_rcu(dst)->flags) & IFF_LOOPBACK);
	rcu_read_unlock();
	return outside;
}

/* The tables of sockets know the addresses. Takes the reference to @dst if there is no error. */
static int first_take(struct sock *ssk, struct mptcp_pm_local *local, struct dst_entry *dst,
		      const struct flowi *fl)
{
	int err;

	if (first_is_taken(ssk, local, local->ifindex ?: first_ifindex(dst)))
		return -EADDRINUSE;
	err = first_is_v4(ssk) ? first_take_v4(ssk, local, dst, fl) :
				 first_take_v6(ssk, local, dst, fl);
	if (err)
		return err;

	ssk->sk_bound_dev_if = local->ifindex;
	/* that fails for listeners only */
	return __sk_prot_rehash(ssk);
}

/* Two that move at once must not both find the same place free. */
static DEFINE_SPINLOCK(first_lock);

/* Begin at @local. */
static int first_move(struct sock *ssk, struct mptcp_pm_local *local)
{
	struct dst_entry *dst;
	struct flowi fl;
	int err;

	dst = first_route(ssk, local, &fl);
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	spin_lock_bh(&first_lock);
	err = first_take(ssk, local, dst, &fl);
	spin_unlock_bh(&first_lock);
	if (err) {
		dst_release(dst);
		return err;
	}

	mptcp_subflow_ctx(ssk)->first_moved = true;
	MPTCP_INC_STATS(sock_net(ssk), MPTCP_MIB_FIRSTPATHMOVE);
	return 0;
}

/* What the route says. ENETUNREACH or the like: there is none; 0: it is to this machine itself. */
static int first_own(struct sock *ssk, struct mptcp_pm_local *local)
{
	struct dst_entry *dst;
	struct flowi fl;
	bool outside;

	memset(local, 0, sizeof(*local));
	local->addr.family = first_is_v4(ssk) ? AF_INET : AF_INET6;
	dst = first_route(ssk, local, &fl);
	if (IS_ERR(dst))
		return PTR_ERR(dst);
	outside = first_is_outside(dst);
	dst_release(dst);
	return outside;
}

/* An interface that is not from here: its user chose it, maybe with a link-local address. */
static bool first_is_bound(const struct sock *ssk)
{
	const struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);

	return ssk->sk_userlocks & SOCK_BINDADDR_LOCK ||
	       READ_ONCE(subflow->conn->sk_bound_dev_if) ||
	       (ssk->sk_bound_dev_if && !subflow->first_moved);
}

static void first_look(struct sock *ssk, struct first_paths *paths, bool backup)
{
	const struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_pm_local own;
	int outside;

	paths->count = 0;
	if (subflow->request_join || subflow->mp_join || first_is_bound(ssk))
		return;
	outside = first_own(ssk, &own);
	if (!outside)
		return;
	/* without a route, as its link went down, the others have theirs by their address */
	if (outside > 0)
		paths->of[paths->count++] = own;
	paths->count += mptcp_pm_nl_subflow_endpoints(sock_net(ssk), &own.addr,
						      paths->of + paths->count, backup);
}

/* Which of them it has now; count: none */
static unsigned int first_now(const struct sock *ssk, const struct first_paths *paths)
{
	struct mptcp_addr_info now;
	unsigned int i;

	mptcp_local_address((struct sock_common *)ssk, &now);
	for (i = 0; i < paths->count; i++)
		if (mptcp_addresses_equal(&now, &paths->of[i].addr, false))
			break;
	return i;
}

/* From @at on the first one that has a route. None: it stays where it is. */
static void first_move_on(struct sock *ssk, struct first_paths *paths, unsigned int at)
{
	unsigned int now = first_now(ssk, paths);
	unsigned int i;

	for (i = 0; i < paths->count; i++, at++)
		if (at % paths->count == now || !first_move(ssk, &paths->of[at % paths->count]))
			return;
}

/* Namespaces share the turns: in each, connections begin at different addresses. */
static atomic_t first_turn = ATOMIC_INIT(0);

/* The first SYN is about to be sent: whose turn is it? */
void mptcp_first_path_syn(struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct first_paths paths;

	/* one that waits for its answer had its turn */
	if (tcp_rtx_queue_head(ssk) || first_mode(mptcp_sk(subflow->conn)) != MPTCP_FIRST_TURNS)
		return;
	first_look(ssk, &paths, false);
	if (paths.count < 2)
		return;

	subflow->first_paths = paths.count;
	first_move_on(ssk, &paths, (u32)atomic_inc_return(&first_turn));
}

/* The SYN may still wait in a queue of the old path, for the link-layer address of a router
 * that is dark, and TCP sends no segment again that has not left. Its copy can go.
 */
static bool first_renew_syn(struct sock *ssk)
{
	struct sk_buff *skb = tcp_rtx_queue_head(ssk);
	struct sk_buff *copy;

	if (!skb || !skb_cloned(skb))
		return skb;

	tcp_skb_tsorted_save(skb) {
		copy = skb_copy(skb, GFP_ATOMIC);
	} tcp_skb_tsorted_restore(skb);
	if (!copy)
		return false;

	INIT_LIST_HEAD(&copy->tcp_tsorted_anchor);
	/* they may point to it: one with data that did not fit its path's MTU is lost */
	tcp_clear_all_retrans_hints(tcp_sk(ssk));
	tcp_rtx_queue_unlink_and_free(skb, ssk);
	__skb_header_release(copy);
	tcp_rbtree_insert(&ssk->tcp_rtx_queue, copy);
	sk_wmem_queued_add(ssk, copy->truesize);
	sk_mem_charge(ssk, copy->truesize);
	return true;
}

/* The SYN goes out again, from the next address if there is one. How many there are */
static unsigned int first_next(struct sock *ssk)
{
	struct first_paths paths;
	unsigned int now;

	first_look(ssk, &paths, true);
	now = first_now(ssk, &paths);
	if (now + 1 == paths.count && !now)
		return 1;
	if (!paths.count || !first_renew_syn(ssk))
		return 0;

	first_move_on(ssk, &paths, now == paths.count ? 0 : now + 1);
	mptcp_subflow_ctx(ssk)->first_paths = paths.count;
	return paths.count;
}

/* A SYN was not answered in time. Once each address had its first one, and if there are none,
 * TCP's own patience holds.
 */
void mptcp_first_path_timed_out(struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct inet_connection_sock *icsk = inet_csk(ssk);
	unsigned int count = 0;

	if (first_mode(mptcp_sk(subflow->conn)) != MPTCP_FIRST_ROUTE)
		count = first_next(ssk);
	if (subflow->first_paths && icsk->icsk_retransmits + 2 >= count)
		icsk->icsk_rto = max_t(u32, icsk->icsk_rto, TCP_TIMEOUT_INIT);
}

/* How many SYNs of @ssk were not answered, of each address that it was sent from. Those without
 * MP_CAPABLE, for middleboxes that drop it, come after some: U8_MAX, enough, if those that are
 * left are no more than there are addresses.
 */
u32 mptcp_first_path_timeouts(const struct sock *ssk)
{
	const struct net *net = sock_net(ssk);
	u32 most = READ_ONCE(inet_csk(ssk)->icsk_syn_retries) ?:
		   READ_ONCE(net->ipv4.sysctl_tcp_syn_retries);
	u32 paths = max_t(u8, mptcp_subflow_ctx(ssk)->first_paths, 1);
	u32 timeouts = inet_csk(ssk)->icsk_retransmits;

	most += READ_ONCE(net->ipv4.sysctl_tcp_syn_linear_timeouts);
	if (paths > 1 && timeouts + paths >= most)
		return U8_MAX;
	return timeouts / paths;
}

/* A router says that a SYN got no further, ICMP's @err. That is of one path: true if @ssk goes on,
 * at once. Each path may say so once; then there is none.
 */
bool __mptcp_first_path_goes_on(struct sock *ssk, int err)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);

	if ((err != EHOSTUNREACH && err != ENETUNREACH && err != EACCES) ||
	    ssk->sk_state != TCP_SYN_SENT ||
	    inet_csk(ssk)->icsk_pending != ICSK_TIME_RETRANS ||
	    subflow->first_refused + 1 >= subflow->first_paths)
		return false;
	subflow->first_refused++;
	inet_csk_reset_xmit_timer(ssk, ICSK_TIME_RETRANS, TCP_TIMEOUT_MIN, TCP_RTO_MAX);
	return true;
}
EXPORT_SYMBOL_GPL(__mptcp_first_path_goes_on);

/* Another connection begins with @ssk, which may have moved for the last one. */
void __mptcp_first_path_home(struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);

	subflow->first_moved = false;
	/* else that of the endpoint from which it leaves before it moves */
	WRITE_ONCE(subflow->local_id, 0);
	ssk->sk_bound_dev_if = 0;
}

/* The first SYN was sent: how long an answer may take before the next address has its turn */
void mptcp_first_path_begin(struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct inet_connection_sock *icsk = inet_csk(ssk);
	struct first_paths paths = { .count = subflow->first_paths };
	u32 patience;

	if (ssk->sk_state != TCP_SYN_SENT || icsk->icsk_pending != ICSK_TIME_RETRANS ||
	    first_mode(mptcp_sk(subflow->conn)) == MPTCP_FIRST_ROUTE)
		return;
	/* with turns, that was counted when the SYN was made */
	if (!paths.count)
		first_look(ssk, &paths, true);
	if (paths.count < 2)
		return;

	subflow->first_paths = paths.count;
	patience = msecs_to_jiffies(mptcp_ext_get(sock_net(ssk), MPTCP_EXT_FIRST_PATH_TIMEOUT));
	icsk->icsk_rto = min(icsk->icsk_rto, patience);
	inet_csk_reset_xmit_timer(ssk, ICSK_TIME_RETRANS, icsk->icsk_rto, TCP_RTO_MAX);
}
