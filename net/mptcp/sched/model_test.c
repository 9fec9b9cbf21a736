// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of what the MPTCP packet schedulers know of a path. Times in ms, RTTs in us. */

#include <kunit/test.h>
#include <linux/random.h>
#include <net/tcp.h>
#include "sched/sched.h"

#define WINDOW	10000
#define STEP	100
#define RANDOM	1000

struct model_path {
	struct mptcp_subflow_context *subflow;
	struct tcp_sock *tp;
	u32 now;
};

static struct tcp_congestion_ops fake_control;

/* 20 ms, as the handshake had it, and at any time but that of a boot */
static struct model_path *new_path(struct kunit *test)
{
	struct model_path *path = kunit_kzalloc(test, sizeof(*path), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, path);
	path->subflow = kunit_kzalloc(test, sizeof(*path->subflow), GFP_KERNEL);
	path->tp = kunit_kzalloc(test, sizeof(*path->tp), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, path->subflow);
	KUNIT_ASSERT_NOT_NULL(test, path->tp);
	((struct sock *)path->tp)->sk_protocol = IPPROTO_TCP;
	path->subflow->tcp_sock = (struct sock *)path->tp;
	path->subflow->sched_mss = 1000;
	path->tp->inet_conn.icsk_ca_ops = &fake_control;
	path->tp->srtt_us = 20000 << 3;
	minmax_reset(&path->tp->rtt_min, 0, 20000);
	path->now = U32_MAX - 3 * WINDOW;
	return path;
}

/* ACKs for @ms, each with this @rtt */
static void acks(struct model_path *path, u32 ms, u32 rtt)
{
	u32 end = path->now + ms;

	path->tp->rack.rtt_us = rtt;
	for (; path->now != end; path->now += STEP)
		mptcp_model_ack(&path->subflow->model, path->tp, path->now);
}

static u32 lowest(const struct model_path *path)
{
	return mptcp_sched_min_rtt(path->subflow);
}

static void rtt_falls_at_once(struct kunit *test)
{
	struct model_path *path = new_path(test);

	KUNIT_EXPECT_EQ(test, lowest(path), 20000U);
	acks(path, STEP, 30000);
	KUNIT_EXPECT_EQ(test, lowest(path), 20000U);
	/* as TCP saw it, too */
	minmax_reset(&path->tp->rtt_min, 0, 10000);
	acks(path, STEP, 10000);
	KUNIT_EXPECT_EQ(test, lowest(path), 10000U);
}

/* The path has changed: that is known after ten seconds, for TCP after five minutes. */
static void rtt_rises_after_ten_seconds(struct kunit *test)
{
	struct model_path *path = new_path(test);

	acks(path, STEP, 20000);
	acks(path, WINDOW - STEP, 120000);
	KUNIT_EXPECT_EQ(test, lowest(path), 20000U);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_has_queue(path->subflow, lowest(path)));
	acks(path, 3 * STEP, 120000);
	KUNIT_EXPECT_EQ(test, lowest(path), 120000U);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_has_queue(path->subflow, lowest(path)));

	/* and back */
	acks(path, STEP, 20000);
	KUNIT_EXPECT_EQ(test, lowest(path), 20000U);
}

/* A packet is delivered after @rtt, while @out are in flight. */
static void delivers(struct model_path *path, u32 rtt, u32 out)
{
	path->tp->delivered++;
	path->tp->packets_out = out;
	acks(path, STEP, rtt);
}

/* What waits for packets of its own burst says nothing: before the next one the path may rest. */
static void queue_stands_for_a_round_trip(struct kunit *test)
{
	struct model_path *path = new_path(test);
	u32 burst, i;

	for (burst = 0; burst < 3; burst++) {
		for (i = 0; i < 10; i++) {
			delivers(path, 20000 + 5000 * i, 9 - i);
			KUNIT_EXPECT_FALSE(test, mptcp_sched_is_full(path->subflow));
		}
		KUNIT_EXPECT_TRUE(test, mptcp_sched_has_queue(path->subflow, 20000));
	}

	/* there is always something before them */
	for (i = 0; i < 22; i++)
		delivers(path, 70000, 10);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_is_full(path->subflow));

	/* but not before this one */
	delivers(path, 20000, 10);
	for (i = 0; i < 10; i++)
		delivers(path, 70000, 10);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_is_full(path->subflow));
	delivers(path, 70000, 10);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_is_full(path->subflow));

	/* with so few in flight they do not wait for us */
	for (i = 0; i < 20; i++)
		delivers(path, 70000, 2);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_is_full(path->subflow));
}

static void idle_path_is_not_full(struct kunit *test)
{
	struct model_path *path = new_path(test);
	u32 i;

	/* the first ACK: that of a SYN and a burst, and it is not known what the path takes */
	path->tp->delivered = 10;
	delivers(path, 70000, 10);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_is_full(path->subflow));

	minmax_reset(&path->subflow->model.rtt, path->now, 20000);
	for (i = 0; i < 22; i++)
		delivers(path, 70000, 10);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_is_full(path->subflow));
	delivers(path, 70000, 0);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_is_full(path->subflow));
}

/* An original that was late looks like the answer to its retransmission. */
static void rtt_of_a_recovery_is_unsure(struct kunit *test)
{
	struct model_path *path = new_path(test);

	acks(path, STEP, 20000);
	path->tp->inet_conn.icsk_ca_state = TCP_CA_Loss;
	acks(path, STEP, 1000);
	path->tp->inet_conn.icsk_ca_state = TCP_CA_Open;
	acks(path, STEP, 1000);
	KUNIT_EXPECT_EQ(test, lowest(path), 20000U);
	acks(path, STEP, 15000);
	minmax_reset(&path->tp->rtt_min, 0, 15000);
	KUNIT_EXPECT_EQ(test, lowest(path), 15000U);
}

/* A clock that has just begun, or begun again, is as good as any other. */
static void first_rtt_counts_at_any_time(struct kunit *test)
{
	struct model_path *path = new_path(test);

	path->now = WINDOW / 2;
	acks(path, STEP, 20000);
	KUNIT_EXPECT_EQ(test, minmax_get(&path->subflow->model.rtt), 20000U);
}

/* Before it is forgotten, the lowest RTT is looked for. */
static void path_drains(struct kunit *test)
{
	struct model_path *path = new_path(test);

	KUNIT_EXPECT_FALSE(test, mptcp_sched_drains(path->subflow));
	path->now = (u32)tcp_clock_ms() - WINDOW + 500;
	acks(path, STEP, 20000);
	KUNIT_EXPECT_TRUE(test, mptcp_sched_drains(path->subflow));
	path->now = (u32)tcp_clock_ms() - WINDOW / 2;
	acks(path, STEP, 20000);
	KUNIT_EXPECT_FALSE(test, mptcp_sched_drains(path->subflow));
}

/* Lost in recovery for long, it may be older than TCP's. */
static void rtt_stands_no_longer_than_tcp_has_it(struct kunit *test)
{
	struct model_path *path = new_path(test);

	acks(path, STEP, 20000);
	minmax_reset(&path->tp->rtt_min, 0, 70000);
	KUNIT_EXPECT_EQ(test, lowest(path), 70000U);
}

static void rate_of(struct model_path *path, u32 segs, u32 us)
{
	path->tp->rate_delivered = segs;
	path->tp->rate_interval_us = us;
}

/* An ACK of one packet says little. 1 segment per ms is 1000 bytes per ms here. */
static void highest_rate_counts(struct kunit *test)
{
	struct model_path *path = new_path(test);

	KUNIT_EXPECT_EQ(test, mptcp_sched_max_rate(path->subflow), 0U);
	rate_of(path, 20, 20000);
	acks(path, STEP, 20000);
	rate_of(path, 1, 20000);
	acks(path, 1000 - STEP, 20000);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rate(path->subflow), 50U);
	KUNIT_EXPECT_EQ(test, mptcp_sched_max_rate(path->subflow), 999U);
	acks(path, 3 * STEP, 20000);
	KUNIT_EXPECT_EQ(test, mptcp_sched_max_rate(path->subflow), 49U);

	/* where round trips are long, for eight of them */
	path->tp->srtt_us = 500000 << 3;
	rate_of(path, 20, 20000);
	acks(path, STEP, 500000);
	rate_of(path, 1, 20000);
	acks(path, 4000 - STEP, 500000);
	KUNIT_EXPECT_EQ(test, mptcp_sched_max_rate(path->subflow), 999U);
}

/* A loopback takes microseconds. */
static void rate_of_a_window_is_no_longer_than_its_type(struct kunit *test)
{
	struct model_path *path = new_path(test);

	KUNIT_EXPECT_EQ(test, mptcp_sched_first_rate(path->subflow, 10), 500U);
	minmax_reset(&path->tp->rtt_min, 0, 5);
	KUNIT_EXPECT_EQ(test, mptcp_sched_first_rate(path->subflow, 100000), U32_MAX);
}

/* Three samples stand for all of a window. So the lowest is of the last ten seconds, and no
 * higher than any of the last two and a half.
 */
static void rtts_at_random(struct kunit *test)
{
	struct model_path *path = new_path(test);
	u32 *rtts = kunit_kmalloc_array(test, RANDOM, sizeof(*rtts), GFP_KERNEL), i, j;

	KUNIT_ASSERT_NOT_NULL(test, rtts);
	for (i = 0; i < RANDOM; i++) {
		u32 least = U32_MAX, of_late = U32_MAX;

		rtts[i] = 20000 + get_random_u32_below(100000);
		acks(path, STEP, rtts[i]);
		for (j = i - min(i, WINDOW / STEP); j <= i; j++) {
			least = min(least, rtts[j]);
			if (i - j < WINDOW / STEP / 4)
				of_late = min(of_late, rtts[j]);
		}
		/* the handshake's counts as well at first */
		if (i <= WINDOW / STEP)
			continue;
		KUNIT_ASSERT_GE(test, lowest(path), least);
		KUNIT_ASSERT_LE(test, lowest(path), of_late);
	}
}

/* An ACK that another CPU takes in has changed one value of two. */
static void sample_is_of_one_moment(struct kunit *test)
{
	struct model_path *path = new_path(test);

	rate_of(path, 10, 10000);
	acks(path, STEP, 20000);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rate(path->subflow), 1000U);
	path->tp->rate_delivered = 1000;
	KUNIT_EXPECT_EQ(test, mptcp_sched_rate(path->subflow), 1000U);
}

/* What delivers nothing says nothing. */
static void packets_without_news(struct kunit *test)
{
	struct model_path *path = new_path(test);

	rate_of(path, 10, 10000);
	path->tp->tcp_mstamp = 2000;
	path->tp->delivered_mstamp = 1000;
	mptcp_sched_publish(path->subflow, path->tp);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rate(path->subflow), 0U);
	path->tp->delivered_mstamp = 2000;
	mptcp_sched_publish(path->subflow, path->tp);
	KUNIT_EXPECT_EQ(test, mptcp_sched_rate(path->subflow), 1000U);
}

static struct kunit_case mptcp_model_cases[] = {
	KUNIT_CASE(rtt_falls_at_once),
	KUNIT_CASE(rtt_rises_after_ten_seconds),
	KUNIT_CASE(queue_stands_for_a_round_trip),
	KUNIT_CASE(idle_path_is_not_full),
	KUNIT_CASE(rtt_of_a_recovery_is_unsure),
	KUNIT_CASE(first_rtt_counts_at_any_time),
	KUNIT_CASE(path_drains),
	KUNIT_CASE(rtt_stands_no_longer_than_tcp_has_it),
	KUNIT_CASE(rtts_at_random),
	KUNIT_CASE(highest_rate_counts),
	KUNIT_CASE(rate_of_a_window_is_no_longer_than_its_type),
	KUNIT_CASE(sample_is_of_one_moment),
	KUNIT_CASE(packets_without_news),
	{}
};

static struct kunit_suite mptcp_model_suite = {
	.name = "mptcp-sched-model",
	.test_cases = mptcp_model_cases,
};

kunit_test_suite(mptcp_model_suite);
