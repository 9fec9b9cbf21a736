// SPDX-License-Identifier: GPL-2.0
/* KUnit: handshakes give the same bits as before, and what their steps cost
 *
 * The vectors are RFC 4231's (its case 2: HMAC pads a key with zeros, so that one of 4 bytes
 * is one of 16), and mptcp_crypto_hmac_sha(), which crypto_test.c compares with others.
 *
 * The costs are for reading, not checks: nanoseconds by the kernel's clock, the least of some
 * rounds. In the test bed's virtual time it stands still, and they are skipped:
 *
 *	tools/kernel/boot-uml --real-time -- bash -c 'modprobe mptcp_handshake_test; dmesg'
 */

#include <kunit/test.h>
#include <linux/random.h>
#include <linux/sort.h>

#include "protocol.h"
#include "ext/handshake/handshake.h"
#include "ext/handshake/low_overhead.h"

#define TIMES	2000
#define ROUNDS	11

static struct mptcp_sock *connection(struct kunit *test)
{
	struct mptcp_sock *msk = kunit_kzalloc(test, sizeof(*msk), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, msk);
	spin_lock_init(&msk->pm.lock);
	msk->local_key = 0x0123456789abcdefULL;
	msk->remote_key = 0xfedcba9876543210ULL;
	return msk;
}

/* The HMAC of a join, as it was made before */
static void plain_hmac(const struct mptcp_sock *msk, enum mptcp_hmac_whose whose,
		       u32 nonce1, u32 nonce2, u8 *hmac)
{
	bool ours = whose == MPTCP_HMAC_OURS;
	u8 msg[8];

	put_unaligned_be32(nonce1, &msg[0]);
	put_unaligned_be32(nonce2, &msg[4]);
	mptcp_crypto_hmac_sha(ours ? msk->local_key : msk->remote_key,
			      ours ? msk->remote_key : msk->local_key, msg, sizeof(msg), hmac);
}

static void expect_hmacs(struct kunit *test, struct mptcp_sock *msk)
{
	u8 found[SHA256_DIGEST_SIZE], wanted[SHA256_DIGEST_SIZE];
	enum mptcp_hmac_whose whose;

	for (whose = MPTCP_HMAC_OURS; whose <= MPTCP_HMAC_PEERS; whose++) {
		plain_hmac(msk, whose, 0x01020304, 0xa1a2a3a4, wanted);
		mptcp_join_hmac(msk, whose, 0x01020304, 0xa1a2a3a4, found);
		KUNIT_EXPECT_MEMEQ(test, found, wanted, sizeof(found));
	}
}

static void hmac_of_rfc_4231(struct kunit *test)
{
	static const u8 wanted[] = {
		0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04, 0x24,
		0x26, 0x08, 0x95, 0x75, 0xc7, 0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27,
		0x39, 0x83, 0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43,
	};
	static const char msg[] = "what do ya want for nothing?";
	struct mptcp_hmac_state state;
	u8 hmac[SHA256_DIGEST_SIZE];

	mptcp_hmac_prepare(&state, 0x4a65666500000000ULL, 0); /* "Jefe" */
	mptcp_hmac_finish(&state, msg, strlen(msg), hmac);
	KUNIT_EXPECT_MEMEQ(test, hmac, wanted, sizeof(hmac));
}

static void hmac_of_any_length(struct kunit *test)
{
	u8 msg[SHA256_DIGEST_SIZE], found[SHA256_DIGEST_SIZE], wanted[SHA256_DIGEST_SIZE];
	struct mptcp_hmac_state state;
	int len;

	for (len = 0; len <= sizeof(msg); len++) {
		u64 key1 = get_random_u64(), key2 = get_random_u64();

		get_random_bytes(msg, sizeof(msg));
		mptcp_crypto_hmac_sha(key1, key2, msg, len, wanted);
		mptcp_hmac_prepare(&state, key1, key2);
		mptcp_hmac_finish(&state, msg, len, found);
		KUNIT_EXPECT_MEMEQ(test, found, wanted, sizeof(found));
	}
}

static void hmacs_of_joins(struct kunit *test)
{
	struct mptcp_sock *msk = connection(test);
	void *states;

	expect_hmacs(test, msk);
	states = rcu_access_pointer(msk->hmac_states);
	KUNIT_EXPECT_NOT_NULL(test, states);
	expect_hmacs(test, msk);
	KUNIT_EXPECT_PTR_EQ(test, (void *)rcu_access_pointer(msk->hmac_states), states);
	mptcp_hmac_free(msk);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(msk->hmac_states));
}

/* after a disconnect() the states that a late SYN made are of other keys */
static void hmacs_after_disconnect(struct kunit *test)
{
	struct mptcp_sock *msk = connection(test);

	expect_hmacs(test, msk);
	msk->local_key++;
	expect_hmacs(test, msk);
	swap(msk->local_key, msk->remote_key);
	expect_hmacs(test, msk);
	mptcp_hmac_free(msk);
}

/* nothing is left to a connection that nobody will free it of */
static void hmacs_while_destroyed(struct kunit *test)
{
	struct mptcp_sock *msk = connection(test);

	msk->pm.status |= BIT(MPTCP_PM_DESTROYING);
	expect_hmacs(test, msk);
	KUNIT_EXPECT_NULL(test, rcu_access_pointer(msk->hmac_states));
}

/* computed elsewhere; the key of SipHash's own vectors, bytes 0 to 15 */
static void cipher_of_tokens(struct kunit *test)
{
	static const siphash_key_t key = { { 0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL } };
	static const u32 vectors[][2] = {
		{ 0x00000000, 0x2cfc3017 },
		{ 0x00000001, 0x194af5a6 },
		{ 0x12345678, 0xea37274d },
		{ 0xffffffff, 0xe7ec1f36 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++)
		KUNIT_EXPECT_EQ(test, mptcp_low_cipher(vectors[i][0], &key), vectors[i][1]);
}

static int compare_tokens(const void *a, const void *b)
{
	u32 left = *(const u32 *)a, right = *(const u32 *)b;

	return left < right ? -1 : left > right;
}

/* of so many random numbers some eight pairs would be alike */
static void tokens_are_all_different(struct kunit *test)
{
	u32 i, n = 1 << 18, *tokens = kvmalloc_array(n, sizeof(*tokens), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, tokens);
	for (i = 0; i < n; i++)
		tokens[i] = mptcp_low_token();
	sort(tokens, n, sizeof(*tokens), compare_tokens, NULL);
	for (i = 1; i < n && tokens[i - 1] != tokens[i]; i++)
		;
	KUNIT_EXPECT_EQ(test, i, n);
	kvfree(tokens);
}

/* MP_CAPABLE of a SYN/ACK, behind an option of ours or alone */
static void capable_may_come_second(struct kunit *test)
{
	static const u8 capable[] = { 0x02, 0x00, 1, 2, 3, 4 };
	static const struct {
		u16 before, wanted;
	} cases[] = {
		{ 0, OPTION_MPTCP_MPC_SYNACK },
		{ OPTION_MPTCP_CONTROL, OPTION_MPTCP_CONTROL | OPTION_MPTCP_MPC_SYNACK },
		{ OPTIONS_MPTCP_PRIVATE, OPTIONS_MPTCP_PRIVATE | OPTION_MPTCP_MPC_SYNACK },
		{ OPTION_MPTCP_MPJ_SYNACK, OPTION_MPTCP_MPJ_SYNACK },
	};
	struct sk_buff *skb = alloc_skb(sizeof(struct tcphdr), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, skb);
	TCP_SKB_CB(skb)->tcp_flags = TCPHDR_SYN | TCPHDR_ACK;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mptcp_options_received opt = { .suboptions = cases[i].before };

		mptcp_low_parse_capable(skb, MPTCP_FORM_LOW, capable, TCPOLEN_MPTCP_LOW_SYNACK,
					&opt);
		KUNIT_EXPECT_EQ_MSG(test, opt.suboptions, cases[i].wanted, "case %d", i);
	}
	kfree_skb(skb);
}

/* What the steps work on, and where their results go, so that none is optimized away */
struct bench {
	struct mptcp_subflow_request_sock *reqs;
	struct mptcp_hmac_state state;
	u64 key, idsn;
	u32 token;
	u8 hmac[SHA256_DIGEST_SIZE];
	u32 retries;
};

static void step_key_before(struct bench *b)
{
	get_random_bytes(&b->key, sizeof(b->key));
}

static void step_key(struct bench *b)
{
	b->key = get_random_u64();
}

static void step_hash(struct bench *b)
{
	mptcp_crypto_key_sha(b->key++, &b->token, &b->idsn);
}

static void step_nonce_before(struct bench *b)
{
	get_random_bytes(&b->token, sizeof(b->token));
}

static void step_nonce(struct bench *b)
{
	b->token = get_random_u32();
}

static void step_low_token(struct bench *b)
{
	b->token = mptcp_low_token();
}

static void step_hmac_before(struct bench *b)
{
	mptcp_crypto_hmac_sha(b->key, b->idsn, b->hmac, 8, b->hmac);
}

static void step_hmac_prepare(struct bench *b)
{
	mptcp_hmac_prepare(&b->state, b->key, b->idsn);
}

static void step_hmac(struct bench *b)
{
	mptcp_hmac_finish(&b->state, b->hmac, 8, b->hmac);
}

/* A token that is not used elsewhere, as for a SYN; false where there is none. */
static bool new_token(struct bench *b, struct mptcp_subflow_request_sock *req)
{
	int retries = MPTCP_TOKEN_MAX_RETRIES;

	do {
		req->local_key = get_random_u64();
		if (!mptcp_token_new_request((struct request_sock *)req))
			return true;
		b->retries++;
	} while (retries--);
	return false;
}

/* Key, hash, uniqueness, and away again */
static void step_token(struct bench *b)
{
	if (new_token(b, b->reqs))
		mptcp_token_destroy_request((struct request_sock *)b->reqs);
}

static u64 least_ns(void (*step)(struct bench *b), struct bench *b)
{
	u64 least = U64_MAX, start;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		local_bh_disable();
		start = ktime_get_ns();
		for (i = 0; i < TIMES; i++)
			step(b);
		least = min(least, ktime_get_ns() - start);
		local_bh_enable();
		cond_resched();
	}
	return least / TIMES;
}

static void skip_if_the_clock_stands(struct kunit *test, struct bench *b)
{
	b->idsn = get_random_u64();
	step_hmac_prepare(b);
	if (!least_ns(step_hmac, b))
		kunit_skip(test, "the clock stands still: boot with --real-time");
}

static void cost_of_steps(struct kunit *test)
{
	static const struct {
		const char *what;
		void (*step)(struct bench *b);
	} steps[] = {
		{ "key, get_random_bytes()", step_key_before },
		{ "key, get_random_u64()", step_key },
		{ "token and IDSN of a key", step_hash },
		{ "nonce, get_random_bytes()", step_nonce_before },
		{ "nonce, get_random_u32()", step_nonce },
		{ "token of the low-overhead one", step_low_token },
		{ "HMAC from the keys", step_hmac_before },
		{ "HMAC from prepared states", step_hmac },
		{ "its two states", step_hmac_prepare },
	};
	struct bench b = {};
	int i;

	skip_if_the_clock_stands(test, &b);
	for (i = 0; i < ARRAY_SIZE(steps); i++)
		kunit_info(test, "%-29s %5llu ns\n", steps[i].what, least_ns(steps[i].step, &b));
}

static void cost_of_tokens(struct kunit *test)
{
	static const u32 presents[] = { 0, 1000, 10000, 20000 };
	u32 n = 1, most = presents[ARRAY_SIZE(presents) - 1];
	struct bench b = {};
	u64 without;
	int i;

	skip_if_the_clock_stands(test, &b);
	b.reqs = kvcalloc(most + 1, sizeof(*b.reqs), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b.reqs);
	without = least_ns(step_key, &b) + least_ns(step_hash, &b);
	mptcp_token_init_request((struct request_sock *)b.reqs);

	for (i = 0; i < ARRAY_SIZE(presents); i++) {
		for (; n <= presents[i]; n++) {
			mptcp_token_init_request((struct request_sock *)&b.reqs[n]);
			new_token(&b, &b.reqs[n]);
		}
		b.retries = 0;
		kunit_info(test, "token among %5u others: %5llu ns, of which %5llu key and hash, %u in 100,000 again\n",
			   presents[i], least_ns(step_token, &b), without,
			   b.retries * (100000 / TIMES) / ROUNDS);
	}
	while (--n)
		mptcp_token_destroy_request((struct request_sock *)&b.reqs[n]);
	kvfree(b.reqs);
}

static struct kunit_case mptcp_handshake_cases[] = {
	KUNIT_CASE(hmac_of_rfc_4231),
	KUNIT_CASE(hmac_of_any_length),
	KUNIT_CASE(hmacs_of_joins),
	KUNIT_CASE(hmacs_after_disconnect),
	KUNIT_CASE(hmacs_while_destroyed),
	KUNIT_CASE(cipher_of_tokens),
	KUNIT_CASE(tokens_are_all_different),
	KUNIT_CASE(capable_may_come_second),
	KUNIT_CASE(cost_of_steps),
	KUNIT_CASE(cost_of_tokens),
	{}
};

static struct kunit_suite mptcp_handshake_suite = {
	.name = "mptcp-handshake",
	.test_cases = mptcp_handshake_cases,
};

kunit_test_suite(mptcp_handshake_suite);

MODULE_LICENSE("GPL");
/* as MODULE_IMPORT_NS(), which takes a string since Linux 6.13 only */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests for MPTCP handshakes");
