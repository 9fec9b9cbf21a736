// SPDX-License-Identifier: GPL-2.0
/* The code: what a redundant symbol is made of, and how lost ones are computed from it
 *
 * A generation is a range of the data sequence, cut into n symbols p[0] to p[n - 1] of the
 * same size; the last one is filled up with zeros. The code is systematic: the symbols go
 * as they are, and up to three redundant ones beside them, after which any three that are
 * missing can be computed. Redundant symbol ("row") r is
 *
 *	sum over i of  p[i] * g^(r * (n - 1 - i))
 *
 * byte by byte in GF(2^8), of the polynomial 0x11d and with g = 2, as RAID-6 has it. Addition is
 * XOR. So row 0 is the parity P of RAID, row 1 its Q, and row 2 the next one of the same kind.
 * A system of rows and missing symbols is a Vandermonde matrix, or a part of one in which
 * no element repeats: with these three rows each can be solved, for up to 255 symbols
 * (Plank, "A tutorial on Reed-Solomon coding", 1997; four rows would not have that).
 *
 * The sum is computed as Horner does it, first to last: multiply what there is by g^r, add
 * the next symbol. To multiply by g is a shift, and an XOR where a bit fell out:
 * eight bytes at a time, without tables, in six operations of the CPU.
 *
 * A missing symbol counts as zero in that sum. What the redundant symbol has more
 * is the sum of the missing ones alone: as many equations as there are rows, solved by
 * elimination. All of this is pure, and tested in test.c.
 */

#include <kunit/visibility.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include "ext/coding/coding.h"

#define CODING_POLYNOMIAL	0x1d

/* Eight products with g */
static u64 times_g(u64 v)
{
	u64 out = (v >> 7) & 0x0101010101010101ULL;

	return ((v & 0x7f7f7f7f7f7f7f7fULL) << 1) ^ (out * CODING_POLYNOMIAL);
}

u8 mptcp_coding_mul(u8 a, u8 b)
{
	u8 product = 0;

	for (; b; b >>= 1) {
		if (b & 1)
			product ^= a;
		a = (a << 1) ^ (a & 0x80 ? CODING_POLYNOMIAL : 0);
	}
	return product;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_coding_mul);

/* g^power */
static u8 power_of_g(unsigned int power)
{
	u8 result = 1;

	for (power %= 255; power; power--)
		result = mptcp_coding_mul(result, 2);
	return result;
}

/* a^254: 255 is the order of the group */
static u8 inverse(u8 a)
{
	u8 result = 1, square = a;
	int bit;

	for (bit = 1; bit < 8; bit++) {
		square = mptcp_coding_mul(square, square);
		result = mptcp_coding_mul(result, square);
	}
	return result;
}

/* What symbol @i of @n is multiplied by in @row */
u8 mptcp_coding_factor(unsigned int row, unsigned int i, unsigned int n)
{
	return power_of_g(row * (n - 1 - i));
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_coding_factor);

/* Horner's step: multiply the sum of @size bytes, and add the next symbol, of which @len bytes are
 * not zero.
 */
void mptcp_coding_next(u8 *sum, unsigned int size, const u8 *symbol, unsigned int len,
		       unsigned int row)
{
	unsigned int at, words = size & ~7u, whole = len & ~7u, r;

	for (at = 0; row && at < words; at += 8) {
		u64 v = get_unaligned((u64 *)(sum + at));

		for (r = 0; r < row; r++)
			v = times_g(v);
		put_unaligned(v, (u64 *)(sum + at));
	}
	for (; row && at < size; at++)
		sum[at] = mptcp_coding_mul(sum[at], 1 << row);

	for (at = 0; at < whole; at += 8)
		put_unaligned(get_unaligned((u64 *)(sum + at)) ^
			      get_unaligned((const u64 *)(symbol + at)), (u64 *)(sum + at));
	for (; at < len; at++)
		sum[at] ^= symbol[at];
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_coding_next);

/* Add @factor times @from to @to. */
void mptcp_coding_add(u8 *to, const u8 *from, unsigned int len, u8 factor)
{
	unsigned int at = 0;

	for (; factor && at + 8 <= len; at += 8) {
		u64 v = get_unaligned((const u64 *)(from + at)), sum = 0;
		u8 bits;

		for (bits = factor; bits; bits >>= 1) {
			if (bits & 1)
				sum ^= v;
			v = times_g(v);
		}
		put_unaligned(get_unaligned((u64 *)(to + at)) ^ sum, (u64 *)(to + at));
	}
	for (; at < len; at++)
		to[at] ^= mptcp_coding_mul(from[at], factor);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_coding_add);

static void scale(u8 *symbol, unsigned int size, u8 factor)
{
	/* f * s = s + (f + 1) * s */
	mptcp_coding_add(symbol, symbol, size, factor ^ 1);
}

/* @m symbols of @n are missing, those in @missing. @sums has as many rows, those in @rows, each
 * without what all the others add to it. Afterwards sums[j] is symbol missing[j].
 */
void mptcp_coding_solve(u8 **sums, const u8 *rows, const u8 *missing, unsigned int m,
			unsigned int n, unsigned int size)
{
	u8 matrix[MPTCP_CODING_ROWS][MPTCP_CODING_ROWS], factor;
	unsigned int row, column, other;

	for (row = 0; row < m; row++)
		for (column = 0; column < m; column++)
			matrix[row][column] = mptcp_coding_factor(rows[row], missing[column], n);

	/* in ascending order of the rows no pivot is zero: see the minors above */
	for (column = 0; column < m; column++) {
		factor = inverse(matrix[column][column]);
		scale(sums[column], size, factor);
		for (other = 0; other < m; other++)
			matrix[column][other] = mptcp_coding_mul(matrix[column][other], factor);

		for (row = 0; row < m; row++) {
			if (row == column)
				continue;
			factor = matrix[row][column];
			mptcp_coding_add(sums[row], sums[column], size, factor);
			for (other = 0; other < m; other++)
				matrix[row][other] ^= mptcp_coding_mul(matrix[column][other],
								       factor);
		}
	}
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_coding_solve);
