// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "wrr": weighted round robin by measured rates
 *
 * A vector of WRR_POSITIONS positions, each with a path; packet by packet a pointer goes
 * through it. Each path has as many positions as its share of the throughput, spread as
 * evenly as can be, for less reordering than turns of several packets bring:
 *
 *	2 and 4 Mbit/s	0 1 1 0 1 1 ...
 *
 * Of three paths the last is laid out among all positions, then the second among what is
 * left, and so on (mptcp_rule_vector() in sched/rules.h; nothing is stored). The k-th
 * position is rounded up, or, with half=Y, to the nearest: the papers' examples have both.
 *
 * Weights are what each subflow delivered, the mean of the last WRR_MEASURES times of
 * WRR_PERIOD_MS. Before there is any, turns are equal.
 *
 * Ours: a subflow without room loses its turn to the next one that has; else what the
 * vector gives would be what it measures, and stay. A path has one position at least, where
 * the paper sends it pairs of packets to measure it. A "packet" is what the slowest path
 * carries in a millisecond, one segment at least, so that offloads still work.
 *
 * Where it is weak: it knows no delay. Of unlike paths all wait for the slow one's data.
 *
 * Sources: K. Evensen, D. Kaspar, P. Engelstad, A. F. Hansen, C. Griwodz, P. Halvorsen, "A
 * Network-Layer Proxy for Bandwidth Aggregation and Reduction of IP Packet Reordering",
 * LCN 2009; D. Kaspar, "Multipath Aggregation of Heterogeneous Access Networks", PhD
 * thesis, 2011, algorithm 1.
 */

#include <linux/module.h>
#include "sched/sched.h"
#include "sched/rules.h"

#define WRR_POSITIONS	64
#define WRR_MEASURES	10
#define WRR_PERIOD_MS	200

/* More usable subflows than these get nothing. */
#define WRR_PATHS	8

/* The largest weight, in bytes per ms: so that their sum fits 32 bits. */
#define WRR_WEIGHT_MAX	(U32_MAX / WRR_PATHS)

static bool half;
module_param(half, bool, 0644);
MODULE_PARM_DESC(half, "Round positions to the nearest, not up (default: N)");

struct wrr_msk {
	u32 measured;	/* jiffies: when a period ended, 0: never */
	u32 position;	/* of the vector, that was sent last */
};

struct wrr_subflow {
	u32 rate[WRR_MEASURES];	/* bytes per ms */
	u32 measures;		/* how many there were */
	u32 acked;		/* snd_una when the period began, */
	bool begun;		/* if it has */
};

struct wrr_paths {
	struct mptcp_subflow_context *subflow[WRR_PATHS];
	u32 weight[WRR_PATHS];
	u32 room[WRR_PATHS];
	u32 packet;		/* bytes */
	u32 n;
};

static struct wrr_msk *wrr_msk(struct mptcp_sock *msk)
{
	BUILD_BUG_ON(sizeof(struct wrr_msk) > sizeof(msk->sched_priv));

	return (struct wrr_msk *)msk->sched_priv;
}

static struct wrr_subflow *wrr_subflow(struct mptcp_subflow_context *subflow)
{
	BUILD_BUG_ON(sizeof(struct wrr_subflow) > sizeof(subflow->sched_priv));

	return (struct wrr_subflow *)subflow->sched_priv;
}

/* A period of @ms has ended; a subflow may have come in the middle of it. */
static void wrr_measure(struct mptcp_subflow_context *subflow, u32 ms)
{
	u32 una = READ_ONCE(tcp_sk(mptcp_subflow_tcp_sock(subflow))->snd_una);
	struct wrr_subflow *ws = wrr_subflow(subflow);

	if (ws->begun && ms)
		ws->rate[ws->measures++ % WRR_MEASURES] = (una - ws->acked) / ms;
	ws->acked = una;
	ws->begun = true;
}

static void wrr_look_at_clock(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow;
	struct wrr_msk *wm = wrr_msk(msk);
	u32 now = tcp_jiffies32, ms;

	ms = wm->measured ? jiffies_to_msecs(now - wm->measured) : 0;
	if (wm->measured && ms < WRR_PERIOD_MS)
		return;
	wm->measured = now ?: 1;
	mptcp_for_each_subflow(msk, subflow)
		wrr_measure(subflow, ms);
}

static u32 wrr_weight(struct mptcp_subflow_context *subflow)
{
	const struct wrr_subflow *ws = wrr_subflow(subflow);
	u64 sum = 0;
	int i;

	for (i = 0; i < WRR_MEASURES; i++)
		sum += ws->rate[i];
	return min_t(u64, div_u64(sum, clamp(ws->measures, 1U, WRR_MEASURES)), WRR_WEIGHT_MAX);
}

static void wrr_look(struct mptcp_sock *msk, struct wrr_paths *paths)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;

	paths->n = 0;
	paths->packet = MPTCP_SCHED_BURST;
	mptcp_for_each_subflow(msk, subflow) {
		u32 n = paths->n;

		if (!mptcp_sched_usable(subflow, backups) || n == WRR_PATHS)
			continue;
		paths->subflow[n] = subflow;
		paths->weight[n] = wrr_weight(subflow);
		paths->room[n] = mptcp_sched_room(subflow);
		paths->packet = min(paths->packet, mptcp_sched_run(subflow));
		paths->n++;
	}
}

/* Nothing measured yet: equal weights. */
static void wrr_begin(struct wrr_paths *paths)
{
	u32 i, most = 0;

	for (i = 0; i < paths->n; i++)
		most = max(most, paths->weight[i]);
	for (i = 0; i < paths->n && !most; i++)
		paths->weight[i] = 1;
}

static int wrr_get_send(struct mptcp_sock *msk)
{
	struct wrr_msk *wm = wrr_msk(msk);
	struct wrr_paths paths;
	u32 turn, i;

	wrr_look_at_clock(msk);
	wrr_look(msk, &paths);
	if (!paths.n)
		return -EAGAIN;

	wrr_begin(&paths);
	turn = mptcp_rule_vector(paths.weight, paths.n, WRR_POSITIONS,
				 wm->position % WRR_POSITIONS + 1, READ_ONCE(half));
	for (i = 0; i < paths.n && !paths.room[turn]; i++)
		turn = (turn + 1) % paths.n;
	if (!paths.room[turn])
		return -EAGAIN;

	wm->position++;
	mptcp_sched_commit(msk, paths.subflow[turn], min(paths.packet, paths.room[turn]),
			   MPTCP_SCHED_TURN);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_wrr = {
	.get_send	= wrr_get_send,
	.name		= "wrr",
	.owner		= THIS_MODULE,
};

static int __init wrr_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_wrr);
}

static void __exit wrr_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_wrr);
}

module_init(wrr_init);
module_exit(wrr_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: weighted round robin by measured rates");
