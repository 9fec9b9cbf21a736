// SPDX-License-Identifier: GPL-2.0
/* KUnit tests of the control stream: whether TCP still has a TLV, what is said twice */

#include <kunit/test.h>
#include "ext/control/control.h"

static void copies_are_what_tcp_has(struct kunit *test)
{
	static const u32 starts[] = { 0, 1, 1000, S32_MAX, U32_MAX - 50, U32_MAX };
	int i;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		u32 una = starts[i], write_seq = una + 100;

		KUNIT_EXPECT_FALSE(test, mptcp_control_has(una, write_seq, una));
		KUNIT_EXPECT_TRUE(test, mptcp_control_has(una, write_seq, una + 1));
		KUNIT_EXPECT_TRUE(test, mptcp_control_has(una, write_seq, write_seq));
		KUNIT_EXPECT_FALSE(test, mptcp_control_has(una, una, una));
		KUNIT_EXPECT_FALSE(test, mptcp_control_has(una, una, una - 1));
	}
}

/* The subflow goes on for more than all sequence numbers. */
static void copies_end_for_good(struct kunit *test)
{
	u32 end = 5000;
	u64 more;

	for (more = 0; more < (1ULL << 32) - 100; more += 1 << 20)
		KUNIT_EXPECT_FALSE_MSG(test, mptcp_control_has(end + more, end + more + 100, end),
				       "%llu bytes later", more);
}

static bool option_says(struct mptcp_control *control, u8 id)
{
	return mptcp_control_pair(control, MPTCP_CONTROL_BY_OPTION, id);
}

static bool tlv_says(struct mptcp_control *control, u8 id)
{
	return mptcp_control_pair(control, MPTCP_CONTROL_BY_TLV, id);
}

static void passes(struct mptcp_control *control, unsigned long seconds)
{
	control->removed[MPTCP_CONTROL_BY_OPTION].when -= seconds * HZ;
	control->removed[MPTCP_CONTROL_BY_TLV].when -= seconds * HZ;
}

static void removed_once(struct kunit *test)
{
	struct mptcp_control *control = kunit_kzalloc(test, sizeof(*control), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, control);
	spin_lock_init(&control->lock);
	KUNIT_EXPECT_FALSE(test, option_says(control, 3));
	KUNIT_EXPECT_FALSE(test, tlv_says(control, 4));
	KUNIT_EXPECT_TRUE(test, tlv_says(control, 3));
	KUNIT_EXPECT_TRUE(test, option_says(control, 4));
	KUNIT_EXPECT_FALSE(test, tlv_says(control, 3));
	KUNIT_EXPECT_TRUE(test, option_says(control, 3));

	/* a TLV may wait behind much data, while a subflow joins with the id again */
	KUNIT_EXPECT_FALSE(test, option_says(control, 3));
	passes(control, 30);
	KUNIT_EXPECT_TRUE(test, tlv_says(control, 3));

	/* the option was lost: one that comes then is about another time */
	KUNIT_EXPECT_FALSE(test, tlv_says(control, 4));
	passes(control, 30);
	KUNIT_EXPECT_FALSE(test, option_says(control, 4));

	/* there was no TLV */
	passes(control, 61);
	KUNIT_EXPECT_FALSE(test, tlv_says(control, 4));
}

static struct kunit_case mptcp_control_cases[] = {
	KUNIT_CASE(copies_are_what_tcp_has),
	KUNIT_CASE(copies_end_for_good),
	KUNIT_CASE(removed_once),
	{}
};

static struct kunit_suite mptcp_control_suite = {
	.name = "mptcp-control",
	.test_cases = mptcp_control_cases,
};

kunit_test_suite(mptcp_control_suite);

MODULE_LICENSE("GPL");
/* as MODULE_IMPORT_NS(), which takes a string since Linux 6.13 only */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests for MPTCP's control stream");
