// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "replay": as a given list says
 *
 * For experiments: what would the best sequence of decisions have been? Compute it
 * elsewhere, and replay it:
 *
 *	echo "1:14280 2:1428 1:2856" > /sys/module/mptcp_sched_replay/parameters/sequence
 *
 * Each entry is a subflow's id, as the tracepoints show it (the first is 1), and for how
 * many bytes of the connection it is that subflow's turn. A connection follows the list
 * from its beginning, waits for a subflow that has no room, and begins again after the
 * last entry. A list that starts with "+" is added to the one that is there: the file takes
 * a page at once. An empty one ends it.
 *
 * An entry of a subflow that cannot send, and any data without a list, goes to the one with
 * the lowest RTT that has room. What timed out, the framework sends again.
 *
 * Connections that are on their way begin with a new list at its beginning.
 *
 * Locking: the list is replaced as a whole, under kernel_param_lock(); readers have RCU.
 */

#include <linux/ctype.h>
#include <linux/module.h>
#include <linux/slab.h>
#include "sched/sched.h"

#define REPLAY_ENTRIES_MAX	65536

struct replay_entry {
	u32 subflow_id;
	u32 bytes;
};

struct replay_list {
	struct rcu_head rcu;
	u32 number;	/* of this list, from 1 */
	u32 count;
	struct replay_entry entry[] __counted_by(count);
};

struct replay_msk {
	u32 number;	/* of the list that it follows */
	u32 index;
	u32 left;	/* bytes of this entry */
	u32 granted;	/* by the last decision, 0: nothing */
	u32 last_id;	/* to whom */
};

static struct replay_list __rcu *replay_list;

static struct replay_msk *replay_msk(struct mptcp_sock *msk)
{
	BUILD_BUG_ON(sizeof(struct replay_msk) > sizeof(msk->sched_priv));

	return (struct replay_msk *)msk->sched_priv;
}

/* The next of the entries in @text, "ID:BYTES", which are parted by space: 1, 0 at the end,
 * -EINVAL.
 */
static int replay_parse(const char **text, struct replay_entry *entry)
{
	int len;

	*text = skip_spaces(*text);
	if (!**text)
		return 0;
	/* no more digits than 32 bits hold */
	if (!isdigit(**text) || sscanf(*text, "%9u:%9u%n", &entry->subflow_id, &entry->bytes,
				       &len) != 2)
		return -EINVAL;
	*text += len;
	if ((**text && !isspace(**text)) || !entry->subflow_id || !entry->bytes)
		return -EINVAL;
	return 1;
}

/* How many entries are in @text? Or an error. */
static int replay_count(const char *text)
{
	struct replay_entry entry;
	int n = 0, ret;

	while ((ret = replay_parse(&text, &entry)) > 0)
		n++;
	return ret ?: n;
}

static int replay_set(const char *text, const struct kernel_param *kp)
{
	struct replay_list *list, *old = rcu_dereference_protected(replay_list, true);
	u32 kept = *text == '+' && old ? old->count : 0;
	int i, n;

	/* built in, and on the kernel's command line: before there is memory */
	if (system_state == SYSTEM_BOOTING)
		return -EAGAIN;
	text += *text == '+';
	n = replay_count(text);
	if (n < 0)
		return n;
	if (kept + n > REPLAY_ENTRIES_MAX)
		return -E2BIG;
	list = kvzalloc(struct_size(list, entry, kept + n), GFP_KERNEL);
	if (!list)
		return -ENOMEM;

	list->count = kept + n;
	list->number = old ? old->number + 1 : 1;
	for (i = 0; i < kept; i++)
		list->entry[i] = old->entry[i];
	while (replay_parse(&text, &list->entry[i]) > 0)
		i++;
	rcu_assign_pointer(replay_list, list);
	if (old)
		kvfree_rcu(old, rcu);
	return 0;
}

/* As much of it as fits a page. */
static int replay_get(char *buf, const struct kernel_param *kp)
{
	const struct replay_list *list = rcu_dereference_protected(replay_list, true);
	int len = 0;
	u32 i;

	for (i = 0; list && i < list->count; i++)
		len += sysfs_emit_at(buf, len, "%u:%u ", list->entry[i].subflow_id,
				     list->entry[i].bytes);
	return len + sysfs_emit_at(buf, len, "\n");
}

/* The module goes, and its parameters are there no more. */
static void replay_free(void *arg)
{
	kvfree(rcu_dereference_protected(replay_list, true));
}

static const struct kernel_param_ops replay_ops = {
	.set = replay_set,
	.get = replay_get,
	.free = replay_free,
};

module_param_cb(sequence, &replay_ops, NULL, 0644);
MODULE_PARM_DESC(sequence, "SUBFLOW:BYTES SUBFLOW:BYTES ..., \"+\" before it: add to the list");

/* What the last decision sent is done. */
static void replay_take_off(struct mptcp_sock *msk)
{
	struct replay_msk *rm = replay_msk(msk);
	struct mptcp_subflow_context *subflow = mptcp_sched_by_id(msk, rm->last_id);

	if (subflow && rm->granted)
		rm->left -= min(rm->left, rm->granted - min(rm->granted, subflow->sched_budget));
	rm->granted = 0;
}

/* Whose turn is it? 0: nobody's. */
static u32 replay_turn(struct mptcp_sock *msk)
{
	const struct replay_list *list = rcu_dereference(replay_list);
	struct replay_msk *rm = replay_msk(msk);

	replay_take_off(msk);
	if (!list || !list->count)
		return 0;
	if (rm->number != list->number) {
		rm->number = list->number;
		rm->index = 0;
		rm->left = list->entry[0].bytes;
	}
	if (!rm->left) {
		rm->index = (rm->index + 1) % list->count;
		rm->left = list->entry[rm->index].bytes;
	}

	return list->entry[rm->index].subflow_id;
}

/* Subflow @id, if it can send; else, or with 0, one that has room. */
static struct mptcp_sched_choice replay_choice(struct mptcp_sock *msk, u32 id)
{
	struct mptcp_subflow_context *subflow = id ? mptcp_sched_by_id(msk, id) : NULL;

	if (!subflow || !mptcp_sched_usable(subflow, mptcp_sched_only_backups(msk)))
		return mptcp_sched_lowest_rtt(msk);
	return (struct mptcp_sched_choice){
		.subflow = subflow,
		.room = mptcp_sched_room(subflow),
	};
}

static int replay_get_send(struct mptcp_sock *msk)
{
	struct replay_msk *rm = replay_msk(msk);
	struct mptcp_sched_choice choice;
	u32 turn;

	rcu_read_lock();
	turn = replay_turn(msk);
	rcu_read_unlock();

	choice = replay_choice(msk, turn);
	if (!choice.room)
		return -EAGAIN;

	rm->granted = turn ? min(choice.room, rm->left) : choice.room;
	rm->last_id = choice.subflow->subflow_id;
	mptcp_sched_commit(msk, choice.subflow, rm->granted, MPTCP_SCHED_TURN);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_replay = {
	.get_send	= replay_get_send,
	.name		= "replay",
	.owner		= THIS_MODULE,
};

static int __init replay_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_replay);
}

static void __exit replay_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_replay);
}

module_init(replay_init);
module_exit(replay_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: as a given list says");
