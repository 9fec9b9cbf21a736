// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "sttf": shortest transfer time first
 *
 * When would the next segment have been delivered on each subflow? What waits in that
 * subflow's queue leaves before it, a congestion window per round trip, which doubles in
 * slow start and grows by a segment later. After so many round trips the segment leaves,
 * and it takes one more until it is acknowledged:
 *
 *	time = (rounds until it leaves + 1) * srtt
 *
 * The subflow with the shortest time gets it. If that one has no room now, nobody gets it:
 * waiting is part of the time that was estimated.
 *
 * So a fast subflow whose window is full is waited for, unless another one has less than
 * twice its RTT: good for short transfers and for calls. Where it is weak: of unlike paths
 * a bulk transfer uses the fast one only.
 *
 * Source: P. Hurtig, K.-J. Grinnemo, A. Brunstrom, S. Ferlin, O. Alay, N. Kuhn,
 * "Low-Latency Scheduling in MPTCP", IEEE/ACM Transactions on Networking, 2018.
 */

#include <linux/module.h>
#include "sched/sched.h"
#include "sched/rules.h"

/* A subflow whose queue takes longer comes last, whatever it is. */
#define STTF_ROUNDS_MAX	64

/* The time that the next segment takes on @subflow, in 1/8 us: behind what is lost there, too. */
static u64 sttf_time(const struct mptcp_subflow_context *subflow)
{
	const struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
	const struct tcp_sock *tp = tcp_sk(ssk);
	u32 unsent = READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_nxt);
	u32 lost = max_t(int, READ_ONCE(tp->lost_out) - READ_ONCE(tp->retrans_out), 0);
	u32 segs = DIV_ROUND_UP(unsent, mptcp_sched_mss(subflow)) + lost + 1;
	u32 rounds = mptcp_rule_rounds(tcp_snd_cwnd(tp), READ_ONCE(tp->snd_ssthresh),
				       mptcp_sched_in_flight(tp), segs, STTF_ROUNDS_MAX);

	/* a timeout: nobody knows when something arrives there again */
	if (READ_ONCE(inet_csk(ssk)->icsk_retransmits))
		rounds = STTF_ROUNDS_MAX;
	return (rounds + 1) * mptcp_sched_srtt(subflow);
}

static int sttf_get_send(struct mptcp_sock *msk)
{
	struct mptcp_subflow_context *subflow = mptcp_sched_first(msk, sttf_time);
	u32 room = subflow ? mptcp_sched_room(subflow) : 0;

	if (!room)
		return -EAGAIN;
	mptcp_sched_commit(msk, subflow, min(room, mptcp_sched_run(subflow)), MPTCP_SCHED_BEST);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_sttf = {
	.get_send	= sttf_get_send,
	.name		= "sttf",
	.owner		= THIS_MODULE,
};

static int __init sttf_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_sttf);
}

static void __exit sttf_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_sttf);
}

module_init(sttf_init);
module_exit(sttf_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: shortest transfer time first");
