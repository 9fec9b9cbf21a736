// SPDX-License-Identifier: GPL-2.0
/* The sysctls of what goes beyond RFC 8684, by network namespace
 *
 * A row each, for what is built in. Whoever reads a setting may do so for each segment: it is a
 * number in an array.
 */

#include <linux/sysctl.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "protocol.h"
#include "ext/sysctl.h"

struct ext_net {
	struct ctl_table_header *sysctl;
	u32 settings[MPTCP_EXT_SETTINGS];
};

struct ext_row {
	const char *name;	/* NULL: it is not built in, or nobody's to set */
	u32 least, most;
	u32 first;
	const char * const *words;	/* what the user reads and writes in place of numbers */
};

/* Longer than any of the words */
#define EXT_WORD_SIZE	16

static const char * const first_path_words[] = { "route", "failover", "turns" };

#define EXT_ROW(_option, _name, _least, _most, _first, ...)				\
	{									\
		.name = IS_ENABLED(CONFIG_MPTCP_EXT_##_option) ? (_name) : NULL,	\
		.least = (_least), .most = (_most), .first = (_first),		\
		__VA_ARGS__							\
	}

static const struct ext_row ext_rows[MPTCP_EXT_SETTINGS] = {
	[MPTCP_EXT_LOW_OVERHEAD] = EXT_ROW(LOW_OVERHEAD, "low_overhead", 0, 1, 0),
	[MPTCP_EXT_STATELESS_JOIN] = EXT_ROW(JOIN, "stateless_join", 0, 1, 0),
	[MPTCP_EXT_CONTROL_STREAM] = EXT_ROW(CONTROL, "control_stream", 0, 1, 0),
	[MPTCP_EXT_RTO_SEGMENTS] = EXT_ROW(TIMERS, "rto_segments", 1, 2, 1),
	[MPTCP_EXT_BLOCKED_RTO_MIN_US] = EXT_ROW(TIMERS, "blocked_rto_min_us", 0,
						 MPTCP_BLOCKED_RTO_MOST_US, 0),
	[MPTCP_EXT_EARLY_DELIVERY] = EXT_ROW(EARLY, "early_delivery", 0, 1, 0),
	[MPTCP_EXT_CODING] = EXT_ROW(CODING, "coding", 0, MPTCP_CODING_MOST, 0),
	[MPTCP_EXT_FIRST_PATH] = EXT_ROW(FIRST_PATH, "first_path", 0,
					 ARRAY_SIZE(first_path_words) - 1, 0,
					 .words = first_path_words),
	[MPTCP_EXT_FIRST_PATH_TIMEOUT] = EXT_ROW(FIRST_PATH, "first_path_timeout", 20, 10000, 300),
	[MPTCP_EXT_REJOIN] = EXT_ROW(REJOIN, "rejoin", 0, MPTCP_REJOIN_MOST, 0),
	[MPTCP_EXT_SILENT_RTO_MAX] = EXT_ROW(TIMERS, "silent_rto_max", 0, MPTCP_SILENT_RTO_MOST, 0),
};

static unsigned int ext_net_id;

u32 mptcp_ext_get(const struct net *net, enum mptcp_ext_setting which)
{
	const struct ext_net *en = net_generic(net, ext_net_id);

	return READ_ONCE(en->settings[which]);
}

void mptcp_low_use(const struct net *net)
{
	struct ext_net *en = net_generic(net, ext_net_id);

	WRITE_ONCE(en->settings[MPTCP_EXT_LOW_USED], true);
}

static int proc_ext_word(const struct ctl_table *ctl, int write, void *buffer, size_t *lenp,
			 loff_t *ppos)
{
	char word[EXT_WORD_SIZE];
	struct ctl_table tbl = { .data = word, .maxlen = sizeof(word) };
	const struct ext_row *row = ctl->extra1;
	u32 *setting = ctl->data;
	int ret;

	strscpy(word, row->words[READ_ONCE(*setting)]);
	ret = proc_dostring(&tbl, write, buffer, lenp, ppos);
	if (!write || ret)
		return ret;
	ret = match_string(row->words, row->most + 1, word);
	if (ret < 0)
		return ret;
	WRITE_ONCE(*setting, ret);
	return 0;
}

/* The rows that have a name: how many. */
static unsigned int ext_fill(struct ctl_table *table, struct ext_net *en)
{
	unsigned int i, n = 0;

	for (i = 0; i < MPTCP_EXT_SETTINGS; i++) {
		const struct ext_row *row = &ext_rows[i];

		if (!row->name)
			continue;
		table[n++] = (struct ctl_table) {
			.procname	= row->name,
			.data		= &en->settings[i],
			.maxlen		= sizeof(u32),
			.mode		= 0644,
			.proc_handler	= proc_douintvec_minmax,
			.extra1		= (void *)&row->least,
			.extra2		= (void *)&row->most,
		};
		if (row->words) {
			table[n - 1].proc_handler = proc_ext_word;
			table[n - 1].extra1 = (void *)row;
		}
	}
	return n;
}

static int __net_init ext_net_init(struct net *net)
{
	struct ext_net *en = net_generic(net, ext_net_id);
	struct ctl_table *table;
	unsigned int i, n;

	for (i = 0; i < MPTCP_EXT_SETTINGS; i++)
		en->settings[i] = ext_rows[i].first;
	if (!IS_ENABLED(CONFIG_SYSCTL))
		return 0;

	table = kcalloc(MPTCP_EXT_SETTINGS, sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	n = ext_fill(table, en);
	if (n)
		en->sysctl = register_net_sysctl_sz(net, "net/mptcp", table, n);
	if (!en->sysctl)
		kfree(table);
	return n && !en->sysctl ? -ENOMEM : 0;
}

static void __net_exit ext_net_exit(struct net *net)
{
	struct ext_net *en = net_generic(net, ext_net_id);

	if (en->sysctl) {
		const struct ctl_table *table = en->sysctl->ctl_table_arg;

		unregister_net_sysctl_table(en->sysctl);
		kfree(table);
	}
}

static struct pernet_operations ext_net_ops = {
	.init = ext_net_init,
	.exit = ext_net_exit,
	.id   = &ext_net_id,
	.size = sizeof(struct ext_net),
};

/* Before mptcp_init(): each connection may ask. */
static int __init mptcp_ext_init(void)
{
	return register_pernet_subsys(&ext_net_ops);
}
subsys_initcall(mptcp_ext_init);
