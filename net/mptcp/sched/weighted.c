// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "weighted": each path carries its part
 *
 * Subflows that have room get bytes in proportion to the weights of the interfaces that
 * they leave by (net.mptcp.path_weight): with 3 and 1, three of four bytes go by the first
 * one. To spare a path without giving it up, where there is less to send than they carry.
 *
 * Each subflow has a clock that tells how much it was given: it advances by
 *
 *	bytes / weight
 *
 * and who has room and whose clock shows the least, is next. So clocks stay together,
 * and bytes are in proportion to weights. Packets need not alternate: a decision is a run
 * (mptcp_sched_run()), as long as segmentation offload likes it, for who is first.
 *
 * The scheduler keeps nobody waiting: when the one whose turn it is has no room, the next
 * one gets the data. While there is data for all, it is congestion windows that decide who
 * sends how much, as always; weights show where the paths have more room than there is
 * data. A clock that stood still, as there was no room, must not then take all until it
 * has caught up: it is put forward, to a burst behind the connection's own clock, which is
 * that of the last one that was chosen. A new subflow begins there, too.
 *
 * This is start-time fair queueing (Goyal, Vin, Cheng 1996) with paths for flows, of
 * which deficit round robin (Shreedhar, Varghese 1995) is the kin with turns.
 */

#include <linux/module.h>
#include "path/path.h"

struct weighted_subflow {
	u64 clock;	/* mptcp_sched_weigh() of what it was given */
	u32 given;	/* up to this TCP sequence number, */
	bool begun;	/* if it was looked at before */
};

struct weighted_msk {
	u64 clock;	/* of the subflow that was chosen last, before its turn */
};

static struct weighted_subflow *weighted_subflow(struct mptcp_subflow_context *subflow)
{
	BUILD_BUG_ON(sizeof(struct weighted_subflow) > sizeof(subflow->sched_priv));

	return (struct weighted_subflow *)subflow->sched_priv;
}

static struct weighted_msk *weighted_msk(struct mptcp_sock *msk)
{
	BUILD_BUG_ON(sizeof(struct weighted_msk) > sizeof(msk->sched_priv));

	return (struct weighted_msk *)msk->sched_priv;
}

/* What @subflow was given since it was last looked at goes on its clock: of decisions what it took,
 * and what it sends again for others.
 */
static void weighted_count(struct mptcp_subflow_context *subflow)
{
	u32 given = READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(subflow))->write_seq);
	struct weighted_subflow *ws = weighted_subflow(subflow);

	if (ws->begun)
		ws->clock += mptcp_sched_weigh(given - ws->given, subflow->sched_weight);
	ws->given = given;
	ws->begun = true;
}

/* The subflow that has room and whose clock shows the least. */
static struct mptcp_sched_choice weighted_next(struct mptcp_sock *msk)
{
	bool backups = mptcp_sched_only_backups(msk);
	u64 now = weighted_msk(msk)->clock, least = 0;
	struct mptcp_subflow_context *subflow;
	struct mptcp_sched_choice next = {};

	mptcp_for_each_subflow(msk, subflow) {
		struct weighted_subflow *ws = weighted_subflow(subflow);
		u32 room;

		if (!mptcp_sched_usable(subflow, backups))
			continue;
		room = mptcp_sched_room(subflow);
		if (!room)
			continue;
		mptcp_path_look(msk, subflow);
		weighted_count(subflow);
		ws->clock = mptcp_sched_put_forward(ws->clock, now, subflow->sched_weight);
		if (next.subflow && !before64(ws->clock, least))
			continue;
		least = ws->clock;
		next.subflow = subflow;
		next.room = room;
	}

	return next;
}

static int weighted_get_send(struct mptcp_sock *msk)
{
	struct mptcp_sched_choice next = weighted_next(msk);

	if (!next.subflow)
		return -EAGAIN;

	weighted_msk(msk)->clock = weighted_subflow(next.subflow)->clock;
	mptcp_sched_commit(msk, next.subflow, min(next.room, mptcp_sched_run(next.subflow)),
			   MPTCP_SCHED_TURN);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_weighted = {
	.get_send	= weighted_get_send,
	.name		= "weighted",
	.owner		= THIS_MODULE,
};

static int __init weighted_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_weighted);
}

static void __exit weighted_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_weighted);
}

module_init(weighted_init);
module_exit(weighted_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: bytes in proportion to weights");
