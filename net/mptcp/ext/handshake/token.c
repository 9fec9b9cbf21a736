// SPDX-License-Identifier: GPL-2.0
/* The low-overhead handshake: tokens
 *
 * RFC 8684 makes the token of 32 bits from a hash of the key, so that two connections can have
 * the same, and a host has to look. Paasch's thesis (6.1.3) takes a block cipher of 32 bits of
 * a counter: token = RC5(counter xor secret). A cipher is a permutation: no token comes again
 * before the counter has gone round, 2^32 connections later, and who does not know the secret
 * sees random numbers.
 *
 * Ours is a Feistel network with SipHash-2-4 as its round function, since the kernel has that
 * and no small block cipher. Luby and Rackoff show that four rounds with good functions are a
 * good permutation; with halves of 16 bits their bound is small, and six rounds are known to
 * withstand more than 2^32 chosen numbers. The counter begins at random; the secret is the key.
 *
 * The table of tokens still refuses what is there already: tokens of ordinary connections are
 * hashes, and come as they like. To look costs next to nothing, as the bucket is locked and
 * read to insert the token anyway.
 *
 * With SYN cookies tokens are made otherwise, see cookie.c.
 *
 * Locking: none, the counter is atomic.
 */

#include <kunit/visibility.h>
#include <linux/once.h>
#include <linux/siphash.h>
#include "protocol.h"
#include "ext/handshake/low_overhead.h"

#define LOW_ROUNDS	6

static struct {
	siphash_key_t	key;
	u32		start;
} low_secret __read_mostly;

static atomic_t low_counter = ATOMIC_INIT(0);

static u16 low_round(u16 half, unsigned int round, const siphash_key_t *key)
{
	return siphash_1u32(round << 16 | half, key);
}

u32 mptcp_low_cipher(u32 number, const siphash_key_t *key)
{
	u16 left = number >> 16, right = number;
	unsigned int round;

	for (round = 0; round < LOW_ROUNDS; round++) {
		left ^= low_round(right, round, key);
		swap(left, right);
	}
	return (u32)left << 16 | right;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_low_cipher);

/* Another one each time; 0, which is no token, is left to the caller to refuse. */
u32 mptcp_low_token(void)
{
	get_random_once(&low_secret, sizeof(low_secret));
	return mptcp_low_cipher(low_secret.start + atomic_inc_return(&low_counter),
				&low_secret.key);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_low_token);
