// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "pet": earliest estimated delivery, by pairs of packets
 *
 * "edpf" with an estimate of the bandwidth that follows the last sample closely:
 *
 *	B := 0.8 * sample + 0.2 * B
 *
 * Samples come from pairs: two segments go to one subflow back to back. Until each
 * subflow has an estimate, they take turns with pairs; and one that got none for
 * PET_PROBE_MS gets one, or else a slow one would never be measured again.
 *
 * In the paper a sample is the length of the second packet by the time between the
 * arrivals of both, which the receiver reports. TCP's receiver does not; here it is
 * TCP's delivery rate over the last flight (Cheng et al., draft-cheng-iccrg-delivery-
 * rate-estimation), at least a pair, which the application did not hold up. Such samples
 * are lower than a pair's where the window is smaller than the path. Of the time between
 * probes the paper says nothing. Delay and queue are as in "edpf".
 *
 * Where it is weak: as "edpf"; and a pair on the slow path comes later than one packet.
 *
 * Source: K. Chebrolu, B. Raman, R. Rao, "A Network Layer Approach to Enable TCP over
 * Multiple Interfaces", Wireless Networks, 2005, section 4.
 */

#include <linux/module.h>
#include "sched/sched.h"
#include "sched/rules.h"

#define PET_PAIR	2
#define PET_PROBE_MS	1000

struct pet_subflow {
	u64 free_at;		/* as in edpf.c, us */
	u32 rate;		/* B, bytes per ms; 0: not known yet */
	u32 delivered;		/* tp->delivered at the last sample */
	u32 sent;		/* jiffies: when it last got a pair */
};

static struct pet_subflow *pet_subflow(struct mptcp_subflow_context *subflow)
{
	BUILD_BUG_ON(sizeof(struct pet_subflow) > sizeof(subflow->sched_priv));

	return (struct pet_subflow *)subflow->sched_priv;
}

static void pet_measure(struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	struct pet_subflow *ps = pet_subflow(subflow);
	u32 delivered = READ_ONCE(tp->delivered), sample;

	if (delivered == ps->delivered || mptcp_sched_sample(subflow).segs < PET_PAIR)
		return;
	sample = mptcp_sched_rate(subflow);
	/* of an application that sends little, it is no more than a lower bound */
	if (!sample || (READ_ONCE(subflow->model.app_limited) && sample <= ps->rate))
		return;
	ps->delivered = delivered;
	ps->rate = ps->rate ? div_u64(4ULL * sample + ps->rate, 5) : sample;
}

/* What @subflow gets at once: a pair, or more where a millisecond carries more; @room at most. */
static u32 pet_bytes(const struct mptcp_subflow_context *subflow, u32 room)
{
	return min(max(PET_PAIR * mptcp_sched_mss(subflow), mptcp_sched_run(subflow)), room);
}

/* When @bytes that leave @now would have arrived. */
static u64 pet_delivery(struct mptcp_subflow_context *subflow, u32 bytes, u64 now)
{
	struct pet_subflow *ps = pet_subflow(subflow);
	u32 delay = mptcp_sched_min_rtt(subflow) / 2;

	ps->free_at = min(ps->free_at,
			  mptcp_rule_delivery(now, delay, 0, mptcp_sched_queued(subflow),
					      ps->rate));
	return mptcp_rule_delivery(now, delay, ps->free_at, bytes, ps->rate);
}

/* What @subflow is worth now, the least is the best: one without an estimate comes first,
 * who waited longest before others; then one that is to be probed; then by delivery.
 */
static u64 pet_key(struct mptcp_subflow_context *subflow, u64 now)
{
	const struct pet_subflow *ps = pet_subflow(subflow);
	u32 idle = jiffies_to_msecs(tcp_jiffies32 - ps->sent);

	pet_measure(subflow);
	if (!ps->rate)
		return 1ULL + (ps->sent ? U32_MAX - idle : 0);
	if (idle >= PET_PROBE_MS)
		return 1ULL + U32_MAX;
	return 2ULL + U32_MAX + pet_delivery(subflow, PET_PAIR * mptcp_sched_mss(subflow), now);
}

static int pet_get_send(struct mptcp_sock *msk)
{
	u64 now = tcp_clock_us();
	struct mptcp_sched_choice best = mptcp_sched_lowest(msk, now, pet_key);
	struct pet_subflow *ps;
	u32 bytes;

	if (!best.subflow)
		return -EAGAIN;

	ps = pet_subflow(best.subflow);
	bytes = pet_bytes(best.subflow, best.room);
	ps->sent = tcp_jiffies32 ?: 1;
	if (ps->rate)
		ps->free_at = pet_delivery(best.subflow, bytes, now);
	mptcp_sched_commit(msk, best.subflow, bytes, MPTCP_SCHED_BEST);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_pet = {
	.get_send	= pet_get_send,
	.name		= "pet",
	.owner		= THIS_MODULE,
};

static int __init pet_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_pet);
}

static void __exit pet_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_pet);
}

module_init(pet_init);
module_exit(pet_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: earliest estimated delivery, by pairs");
