// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the MPTCP packet schedulers' rules: what the papers' examples say. */

#include <kunit/test.h>
#include "sched/rules.h"

#define LONGEST	16

static void expect_vector(struct kunit *test, const u32 *weights, u32 paths, u32 n, bool half,
			  const char *want)
{
	char got[LONGEST + 1] = {};
	u32 pos;

	for (pos = 1; pos <= n; pos++)
		got[pos - 1] = '0' + mptcp_rule_vector(weights, paths, n, pos, half);
	KUNIT_EXPECT_STREQ(test, got, want);
}

/* Evensen et al. 2009 and Kaspar 2011: their examples need one rounding or the other. */
static void vector_of_two(struct kunit *test)
{
	static const u32 two_three[] = { 2, 3 }, linked[] = { 3800, 2200 }, field[] = { 300, 500 };

	expect_vector(test, two_three, 2, 5, true, "01101");
	expect_vector(test, two_three, 2, 5, false, "01011");
	expect_vector(test, linked, 2, 11, true, "00100101001");
	expect_vector(test, linked, 2, 11, false, "00100100101");
	expect_vector(test, field, 2, 8, false, "01011011");
	expect_vector(test, field, 2, 8, true, "01101101");
}

static void vector_of_three(struct kunit *test)
{
	static const u32 weights[] = { 2, 3, 5 };

	/* the vector of the first two fills what the third one leaves: as printed, 01101 */
	expect_vector(test, weights, 3, 10, true, "0212120212");
	expect_vector(test, weights, 3, 10, false, "0212021212");
}

static void vector_forgets_nobody(struct kunit *test)
{
	static const u32 weights[] = { 1000000, 0, 1 }, none[] = { 0, 0 }, one[] = { 0 };
	u32 pos, counts[3] = {};

	for (pos = 1; pos <= 64; pos++)
		counts[mptcp_rule_vector(weights, 3, 64, pos, false)]++;
	KUNIT_EXPECT_EQ(test, counts[0], 62U);
	KUNIT_EXPECT_EQ(test, counts[1], 1U);
	KUNIT_EXPECT_EQ(test, counts[2], 1U);
	expect_vector(test, none, 2, 4, false, "0001");
	expect_vector(test, one, 1, 4, false, "0000");
}

/* Within half a position of the weights: |w - m / n| <= 1 / 2n. */
static void vector_keeps_shares(struct kunit *test)
{
	u32 w, pos;

	for (w = 1; w < 100; w++) {
		const u32 weights[] = { 100 - w, w };
		u32 ones = 0;

		for (pos = 1; pos <= 64; pos++)
			ones += mptcp_rule_vector(weights, 2, 64, pos, false);
		if (w * 64 >= 50 && w * 64 <= 6350)
			KUNIT_EXPECT_LE(test, abs((int)(ones * 100) - (int)(w * 64)), 50);
	}
}

/* Chebrolu et al. 2005: packets of one length arrive in the order in which they left. */
static void delivery_keeps_order(struct kunit *test)
{
	static const u32 rate[] = { 50, 100, 200 }, delay[] = { 1000000, 20000, 5000 };
	u64 free_at[3] = {}, now = 0, last = 0;
	int i, path;

	for (i = 0; i < 20000; i++) {
		u64 first = U64_MAX;
		int best = 0;

		for (path = 0; path < 3; path++) {
			u64 at = mptcp_rule_delivery(now, delay[path], free_at[path], 1500,
						     rate[path]);

			if (at < first) {
				first = at;
				best = path;
			}
		}
		free_at[best] = first;
		if (first < last) {
			KUNIT_FAIL(test, "packet %d overtakes\n", i);
			return;
		}
		last = first;
		now += 4286;	/* 350 bytes per ms are offered */
	}
	/* all of them were used */
	for (path = 0; path < 3; path++)
		KUNIT_EXPECT_GT(test, free_at[path], 0ULL);
}

static void delivery_of_a_packet(struct kunit *test)
{
	/* idle: the delay, and the packet's own time */
	KUNIT_EXPECT_EQ(test, mptcp_rule_delivery(1000, 5000, 0, 1500, 100), 21000ULL);
	/* busy: after what is there */
	KUNIT_EXPECT_EQ(test, mptcp_rule_delivery(1000, 5000, 50000, 1500, 100), 65000ULL);
	/* a rate of nothing does not divide */
	KUNIT_EXPECT_EQ(test, mptcp_rule_delivery(0, 0, 0, 1, 0), 1000ULL);
}

static void rounds_of_a_window(struct kunit *test)
{
	/* there is room */
	KUNIT_EXPECT_EQ(test, mptcp_rule_rounds(10, U32_MAX, 9, 1, 64), 0U);
	/* full: after a round trip */
	KUNIT_EXPECT_EQ(test, mptcp_rule_rounds(10, U32_MAX, 10, 1, 64), 1U);
	/* slow start: 10, 20, 40 */
	KUNIT_EXPECT_EQ(test, mptcp_rule_rounds(10, U32_MAX, 0, 30, 64), 1U);
	KUNIT_EXPECT_EQ(test, mptcp_rule_rounds(10, U32_MAX, 0, 31, 64), 2U);
	/* avoidance: 10, 11, 12 */
	KUNIT_EXPECT_EQ(test, mptcp_rule_rounds(10, 10, 0, 21, 64), 1U);
	KUNIT_EXPECT_EQ(test, mptcp_rule_rounds(10, 10, 0, 22, 64), 2U);
	/* from one to the other at the threshold: 10, 15, 16 */
	KUNIT_EXPECT_EQ(test, mptcp_rule_rounds(10, 15, 0, 26, 64), 2U);
	/* more in flight than the window; and an end */
	KUNIT_EXPECT_EQ(test, mptcp_rule_rounds(2, 2, 50, 3, 64), 1U);
	KUNIT_EXPECT_EQ(test, mptcp_rule_rounds(1, 1, 1, U32_MAX, 64), 64U);
}

static void gap_is_learned(struct kunit *test)
{
	u32 gap = 0;
	int i;

	/* just in time is 100000: from either side, and it stays about there */
	for (i = 0; i < 100; i++)
		gap = mptcp_rule_gap(gap, 1000, gap < 100000);
	KUNIT_EXPECT_GE(test, gap, 90000U);
	KUNIT_EXPECT_LE(test, gap, 120000U);
	for (gap = 1000000, i = 0; i < 300; i++)
		gap = mptcp_rule_gap(gap, 1000, gap < 100000);
	KUNIT_EXPECT_GE(test, gap, 90000U);
	KUNIT_EXPECT_LE(test, gap, 120000U);

	/* ends */
	KUNIT_EXPECT_EQ(test, mptcp_rule_gap(500, 1000, false), 0U);
	KUNIT_EXPECT_EQ(test, mptcp_rule_gap(S32_MAX, 1000, true), (u32)S32_MAX);
}

static struct kunit_case mptcp_rules_cases[] = {
	KUNIT_CASE(vector_of_two),
	KUNIT_CASE(vector_of_three),
	KUNIT_CASE(vector_forgets_nobody),
	KUNIT_CASE(vector_keeps_shares),
	KUNIT_CASE(delivery_keeps_order),
	KUNIT_CASE(delivery_of_a_packet),
	KUNIT_CASE(rounds_of_a_window),
	KUNIT_CASE(gap_is_learned),
	{}
};

static struct kunit_suite mptcp_rules_suite = {
	.name = "mptcp-sched-rules",
	.test_cases = mptcp_rules_cases,
};

kunit_test_suite(mptcp_rules_suite);
