// SPDX-License-Identifier: GPL-2.0
/* A link whose capacity changes as that of a recorded link did: for test beds.
 *
 * The capacity comes in steps: so many bytes in so many nanoseconds. A step begins when the one
 * before it ends, the first one when it is given. Within a step the bytes are spread evenly: byte
 * n of B, in a step of D ns, is carried from (n - 1) * D / B to n * D / B.
 *
 * A packet takes the next bytes. It leaves when its last one is carried, be that some steps
 * later. On an idle link a packet takes the bytes that begin after it came; what was there before
 * is lost, as on any link. Behind another packet it goes on with the byte after that one's last.
 * Whole bytes are counted, and times come from their number in the step: nothing is rounded
 * twice, so nothing drifts, and a link that always has something to send carries each byte of
 * each step.
 *
 * Unlike tbf there are no tokens to save, and none to lose when the rate changes. Steps are only
 * ever appended. So the time at which a packet will leave is known when its turn comes, and the
 * timer is set once per packet, never on an idle link; and once per REPLAY_STEPS_AT_ONCE steps.
 *
 * What waits is in a queue of its own, as it is in tbf: bfifo, or what is grafted to class :1.
 * The packet that is being carried counts as waiting. A large (GSO) packet is carried in one
 * piece: cut it before.
 *
 * Steps come by netlink, RTM_NEWQDISC with TCA_OPTIONS holding
 *
 *	TCA_REPLAY_STEPS	array of struct replay_step, to be appended
 *
 * so that a recording of hours needs no more memory than its next seconds. When the steps run
 * out, the link stands still until there are more. Those that come late begin when the last one
 * ended, as if they had been in time.
 */

#include <linux/bits.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/skbuff.h>
#include <linux/slab.h>
#include <net/netlink.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

/* Steps that may wait, three hours at 10 ms each: 8 MB, and more if few come at a time */
#define REPLAY_MAX_STEPS	BIT(20)

/* Steps that are gone through at once, under the qdisc's lock: the timer sees to the rest */
#define REPLAY_STEPS_AT_ONCE	BIT(12)

enum {
	TCA_REPLAY_UNSPEC,
	TCA_REPLAY_STEPS,
	__TCA_REPLAY_MAX,
};

#define TCA_REPLAY_MAX	(__TCA_REPLAY_MAX - 1)

/* 32 bits, so that the product of both fits in 64 */
struct replay_step {
	__u32	duration;	/* ns, not 0 */
	__u32	bytes;
};

/* Steps as they were given */
struct replay_batch {
	struct list_head	list;
	u32			count;
	struct replay_step	steps[] __counted_by(count);
};

struct replay_sched_data {
	struct Qdisc		*qdisc;		/* what waits */
	struct qdisc_watchdog	watchdog;

	struct list_head	batches;	/* the steps to come ... */
	u32			next;		/* ... from this one of the first batch on */
	u32			steps;		/* their number */

	struct replay_step	step;		/* the current one; duration 0: there is none */
	u64			begin;		/* of the current step; if none, of the next */
	u32			used;		/* bytes of it that are taken or lost */

	bool			serving;	/* the packet at the head has its turn */
	bool			busy;		/* it waited while the one before was carried */
	u32			owed;		/* bytes of it that no step has yet */
	u64			done;		/* when it leaves, if owed is 0 */
};

static void replay_next_step(struct replay_sched_data *q)
{
	struct replay_batch *batch;

	q->begin += q->step.duration;
	q->used = 0;
	batch = list_first_entry_or_null(&q->batches, struct replay_batch, list);
	if (!batch) {
		q->step.duration = 0;
		return;
	}
	q->step = batch->steps[q->next++];
	q->steps--;
	if (q->next == batch->count) {
		q->next = 0;
		list_del(&batch->list);
		kvfree(batch);
	}
}

/* Nothing waited until now: the bytes that have begun are lost. False: there are more of them. */
static bool replay_skip(struct replay_sched_data *q, u64 now)
{
	u32 begun, left = REPLAY_STEPS_AT_ONCE;

	while (q->step.duration && q->begin + q->step.duration <= now) {
		if (!left--)
			return false;
		replay_next_step(q);
	}
	if (!q->step.duration || now <= q->begin)
		return true;
	begun = DIV64_U64_ROUND_UP((now - q->begin) * q->step.bytes, q->step.duration);
	q->used = max(q->used, begun);
	return true;
}

/* Take the bytes that the packet in turn needs, from as many steps as that takes: where they carry
 * few bytes, or none, those may be more than are gone through at once.
 */
static void replay_carry(struct replay_sched_data *q)
{
	u32 left;

	for (left = REPLAY_STEPS_AT_ONCE; left && q->owed && q->step.duration; left--) {
		u32 taken = min(q->owed, q->step.bytes - q->used);

		q->owed -= taken;
		q->used += taken;
		if (q->owed)
			replay_next_step(q);
		else
			q->done = q->begin + DIV64_U64_ROUND_UP((u64)q->used * q->step.duration,
								q->step.bytes);
	}
}

static void replay_end_turn(struct replay_sched_data *q, bool busy)
{
	q->serving = false;
	q->owed = 0;
	q->busy = busy;
}

static struct sk_buff *replay_dequeue(struct Qdisc *sch)
{
	struct replay_sched_data *q = qdisc_priv(sch);
	u64 now = ktime_get_ns();
	struct sk_buff *skb;

	/* not the queue's own peek(): that might change its mind until the packet leaves */
	skb = qdisc_peek_dequeued(q->qdisc);
	if (!skb) {
		replay_end_turn(q, false);
		return NULL;
	}
	if (!q->serving) {
		if (!q->busy && !replay_skip(q, now)) {
			qdisc_watchdog_schedule_ns(&q->watchdog, now);
			return NULL;
		}
		q->serving = true;
		q->owed = qdisc_pkt_len(skb);
	}
	replay_carry(q);
	if (q->owed || q->done > now) {
		if (!q->owed)
			qdisc_watchdog_schedule_ns(&q->watchdog, q->done);
		else if (q->step.duration)	/* else replay_change() goes on */
			qdisc_watchdog_schedule_ns(&q->watchdog, q->begin);
		qdisc_qstats_overlimit(sch);
		return NULL;
	}

	skb = qdisc_dequeue_peeked(q->qdisc);
	qdisc_qstats_backlog_dec(sch, skb);
	sch->q.qlen--;
	qdisc_bstats_update(sch, skb);
	replay_end_turn(q, q->qdisc->q.qlen > 0);
	return skb;
}

static int replay_enqueue(struct sk_buff *skb, struct Qdisc *sch, struct sk_buff **to_free)
{
	struct replay_sched_data *q = qdisc_priv(sch);
	unsigned int len = qdisc_pkt_len(skb);
	int ret;

	ret = qdisc_enqueue(skb, q->qdisc, to_free);
	if (ret != NET_XMIT_SUCCESS) {
		if (net_xmit_drop_count(ret))
			qdisc_qstats_drop(sch);
		return ret;
	}
	sch->qstats.backlog += len;
	sch->q.qlen++;
	return NET_XMIT_SUCCESS;
}

static const struct nla_policy replay_policy[TCA_REPLAY_MAX + 1] = {
	[TCA_REPLAY_STEPS]	= { .type = NLA_BINARY },
};

static struct replay_batch *replay_batch(const struct nlattr *attr, struct netlink_ext_ack *extack)
{
	u32 i, count = nla_len(attr) / sizeof(struct replay_step);
	struct replay_batch *batch;

	if (!count || nla_len(attr) % sizeof(struct replay_step)) {
		NL_SET_ERR_MSG_ATTR(extack, attr, "not a whole number of steps");
		return ERR_PTR(-EINVAL);
	}
	batch = kvmalloc(struct_size(batch, steps, count), GFP_KERNEL_ACCOUNT);
	if (!batch)
		return ERR_PTR(-ENOMEM);
	batch->count = count;
	nla_memcpy(batch->steps, attr, count * sizeof(struct replay_step));
	for (i = 0; i < count; i++) {
		if (batch->steps[i].duration)
			continue;
		NL_SET_ERR_MSG_ATTR(extack, attr, "a step without duration");
		kvfree(batch);
		return ERR_PTR(-EINVAL);
	}
	return batch;
}

static int replay_change(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct replay_sched_data *q = qdisc_priv(sch);
	struct nlattr *tb[TCA_REPLAY_MAX + 1];
	struct replay_batch *batch;
	bool waits;
	int err;

	err = nla_parse_nested(tb, TCA_REPLAY_MAX, opt, replay_policy, extack);
	if (err < 0)
		return err;
	if (NL_REQ_ATTR_CHECK(extack, opt, tb, TCA_REPLAY_STEPS))
		return -EINVAL;
	batch = replay_batch(tb[TCA_REPLAY_STEPS], extack);
	if (IS_ERR(batch))
		return PTR_ERR(batch);

	sch_tree_lock(sch);
	if (batch->count > REPLAY_MAX_STEPS - q->steps) {
		sch_tree_unlock(sch);
		kvfree(batch);
		NL_SET_ERR_MSG(extack, "too many steps wait");
		return -ENOBUFS;
	}
	list_add_tail(&batch->list, &q->batches);
	q->steps += batch->count;
	if (!q->begin)
		q->begin = ktime_get_ns();
	if (!q->step.duration)
		replay_next_step(q);
	waits = sch->q.qlen;
	sch_tree_unlock(sch);
	if (waits)
		qdisc_watchdog_schedule_ns(&q->watchdog, ktime_get_ns());
	return 0;
}

static int replay_init(struct Qdisc *sch, struct nlattr *opt, struct netlink_ext_ack *extack)
{
	struct replay_sched_data *q = qdisc_priv(sch);

	INIT_LIST_HEAD(&q->batches);
	qdisc_watchdog_init(&q->watchdog, sch);
	q->qdisc = qdisc_create_dflt(sch->dev_queue, &bfifo_qdisc_ops, TC_H_MAKE(sch->handle, 1),
				     extack);
	if (!q->qdisc) {
		q->qdisc = &noop_qdisc;
		return -ENOMEM;
	}
	qdisc_hash_add(q->qdisc, true);
	return opt ? replay_change(sch, opt, extack) : 0;
}

static void replay_reset(struct Qdisc *sch)
{
	struct replay_sched_data *q = qdisc_priv(sch);

	qdisc_watchdog_cancel(&q->watchdog);
	qdisc_reset(q->qdisc);
	replay_end_turn(q, false);
}

static void replay_destroy(struct Qdisc *sch)
{
	struct replay_sched_data *q = qdisc_priv(sch);
	struct replay_batch *batch, *tmp;

	qdisc_watchdog_cancel(&q->watchdog);
	list_for_each_entry_safe(batch, tmp, &q->batches, list)
		kvfree(batch);
	qdisc_put(q->qdisc);
}

static int replay_dump_class(struct Qdisc *sch, unsigned long cl, struct sk_buff *skb,
			     struct tcmsg *tcm)
{
	struct replay_sched_data *q = qdisc_priv(sch);

	tcm->tcm_handle |= TC_H_MIN(1);
	tcm->tcm_info = q->qdisc->handle;
	return 0;
}

static int replay_graft(struct Qdisc *sch, unsigned long arg, struct Qdisc *new, struct Qdisc **old,
			struct netlink_ext_ack *extack)
{
	struct replay_sched_data *q = qdisc_priv(sch);

	*old = qdisc_replace(sch, new ?: &noop_qdisc, &q->qdisc);
	sch_tree_lock(sch);
	replay_end_turn(q, false);	/* of a packet that went with the old queue */
	sch_tree_unlock(sch);
	return 0;
}

static struct Qdisc *replay_leaf(struct Qdisc *sch, unsigned long arg)
{
	struct replay_sched_data *q = qdisc_priv(sch);

	return q->qdisc;
}

static unsigned long replay_find(struct Qdisc *sch, u32 classid)
{
	return 1;
}

static void replay_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	if (!walker->stop)
		tc_qdisc_stats_dump(sch, 1, walker);
}

static const struct Qdisc_class_ops replay_class_ops = {
	.graft	= replay_graft,
	.leaf	= replay_leaf,
	.find	= replay_find,
	.walk	= replay_walk,
	.dump	= replay_dump_class,
};

static struct Qdisc_ops replay_qdisc_ops __read_mostly = {
	.cl_ops		= &replay_class_ops,
	.id		= "replay",
	.priv_size	= sizeof(struct replay_sched_data),
	.enqueue	= replay_enqueue,
	.dequeue	= replay_dequeue,
	.peek		= qdisc_peek_dequeued,
	.init		= replay_init,
	.reset		= replay_reset,
	.destroy	= replay_destroy,
	.change		= replay_change,
	.owner		= THIS_MODULE,
};
MODULE_ALIAS_NET_SCH("replay");

static int __init replay_module_init(void)
{
	return register_qdisc(&replay_qdisc_ops);
}

static void __exit replay_module_exit(void)
{
	unregister_qdisc(&replay_qdisc_ops);
}

module_init(replay_module_init)
module_exit(replay_module_exit)
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A link whose capacity changes as that of a recorded link did");
