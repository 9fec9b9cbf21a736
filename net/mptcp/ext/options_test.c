// SPDX-License-Identifier: GPL-2.0
/* KUnit: what the options of a segment say does not depend on what the memory held before
 *
 * mptcp_get_options() fills a struct on the caller's stack. Which of its members mean something
 * tell the flags of the options that were found, and these flags have to be set in any case.
 */

#include <kunit/test.h>
#include <net/tcp.h>

#include "protocol.h"

#define OPTIONS_MOST	40
#define PAYLOAD		8

struct options_case {
	const char *name;
	u8 flags;	/* of TCP */
	bool data;
	u8 len;
	u8 options[OPTIONS_MOST];
	u16 wanted;
	u8 payload;
};

static const struct options_case options_cases[] = {
	{ "none", TCPHDR_ACK, true, 0, {}, 0, 0 },
	{ "SYN", TCPHDR_SYN, false, 4, { 30, 4, 0x01, 0x01 }, OPTION_MPTCP_MPC_SYN, 0 },
	{ "SYN with the control stream and coding", TCPHDR_SYN, false, 8,
	  { 30, 4, 0x01, 0x01, 30, 4, 0xf0, 3 },
	  OPTION_MPTCP_MPC_SYN | OPTIONS_MPTCP_PRIVATE, 0 },
	{ "MP_CAPABLE with data", TCPHDR_ACK, true, 22,
	  { 30, 22, 0x01, 0x81, 1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1, 0, PAYLOAD },
	  OPTION_MPTCP_MPC_ACK | OPTION_MPTCP_DSS, 0 },
	{ "a DSS of a wrong length, then MP_CAPABLE with data", TCPHDR_ACK, true, 27,
	  { 30, 5, 0x20, MPTCP_DSS_PAYLOAD, 0,
	    30, 22, 0x01, 0x81, 1, 2, 3, 4, 5, 6, 7, 8, 8, 7, 6, 5, 4, 3, 2, 1, 0, PAYLOAD },
	  OPTION_MPTCP_MPC_ACK | OPTION_MPTCP_DSS, 0 },
	{ "DSS", TCPHDR_ACK, false, 8, { 30, 8, 0x20, 0x01, 1, 2, 3, 4 }, OPTION_MPTCP_DSS, 0 },
	{ "DSS, S", TCPHDR_ACK, false, 8, { 30, 8, 0x20, 0x21, 1, 2, 3, 4 }, OPTION_MPTCP_DSS,
	  MPTCP_DSS_STREAM },
	{ "DSS, C", TCPHDR_ACK, false, 8, { 30, 8, 0x20, 0x41, 1, 2, 3, 4 }, OPTION_MPTCP_DSS,
	  MPTCP_DSS_CODED },
	{ "DSS, S and nothing else", TCPHDR_ACK, false, 4, { 30, 4, 0x20, MPTCP_DSS_STREAM },
	  OPTION_MPTCP_DSS, MPTCP_DSS_STREAM },
	{ "MP_JOIN", TCPHDR_SYN, false, 12, { 30, 12, 0x10, 5, 1, 2, 3, 4, 5, 6, 7, 8 },
	  OPTION_MPTCP_MPJ_SYN, 0 },
	{ "REMOVE_ADDR", TCPHDR_ACK, false, 4, { 30, 4, 0x40, 5 }, OPTION_MPTCP_RM_ADDR, 0 },
	{ "MP_PRIO", TCPHDR_ACK, false, 3, { 30, 3, 0x51 }, OPTION_MPTCP_PRIO, 0 },
};

static struct sk_buff *segment(struct kunit *test, const struct options_case *c)
{
	unsigned int header = sizeof(struct tcphdr) + ALIGN(c->len, 4);
	struct sk_buff *skb = alloc_skb(header + PAYLOAD, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	skb_put_zero(skb, header + (c->data ? PAYLOAD : 0));
	skb_reset_transport_header(skb);
	tcp_hdr(skb)->doff = header / 4;
	memcpy(tcp_hdr(skb) + 1, c->options, c->len);
	TCP_SKB_CB(skb)->tcp_flags = c->flags;
	return skb;
}

/* All flags of one bit, as the struct has them */
static u32 status(const struct mptcp_options_received *opt)
{
	u32 word;

	memcpy(&word, &opt->status, sizeof(word));
	return word;
}

static void options_do_not_depend_on_the_stack(struct kunit *test)
{
	struct mptcp_options_received *clean, *poisoned;
	int i;

	clean = kunit_kzalloc(test, sizeof(*clean), GFP_KERNEL);
	poisoned = kunit_kzalloc(test, sizeof(*poisoned), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, clean);
	KUNIT_ASSERT_NOT_NULL(test, poisoned);

	for (i = 0; i < ARRAY_SIZE(options_cases); i++) {
		const struct options_case *c = &options_cases[i];
		struct sk_buff *skb = segment(test, c);

		memset(clean, 0, sizeof(*clean));
		memset(poisoned, 0xff, sizeof(*poisoned));
		mptcp_get_options(skb, clean);
		mptcp_get_options(skb, poisoned);
		kfree_skb(skb);

		KUNIT_EXPECT_EQ_MSG(test, poisoned->suboptions, c->wanted, "%s", c->name);
		KUNIT_EXPECT_EQ_MSG(test, poisoned->payload, c->payload, "%s", c->name);
		KUNIT_EXPECT_EQ_MSG(test, status(poisoned), status(clean), "%s", c->name);
		KUNIT_EXPECT_EQ_MSG(test, clean->payload, c->payload, "%s", c->name);
	}
}

static struct kunit_case options_test_cases[] = {
	KUNIT_CASE(options_do_not_depend_on_the_stack),
	{}
};

static struct kunit_suite options_suite = {
	.name = "mptcp-options",
	.test_cases = options_test_cases,
};

kunit_test_suite(options_suite);

MODULE_LICENSE("GPL");
/* as MODULE_IMPORT_NS(), which takes a string since Linux 6.13 only */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests for the options that MPTCP receives");
