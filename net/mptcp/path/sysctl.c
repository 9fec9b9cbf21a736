// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: prices, weights and budgets of a network namespace, its sysctls
 *
 *	net.mptcp.path_price		prices of interfaces
 *	net.mptcp.path_weight		weights
 *	net.mptcp.path_budget		bytes per period
 *	net.mptcp.path_used		how many were used
 *	net.mptcp.sched_price_wait	how long data waits for cheaper paths, ms
 *
 * What is written replaces the list; path_used alone changes what is named. It is taken
 * as a whole or refused as a whole.
 */

#include <linux/sysctl.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "protocol.h"
#include "path/path.h"

/* How long data waits for the cheaper paths at first, and at most, in ms. */
#define PATH_WAIT	100
#define PATH_WAIT_MAX	60000U

static unsigned int path_net_id;

/* Serializes writers of the lists, of all namespaces. */
static DEFINE_MUTEX(path_mutex);

struct mptcp_path_net *mptcp_path_net(const struct net *net)
{
	return net_generic(net, path_net_id);
}

static void path_show(struct mptcp_path_net *pn, enum mptcp_path_kind kind, char *buf)
{
	rcu_read_lock();
	mptcp_path_print(rcu_dereference(pn->lists[kind]), kind, buf, MPTCP_PATH_TEXT_MAX);
	rcu_read_unlock();
}

static int path_store(struct mptcp_path_net *pn, enum mptcp_path_kind kind, char *text)
{
	struct mptcp_path_list *list = mptcp_path_parse(text, kind);

	if (IS_ERR(list))
		return PTR_ERR(list);
	mutex_lock(&path_mutex);
	mptcp_path_replace(&pn->lists[kind], list);
	mutex_unlock(&path_mutex);
	return 0;
}

static void price_show(struct mptcp_path_net *pn, char *buf)
{
	path_show(pn, MPTCP_PATH_KIND_PRICE, buf);
}

static int price_store(struct mptcp_path_net *pn, char *text)
{
	return path_store(pn, MPTCP_PATH_KIND_PRICE, text);
}

static void weight_show(struct mptcp_path_net *pn, char *buf)
{
	path_show(pn, MPTCP_PATH_KIND_WEIGHT, buf);
}

static int weight_store(struct mptcp_path_net *pn, char *text)
{
	return path_store(pn, MPTCP_PATH_KIND_WEIGHT, text);
}

static void budget_show(struct mptcp_path_net *pn, char *buf)
{
	mptcp_budgets_show(&pn->budgets, buf, MPTCP_PATH_TEXT_MAX);
}

static int budget_store(struct mptcp_path_net *pn, char *text)
{
	return mptcp_budgets_store(&pn->budgets, text);
}

static void used_show(struct mptcp_path_net *pn, char *buf)
{
	mptcp_budgets_show_used(&pn->budgets, buf, MPTCP_PATH_TEXT_MAX);
}

static int used_store(struct mptcp_path_net *pn, char *text)
{
	return mptcp_budgets_store_used(&pn->budgets, text);
}

/* How a list is shown and changed: extra1 of its sysctl. */
struct path_list_ops {
	void (*show)(struct mptcp_path_net *pn, char *buf);
	int (*store)(struct mptcp_path_net *pn, char *text);
};

static const struct path_list_ops price_ops = { price_show, price_store };
static const struct path_list_ops weight_ops = { weight_show, weight_store };
static const struct path_list_ops budget_ops = { budget_show, budget_store };
static const struct path_list_ops used_ops = { used_show, used_store };

static int proc_path_list(const struct ctl_table *ctl, int write, void *buffer,
			  size_t *lenp, loff_t *ppos)
{
	struct ctl_table tbl = { .maxlen = MPTCP_PATH_TEXT_MAX };
	const struct path_list_ops *ops = ctl->extra1;
	struct mptcp_path_net *pn = ctl->data;
	int ret;

	tbl.data = kzalloc(tbl.maxlen, GFP_USER);
	if (!tbl.data)
		return -ENOMEM;
	if (write) {
		ret = mptcp_sched_list_text(tbl.data, tbl.maxlen, buffer, *lenp, ppos) ?:
		      ops->store(pn, tbl.data);
	} else {
		ops->show(pn, tbl.data);
		ret = proc_dostring(&tbl, write, buffer, lenp, ppos);
	}

	kfree(tbl.data);
	return ret;
}

static unsigned int path_wait_max = PATH_WAIT_MAX;

/* Each namespace has its own copy. */
static const struct ctl_table path_table[] = {
	{
		.procname	= "sched_price_wait",
		.maxlen		= sizeof(u32),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= SYSCTL_ZERO,
		.extra2		= &path_wait_max,
	},
	{
		.procname	= "path_price",
		.maxlen		= MPTCP_PATH_TEXT_MAX,
		.mode		= 0644,
		.proc_handler	= proc_path_list,
		.extra1		= (void *)&price_ops,
	},
	{
		.procname	= "path_weight",
		.maxlen		= MPTCP_PATH_TEXT_MAX,
		.mode		= 0644,
		.proc_handler	= proc_path_list,
		.extra1		= (void *)&weight_ops,
	},
	{
		.procname	= "path_budget",
		.maxlen		= MPTCP_PATH_TEXT_MAX,
		.mode		= 0644,
		.proc_handler	= proc_path_list,
		.extra1		= (void *)&budget_ops,
	},
	{
		.procname	= "path_used",
		.maxlen		= MPTCP_PATH_TEXT_MAX,
		.mode		= 0644,
		.proc_handler	= proc_path_list,
		.extra1		= (void *)&used_ops,
	},
};

static int __net_init path_net_init(struct net *net)
{
	struct mptcp_path_net *pn = mptcp_path_net(net);
	struct ctl_table *table;
	int i;

	pn->wait = PATH_WAIT;
	mptcp_budgets_init(&pn->budgets, net);
	if (!IS_ENABLED(CONFIG_SYSCTL))
		return 0;

	table = kmemdup(path_table, sizeof(path_table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table[0].data = &pn->wait;
	for (i = 1; i < ARRAY_SIZE(path_table); i++)
		table[i].data = pn;
	pn->sysctl = register_net_sysctl_sz(net, "net/mptcp", table, ARRAY_SIZE(path_table));
	if (!pn->sysctl) {
		kfree(table);
		return -ENOMEM;
	}
	return 0;
}

static void __net_exit path_net_exit(struct net *net)
{
	struct mptcp_path_net *pn = mptcp_path_net(net);
	int i;

	if (pn->sysctl) {
		const struct ctl_table *table = pn->sysctl->ctl_table_arg;

		unregister_net_sysctl_table(pn->sysctl);
		kfree(table);
	}
	mptcp_budgets_exit(&pn->budgets);
	for (i = 0; i < MPTCP_PATH_KINDS; i++)
		mptcp_path_replace(&pn->lists[i], NULL);
}

static struct pernet_operations path_net_ops = {
	.init = path_net_init,
	.exit = path_net_exit,
	.id   = &path_net_id,
	.size = sizeof(struct mptcp_path_net),
};

/* Before mptcp_init(): each connection may ask what its paths cost. */
int __init mptcp_path_init(void)
{
	return register_pernet_subsys(&path_net_ops);
}
