// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: budgets of interfaces, so many bytes in a period
 *
 * "5 GB a month" is what contracts say, and they mean all that the interface carries:
 * either way, with headers, and what is no MPTCP at all. The interface counts that itself
 * (what "ip -s link" shows), so nothing is counted here per packet. Once a second, as long
 * as there is a budget, its counters are looked at:
 *
 *	used += what was counted since the last look
 *
 * An interface that comes back with another index, or whose counters went back, counts
 * from then on; so does one whose driver counts up to 4 GiB, as some do on 32-bit machines:
 * what it carried in that second is not charged. A period begins when the budget is set,
 * or when path_used says, and the next one when it ends; in UNIX time, so that it goes on
 * over a reboot.
 *
 * When a budget is used up, all subflows that leave by the interface count as backups
 * until the period ends: no scheduler uses them as long as another one is there, and the
 * peer is asked by MP_PRIO to do the same, since what it sends is paid for, too.
 *
 * Nobody goes through all connections for that: there are those of others, and one can be
 * held by its user for as long as a page is not there. Each look that finds a budget used
 * up begins a turn, and so does the first one that finds none any more. A connection that
 * sends or receives data sees that the turn is another one, and looks at its own subflows
 * in its own work: when that begins and when it ends, and each second between, since routes
 * change; and when a subflow joins. An idle one does so with its next data.
 *
 * Locking: the msk lock, then the spinlock of the namespace's budgets, which nothing waits
 * for but process context, and under which nothing sleeps; apart from it, the subflow's.
 */

#include <linux/netdevice.h>
#include <net/tcp.h>
#include <kunit/visibility.h>
#include "protocol.h"
#include "ext/control/control.h"
#include "path/path.h"

#define BUDGET_LOOK	HZ

/* A namespace has no more: anybody may have many namespaces. */
#define BUDGETS_MAX	32

static struct mptcp_budget *budget_find(const struct list_head *list, const char *name)
{
	struct mptcp_budget *budget;

	list_for_each_entry(budget, list, list) {
		if (!strcmp(budget->name, name))
			return budget;
	}

	return NULL;
}

static bool budget_is_spent(const struct mptcp_budget *budget)
{
	return budget->used >= budget->bytes;
}

/* The interface has counted @seen bytes since it came. */
void mptcp_budget_count(struct mptcp_budget *budget, int ifindex, u64 seen)
{
	if (ifindex == budget->ifindex && seen >= budget->seen &&
	    check_add_overflow(budget->used, seen - budget->seen, &budget->used))
		budget->used = U64_MAX;
	budget->ifindex = ifindex;
	budget->seen = seen;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_budget_count);

/* Begin the next period, if it is time. Before the clock was set it may be long ago, or
 * the period may begin in the future: then it goes on.
 */
void mptcp_budget_renew(struct mptcp_budget *budget, time64_t now)
{
	u32 rest;

	if (now < budget->since + budget->period)
		return;
	div_u64_rem(now - budget->since, budget->period, &rest);
	budget->since = now - rest;
	budget->used = 0;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_budget_renew);

static void budget_look(const struct mptcp_budgets *budgets, struct mptcp_budget *budget)
{
	struct rtnl_link_stats64 stats;
	struct net_device *dev;

	/* Its counters go a grace period after its name, whoever holds a reference. */
	rcu_read_lock();
	dev = dev_get_by_name_rcu(budgets->net, budget->name);
	/* subflows know no alternative names, see mptcp_path_name() */
	if (dev && !strcmp(dev->name, budget->name)) {
		dev_get_stats(dev, &stats);
		mptcp_budget_count(budget, dev->ifindex, stats.rx_bytes + stats.tx_bytes);
	}
	rcu_read_unlock();
}

/* Bring all up to date. True: one is used up. */
static bool budgets_look(struct mptcp_budgets *budgets)
{
	struct mptcp_budget *budget;
	bool spent = false;

	lockdep_assert_held(&budgets->lock);
	budgets->looked_at = jiffies;
	list_for_each_entry(budget, &budgets->list, list) {
		budget_look(budgets, budget);
		mptcp_budget_renew(budget, ktime_get_real_seconds());
		spent |= budget_is_spent(budget);
	}

	return spent;
}

/* Mark @subflow, and say so to the peer, unless it was asked to spare it before. */
static void budget_mark(struct mptcp_sock *msk, struct mptcp_subflow_context *subflow,
			bool spent)
{
	struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
	bool slow = lock_sock_fast(ssk);

	WRITE_ONCE(subflow->sched_spent, spent);
	if (!subflow->request_bkup && !__mptcp_check_fallback(msk)) {
		subflow->send_mp_prio = !mptcp_control_prio(msk, subflow, spent);
		__mptcp_subflow_send_ack(ssk);
	}
	unlock_sock_fast(ssk, slow);
}

/* Is the budget of the interface used up that @subflow leaves by? While there is none, what
 * was known holds.
 */
static bool budgets_spent(struct mptcp_budgets *budgets,
			  const struct mptcp_subflow_context *subflow)
{
	const struct mptcp_budget *budget;
	char name[IFNAMSIZ];
	bool spent;

	if (!mptcp_path_name(subflow, name))
		return subflow->sched_spent;
	spin_lock(&budgets->lock);
	budget = budget_find(&budgets->list, name);
	spent = budget && budget_is_spent(budget);
	spin_unlock(&budgets->lock);

	return spent;
}

/* The connection's work: it has not seen this turn of the budgets yet. */
void mptcp_budgets_work(struct mptcp_sock *msk)
{
	struct mptcp_budgets *budgets = &mptcp_path_net(sock_net((struct sock *)msk))->budgets;
	/* pairs with that of budgets_look_work(): told is no older */
	u32 turn = smp_load_acquire(&budgets->turn);
	struct mptcp_subflow_context *subflow;

	msk_owned_by_me(msk);
	if (turn == msk->sched_turn)
		return;
	WRITE_ONCE(msk->sched_turn, turn);
	mptcp_for_each_subflow(msk, subflow) {
		bool spent;

		/* stale ones, too: there may be no other turn until they come back */
		if (!__mptcp_subflow_active(subflow))
			continue;
		spent = READ_ONCE(budgets->told) && budgets_spent(budgets, subflow);
		if (spent != subflow->sched_spent)
			budget_mark(msk, subflow, spent);
	}
}

/* As if @msk had not seen this turn yet: a subflow has joined, or its first one is to come again,
 * and its interface's budget may be used up; or another scheduler has the subflows now.
 */
void mptcp_budgets_unseen(struct mptcp_sock *msk)
{
	struct mptcp_budgets *budgets = &mptcp_path_net(sock_net((struct sock *)msk))->budgets;

	if (READ_ONCE(budgets->told))
		WRITE_ONCE(msk->sched_turn, READ_ONCE(budgets->turn) - 1);
}

/* @msk sends or receives data. Softirq comes here, too. */
void mptcp_budgets_notice(struct mptcp_sock *msk)
{
	struct sock *sk = (struct sock *)msk;

	if (READ_ONCE(mptcp_path_net(sock_net(sk))->budgets.turn) != READ_ONCE(msk->sched_turn))
		mptcp_schedule_work(sk);
}

static void budgets_look_work(struct work_struct *work)
{
	struct mptcp_budgets *budgets = container_of(to_delayed_work(work),
						     struct mptcp_budgets, look);
	bool spent, told;

	spin_lock(&budgets->lock);
	spent = budgets_look(budgets);
	told = budgets->told;
	WRITE_ONCE(budgets->told, spent);
	if (spent || told)
		/* pairs with that of mptcp_budgets_work() */
		smp_store_release(&budgets->turn, budgets->turn + 1);
	if (!list_empty(&budgets->list))
		queue_delayed_work(system_power_efficient_wq, &budgets->look, BUDGET_LOOK);
	spin_unlock(&budgets->lock);
}

static void budgets_free(struct list_head *list)
{
	struct mptcp_budget *budget, *next;

	list_for_each_entry_safe(budget, next, list, list)
		kfree(budget);
}

/* The next budget of @list. */
static int budget_add(struct list_head *list, const char *name, char *value)
{
	struct mptcp_budget *budget;

	if (!dev_valid_name(name) || budget_find(list, name))
		return -EINVAL;
	budget = kzalloc(sizeof(*budget), GFP_KERNEL_ACCOUNT);
	if (!budget)
		return -ENOMEM;
	list_add_tail(&budget->list, list);
	strscpy(budget->name, name);
	return mptcp_path_parse_budget(value, &budget->bytes, &budget->period);
}

/* @budget is new: what @old had used stays used. */
static void budget_begin(const struct mptcp_budgets *budgets, struct mptcp_budget *budget,
			 const struct mptcp_budget *old)
{
	budget->since = old ? old->since : ktime_get_real_seconds();
	if (old) {
		budget->used = old->used;
		budget->seen = old->seen;
		budget->ifindex = old->ifindex;
	}
	budget_look(budgets, budget);
}

static void budgets_replace(struct mptcp_budgets *budgets, struct list_head *new)
{
	struct mptcp_budget *budget;
	LIST_HEAD(old);

	spin_lock(&budgets->lock);
	list_for_each_entry(budget, new, list)
		budget_begin(budgets, budget, budget_find(&budgets->list, budget->name));
	list_splice_init(&budgets->list, &old);
	list_splice(new, &budgets->list);
	mod_delayed_work(system_power_efficient_wq, &budgets->look, 0);
	spin_unlock(&budgets->lock);
	budgets_free(&old);
}

/* net.mptcp.path_budget is written. */
int mptcp_budgets_store(struct mptcp_budgets *budgets, char *text)
{
	unsigned int count = 0;
	char *name, *value;
	LIST_HEAD(new);
	int ret;

	while ((ret = mptcp_path_word(&text, &name, &value)) > 0) {
		ret = count++ < BUDGETS_MAX ? budget_add(&new, name, value) : -EINVAL;
		if (ret)
			break;
	}
	if (ret) {
		budgets_free(&new);
		return ret;
	}
	budgets_replace(budgets, &new);
	return 0;
}

void mptcp_budgets_show(struct mptcp_budgets *budgets, char *buf, size_t len)
{
	const struct mptcp_budget *budget;
	size_t used = 0;

	spin_lock(&budgets->lock);
	list_for_each_entry(budget, &budgets->list, list)
		used += scnprintf(buf + used, len - used, "%s%s=%llu/%u", used ? " " : "",
				  budget->name, budget->bytes, budget->period);
	spin_unlock(&budgets->lock);
}

/* Go through what is written to path_used, and @apply it. */
static int budgets_read_used(struct mptcp_budgets *budgets, char *text, bool apply)
{
	struct mptcp_budget *budget;
	char *name, *value;
	int ret;

	while ((ret = mptcp_path_word(&text, &name, &value)) > 0) {
		time64_t since;
		u64 used;

		budget = budget_find(&budgets->list, name);
		if (!budget)
			return -ENOENT;
		since = budget->since;
		ret = mptcp_path_parse_used(value, &used, &since);
		if (ret)
			return ret;
		if (!apply)
			continue;
		budget->used = used;
		budget->since = since;
	}

	return ret;
}

/* net.mptcp.path_used is written. */
int mptcp_budgets_store_used(struct mptcp_budgets *budgets, char *text)
{
	char *copy = kstrdup(text, GFP_KERNEL);
	int err;

	if (!copy)
		return -ENOMEM;
	spin_lock(&budgets->lock);
	budgets_look(budgets);
	err = budgets_read_used(budgets, copy, false);
	if (!err) {
		budgets_read_used(budgets, text, true);
		mod_delayed_work(system_power_efficient_wq, &budgets->look, 0);
	}
	spin_unlock(&budgets->lock);
	kfree(copy);
	return err;
}

void mptcp_budgets_show_used(struct mptcp_budgets *budgets, char *buf, size_t len)
{
	const struct mptcp_budget *budget;
	size_t used = 0;

	spin_lock(&budgets->lock);
	/* anybody may read it: of all readers together no more than one look in a tick */
	if (time_after(jiffies, budgets->looked_at))
		budgets_look(budgets);
	list_for_each_entry(budget, &budgets->list, list)
		used += scnprintf(buf + used, len - used, "%s%s=%llu@%lld", used ? " " : "",
				  budget->name, budget->used, budget->since);
	spin_unlock(&budgets->lock);
}

void mptcp_budgets_init(struct mptcp_budgets *budgets, struct net *net)
{
	spin_lock_init(&budgets->lock);
	INIT_LIST_HEAD(&budgets->list);
	INIT_DELAYED_WORK(&budgets->look, budgets_look_work);
	budgets->net = net;
}

/* The sysctls that could start the work are gone. */
void mptcp_budgets_exit(struct mptcp_budgets *budgets)
{
	cancel_delayed_work_sync(&budgets->look);
	budgets_free(&budgets->list);
}
