// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "ecf": earliest completion first
 *
 * The fast subflow F, that with the lowest RTT, sends while its congestion
 * window has room. Then the question is whether S, the next one that has
 * room, would be done earlier than F if F waited for its acknowledgments. k
 * bytes are still to be sent, d is the larger deviation of both RTTs. Wait
 * for F if it alone is done earlier with all, and S would not be done soon:
 *
 *	(1 + k / cwnd_F) * rtt_F < (1 + beta * waiting) * (rtt_S + d)
 *	k / cwnd_S * rtt_S >= 2 * rtt_F + d
 *
 * beta is 1/4, and waiting is 1 after a decision to wait: whoever waits goes
 * on waiting when it is about the same.
 *
 * So S idles at the end of a transfer, when F alone is done earlier, and
 * before the next one: then F's window is not reset for having been idle, as
 * it would be if it waited for S to be done.
 *
 * Where it is weak: while much data waits, k is large, the first test fails,
 * and S is filled as by "minrtt".
 *
 * Source: Y.-s. Lim, E. M. Nahum, D. Towsley, R. J. Gibbens, "ECF: An MPTCP
 * Path Scheduler to Manage Heterogeneous Paths", CoNEXT 2017.
 */

#include <linux/math64.h>
#include <linux/module.h>
#include "sched/sched.h"

struct ecf {
	bool waiting;
};

/* A subflow as the rule sees it. */
struct ecf_path {
	u64 wnd;	/* bytes */
	u32 rtt, sigma;	/* us */
};

static struct ecf *ecf(struct mptcp_sock *msk)
{
	BUILD_BUG_ON(sizeof(struct ecf) > sizeof(msk->sched_priv));

	return (struct ecf *)msk->sched_priv;
}

static struct ecf_path ecf_path(const struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));

	return (struct ecf_path){
		.wnd = max((u64)tcp_snd_cwnd(tp) * mptcp_sched_mss(subflow), 1ULL),
		.rtt = max(READ_ONCE(tp->srtt_us) >> 3, 1U),
		.sigma = READ_ONCE(tp->mdev_us) >> 2,
	};
}

/* Is it worth while to wait for @fast, with @left bytes to send? */
static bool ecf_waits(struct ecf *ecf, const struct ecf_path *fast, const struct ecf_path *slow,
		      u64 left)
{
	u64 d = max(fast->sigma, slow->sigma);
	u64 by_slow = slow->rtt + d;

	if (ecf->waiting)
		by_slow += by_slow / 4;
	if (fast->rtt + div64_u64(left * fast->rtt, fast->wnd) >= by_slow) {
		ecf->waiting = false;
		return false;
	}
	if (div64_u64(left * slow->rtt, slow->wnd) < 2 * fast->rtt + d)
		return false;

	ecf->waiting = true;
	return true;
}

static int ecf_get_send(struct mptcp_sock *msk)
{
	struct mptcp_sched_choice best = mptcp_sched_lowest_rtt(msk);
	struct mptcp_subflow_context *fastest;

	if (!best.subflow)
		return -EAGAIN;

	fastest = mptcp_sched_first(msk, mptcp_sched_srtt);
	if (best.subflow != fastest && fastest && mptcp_sched_srtt(fastest)) {
		struct ecf_path fast = ecf_path(fastest), slow = ecf_path(best.subflow);
		u64 left = READ_ONCE(msk->write_seq) - mptcp_sched_head(msk);

		if (ecf_waits(ecf(msk), &fast, &slow, min_t(u64, left, BIT(30))))
			return -EAGAIN;
	}

	mptcp_sched_commit(msk, best.subflow, best.room, MPTCP_SCHED_BEST);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_ecf = {
	.get_send	= ecf_get_send,
	.name		= "ecf",
	.owner		= THIS_MODULE,
};

static int __init ecf_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_ecf);
}

static void __exit ecf_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_ecf);
}

module_init(ecf_init);
module_exit(ecf_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: earliest completion first");
