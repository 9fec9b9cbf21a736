// SPDX-License-Identifier: GPL-2.0
/* The weight of congestion control "ewlia": socket option and sysctls
 *
 * MPTCP_CONG_WEIGHT, level SOL_MPTCP, an int: n of the connection, 1..65535, or 0
 * for the namespace's. Before connect() or listen() it is for the connections
 * to come (accepted sockets inherit it); on a live connection for the next ACKs,
 * and for the initial window if no data was sent yet. It has an effect with
 * "ewlia" only.
 *
 * set: EINVAL   out of range, or shorter than an int
 * get: as much of an int as the buffer takes
 *
 * net.mptcp.ewlia_weight	n of all others, 1..65535, 1 by default
 * net.mptcp.ewlia_exponent	1 or 2: growth is divided by n or its square
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <linux/sysctl.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "protocol.h"
#include "cong/cong.h"
#include "sockopt/value.h"

static unsigned int mptcp_cong_weight_max = U16_MAX;

struct mptcp_cong_net {
	u32 weight;
	u32 exponent;
	struct ctl_table_header *sysctl;
};

static unsigned int mptcp_cong_net_id;

/* 1 or more. Under the subflow's lock. */
u32 mptcp_cong_weight(const struct sock *sk)
{
	const struct mptcp_cong_net *cn = net_generic(sock_net(sk), mptcp_cong_net_id);
	const struct mptcp_sock *msk = mptcp_cong_msk(inet_csk_ca(sk));
	u32 weight = msk ? READ_ONCE(msk->cong_weight) : 0;

	return weight ?: READ_ONCE(cn->weight);
}
EXPORT_SYMBOL_GPL(mptcp_cong_weight);

unsigned int mptcp_cong_weight_exponent(const struct sock *sk)
{
	const struct mptcp_cong_net *cn = net_generic(sock_net(sk), mptcp_cong_net_id);

	return READ_ONCE(cn->exponent);
}
EXPORT_SYMBOL_GPL(mptcp_cong_weight_exponent);

/* Is it the one that the weight is for, and did it begin without sending yet? */
static bool mptcp_cong_weight_matters(const struct sock *ssk)
{
	const struct inet_connection_sock *icsk = inet_csk(ssk);

	return icsk->icsk_ca_initialized && !tcp_sk(ssk)->data_segs_out &&
	       !strcmp(icsk->icsk_ca_ops->name, "ewlia");
}

int mptcp_cong_weight_setsockopt(struct mptcp_sock *msk, sockptr_t optval,
				 unsigned int optlen)
{
	struct mptcp_subflow_context *subflow;
	struct sock *sk = (struct sock *)msk;
	int weight, err;

	err = mptcp_option_int(optval, optlen, 0, mptcp_cong_weight_max, &weight);
	if (err)
		return err;

	lock_sock(sk);
	WRITE_ONCE(msk->cong_weight, weight);
	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);

		/* what has not begun may begin with less */
		lock_sock(ssk);
		if (mptcp_cong_weight_matters(ssk))
			tcp_ca_event(ssk, CA_EVENT_CWND_RESTART);
		release_sock(ssk);
	}
	release_sock(sk);

	return 0;
}

int mptcp_cong_weight_getsockopt(struct mptcp_sock *msk, char __user *optval,
				 int __user *optlen)
{
	int weight = READ_ONCE(msk->cong_weight);

	return mptcp_option_answer(&weight, sizeof(weight), optval, optlen);
}

/* Each namespace has its own copy. */
static const struct ctl_table mptcp_cong_table[] = {
	{
		.procname	= "ewlia_weight",
		.maxlen		= sizeof(u32),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= SYSCTL_ONE,
		.extra2		= &mptcp_cong_weight_max,
	},
	{
		.procname	= "ewlia_exponent",
		.maxlen		= sizeof(u32),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= SYSCTL_ONE,
		.extra2		= SYSCTL_TWO,
	},
};

static int __net_init mptcp_cong_net_init(struct net *net)
{
	struct mptcp_cong_net *cn = net_generic(net, mptcp_cong_net_id);
	struct ctl_table *table;

	cn->weight = 1;
	cn->exponent = 1;
	if (!IS_ENABLED(CONFIG_SYSCTL))
		return 0;

	table = kmemdup(mptcp_cong_table, sizeof(mptcp_cong_table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;

	table[0].data = &cn->weight;
	table[1].data = &cn->exponent;
	cn->sysctl = register_net_sysctl_sz(net, "net/mptcp", table,
					    ARRAY_SIZE(mptcp_cong_table));
	if (!cn->sysctl) {
		kfree(table);
		return -ENOMEM;
	}

	return 0;
}

static void __net_exit mptcp_cong_net_exit(struct net *net)
{
	struct mptcp_cong_net *cn = net_generic(net, mptcp_cong_net_id);

	if (cn->sysctl) {
		const struct ctl_table *table = cn->sysctl->ctl_table_arg;

		unregister_net_sysctl_table(cn->sysctl);
		kfree(table);
	}
}

static struct pernet_operations mptcp_cong_net_ops = {
	.init = mptcp_cong_net_init,
	.exit = mptcp_cong_net_exit,
	.id   = &mptcp_cong_net_id,
	.size = sizeof(struct mptcp_cong_net),
};

/* Before the modules' late_initcall(), which may be built in. */
static int __init mptcp_cong_weight_init(void)
{
	return register_pernet_subsys(&mptcp_cong_net_ops);
}
subsys_initcall(mptcp_cong_weight_init);
