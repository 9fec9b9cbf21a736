// SPDX-License-Identifier: GPL-2.0
/* KUnit: which segments early delivery takes, by their mappings and by memory */

#include <kunit/test.h>

#include "protocol.h"
#include "ext/early/early.h"

struct mapped_case {
	const char *name;
	struct mptcp_ext ext;
	u32 ssn, len;
	bool csum, wanted;
};

static const struct mapped_case mapped_cases[] = {
	{ "whole", { .use_map = 1, .subflow_seq = 1000, .data_len = 100 }, 1000, 100, false, true },
	{ "middle", { .use_map = 1, .subflow_seq = 1000, .data_len = 100 }, 1040, 20, false, true },
	{ "last byte", { .use_map = 1, .subflow_seq = 1000, .data_len = 100 }, 1099, 1, false,
	  true },
	{ "one too many", { .use_map = 1, .subflow_seq = 1000, .data_len = 100 }, 1099, 2, false,
	  false },
	{ "behind", { .use_map = 1, .subflow_seq = 1000, .data_len = 100 }, 1100, 1, false, false },
	{ "before", { .use_map = 1, .subflow_seq = 1000, .data_len = 100 }, 999, 10, false, false },
	{ "far before", { .use_map = 1, .subflow_seq = 1000, .data_len = 100 }, 1000 - (1U << 31),
	  1, false, false },
	{ "length wraps", { .use_map = 1, .subflow_seq = 1000, .data_len = 100 }, 1050, U32_MAX,
	  false, false },
	{ "numbers wrap", { .use_map = 1, .subflow_seq = U32_MAX - 9, .data_len = 100 }, 40, 50,
	  false, true },
	{ "wrap, too long", { .use_map = 1, .subflow_seq = U32_MAX - 9, .data_len = 100 }, 40, 51,
	  false, false },
	{ "empty", { .use_map = 1, .subflow_seq = 1000, .data_len = 100 }, 1000, 0, false, false },
	{ "no mapping", { .subflow_seq = 1000, .data_len = 100 }, 1000, 100, false, false },
	{ "infinite", { .use_map = 1, .subflow_seq = 1000 }, 1000, 100, false, false },
	{ "infinite, DATA_FIN", { .use_map = 1, .subflow_seq = 1000, .data_fin = 1 }, 1000, 100,
	  false, false },
	{ "DATA_FIN only", { .use_map = 1, .subflow_seq = 1000, .data_len = 1, .data_fin = 1 },
	  1000, 1, false, false },
	{ "DATA_FIN behind", { .use_map = 1, .subflow_seq = 1000, .data_len = 101, .data_fin = 1 },
	  1000, 100, false, true },
	{ "DATA_FIN inside", { .use_map = 1, .subflow_seq = 1000, .data_len = 100, .data_fin = 1 },
	  1000, 100, false, false },
	{ "MP_CAPABLE", { .use_map = 1, .subflow_seq = 1, .data_len = 100, .mpc_map = 1 }, 1, 100,
	  false, false },
	{ "control", { .use_map = 1, .subflow_seq = 1000, .data_len = 100,
	  .payload = MPTCP_PAYLOAD_CONTROL }, 1000, 100, false, false },
	{ "symbol", { .use_map = 1, .subflow_seq = 1000, .data_len = 100,
	  .payload = MPTCP_PAYLOAD_SYMBOL }, 1000, 100, false, false },
	{ "irregular", { .use_map = 1, .subflow_seq = 1000, .data_len = 100, .irregular = 1 }, 1000,
	  100, false, false },
	{ "checksum", { .use_map = 1, .subflow_seq = 1000, .data_len = 100, .csum_reqd = 1 }, 1000,
	  100, true, true },
	{ "checksum, first part", { .use_map = 1, .subflow_seq = 1000, .data_len = 100,
	  .csum_reqd = 1 }, 1000, 99, true, false },
	{ "checksum, last part", { .use_map = 1, .subflow_seq = 1000, .data_len = 100,
	  .csum_reqd = 1 }, 1001, 99, true, false },
	{ "checksum missing", { .use_map = 1, .subflow_seq = 1000, .data_len = 100 }, 1000, 100,
	  true, false },
	{ "checksum not agreed on", { .use_map = 1, .subflow_seq = 1000, .data_len = 100,
	  .csum_reqd = 1 }, 1000, 100, false, false },
};

static void mappings(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(mapped_cases); i++) {
		const struct mapped_case *c = &mapped_cases[i];

		KUNIT_EXPECT_EQ_MSG(test, c->wanted,
				    mptcp_early_mapped(&c->ext, c->ssn, c->len, c->csum),
				    "%s", c->name);
	}
}

static void room(struct kunit *test)
{
	/* a 16th, unless it is next */
	KUNIT_EXPECT_TRUE(test, mptcp_early_has_room(0, 10, 160, false));
	KUNIT_EXPECT_FALSE(test, mptcp_early_has_room(0, 11, 160, false));
	KUNIT_EXPECT_FALSE(test, mptcp_early_has_room(10, 1, 160, false));
	KUNIT_EXPECT_TRUE(test, mptcp_early_has_room(0, 100, 100, true));
	KUNIT_EXPECT_FALSE(test, mptcp_early_has_room(1, 100, 100, true));
	/* more in the buffer than it may have */
	KUNIT_EXPECT_FALSE(test, mptcp_early_has_room(101, 1, 100, true));
	KUNIT_EXPECT_FALSE(test, mptcp_early_has_room(0, U32_MAX, INT_MAX, true));
	/* released by the reader, and not yet subtracted */
	KUNIT_EXPECT_TRUE(test, mptcp_early_has_room(-10, 110, 100, true));
}

static struct kunit_case early_cases[] = {
	KUNIT_CASE(mappings),
	KUNIT_CASE(room),
	{}
};

static struct kunit_suite early_suite = {
	.name = "mptcp-early",
	.test_cases = early_cases,
};

kunit_test_suite(early_suite);

MODULE_LICENSE("GPL");
/* as MODULE_IMPORT_NS(), which takes a string since Linux 6.13 only */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests for MPTCP's early delivery");
