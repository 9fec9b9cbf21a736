// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers by name: loading, permission, the netns' default
 *
 * A scheduler is named in three places: net.mptcp.scheduler, the socket option
 * MPTCP_SCHEDULER, and net.mptcp.allowed_schedulers. Naming one loads its
 * module "mptcp_sched_<name>" when needed:
 *
 * - A few of those that this kernel was built with are marked as for all, and load
 *   for everybody who may use them.
 * - Any other name loads a module only for CAP_NET_ADMIN in the initial user
 *   namespace, as TCP congestion controls do: what nobody uses is not there to be
 *   attacked. Naming it in net.mptcp.allowed_schedulers loads it for all.
 *
 * Who may use which of those that are there: CAP_NET_ADMIN in the user namespace of
 * the network namespace all, others the network namespace's default and what
 * net.mptcp.allowed_schedulers lists.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/kmod.h>
#include <linux/sysctl.h>
#include <kunit/visibility.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include "protocol.h"
#include "sched/core.h"

/* What ordinary users may choose at first: schedulers that take no more of the
 * network than the default one does.
 */
#define MPTCP_SCHED_ALLOWED	"blest default ecf edpf inorder minrtt pet rr sttf weighted wrr"

/* Schedulers that this kernel was built with, built-in or as modules. */
static const struct mptcp_sched_known {
	const char *name;
	bool for_all;	/* anybody may load it */
} mptcp_sched_known[] = {
#if IS_ENABLED(CONFIG_MPTCP_SCHED_BLEST)
	{ "blest" },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_ECF)
	{ "ecf" },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_EDPF)
	{ "edpf" },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_INORDER)
	{ "inorder", true },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_MINRTT)
	{ "minrtt", true },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_PET)
	{ "pet" },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_REDUNDANT)
	{ "redundant" },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_REPLAY)
	{ "replay" },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_RR)
	{ "rr" },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_STMS)
	{ "stms" },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_STTF)
	{ "sttf" },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_WEIGHTED)
	{ "weighted" },
#endif
#if IS_ENABLED(CONFIG_MPTCP_SCHED_WRR)
	{ "wrr" },
#endif
	{}
};

struct mptcp_sched_list {
	struct rcu_head rcu;
	char names[];
};

struct mptcp_sched_net {
	struct mptcp_sched_list __rcu *allowed; /* NULL: MPTCP_SCHED_ALLOWED */
	struct mptcp_sched_ops __rcu *sched;	/* the default, pinned; NULL: as configured */
	u16 ext;					/* and its extensions */
	struct ctl_table_header *sysctl;
};

static unsigned int mptcp_sched_net_id;

/* Serializes writers of the sysctls, of all namespaces. */
static DEFINE_MUTEX(mptcp_sched_mutex);

static const struct mptcp_sched_known *mptcp_sched_look_up(const char *name)
{
	const struct mptcp_sched_known *known;

	for (known = mptcp_sched_known; known->name; known++) {
		if (!strcmp(known->name, name))
			return known;
	}

	return NULL;
}

/* Is @name that of a module of this kernel, loaded or not? */
bool mptcp_sched_is_known(const char *name)
{
	return mptcp_sched_look_up(name);
}

/* For available_schedulers: what can be had by naming it, loaded or not. */
void mptcp_sched_add_loadable(char *buf, size_t len)
{
	const struct mptcp_sched_known *known;

	for (known = mptcp_sched_known; known->name; known++)
		mptcp_sched_list_add(buf, len, known->name);
}

/* The registered scheduler with a reference on its module, or NULL. */
struct mptcp_sched_ops *mptcp_sched_find_get(const char *name)
{
	struct mptcp_sched_ops *sched;

	rcu_read_lock();
	sched = mptcp_sched_find(name);
	if (sched && !bpf_try_module_get(sched, sched->owner))
		sched = NULL;
	rcu_read_unlock();

	return sched;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_find_get);

/* The same, loading the module if need be. Sleeps. Or an ERR_PTR: -ENOENT (there is none),
 * -EPERM (there may be one, but not for the caller to load).
 */
static struct mptcp_sched_ops *mptcp_sched_load_get(const char *name)
{
	const struct mptcp_sched_known *known = mptcp_sched_look_up(name);
	struct mptcp_sched_ops *sched = mptcp_sched_find_get(name);

	if (sched)
		return sched;

	if (!(known && known->for_all) && !capable(CAP_NET_ADMIN))
		return ERR_PTR(known ? -EPERM : -ENOENT);

	request_module("mptcp_sched_%s", name);
	return mptcp_sched_find_get(name) ?: ERR_PTR(-ENOENT);
}

/* A scheduler that is allowed is so with all extensions: they send less, or
 * what the peer waits for.
 */
static bool mptcp_sched_is_allowed(const struct net *net,
				   const struct mptcp_sched_name *name)
{
	const struct mptcp_sched_net *sn = net_generic(net, mptcp_sched_net_id);
	const struct mptcp_sched_list *list;
	char full[MPTCP_SCHED_FULL_MAX];
	const char *names;
	bool allowed;

	mptcp_sched_print(full, name->base, name->ext);
	if (!strcmp(full, mptcp_get_scheduler(net)))
		return true;

	rcu_read_lock();
	list = rcu_dereference(sn->allowed);
	names = list ? list->names : MPTCP_SCHED_ALLOWED;
	allowed = mptcp_sched_list_has(names, name->base) ||
		  mptcp_sched_list_has(names, full);
	rcu_read_unlock();

	return allowed;
}

/**
 * mptcp_sched_get - scheduler for a connection, by name
 * @net: network namespace of the connection
 * @name: of the scheduler, with extensions
 * @privileged: the caller may use all, not only those allowed
 *
 * Sleeps.
 *
 * Return: the scheduler, with a reference on its module, or an ERR_PTR: -ENOENT
 * (no such scheduler), -EPERM (@name is not allowed, or not the caller's to load).
 */
struct mptcp_sched_ops *mptcp_sched_get(const struct net *net,
					const struct mptcp_sched_name *name,
					bool privileged)
{
	if (!privileged && !mptcp_sched_is_allowed(net, name)) {
		bool exists = mptcp_sched_is_known(name->base);

		rcu_read_lock();
		exists |= !!mptcp_sched_find(name->base);
		rcu_read_unlock();
		return ERR_PTR(exists ? -EPERM : -ENOENT);
	}

	return mptcp_sched_load_get(name->base);
}

/* Bring @name to the form in which it is shown, and load its scheduler. */
static struct mptcp_sched_ops *mptcp_sched_name_get(const char *name, char *shown,
						    u16 *ext)
{
	struct mptcp_sched_name parsed;

	if (mptcp_sched_parse(name, &parsed))
		return ERR_PTR(-EINVAL);
	mptcp_sched_print(shown, parsed.base, parsed.ext);
	*ext = parsed.ext;
	return mptcp_sched_load_get(parsed.base);
}

/**
 * mptcp_sched_set_default - change the scheduler of new sockets
 * @net: network namespace
 * @scheduler: where the name in use is kept, MPTCP_SCHED_FULL_MAX bytes
 * @name: the new name; the scheduler's module is pinned
 *
 * Return: 0, -EINVAL (not a name, or an extension that does not exist), -ENOENT (no such
 * scheduler) or -EPERM (not the caller's to load); nothing changes on error.
 */
int mptcp_sched_set_default(struct net *net, char *scheduler, const char *name)
{
	struct mptcp_sched_net *sn = net_generic(net, mptcp_sched_net_id);
	struct mptcp_sched_ops *new, *old;
	char shown[MPTCP_SCHED_FULL_MAX];
	u16 ext;

	new = mptcp_sched_name_get(name, shown, &ext);
	if (IS_ERR(new))
		return PTR_ERR(new);

	mutex_lock(&mptcp_sched_mutex);
	/* nobody may see the new one without what it imposes */
	WRITE_ONCE(sn->ext, sn->ext | (ext & BIT(MPTCP_SCHED_PRICE)));
	old = rcu_replace_pointer(sn->sched, new,
				  lockdep_is_held(&mptcp_sched_mutex));
	WRITE_ONCE(sn->ext, ext);
	strscpy(scheduler, shown, MPTCP_SCHED_FULL_MAX);
	mutex_unlock(&mptcp_sched_mutex);

	if (old)
		bpf_module_put(old, old->owner);
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_set_default);

/* Give a new socket the scheduler that is its namespace's default. */
int mptcp_sched_init_default(struct mptcp_sock *msk)
{
	const struct net *net = sock_net((struct sock *)msk);
	const struct mptcp_sched_net *sn = net_generic(net, mptcp_sched_net_id);
	struct mptcp_sched_ops *sched;
	int err;

	rcu_read_lock();
	sched = rcu_dereference(sn->sched) ?: mptcp_sched_find(CONFIG_DEFAULT_MPTCP_SCHED);
	err = mptcp_init_sched(msk, sched, READ_ONCE(sn->ext));
	rcu_read_unlock();

	return err;
}

/* What the namespace's default has, and who may not change that cannot do without: who pays for a
 * path has said so there.
 */
u8 mptcp_sched_imposed(const struct net *net)
{
	const struct mptcp_sched_net *sn = net_generic(net, mptcp_sched_net_id);
	const struct mptcp_sched_ops *sched;
	u16 ext;

	rcu_read_lock();
	sched = rcu_dereference(sn->sched);
	ext = READ_ONCE(sn->ext) | (sched ? sched->ext : 0);
	rcu_read_unlock();

	return ext & BIT(MPTCP_SCHED_PRICE);
}

static void mptcp_sched_allowed_show(const struct net *net, char *buf, size_t len)
{
	const struct mptcp_sched_net *sn = net_generic(net, mptcp_sched_net_id);
	const struct mptcp_sched_list *list;

	rcu_read_lock();
	list = rcu_dereference(sn->allowed);
	strscpy(buf, list ? list->names : MPTCP_SCHED_ALLOWED, len);
	rcu_read_unlock();

	mptcp_sched_list_add(buf, len, mptcp_get_scheduler(net));
}

/* Names are separated by white space; @buf is consumed. */
static int mptcp_sched_allowed_store(struct net *net, char *buf)
{
	struct mptcp_sched_net *sn = net_generic(net, mptcp_sched_net_id);
	struct mptcp_sched_list *new, *old;
	size_t len = strlen(buf) + 1;
	char *name;

	new = kzalloc(struct_size(new, names, len), GFP_USER);
	if (!new)
		return -ENOMEM;

	while ((name = strsep(&buf, " \t\n"))) {
		char shown[MPTCP_SCHED_FULL_MAX];
		struct mptcp_sched_ops *sched;
		u16 ext;

		if (!*name)
			continue;
		sched = mptcp_sched_name_get(name, shown, &ext);
		if (IS_ERR(sched)) {
			kfree(new);
			return PTR_ERR(sched);
		}
		bpf_module_put(sched, sched->owner);
		mptcp_sched_list_add(new->names, len, shown);
	}

	mutex_lock(&mptcp_sched_mutex);
	old = rcu_replace_pointer(sn->allowed, new,
				  lockdep_is_held(&mptcp_sched_mutex));
	mutex_unlock(&mptcp_sched_mutex);
	if (old)
		kfree_rcu(old, rcu);
	return 0;
}

static int proc_allowed_schedulers(const struct ctl_table *ctl, int write,
				   void *buffer, size_t *lenp, loff_t *ppos)
{
	struct ctl_table tbl = { .maxlen = MPTCP_SCHED_BUF_MAX };
	struct net *net = ctl->data;
	int ret;

	tbl.data = kmalloc(tbl.maxlen, GFP_USER);
	if (!tbl.data)
		return -ENOMEM;

	if (write) {
		ret = mptcp_sched_list_text(tbl.data, tbl.maxlen, buffer, *lenp, ppos) ?:
		      mptcp_sched_allowed_store(net, tbl.data);
	} else {
		mptcp_sched_allowed_show(net, tbl.data, tbl.maxlen);
		ret = proc_dostring(&tbl, write, buffer, lenp, ppos);
	}

	kfree(tbl.data);
	return ret;
}

static int proc_sched_extensions(const struct ctl_table *ctl, int write,
				 void *buffer, size_t *lenp, loff_t *ppos)
{
	char names[MPTCP_SCHED_FULL_MAX];
	struct ctl_table tbl = { .data = names, .maxlen = sizeof(names) };

	mptcp_sched_list_extensions(names, sizeof(names));
	return proc_dostring(&tbl, write, buffer, lenp, ppos);
}

/* Each namespace has its own copy. */
static const struct ctl_table mptcp_sched_table[] = {
	{
		.procname	= "allowed_schedulers",
		.maxlen		= MPTCP_SCHED_BUF_MAX,
		.mode		= 0644,
		.proc_handler	= proc_allowed_schedulers,
	},
	{
		.procname	= "available_sched_extensions",
		.maxlen		= MPTCP_SCHED_FULL_MAX,
		.mode		= 0444,
		.proc_handler	= proc_sched_extensions,
	},
};

static int __net_init mptcp_sched_net_init(struct net *net)
{
	struct mptcp_sched_net *sn = net_generic(net, mptcp_sched_net_id);
	struct ctl_table *table;

	if (!IS_ENABLED(CONFIG_SYSCTL))
		return 0;

	table = kmemdup(mptcp_sched_table, sizeof(mptcp_sched_table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;

	table[0].data = net;
	sn->sysctl = register_net_sysctl_sz(net, "net/mptcp", table,
					    ARRAY_SIZE(mptcp_sched_table));
	if (!sn->sysctl) {
		kfree(table);
		return -ENOMEM;
	}

	return 0;
}

static void __net_exit mptcp_sched_net_exit(struct net *net)
{
	struct mptcp_sched_net *sn = net_generic(net, mptcp_sched_net_id);
	struct mptcp_sched_ops *sched = rcu_dereference_protected(sn->sched, true);

	if (sn->sysctl) {
		const struct ctl_table *table = sn->sysctl->ctl_table_arg;

		unregister_net_sysctl_table(sn->sysctl);
		kfree(table);
	}
	kfree(rcu_dereference_protected(sn->allowed, true));

	if (sched)
		bpf_module_put(sched, sched->owner);
}

static struct pernet_operations mptcp_sched_net_ops = {
	.init = mptcp_sched_net_init,
	.exit = mptcp_sched_net_exit,
	.id   = &mptcp_sched_net_id,
	.size = sizeof(struct mptcp_sched_net),
};

/* Before mptcp_init(): then the sysctl that sets the default is gone when the exit
 * above lets the last one go.
 */
static int __init mptcp_sched_name_init(void)
{
	return register_pernet_subsys(&mptcp_sched_net_ops) ?: mptcp_path_init();
}
subsys_initcall(mptcp_sched_name_init);
