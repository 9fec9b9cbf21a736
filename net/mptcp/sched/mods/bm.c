// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: bufferbloat mitigation, the extension "+bm"
 *
 * A congestion control that reacts to loss fills the queue of its bottleneck
 * before it slows down. Where that queue is deep, as in many cellular networks,
 * the round-trip time grows to seconds, and what is sent there arrives when
 * the other subflows have long delivered what comes after it.
 *
 * So put no more in flight than some times what fits the path without a queue:
 *
 *	limit = lambda * delivery rate * min_rtt
 *
 * The thesis writes lambda * min_rtt / srtt * cwnd, which is the same while the
 * congestion window is used up: then cwnd / srtt is the rate. But limited, it no
 * longer is, and the queue would settle at the root of what it is without a
 * limit, not at lambda. Where there is no queue there is no limit: then the rate
 * may be what the application sends, not what the path carries.
 *
 * The congestion window stays as congestion control made it: as it is no longer
 * used up, it stops growing (tcp_is_cwnd_limited()).
 *
 * lambda is net.mptcp.sched_bm_lambda, in percent, 300 by default.
 *
 * Source: C. Paasch, "Improving Multipath TCP", PhD thesis, 2014, section
 * 4.3.1 ("BM"); S. Ferlin et al., "Multi-Path Transport over Heterogeneous
 * Wireless Networks: Does it really pay off?", 2014.
 */

#include <linux/sysctl.h>
#include <kunit/visibility.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched/core.h"

/* What a receiver acknowledges at once. */
#define BM_MIN_SEGS	2

/* lambda at first, and within which limits, in percent. Less than 100 would leave the path
 * idle, even without a queue.
 */
#define BM_LAMBDA	300
#define BM_LAMBDA_MIN	100U
#define BM_LAMBDA_MAX	10000U

/* Of a network namespace */
struct bm_net {
	u32 lambda;	/* percent */
	struct ctl_table_header *sysctl;
};

static unsigned int bm_net_id;

/* Segments that may be in flight at @rate, as the model has it, with @min_rtt in us and
 * @lambda in percent.
 */
u32 mptcp_sched_bm_segs(u32 rate, u32 min_rtt, u32 lambda)
{
	/* no overflow: lambda is below 2^14 */
	u64 segs = (u64)rate * min_t(u32, min_rtt, BIT(26)) >> MPTCP_MODEL_RATE_SHIFT / 2;

	segs = div_u64(segs * lambda, 100) >> MPTCP_MODEL_RATE_SHIFT / 2;
	return clamp_t(u64, segs, BM_MIN_SEGS, MPTCP_SCHED_UNCAPPED);
}
EXPORT_SYMBOL_GPL(mptcp_sched_bm_segs);

/* How much of its window may @subflow use? Counts what it may not, once per
 * round trip.
 */
u32 mptcp_sched_bm_cap(struct mptcp_sock *msk,
		       struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	u32 srtt = READ_ONCE(tp->srtt_us) >> 3, cwnd = READ_ONCE(tp->snd_cwnd);
	const struct bm_net *bm = net_generic(sock_net((struct sock *)msk), bm_net_id);
	/* TCP's: of late the RTT was never lower than with the queue that lambda keeps */
	u32 rate = READ_ONCE(subflow->model.rate.s[0].v), min_rtt = mptcp_sched_tcp_min_rtt(tp);
	u64 now = tcp_clock_us();
	u32 segs;

	segs = mptcp_sched_bm_segs(rate, min_rtt, READ_ONCE(bm->lambda));
	if (!rate || segs >= cwnd || !mptcp_sched_has_queue(subflow, min_rtt))
		return MPTCP_SCHED_UNCAPPED;

	if (mptcp_sched_in_flight(tp) >= segs &&
	    now - subflow->sched_capped_at > srtt) {
		subflow->sched_capped_at = now;
		mptcp_sched_count(msk, MPTCP_MIB_SCHEDCAPPEDBYTES,
				  &msk->sched_info.capped_bytes,
				  (cwnd - segs) * mptcp_sched_mss(subflow));
	}
	return segs;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_bm_cap);

static unsigned int bm_lambda_min = BM_LAMBDA_MIN;
static unsigned int bm_lambda_max = BM_LAMBDA_MAX;

/* Each namespace has its own copy. */
static const struct ctl_table bm_table[] = {
	{
		.procname	= "sched_bm_lambda",
		.maxlen		= sizeof(u32),
		.mode		= 0644,
		.proc_handler	= proc_douintvec_minmax,
		.extra1		= &bm_lambda_min,
		.extra2		= &bm_lambda_max,
	},
};

static int __net_init bm_net_init(struct net *net)
{
	struct bm_net *bm = net_generic(net, bm_net_id);
	struct ctl_table *table;

	bm->lambda = BM_LAMBDA;
	if (!IS_ENABLED(CONFIG_SYSCTL))
		return 0;

	table = kmemdup(bm_table, sizeof(bm_table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	table[0].data = &bm->lambda;
	bm->sysctl = register_net_sysctl_sz(net, "net/mptcp", table, ARRAY_SIZE(bm_table));
	if (!bm->sysctl) {
		kfree(table);
		return -ENOMEM;
	}
	return 0;
}

static void __net_exit bm_net_exit(struct net *net)
{
	struct bm_net *bm = net_generic(net, bm_net_id);
	const struct ctl_table *table;

	if (!bm->sysctl)
		return;
	table = bm->sysctl->ctl_table_arg;
	unregister_net_sysctl_table(bm->sysctl);
	kfree(table);
}

static struct pernet_operations bm_net_ops = {
	.init = bm_net_init,
	.exit = bm_net_exit,
	.id   = &bm_net_id,
	.size = sizeof(struct bm_net),
};

/* Before mptcp_init(): connections that exist may have it as their extension. */
static int __init bm_init(void)
{
	return register_pernet_subsys(&bm_net_ops);
}
subsys_initcall(bm_init);
