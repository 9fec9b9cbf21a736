// SPDX-License-Identifier: GPL-2.0
/* MPTCP: when a path may be back
 *
 * A link that has a carrier again, a new address and a new default route are seen by
 * notifiers. A little later, as they come together, the connections of the namespace that
 * rejoin.c knows are told: their workers try the paths that are lost, and wake subflows
 * that are silent:
 *
 * - one that has sent again in vain does so once more, now, and not when a timeout that
 *   doubled each time ends;
 * - one that has nothing under way asks whether the peer still knows it, as a keepalive
 *   does: a router that forgot it, or has a new address, answers with a RST or lets the
 *   peer do so, and it is lost, and opened again.
 *
 * Once a second at most, however many events there are, and only for connections that
 * have paths to lose.
 */

#include <linux/netdevice.h>
#include <net/fib_notifier.h>
#include <net/ip6_fib.h>
#include <net/ip_fib.h>
#include <net/netns/generic.h>
#include <net/tcp.h>
#include "protocol.h"
#include "ext/rejoin/paths.h"
#include "ext/rejoin/rejoin.h"

/* Address and routes come after the link. */
#define REJOIN_SETTLE	(HZ / 5)

/* So many connections are told before others may use the lock, and the CPU. */
#define REJOIN_BATCH	64

struct rejoin_net {
	struct notifier_block fib;
	struct delayed_work work;
	unsigned long told;	/* when, jiffies */
	spinlock_t lock;	/* of the list and its length */
	struct list_head list;	/* struct mptcp_rejoin */
	unsigned int count;
};

static unsigned int rejoin_net_id;

static struct rejoin_net *rejoin_net_of(const struct mptcp_rejoin *rejoin)
{
	return net_generic(sock_net(rejoin->sk), rejoin_net_id);
}

void mptcp_rejoin_enlist(struct mptcp_rejoin *rejoin)
{
	struct rejoin_net *rn = rejoin_net_of(rejoin);

	spin_lock_bh(&rn->lock);
	list_add_tail(&rejoin->list, &rn->list);
	WRITE_ONCE(rn->count, rn->count + 1);
	spin_unlock_bh(&rn->lock);
}

void mptcp_rejoin_delist(struct mptcp_rejoin *rejoin)
{
	struct rejoin_net *rn = rejoin_net_of(rejoin);

	spin_lock_bh(&rn->lock);
	list_del(&rejoin->list);
	WRITE_ONCE(rn->count, rn->count - 1);
	spin_unlock_bh(&rn->lock);
}

static void rejoin_tell_one(struct mptcp_rejoin *rejoin)
{
	struct mptcp_sock *msk = mptcp_sk(rejoin->sk);

	set_bit(MPTCP_WORK_REJOIN_NOW, &msk->flags);
	set_bit(MPTCP_WORK_REJOIN, &msk->flags);
	mptcp_schedule_work(rejoin->sk);
}

/* All, each from the head of the list to its tail: some may go meanwhile, others be told twice. */
static void rejoin_tell(struct work_struct *work)
{
	struct rejoin_net *rn = container_of(to_delayed_work(work), struct rejoin_net, work);
	unsigned int left;

	WRITE_ONCE(rn->told, jiffies);
	spin_lock_bh(&rn->lock);
	for (left = rn->count; left && rn->count; left--) {
		list_rotate_left(&rn->list);
		rejoin_tell_one(list_last_entry(&rn->list, struct mptcp_rejoin, list));
		if (left % REJOIN_BATCH)
			continue;
		spin_unlock_bh(&rn->lock);
		cond_resched();
		spin_lock_bh(&rn->lock);
	}
	spin_unlock_bh(&rn->lock);
}

static void rejoin_event(struct rejoin_net *rn)
{
	unsigned long since = jiffies - READ_ONCE(rn->told);
	unsigned long wait = since < HZ ? HZ - since : 0;

	if (READ_ONCE(rn->count))
		schedule_delayed_work(&rn->work, max_t(unsigned long, wait, REJOIN_SETTLE));
}

/* A default route, or an address of this machine */
static bool rejoin_is_path(const struct fib_notifier_info *info)
{
	const struct fib_entry_notifier_info *v4 =
		container_of(info, struct fib_entry_notifier_info, info);

	if (info->family == AF_INET)
		return !v4->dst_len || v4->type == RTN_LOCAL;
#if IS_ENABLED(CONFIG_IPV6)
	if (info->family == AF_INET6) {
		const struct fib6_info *rt =
			container_of(info, struct fib6_entry_notifier_info, info)->rt;

		return !rt->fib6_dst.plen || rt->fib6_type == RTN_LOCAL;
	}
#endif
	return false;
}

static int rejoin_fib_event(struct notifier_block *nb, unsigned long event, void *info)
{
	struct rejoin_net *rn = container_of(nb, struct rejoin_net, fib);

	switch (event) {
	case FIB_EVENT_ENTRY_REPLACE:
	case FIB_EVENT_ENTRY_APPEND:
	case FIB_EVENT_ENTRY_ADD:
		if (rejoin_is_path(info))
			rejoin_event(rn);
	}
	return NOTIFY_DONE;
}

static int rejoin_netdev_event(struct notifier_block *nb, unsigned long event, void *info)
{
	const struct net_device *dev = netdev_notifier_info_to_dev(info);

	if ((event == NETDEV_UP || event == NETDEV_CHANGE) && netif_running(dev) &&
	    netif_carrier_ok(dev))
		rejoin_event(net_generic(dev_net(dev), rejoin_net_id));
	return NOTIFY_DONE;
}

/* What it waits for was sent again in vain: once more now, as after a timeout. What was under
 * way while the path was dark is lost, although its first segments may have come (F-RTO).
 */
static void rejoin_wake_silent(struct sock *ssk)
{
	struct inet_connection_sock *icsk = inet_csk(ssk);

	tcp_enter_loss(ssk);
	tcp_sk(ssk)->frto = 0;
	tcp_retransmit_skb(ssk, tcp_rtx_queue_head(ssk), 1);

	icsk->icsk_backoff = 0;
	/* nothing is known of the RTT before the first sample */
	icsk->icsk_rto = ssk->sk_state != TCP_SYN_SENT && tcp_sk(ssk)->srtt_us ?
			 __tcp_set_rto(tcp_sk(ssk)) : TCP_TIMEOUT_INIT;
	tcp_bound_rto(ssk);
	inet_csk_reset_xmit_timer(ssk, ICSK_TIME_RETRANS, icsk->icsk_rto, TCP_RTO_MAX);
}

void mptcp_rejoin_wake(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
		struct inet_connection_sock *icsk = inet_csk(ssk);
		bool slow = lock_sock_fast(ssk);

		/* as in a timer of TCP; and what is sent now has the time of now */
		local_bh_disable();
		tcp_mstamp_refresh(tcp_sk(ssk));
		if (icsk->icsk_retransmits && icsk->icsk_pending == ICSK_TIME_RETRANS &&
		    tcp_rtx_queue_head(ssk))
			rejoin_wake_silent(ssk);
		else if (ssk->sk_state == TCP_ESTABLISHED && !tcp_sk(ssk)->packets_out &&
			 READ_ONCE(subflow->fully_established))
			tcp_write_wakeup(ssk, LINUX_MIB_TCPKEEPALIVE);
		local_bh_enable();
		unlock_sock_fast(ssk, slow);
	}
}

static int __net_init rejoin_net_init(struct net *net)
{
	struct rejoin_net *rn = net_generic(net, rejoin_net_id);

	rn->told = jiffies;
	spin_lock_init(&rn->lock);
	INIT_LIST_HEAD(&rn->list);
	INIT_DELAYED_WORK(&rn->work, rejoin_tell);
	rn->fib.notifier_call = rejoin_fib_event;
	return register_fib_notifier(net, &rn->fib, NULL, NULL);
}

static void __net_exit rejoin_net_exit(struct net *net)
{
	struct rejoin_net *rn = net_generic(net, rejoin_net_id);

	unregister_fib_notifier(net, &rn->fib);
	cancel_delayed_work_sync(&rn->work);
}

static struct pernet_operations rejoin_net_ops = {
	.init = rejoin_net_init,
	.exit = rejoin_net_exit,
	.id   = &rejoin_net_id,
	.size = sizeof(struct rejoin_net),
};

static struct notifier_block rejoin_netdev = { .notifier_call = rejoin_netdev_event };

/* Before any process has a connection, after the routing tables that it hears of. */
static int __init mptcp_rejoin_init(void)
{
	int err = register_pernet_subsys(&rejoin_net_ops);

	return err ?: register_netdevice_notifier(&rejoin_netdev);
}
late_initcall(mptcp_rejoin_init);
