// SPDX-License-Identifier: GPL-2.0
/* KUnit: the code of codec.c, and how much of it rate.c asks for
 *
 * Every set of up to three symbols that can be lost is lost, and computed again from every set of
 * rows. Beside that the two codes are compared that Li's thesis compares, with his example (of
 * five packets that are sent, one is lost): with the systematic code that sends the redundancy
 * first two packets wait at a time and the first one never does; with the other, where all are
 * combinations, four wait, and each until the last one is there.
 *
 * The costs are for reading, not checks: nanoseconds by the kernel's clock. In the test bed's
 * virtual time it stands still, and they are skipped:
 *
 *	tools/kernel/boot-uml --real-time -- bash -c 'modprobe mptcp_coding_test; dmesg'
 */

#include <kunit/test.h>
#include <linux/random.h>
#include <linux/unaligned.h>

#include "ext/coding/coding.h"

#define SIZE	1437	/* no multiple of a word */
#define N	MPTCP_CODING_COLUMNS
#define K	MPTCP_CODING_ROWS

struct generation {
	u8 data[N][SIZE];
	u8 rows[K][SIZE];
	u8 work[K][SIZE];
	unsigned int n;
};

static struct generation *encoded(struct kunit *test, unsigned int n, unsigned int last)
{
	struct generation *gen = kunit_kzalloc(test, sizeof(*gen), GFP_KERNEL);
	unsigned int row, i;

	KUNIT_ASSERT_NOT_NULL(test, gen);
	gen->n = n;
	for (i = 0; i < n; i++)
		get_random_bytes(gen->data[i], i == n - 1 ? last : SIZE);
	for (row = 0; row < K; row++)
		for (i = 0; i < n; i++)
			mptcp_coding_next(gen->rows[row], SIZE, gen->data[i],
					  i == n - 1 ? last : SIZE, row);
	return gen;
}

/* Compute the @m symbols that are missing from as many rows. */
static bool repaired(struct generation *gen, const u8 *rows, const u8 *missing, unsigned int m)
{
	u8 *sums[K];
	unsigned int i, j, lost;

	for (j = 0; j < m; j++) {
		sums[j] = gen->work[j];
		memset(sums[j], 0, SIZE);
		for (i = 0, lost = 0; i < gen->n; i++) {
			bool is = lost < m && missing[lost] == i;

			lost += is;
			mptcp_coding_next(sums[j], SIZE, gen->data[i], is ? 0 : SIZE, rows[j]);
		}
		mptcp_coding_add(sums[j], gen->rows[rows[j]], SIZE, 1);
	}
	mptcp_coding_solve(sums, rows, missing, m, gen->n, SIZE);
	for (j = 0; j < m; j++)
		if (memcmp(sums[j], gen->data[missing[j]], SIZE))
			return false;
	return true;
}

static void parity_and_raid6(struct kunit *test)
{
	struct generation *gen = encoded(test, 3, SIZE);
	u8 p, q, r;
	int at;

	for (at = 0; at < SIZE; at++) {
		u8 a = gen->data[0][at], b = gen->data[1][at], c = gen->data[2][at];

		p = a ^ b ^ c;
		q = mptcp_coding_mul(a, 4) ^ mptcp_coding_mul(b, 2) ^ c;
		r = mptcp_coding_mul(a, 16) ^ mptcp_coding_mul(b, 4) ^ c;
		KUNIT_ASSERT_EQ(test, gen->rows[0][at], p);
		KUNIT_ASSERT_EQ(test, gen->rows[1][at], q);
		KUNIT_ASSERT_EQ(test, gen->rows[2][at], r);
	}
	/* of FIPS 197's like, for 0x11d: g^8 = 0x1d, and g is of order 255 */
	KUNIT_EXPECT_EQ(test, mptcp_coding_mul(0x80, 2), 0x1d);
	KUNIT_EXPECT_EQ(test, mptcp_coding_factor(1, 0, 9), 0x1d);
	KUNIT_EXPECT_EQ(test, mptcp_coding_factor(1, 0, 256), 1);
}

static void one_lost(struct kunit *test)
{
	struct generation *gen = encoded(test, N, 1);
	u8 row, i;

	for (row = 0; row < K; row++)
		for (i = 0; i < N; i++)
			KUNIT_EXPECT_TRUE_MSG(test, repaired(gen, &row, &i, 1),
					      "row %u, symbol %u", row, i);
}

static void two_lost(struct kunit *test)
{
	static const u8 rows[][2] = { { 0, 1 }, { 0, 2 }, { 1, 2 } };
	struct generation *gen = encoded(test, N, 700);
	u8 lost[2];
	int with;

	for (with = 0; with < ARRAY_SIZE(rows); with++)
		for (lost[0] = 0; lost[0] < N; lost[0]++)
			for (lost[1] = lost[0] + 1; lost[1] < N; lost[1]++)
				KUNIT_EXPECT_TRUE_MSG(test, repaired(gen, rows[with], lost, 2),
						      "rows %d, symbols %u %u", with, lost[0],
						      lost[1]);
}

static void three_lost(struct kunit *test)
{
	struct generation *gen = encoded(test, N, SIZE);
	static const u8 rows[] = { 0, 1, 2 };
	u8 lost[3];

	for (lost[0] = 0; lost[0] < N; lost[0]++)
		for (lost[1] = lost[0] + 1; lost[1] < N; lost[1]++) {
			for (lost[2] = lost[1] + 1; lost[2] < N; lost[2]++)
				KUNIT_EXPECT_TRUE_MSG(test, repaired(gen, rows, lost, 3),
						      "symbols %u %u %u", lost[0], lost[1],
						      lost[2]);
			cond_resched();	/* takes a minute where accesses are watched */
		}
}

/* What a receiver does packet by packet: what it has, what waits for others, and how long. */
struct receiver {
	unsigned int delivered;		/* packets, in order */
	unsigned int held;		/* packets in memory */
	unsigned int peak;
	unsigned int waited;		/* sum of packets' waiting, in times of a packet */
};

static void held(struct receiver *r, int change)
{
	r->held += change;
	r->peak = max(r->peak, r->held);
}

/* c = p1+p2+p3+p4 first, then p1, (p2), p3, p4; each that comes is subtracted from c at once. */
static void systematic_needs_two(struct kunit *test)
{
	struct generation *gen = encoded(test, 4, SIZE);
	struct receiver r = {};
	u8 *c = gen->work[0];

	memcpy(c, gen->rows[0], SIZE);
	held(&r, 1);
	mptcp_coding_add(c, gen->data[0], SIZE, 1);	/* p1: on to the application */
	r.delivered++;
	KUNIT_EXPECT_EQ(test, r.held, 1);
	mptcp_coding_add(c, gen->data[2], SIZE, 1);	/* p3 waits for p2, for two packets' time */
	held(&r, 1);
	mptcp_coding_add(c, gen->data[3], SIZE, 1);	/* p4: c is p2 now, and all can go */
	KUNIT_EXPECT_MEMEQ(test, c, gen->data[1], SIZE);
	r.delivered += 3;
	r.waited += 1;
	held(&r, -2);
	KUNIT_EXPECT_EQ(test, r.delivered, 4);
	KUNIT_EXPECT_EQ(test, r.held, 0);
	KUNIT_EXPECT_EQ(test, r.peak, 2);
	KUNIT_EXPECT_EQ(test, r.waited, 1);
}

/* Five combinations, of which the second is lost: the fourth that comes solves them. */
static void not_systematic_needs_four(struct kunit *test)
{
	static const u8 arrive[] = { 0, 2, 3, 4 };
	struct generation *gen = encoded(test, 4, SIZE);
	struct receiver r = {};
	u8 matrix[4][4], (*sums)[SIZE];
	unsigned int i, j, k;

	sums = kunit_kzalloc(test, 4 * SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, sums);
	for (j = 0; j < 4; j++) {
		for (i = 0; i < 4; i++) {
			matrix[j][i] = mptcp_coding_factor(i, 254 - arrive[j], 255);
			mptcp_coding_add(sums[j], gen->data[i], SIZE, matrix[j][i]);
		}
		held(&r, 1);
		r.waited += 3 - j;
	}

	for (k = 0; k < 4; k++) {
		u8 factor = 1;

		while (mptcp_coding_mul(factor, matrix[k][k]) != 1)
			factor++;
		for (i = 0; i < 4; i++)
			matrix[k][i] = mptcp_coding_mul(matrix[k][i], factor);
		mptcp_coding_add(sums[k], sums[k], SIZE, factor ^ 1);
		for (j = 0; j < 4; j++) {
			factor = matrix[j][k];
			if (j == k)
				continue;
			for (i = 0; i < 4; i++)
				matrix[j][i] ^= mptcp_coding_mul(matrix[k][i], factor);
			mptcp_coding_add(sums[j], sums[k], SIZE, factor);
		}
	}
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_MEMEQ(test, sums[i], gen->data[i], SIZE);
	KUNIT_EXPECT_EQ(test, r.peak, 4);
	KUNIT_EXPECT_EQ(test, r.waited, 6);
}

static void rows_for_loss(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, mptcp_coding_rows(32, 0), 0);
	KUNIT_EXPECT_EQ(test, mptcp_coding_rows(32, 31), 0);
	KUNIT_EXPECT_EQ(test, mptcp_coding_rows(32, 1000), 1);
	KUNIT_EXPECT_EQ(test, mptcp_coding_rows(1, 10000), 1);
	KUNIT_EXPECT_EQ(test, mptcp_coding_rows(2, 10000), 1);
	KUNIT_EXPECT_EQ(test, mptcp_coding_rows(4, 10000), 1);
	KUNIT_EXPECT_EQ(test, mptcp_coding_rows(16, 10000), 2);
	KUNIT_EXPECT_EQ(test, mptcp_coding_rows(32, 10000), 3);
	KUNIT_EXPECT_EQ(test, mptcp_coding_rows(32, 30000), 3);
	KUNIT_EXPECT_EQ(test, mptcp_coding_rows(32, 1000000), 3);
}

/* Nanoseconds for 1000 bytes of data: the least of some rounds */
static u64 cost(struct generation *gen, unsigned int k, bool lost)
{
	static const u8 rows[] = { 0, 1, 2 }, missing[] = { 3, 9, 27 };
	u64 start, least = U64_MAX;
	unsigned int row, i, times;

	for (times = 0; times < 100; times++) {
		cond_resched();
		start = ktime_get_ns();
		if (lost)
			repaired(gen, rows, missing, k);
		for (row = 0; !lost && row < k; row++)
			for (i = 0; i < N; i++)
				mptcp_coding_next(gen->rows[row], SIZE, gen->data[i], SIZE, row);
		least = min(least, ktime_get_ns() - start);
	}
	return div_u64(least * 1000, N * SIZE);
}

static void costs(struct kunit *test)
{
	struct generation *gen = encoded(test, N, SIZE);
	unsigned int k;

	if (!cost(gen, K, false))
		kunit_skip(test, "the clock stands still");
	for (k = 1; k <= K; k++)
		kunit_info(test, "%u of %u: %llu ns to encode 1000 bytes, %llu to decode them\n",
			   k, N, cost(gen, k, false), cost(gen, k, true));
}

/* Each connection that has it pays for that, and nobody is charged. */
static void idle_is_cheap(struct kunit *test)
{
	/* but for the lock, which is large where lockdep watches it */
	KUNIT_EXPECT_LE(test, sizeof(struct mptcp_coding) - sizeof(spinlock_t), 188);
}

static struct kunit_case mptcp_coding_cases[] = {
	KUNIT_CASE(idle_is_cheap),
	KUNIT_CASE(parity_and_raid6),
	KUNIT_CASE(one_lost),
	KUNIT_CASE(two_lost),
	KUNIT_CASE(three_lost),
	KUNIT_CASE(systematic_needs_two),
	KUNIT_CASE(not_systematic_needs_four),
	KUNIT_CASE(rows_for_loss),
	KUNIT_CASE(costs),
	{}
};

static struct kunit_suite mptcp_coding_suite = {
	.name = "mptcp-coding",
	.test_cases = mptcp_coding_cases,
};

kunit_test_suite(mptcp_coding_suite);

MODULE_LICENSE("GPL");
/* as MODULE_IMPORT_NS(), which takes a string since Linux 6.13 only */
MODULE_INFO(import_ns, "EXPORTED_FOR_KUNIT_TESTING");
MODULE_DESCRIPTION("KUnit tests for MPTCP systematic coding");
