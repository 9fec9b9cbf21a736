/* SPDX-License-Identifier: GPL-2.0 */
/* MPTCP packet schedulers: what the interfaces cost that subflows leave by, what part of the
 * data they shall carry, and how much they may
 *
 *	path.c			prices and weights, and which interface a subflow has
 *	words.c		the same as text
 *	sysctl.c		of a network namespace
 *	sockopt.c		of a connection
 *	budget.c			bytes per period
 *	price.c			the extension "+price"
 *	sched/weighted.c		the scheduler "weighted"
 */
#ifndef _MPTCP_SCHED_PATH_H
#define _MPTCP_SCHED_PATH_H

#include <linux/if.h>
#include <linux/in6.h>
#include <linux/refcount.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include "sched/core.h"

/* A list as text: the sysctls' and, as each connection has its own, the socket options'. */
#define MPTCP_PATH_TEXT_MAX	4096
#define MPTCP_PATH_OPTION_MAX	512

/* Clocks of subflows are in bytes by weight, in parts of 2^8. */
#define MPTCP_SCHED_CLOCK_SHIFT	8

/* What there is a list of. */
enum mptcp_path_kind {
	MPTCP_PATH_KIND_PRICE,
	MPTCP_PATH_KIND_WEIGHT,
	MPTCP_PATH_KINDS,
};

/* Of an interface, or, where that has no name, of peers whose address begins so. */
struct mptcp_path_value {
	char name[IFNAMSIZ];
	struct in6_addr peer;
	u8 bits;
	u8 kind;
	u8 value;
	bool privileged;	/* a connection's own, from one who may change the namespace's */
};

/* Read under RCU, replaced as a whole. A connection has one of all kinds. */
struct mptcp_path_list {
	struct rcu_head rcu;
	refcount_t users;	/* listener and accepted sockets share one */
	unsigned int count;
	struct mptcp_path_value of[];
};

/* Bytes that an interface may carry in a period. Under mptcp_budgets.lock. */
struct mptcp_budget {
	struct list_head list;
	char name[IFNAMSIZ];
	u64 bytes;
	u64 used;
	u64 seen;		/* what the interface had counted when last looked at */
	int ifindex;		/* which one that was, 0: none */
	u32 period;		/* seconds */
	time64_t since;		/* when the period began, UNIX time */
};

struct mptcp_budgets {
	spinlock_t lock;	/* of process context, and of no other */
	struct list_head list;
	struct delayed_work look;
	unsigned long looked_at; /* in jiffies */
	struct net *net;
	u32 turn;		/* so often were some used up; see budget.c */
	bool told;		/* some subflows may be marked as spent */
};

/* Of a network namespace */
struct mptcp_path_net {
	struct mptcp_path_list __rcu *lists[MPTCP_PATH_KINDS];	/* NULL: none */
	u32 wait;		/* until dearer paths are used, ms */
	struct mptcp_budgets budgets;
	struct ctl_table_header *sysctl;
};

struct mptcp_path_net *mptcp_path_net(const struct net *net);

/* path.c */
bool mptcp_path_name(const struct mptcp_subflow_context *subflow, char *name);
void __mptcp_path_look(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow);
void mptcp_path_replace(struct mptcp_path_list __rcu **at, struct mptcp_path_list *new);
void mptcp_path_inherit(struct mptcp_sock *msk);

/* What was learnt of @subflow's interface holds for a second. */
static inline void mptcp_path_look(struct mptcp_sock *msk,
				   struct mptcp_subflow_context *subflow)
{
	if (!subflow->sched_path_at || tcp_jiffies32 - subflow->sched_path_at > HZ)
		__mptcp_path_look(msk, subflow);
}

/* The clock of a subflow with @weight advances by this for @bytes (sched/weighted.c). Nobody
 * has looked at that of a subflow that has just begun anew.
 */
static inline u64 mptcp_sched_weigh(u32 bytes, u8 weight)
{
	return div_u64((u64)bytes << MPTCP_SCHED_CLOCK_SHIFT, max(weight, 1));
}

/* A clock that stood still shows no less than a burst before @now. */
static inline u64 mptcp_sched_put_forward(u64 clock, u64 now, u8 weight)
{
	u64 least = now - mptcp_sched_weigh(MPTCP_SCHED_BURST, weight);

	return before64(clock, least) ? least : clock;
}

/* words.c */
int mptcp_path_word(char **text, char **name, char **value);
struct mptcp_path_list *mptcp_path_parse(char *text, enum mptcp_path_kind kind);
struct mptcp_path_list *mptcp_path_merge(const struct mptcp_path_list *old,
					 const struct mptcp_path_list *new,
					 enum mptcp_path_kind kind);
void mptcp_path_print(const struct mptcp_path_list *list, enum mptcp_path_kind kind,
		      char *buf, size_t len);
int mptcp_path_parse_budget(char *text, u64 *bytes, u32 *period);
int mptcp_path_parse_used(char *text, u64 *bytes, time64_t *since);

/* budget.c */
void mptcp_budgets_init(struct mptcp_budgets *budgets, struct net *net);
void mptcp_budgets_exit(struct mptcp_budgets *budgets);
int mptcp_budgets_store(struct mptcp_budgets *budgets, char *text);
void mptcp_budgets_show(struct mptcp_budgets *budgets, char *buf, size_t len);
int mptcp_budgets_store_used(struct mptcp_budgets *budgets, char *text);
void mptcp_budgets_show_used(struct mptcp_budgets *budgets, char *buf, size_t len);
void mptcp_budget_count(struct mptcp_budget *budget, int ifindex, u64 seen);
void mptcp_budget_renew(struct mptcp_budget *budget, time64_t now);

#endif /* _MPTCP_SCHED_PATH_H */
