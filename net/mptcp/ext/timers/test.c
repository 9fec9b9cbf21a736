// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of timers.c: when a timeout blocks others */

#include <kunit/test.h>
#include "ext/timers/timers.h"

/* A subflow of 20 ms whose least timeout is 200 ms, beside others of 1000 bytes per ms. */
static void timers_block_others(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, mptcp_timers_blocks(220000, 1000, 20000, 200000));
	KUNIT_EXPECT_TRUE(test, mptcp_timers_blocks(219999, 1000, 20000, 200000));
	/* nobody else has anything to send */
	KUNIT_EXPECT_FALSE(test, mptcp_timers_blocks(0, 0, 20000, 200000));
	KUNIT_EXPECT_TRUE(test, mptcp_timers_blocks(U32_MAX, U32_MAX, 20000, 200000));
}

static struct kunit_case mptcp_timers_cases[] = {
	KUNIT_CASE(timers_block_others),
	{}
};

static struct kunit_suite mptcp_timers_suite = {
	.name = "mptcp-timers",
	.test_cases = mptcp_timers_cases,
};

kunit_test_suite(mptcp_timers_suite);

/* as MODULE_IMPORT_NS(), which takes a string since Linux 6.13 only */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit tests of timeouts that block other subflows");
