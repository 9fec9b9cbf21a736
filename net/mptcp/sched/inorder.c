// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet scheduler "inorder": data arrives in the order it is read
 *
 * Each byte goes to the subflow that delivers it first. When that one has no
 * room, a slower one does not get the next byte, which the fast one would
 * deliver sooner; it gets data from further back in the stream (see
 * send.c), just so far that the fast ones come there when it arrives:
 *
 *	gap = sum over faster subflows of rate * (delivery - their delivery)
 *
 * These are bytes that nobody has yet: what lies on the way and was sent ahead before,
 * the fast ones pass over.
 *
 * What is not there yet, because the application has not written it, or what
 * does not fit the peer's window, a slow subflow does not get: then it would
 * only hold the others up. So the connection does not fall behind its best
 * path, and little data waits at the receiver.
 *
 * When does a subflow deliver? Of each we know the lowest RTT it had and the
 * rate at which it delivered lately. While what is in flight fits the product
 * of both, a packet arrives after half that RTT; what is more than that waits
 * in the bottleneck's queue, and delivery is later by the time the queue takes:
 *
 *	delivery = max(min_rtt, (in flight + packet) / rate) - min_rtt / 2
 *
 * A subflow whose RTT is close to its lowest has no queue, so it may carry
 * more than it did: its rate counts double until a queue shows. That is how a
 * subflow that was not needed comes up again when it is. One that carried all that the
 * application wanted, with a short queue at most, is taken to carry its congestion window
 * in a quarter of the RTT, until a queue stands there for a round trip: then what it delivers is
 * what it can carry, for half a minute. None is taken to go on with more than its window in each
 * RTT, unless the window doubles.
 *
 * A slow subflow whose queue is long is no faster, and costs: its data takes up
 * the peer's window for longer, and when the queue overflows, the connection
 * waits for round trips that the queue made long. So what is ahead by much of the
 * peer's window goes on a subflow only while that has no more than half a product
 * in its queue. While there is window enough, a subflow may fill its queue as TCP
 * would: what looks like a queue of its own is none when the RTT has risen since
 * its lowest, when it varies, or when others fill the queue, and to give way to
 * them would be to give up the path. The fastest subflow is always free to. Once in
 * ten seconds what is limited so gets less than a product, to see whether the lowest
 * RTT is still the one that it was (model.c); so does each on which a queue stands, under a
 * stream. Else the queue behind which data is still there first would grow, and be taken for the
 * path, until data is there last.
 *
 * The rate is the highest of the last second. While the application has no more to send, TCP
 * takes only samples that are above the one before: a path that fades under a stream would
 * look as fast as ever. So what is in flight is marked from time to time. As long as some of
 * that is out, the path is busy; when it is for longer than the rate says, the path is late,
 * and its rate is what it delivered meanwhile, until marks are reached in time again.
 *
 * What a subflow owes and the peer waits for, another one sends again: when that has
 * become silent (mods/rescue.c); when its path has become slower and the window is
 * used up (mods/rp.c); and else here, when it has lost the data, or the window is used
 * up, if its RTT is the longer one. Data on a faster path is never sent again on a
 * slower one: it would be there before. What a late path delivers long after another one
 * could goes out there, too, while the application is the limit and new data is written: else
 * each block of a stream would wait for the queue of a link that fades.
 *
 * Sources: the delivery time follows EDPF (Chebrolu, Raman and Rao, "A Network
 * Layer Approach to Enable TCP over Multiple Interfaces", 2005), min_rtt and
 * rate BBR (Cardwell et al., 2016); that data had better arrive in order is
 * the open problem of Paasch's thesis (2014, section 7).
 */

#include <linux/module.h>
#include "sched/sched.h"

/* A subflow without a queue may carry more than it did, in percent: while its
 * rate still grows (as in slow start), and later.
 */
#define INORDER_GAIN_STARTUP	200
#define INORDER_GAIN_PROBE	125

/* The rate has come to its end when it did not grow by a quarter in as many
 * round trips.
 */
#define INORDER_FULL_ROUNDS	3

/* A subflow's bandwidth-delay product goes ahead in about so many parts. */
#define INORDER_CHUNKS		256
#define INORDER_CHUNK_SEGS	4

/* Nothing delivered yet: the rate is taken for this many segments per RTT, and no
 * more of them are sent.
 */
#define INORDER_FIRST_SEGS	4

/* What goes ahead by more than a part of the peer's window may make a queue of half
 * a product, and this many segments more: a short queue. While the window is scarce, so may
 * all data.
 */
#define INORDER_WINDOW_PART	4
#define INORDER_FLIGHT_PERCENT	150
#define INORDER_FLIGHT_SEGS	4

/* A burst that made no queue took about this part of the RTT (mptcp_sched_has_queue()). */
#define INORDER_BURST_PART	4

/* How long the peer's window counts as scarce after it was used up, in us. */
#define INORDER_SCARCE_US	(2 * USEC_PER_SEC)

/* A decision is among so many subflows, those that deliver first. */
#define INORDER_PATHS		8U

/* What comes later than expected by less than this part of the lowest RTT plus this time, in us,
 * is not late: RTTs vary, and ACKs come in bursts. The ACK of less than two full segments may be
 * delayed besides.
 */
#define INORDER_LATE_PART	4
#define INORDER_LATE_US		(10 * USEC_PER_MSEC)
#define INORDER_DELAYED_ACK_US	(40 * USEC_PER_MSEC)

/* While a late path has nothing in flight, its rate doubles each time that this is over, in us. */
#define INORDER_LATE_FOR_US	USEC_PER_SEC

/* A search for what a late path owes looks at so many ranges, of all paths. */
#define INORDER_LATE_STEPS	64

/* How long the rate of a path on which a queue stood counts as what it can carry. While the
 * application is the limit there is no hurry to find out that it can carry more.
 */
#define INORDER_CAPACITY_FOR	(30 * HZ)

/* What is booked at a low rate counts no longer than this, in us. */
#define INORDER_BUSY_US		USEC_PER_SEC

/* The most that is sent again at once, in segments. */
#define INORDER_AGAIN_SEGS	4

struct inorder_subflow {
	u32 delivered;		/* tp->delivered at the last sample */
	u32 round_end;		/* tp->delivered when this round trip ends */
	u32 full_rate;		/* the rate that has to be outgrown */
	u32 full_rounds;	/* round trips since it was */
	u64 busy_until;		/* when the bottleneck has sent what it got, us */
	u64 mark_at;		/* when the mark was set, us; 0: there is none */
	u32 mark_from;		/* tp->delivered then */
	u32 mark_end;		/* when all is delivered that was out then */
	u64 late_at;		/* when it was found late, us */
	u32 late_rate;		/* its rate then, bytes per ms; 0: it is not late */
	u32 capacity;		/* its rate when a queue stood on it, bytes per ms; 0: none did */
	u32 capacity_at;	/* and when that was, in jiffies */
	bool mark_small;	/* so little was in flight that its ACK may be delayed */
};

struct inorder_msk {
	u64 blocked_at;		/* when the peer's window was used up, us */
	u64 again_at;		/* when something was last sent again, us */
	u64 helps_until;	/* for how long others stand in for a late path, us */
	u8 blocked;		/* it ever was */
	u8 batch;		/* segments that were sent again then */
	u8 left;		/* of which are still to be sent */
	u32 owner;		/* of these */
};

/* What a decision knows of a subflow. Times in us, rates in bytes per ms. */
struct inorder_path {
	struct mptcp_subflow_context *subflow;
	u32 rate;		/* as measured; then what is likely; then with its gain */
	u32 min_rtt;
	u32 queued;		/* bytes in flight or waiting to be sent */
	u32 delivery;		/* when the next packet would arrive */
	u32 room;
	u32 limit;		/* of what is queued, for data ahead */
	u32 late;		/* the rate at which it is late; 0: it is not */
};

static struct inorder_subflow *inorder_subflow(struct mptcp_subflow_context *subflow)
{
	BUILD_BUG_ON(sizeof(struct inorder_subflow) > sizeof(subflow->sched_priv));

	return (struct inorder_subflow *)subflow->sched_priv;
}

static struct inorder_msk *inorder_msk(struct mptcp_sock *msk)
{
	BUILD_BUG_ON(sizeof(struct inorder_msk) > sizeof(msk->sched_priv));

	return (struct inorder_msk *)msk->sched_priv;
}

/* Once per round trip: does the rate still grow? */
static void inorder_check_full(struct inorder_subflow *is,
			       const struct tcp_sock *tp, u32 rate)
{
	if (before(is->delivered, is->round_end))
		return;

	is->round_end = is->delivered + max(mptcp_sched_in_flight(tp), 1U);
	if (rate >= is->full_rate + is->full_rate / 4) {
		is->full_rate = rate;
		is->full_rounds = 0;
	} else if (is->full_rounds < INORDER_FULL_ROUNDS) {
		is->full_rounds++;
	}
}

/* The rate at which @subflow delivered of late, or what is assumed before it did. */
static u32 inorder_rate(struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	struct inorder_subflow *is = inorder_subflow(subflow);
	u32 delivered = READ_ONCE(tp->delivered), rate = mptcp_sched_max_rate(subflow);

	if (rate && delivered != is->delivered) {
		is->delivered = delivered;
		inorder_check_full(is, tp, rate);
	}

	return rate ?: mptcp_sched_first_rate(subflow, INORDER_FIRST_SEGS);
}

static u32 inorder_gain(struct mptcp_subflow_context *subflow, u32 min_rtt)
{
	if (mptcp_sched_has_queue(subflow, min_rtt))
		return 100;

	return inorder_subflow(subflow)->full_rounds < INORDER_FULL_ROUNDS ?
	       INORDER_GAIN_STARTUP : INORDER_GAIN_PROBE;
}

/* Did the application have no more to send when @subflow's last sample was taken? */
static bool inorder_app_limited(const struct mptcp_subflow_context *subflow)
{
	return READ_ONCE(subflow->model.app_limited);
}

/* TCP's state: TCP_CA_Open or another */
static u8 inorder_state(const struct sock *ssk)
{
	/* a bit field, which READ_ONCE() does not take: of a moment ago will do */
	return data_race((u8)inet_csk(ssk)->icsk_ca_state);
}

/* Has it lost something that is not repaired yet? */
static bool inorder_has_lost(const struct mptcp_subflow_context *subflow)
{
	return inorder_state(mptcp_subflow_tcp_sock(subflow)) >= TCP_CA_Recovery;
}

/* What fits @path without a queue, in bytes: its bandwidth-delay product. */
static u64 inorder_product(const struct inorder_path *path)
{
	return div_u64((u64)path->rate * path->min_rtt, USEC_PER_MSEC);
}

/* Time that @path takes for @bytes, in us. */
static u32 inorder_time(const struct inorder_path *path, u32 bytes)
{
	return min_t(u64, div_u64((u64)bytes * USEC_PER_MSEC, path->rate), S32_MAX);
}

static bool inorder_is_scarce(struct mptcp_sock *msk, u64 now)
{
	const struct inorder_msk *im = inorder_msk(msk);

	return im->blocked && now - im->blocked_at < INORDER_SCARCE_US;
}

/* What is in flight on @path, in bytes, when its queue is short. */
static u64 inorder_short_queue(const struct inorder_path *path, u32 mss)
{
	return div_u64(inorder_product(path) * INORDER_FLIGHT_PERCENT, 100) +
	       INORDER_FLIGHT_SEGS * mss;
}

/* What keeps @path busy and its queue short, or from time to time empty. */
static u32 inorder_limit(const struct inorder_path *path, u32 mss)
{
	u64 limit;

	if (mptcp_sched_drains(path->subflow))
		limit = div_u64(inorder_product(path) * MPTCP_SCHED_DRAIN_PERCENT, 100);
	else
		limit = inorder_short_queue(path, mss);
	return clamp_t(u64, limit, 2 * mss, U32_MAX);
}

/* Mark what is in flight on @path. None while the application corks: what it holds back waits for
 * more than the path.
 */
static void inorder_set_mark(const struct inorder_path *path, u32 mss, u32 delivered, u64 now)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(path->subflow));
	struct inorder_subflow *is = inorder_subflow(path->subflow);
	u32 flight = mptcp_sched_in_flight(tp);

	/* a bit field, which READ_ONCE() does not take: of a moment ago will do */
	is->mark_at = flight && !data_race(tp->nonagle & TCP_NAGLE_CORK) ? now : 0;
	is->mark_small = READ_ONCE(tp->snd_nxt) - READ_ONCE(tp->snd_una) < 2 * mss;
	is->mark_from = delivered;
	is->mark_end = delivered + flight;
}

/* Is it too long for @segs segments, that it took @path @took us? */
static bool inorder_is_too_long(const struct inorder_path *path, u32 segs, s64 took, u32 mss)
{
	s64 time = (s64)path->min_rtt + path->min_rtt / INORDER_LATE_PART + INORDER_LATE_US;

	if (inorder_subflow(path->subflow)->mark_small)
		time += INORDER_DELAYED_ACK_US;
	return took > time + inorder_time(path, segs * mss);
}

/* The rate of @path, in bytes per ms, at least 1, that delivered @segs segments in @took us. */
static u32 inorder_mark_rate(const struct inorder_path *path, u32 segs, s64 took, u32 mss)
{
	s64 queued = took - path->min_rtt;

	if (queued <= 0)
		return U32_MAX;
	return clamp_t(u64, div64_u64((u64)segs * mss * USEC_PER_MSEC, queued), 1, U32_MAX);
}

/* @path delivered at @rate, and that was too slow. */
static void inorder_set_late(const struct inorder_path *path, u32 rate, u64 now)
{
	struct inorder_subflow *is = inorder_subflow(path->subflow);

	is->late_rate = rate;
	is->late_at = now;
}

/* @path may be faster again than it was when it was late: as fast as now, @rate, twice as fast at
 * most.
 */
static void inorder_regain(const struct inorder_path *path, u32 rate)
{
	struct inorder_subflow *is = inorder_subflow(path->subflow);

	rate = min_t(u64, 2ULL * is->late_rate, rate);
	is->late_rate = rate < path->rate ? rate : 0;
}

/* How long did the mark take, or does it by now? In us. */
static s64 inorder_took(const struct inorder_path *path, bool reached, u64 now)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(path->subflow));

	/* another CPU may be about to write that time: then it is less than 0 */
	return (reached ? READ_ONCE(tp->delivered_mstamp) : now) -
	       inorder_subflow(path->subflow)->mark_at;
}

/* Did @path begin to send again after it had nothing in flight, without an ACK so far? Then TCP
 * has that time for the one of its last delivery (tcp_rate_skb_sent()).
 */
static bool inorder_sent_after_rest(const struct inorder_path *path)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(path->subflow));

	return READ_ONCE(tp->first_tx_mstamp) == READ_ONCE(tp->delivered_mstamp);
}

/* Is @path late by its mark, which is @reached? Or in time again? @delivered: as TCP has it. */
static void inorder_judge(const struct inorder_path *path, u32 delivered, bool reached, u32 mss,
			  u64 now)
{
	struct inorder_subflow *is = inorder_subflow(path->subflow);
	u32 segs = delivered - is->mark_from;
	s64 took = inorder_took(path, reached, now);

	if (reached && inorder_sent_after_rest(path))
		return;
	if (inorder_is_too_long(path, reached ? segs : is->mark_end - is->mark_from, took, mss))
		/* the next one may come at any moment */
		inorder_set_late(path, inorder_mark_rate(path, segs + !reached, took, mss), now);
	else if (reached && is->late_rate)
		inorder_regain(path, inorder_mark_rate(path, segs, took, mss));
}

/* The rate at which @path is late, in bytes per ms; 0: it is not, or TCP measures its rate. */
static u32 inorder_late(struct mptcp_sock *msk, const struct inorder_path *path, u32 mss,
			u64 now)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(path->subflow));
	struct inorder_subflow *is = inorder_subflow(path->subflow);
	u32 delivered = READ_ONCE(tp->delivered);
	bool reached = !READ_ONCE(tp->packets_out) || !before(delivered, is->mark_end);

	if (!inorder_app_limited(path->subflow)) {
		is->late_rate = 0;
		is->mark_at = 0;
		return 0;
	}
	if (is->mark_at) {
		inorder_judge(path, delivered, reached, mss, now);
	} else if (is->late_rate && now - is->late_at > INORDER_LATE_FOR_US) {
		inorder_regain(path, U32_MAX);
		is->late_at = now;
	}
	if (reached || !is->mark_at)
		inorder_set_mark(path, mss, delivered, now);
	if (is->late_rate)
		inorder_msk(msk)->helps_until = now + INORDER_LATE_FOR_US;
	return is->late_rate;
}

/* Is a queue that stands on @path to drain, under a stream? What waits here meanwhile is there no
 * later: the path is busy with what it has.
 */
static bool inorder_holds_back(const struct inorder_path *path)
{
	return inorder_app_limited(path->subflow) && mptcp_sched_drains(path->subflow) &&
	       mptcp_sched_is_full(path->subflow);
}

static u32 inorder_room(struct mptcp_sock *msk, const struct inorder_path *path,
			u32 mss, u64 now)
{
	u32 limit = U32_MAX;

	if (inorder_is_scarce(msk, now) || inorder_holds_back(path))
		limit = path->limit;
	if (!mptcp_sched_max_rate(path->subflow))
		limit = INORDER_FIRST_SEGS * mss;
	/* as mptcp_sched_room(): a run, or nothing */
	if (path->queued + min(mptcp_sched_run(path->subflow), limit / 4) > limit)
		return 0;
	mptcp_sched_want_memory(path->subflow);
	return min(mptcp_sched_room(path->subflow), limit - path->queued);
}

/* Bytes from the head on that are there, up to what was sent ahead, and that the peer has
 * room for: what a decision can send.
 */
static u64 inorder_pending(const struct mptcp_sock *msk)
{
	u64 head = mptcp_sched_head(msk), end = READ_ONCE(msk->wnd_end);
	u64 bytes;

	if (before64(msk->write_seq, end))
		end = msk->write_seq;
	if (!before64(head, end))
		return 0;
	bytes = end - head;
	return msk->ranges ? min(bytes, mptcp_ranges_next(msk->ranges, head) - head) : bytes;
}

/* What @path can carry, in bytes per ms; U32_MAX: more than it did, maybe. If the application is
 * the limit, what it delivers says little about that, except while a queue stands on it.
 */
static u32 inorder_capacity(const struct inorder_path *path)
{
	const struct inorder_subflow *is = inorder_subflow(path->subflow);

	if (!inorder_app_limited(path->subflow) || !is->capacity ||
	    (u32)jiffies - is->capacity_at > INORDER_CAPACITY_FOR)
		return U32_MAX;
	return max(is->capacity, path->rate);
}

/* Does a queue stand on @path, so that its rate is what it can carry? */
static void inorder_check_capacity(const struct inorder_path *path)
{
	struct inorder_subflow *is = inorder_subflow(path->subflow);

	if (!mptcp_sched_is_full(path->subflow))
		return;
	is->capacity = path->rate;
	is->capacity_at = jiffies;
}

/* The rate at which @path may be taken to deliver. As long as it delivered all that the
 * application wanted, at once, it can do more: its window, as fast as a burst that made no
 * queue, unless a queue showed what it can carry. Else the rest of a small block would go to
 * another path, behind which it waits when that one stalls. While it is new, and another one is
 * late: its window in a round trip; it would look slow because nobody asked it for more. A @queue
 * with little in flight is others', or none but an RTT that varies: what is behind it is no later
 * for a few segments more.
 */
static u32 inorder_likely_rate(struct mptcp_sock *msk, const struct inorder_path *path,
			       bool queue, u32 mss, u64 now)
{
	struct mptcp_subflow_context *subflow = path->subflow;
	u32 burst = mptcp_sched_cwnd(subflow);

	if (!inorder_app_limited(subflow))
		return path->rate;
	inorder_check_capacity(path);
	if (queue && path->queued > inorder_short_queue(path, mss))
		return path->rate;
	if (inorder_subflow(subflow)->full_rounds >= INORDER_FULL_ROUNDS)
		burst *= INORDER_BURST_PART;
	else if (now >= inorder_msk(msk)->helps_until)
		return path->rate;
	return clamp(mptcp_sched_first_rate(subflow, burst), path->rate,
		     inorder_capacity(path));
}

/* Does @path's window still double in each round trip? That it is small while losses are repaired
 * says nothing.
 */
static bool inorder_doubles(const struct inorder_path *path)
{
	const struct sock *ssk = mptcp_subflow_tcp_sock(path->subflow);
	u8 state;

	if (inorder_subflow(path->subflow)->full_rounds < INORDER_FULL_ROUNDS)
		return true;
	state = inorder_state(ssk);
	return state != TCP_CA_CWR && state != TCP_CA_Recovery &&
	       mptcp_sched_cwnd(path->subflow) < READ_ONCE(tcp_sk(ssk)->snd_ssthresh);
}

/* The rate at which @path may go on: with its gain, but no more than it can carry, and than its
 * window lets out, which is less after a loss than what it delivered.
 */
static u32 inorder_next_rate(const struct inorder_path *path)
{
	u64 gained = (u64)path->rate * inorder_gain(path->subflow, path->min_rtt);
	u32 rate = min_t(u64, div_u64(gained, 100), inorder_capacity(path));

	if (inorder_doubles(path))
		return rate;
	return min(rate, mptcp_sched_first_rate(path->subflow, mptcp_sched_cwnd(path->subflow)));
}

static void inorder_look(struct mptcp_sock *msk, struct inorder_path *p,
			 struct mptcp_subflow_context *subflow, u64 now)
{
	struct inorder_subflow *is = inorder_subflow(subflow);
	u32 mss = mptcp_sched_mss(subflow);
	u32 all, busy, likely;
	bool queue;

	p->subflow = subflow;
	p->min_rtt = mptcp_sched_min_rtt(subflow);
	p->queued = mptcp_sched_queued(subflow);
	p->rate = inorder_rate(subflow);
	queue = mptcp_sched_has_queue(subflow, p->min_rtt);
	likely = inorder_likely_rate(msk, p, queue, mss, now);
	/* a queue is kept short, and drained, by what was measured */
	if (!queue)
		p->rate = likely;
	p->limit = inorder_limit(p, mss);
	p->room = inorder_room(msk, p, mss, now);
	p->rate = likely;
	p->rate = inorder_next_rate(p);
	p->late = inorder_late(msk, p, mss, now);
	p->rate = min_not_zero(p->rate, p->late);

	/* sent in bursts, data waits even if it is no more than the product */
	all = inorder_time(p, p->queued);
	is->busy_until = min(is->busy_until, now + INORDER_BUSY_US);
	busy = clamp_t(s64, is->busy_until - now, 0, all);
	if (all > p->min_rtt)
		busy = max(busy, all - p->min_rtt);
	p->delivery = p->min_rtt / 2 + busy + inorder_time(p, mss);
}

/* @path gets @bytes now. */
static void inorder_book(const struct inorder_path *path, u32 bytes, u64 now)
{
	struct inorder_subflow *is = inorder_subflow(path->subflow);

	is->busy_until = max(is->busy_until, now) + inorder_time(path, bytes);
}

/* Bytes that the subflows before @path, which are faster, send while it delivers. */
static u64 inorder_gap(const struct inorder_path *first, const struct inorder_path *path)
{
	const struct inorder_path *other;
	u64 gap = 0;

	for (other = first; other < path; other++)
		gap += div_u64((u64)other->rate * (path->delivery - other->delivery),
			       USEC_PER_MSEC);

	return gap;
}

/* Bytes to send ahead at once, in whole segments: few, as what follows them would have to
 * lie elsewhere by then; so many that the ranges in flight are not too many to remember.
 */
static u32 inorder_chunk(const struct inorder_path *path, u32 mss)
{
	u32 chunk = min_t(u64, div_u64(inorder_product(path), INORDER_CHUNKS),
			  path->room);

	return clamp(rounddown(chunk, mss), mss, INORDER_CHUNK_SEGS * mss);
}

/* Give @path data with @gap bytes before it that nobody has, if there is any that fits. */
static int inorder_send_ahead(struct mptcp_sock *msk,
			      const struct inorder_path *path, u64 gap, u64 now)
{
	struct mptcp_ranges *ranges = mptcp_sched_ranges(msk);
	u32 mss = mptcp_sched_mss(path->subflow);
	u64 head, seq, end = READ_ONCE(msk->wnd_end);
	u32 bytes = inorder_chunk(path, mss);

	if (!ranges || !msk->first_pending || mptcp_ranges_is_full(ranges))
		return -EAGAIN;
	/* whole segments for the one that comes there */
	gap = DIV_ROUND_UP_ULL(gap, mss) * mss;
	head = mptcp_sched_head(msk);
	seq = mptcp_ranges_reach(ranges, head, gap);
	if (path->queued >= path->limit &&
	    (mptcp_sched_drains(path->subflow) || seq - head > (end - head) / INORDER_WINDOW_PART))
		return -EAGAIN;
	if (before64(end, seq + mss))
		return -EAGAIN;
	/* not for one that has enough to do: it would only wait here instead */
	if (2ULL * path->queued < inorder_product(path))
		mptcp_sched_want_unsent(msk, seq + mss, gap + mss);
	if (before64(msk->write_seq, seq + mss)) {
		mptcp_sched_want_written(msk, seq + mss);
		return -EAGAIN;
	}

	mptcp_sched_commit_at(msk, path->subflow, MPTCP_SCHED_SEND_AHEAD, seq,
			      bytes);
	inorder_book(path, bytes, now);
	return 0;
}

/* Is the peer held up: does it wait for what a subflow with a longer RTT than @path's
 * has lost, or still has while the window is used up?
 */
static bool inorder_is_held_up(struct mptcp_sock *msk, const struct inorder_path *path,
			       u64 head)
{
	const struct mptcp_range *range;
	struct mptcp_subflow_context *owner;
	u64 una = READ_ONCE(msk->snd_una);

	range = mptcp_ranges_find(msk->ranges, una);
	if (!range || range->again || !before64(una, head) ||
	    range->subflow_id == path->subflow->subflow_id)
		return false;
	owner = mptcp_sched_by_id(msk, range->subflow_id);
	if (owner && mptcp_sched_srtt(owner) <= mptcp_sched_srtt(path->subflow))
		return false;
	if (owner && before64(head, READ_ONCE(msk->wnd_end)) && !inorder_has_lost(owner))
		return false;
	inorder_msk(msk)->owner = range->subflow_id;
	return true;
}

/* Was something sent again just before: within four RTTs of @path? */
static bool inorder_again_of_late(const struct inorder_msk *im, const struct inorder_path *path,
				  u64 now)
{
	return now - im->again_at <= mptcp_sched_srtt(path->subflow) / 2;
}

/* The peer is held up: how many segments are sent again? Losses come in bursts.
 * If it was held up just before, so that mending one loss showed the next, twice
 * as many.
 */
static void inorder_begin_again(struct mptcp_sock *msk,
				const struct inorder_path *best, u64 now)
{
	struct inorder_msk *im = inorder_msk(msk);

	if (inorder_again_of_late(im, best, now))
		im->batch = min(im->batch * 2, INORDER_AGAIN_SEGS);
	else
		im->batch = 1;
	im->again_at = now;
	im->left = im->batch;
}

/* Send again on @path what holds the peer up, if something does. */
static bool inorder_send_again(struct mptcp_sock *msk, const struct inorder_path *path,
			       u64 now)
{
	u64 seq = READ_ONCE(msk->snd_una), head = mptcp_sched_head(msk);
	struct inorder_msk *im = inorder_msk(msk);
	u32 id = path->subflow->subflow_id, bytes;
	const struct mptcp_range *range;

	/* one that is alone may have none, and sends new data nevertheless */
	if (!msk->ranges || !path->room)
		return false;
	if (inorder_is_held_up(msk, path, head))
		inorder_begin_again(msk, path, now);
	if (!im->left || im->owner == id)
		return false;
	range = mptcp_ranges_others(msk->ranges, &seq, head, im->owner, id);
	if (!range || range->again || !inorder_again_of_late(im, path, now)) {
		im->left = 0;
		return false;
	}

	im->left--;
	bytes = min(mptcp_sched_mss(path->subflow), path->room);
	mptcp_sched_commit_again(msk, path->subflow, im->owner, seq, bytes);
	inorder_book(path, bytes, now);
	return true;
}

/* Called on each ACK while the window is used up; inorder_get_send() follows. */
static void inorder_wnd_blocked(struct mptcp_sock *msk)
{
	struct inorder_msk *im = inorder_msk(msk);

	im->blocked_at = tcp_clock_us();
	im->blocked = 1;
}

/* The usable subflows, in their order. Returns how many. */
static u32 inorder_sort(struct mptcp_sock *msk, struct inorder_path *paths, u64 now)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;
	u32 n = 0;

	mptcp_for_each_subflow(msk, subflow) {
		struct inorder_path path;
		u32 i;

		if (!mptcp_sched_usable(subflow, backups))
			continue;
		inorder_look(msk, &path, subflow, now);
		for (i = n; i && path.delivery < paths[i - 1].delivery; i--)
			if (i < INORDER_PATHS)
				paths[i] = paths[i - 1];
		if (i < INORDER_PATHS)
			paths[i] = path;
		n = min(n + 1, INORDER_PATHS);
	}

	return n;
}

/* Is @owner late by so much that @path is to help it? What is lost comes a round trip later. */
static bool inorder_is_too_late(const struct inorder_path *owner, const struct inorder_path *path)
{
	const struct sock *ssk = mptcp_subflow_tcp_sock(owner->subflow);

	if (owner == path || !owner->late || !READ_ONCE(tcp_sk(ssk)->packets_out))
		return false;
	if (inorder_has_lost(owner->subflow))
		return mptcp_sched_srtt(owner->subflow) >> 3 > path->delivery;
	return owner->delivery / 2 > path->delivery;
}

/* Bytes that @owner, which is late, delivers before @path could, in whole segments; none if it
 * has lost some.
 */
static u64 inorder_soon(const struct inorder_path *owner, const struct inorder_path *path)
{
	u32 mss = mptcp_sched_mss(owner->subflow);

	if (inorder_has_lost(owner->subflow))
		return 0;
	return div_u64(div_u64((u64)owner->late * path->delivery, USEC_PER_MSEC), mss) * mss;
}

/* Send again on @path what @owner owes, up to @head, but for what comes soon. */
static bool inorder_help(struct mptcp_sock *msk, const struct inorder_path *owner,
			 const struct inorder_path *path, u64 head, u64 now)
{
	const struct mptcp_ranges *ranges = mptcp_sched_ranges(msk);
	u64 seq = READ_ONCE(msk->snd_una), soon = inorder_soon(owner, path), end;
	u32 id = owner->subflow->subflow_id, steps = INORDER_LATE_STEPS, bytes;
	const struct mptcp_range *range;

	/* one may become three; without place for them nobody would know who has it */
	if (!ranges || mptcp_ranges_left(ranges) < MPTCP_RANGES_CUTS)
		return false;
	range = mptcp_ranges_find(ranges, seq);
	for (; range && steps && before64(seq, head); range++, steps--, seq = end) {
		if (range == &ranges->range[ranges->first + ranges->count])
			return false;
		end = before64(head, mptcp_range_end(range)) ? head : mptcp_range_end(range);
		if (before64(seq, range->start))
			seq = range->start;
		if (!before64(seq, end))
			return false;
		if (range->subflow_id != id || range->again)
			continue;
		if (soon >= end - seq) {
			soon -= end - seq;
			continue;
		}
		bytes = min3(end - seq - soon, (u64)mptcp_sched_run(path->subflow),
			     (u64)path->room);
		mptcp_sched_commit_again(msk, path->subflow, id, seq + soon, bytes);
		inorder_book(path, bytes, now);
		return true;
	}

	return false;
}

/* Send again on @path what those of @paths owe that are late, if the application is the limit. */
static bool inorder_send_late(struct mptcp_sock *msk, const struct inorder_path *paths,
			      const struct inorder_path *end, const struct inorder_path *path,
			      u64 now)
{
	u64 head = mptcp_sched_head(msk);
	const struct inorder_path *owner;

	if (!msk->ranges || (!inorder_app_limited(path->subflow) &&
			     path->room <= inorder_pending(msk)))
		return false;
	for (owner = paths; owner < end; owner++)
		if (inorder_is_too_late(owner, path) && inorder_help(msk, owner, path, head, now))
			return true;

	return false;
}

/* Give @path the next data, as much as @room. */
static int inorder_send_next(struct mptcp_sock *msk, const struct inorder_path *path,
			     u32 room, u64 now)
{
	if (!room)
		return -EAGAIN;
	if (inorder_send_again(msk, path, now))
		return 0;
	if (!mptcp_sched_may_send_new(msk))
		return -EAGAIN;
	mptcp_sched_commit(msk, path->subflow, room, MPTCP_SCHED_BEST);
	inorder_book(path, min_t(u64, room, inorder_pending(msk)), now);
	return 0;
}

/* How much @path, which delivers before the one that follows, gets at once: a run, though the next
 * packet may be better off on that one. Not while the application is the limit: then a run is a
 * block or a good part of one, and there is time for a decision about each segment.
 */
static u32 inorder_run(const struct inorder_path *path)
{
	u32 mss = mptcp_sched_mss(path->subflow), run = mptcp_sched_run(path->subflow);
	u32 sooner = path[1].delivery - path->delivery;

	if (inorder_app_limited(path->subflow)) {
		run = min_t(u64, run, div_u64((u64)sooner * path->rate, USEC_PER_MSEC));
		run = max(rounddown(run, mss), mss);
	}
	return min(path->room, run);
}

static int inorder_get_send(struct mptcp_sock *msk)
{
	struct inorder_path paths[INORDER_PATHS], *path, *end;
	u64 now = tcp_clock_us();

	end = paths + inorder_sort(msk, paths, now);
	/* one that is alone is as TCP */
	if (end == paths + 1)
		return inorder_send_next(msk, paths, mptcp_sched_room(paths->subflow), now);

	for (path = paths; path < end && !path->room; path++)
		;
	if (path == end)
		return -EAGAIN;
	if (inorder_send_late(msk, paths, end, path, now))
		return 0;
	if (path == paths)
		return inorder_send_next(msk, path, inorder_run(path), now);
	if (inorder_send_again(msk, path, now))
		return 0;
	for (; path < end; path++)
		if (path->room &&
		    !inorder_send_ahead(msk, path, inorder_gap(paths, path), now))
			return 0;
	return -EAGAIN;
}

/* Data timed out. The subflow that is idle, and so can send it again, may be the
 * slowest one: it gets no more than it delivers in a round trip.
 */
static int inorder_get_retrans(struct mptcp_sock *msk)
{
	struct sock *ssk = mptcp_subflow_get_retrans(msk);
	struct inorder_path path;
	u64 now = tcp_clock_us();
	u32 bytes, window, mss;

	if (!ssk)
		return -EAGAIN;
	inorder_look(msk, &path, mptcp_subflow_ctx(ssk), now);
	mss = mptcp_sched_mss(path.subflow);
	window = min_t(u64, (u64)mptcp_sched_cwnd(path.subflow) * mss, MPTCP_SCHED_BURST);
	bytes = clamp_t(u64, inorder_product(&path), mss, max(window, mss));
	mptcp_sched_commit(msk, path.subflow, bytes, MPTCP_SCHED_RETRANS);
	inorder_book(&path, bytes, now);
	return 0;
}

static struct mptcp_sched_ops mptcp_sched_inorder = {
	.get_send	= inorder_get_send,
	.get_retrans	= inorder_get_retrans,
	.wnd_blocked	= inorder_wnd_blocked,
	.ext		= BIT(MPTCP_SCHED_RP) | BIT(MPTCP_SCHED_RS),
	.name		= "inorder",
	.owner		= THIS_MODULE,
};

static int __init inorder_module_init(void)
{
	return mptcp_register_scheduler(&mptcp_sched_inorder);
}

static void __exit inorder_module_exit(void)
{
	mptcp_unregister_scheduler(&mptcp_sched_inorder);
}

module_init(inorder_module_init);
module_exit(inorder_module_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("MPTCP packet scheduler: data arrives in order");
