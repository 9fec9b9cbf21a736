// SPDX-License-Identifier: GPL-2.0
/* The low-overhead handshake: tokens with SYN cookies
 *
 * With SYN cookies nothing is kept until the client's third ACK echoes the token. If any would do,
 * a client could choose its token, and fill the bucket of another one's. So here the token is no
 * number of a series, but a keyed hash (SipHash) of what the third ACK has anyway, as the
 * cookie of TCP beside it:
 *
 *	token = 32 of the 64 bits of H(addresses, ports, client's ISN, minute)
 *
 * A token is worth something to its own SYN only, and as long as TCP's cookie. The table
 * of tokens may have it already: which 32 bits is up to the number of the try, and a third ACK
 * with any of them is right. A guess is, once in 2^28: two minutes, five tries.
 */

#include <linux/bitops.h>
#include <linux/siphash.h>
#include <net/tcp.h>
#include "protocol.h"
#include "ext/handshake/low_overhead.h"
#include "ext/syn_tuple.h"

struct low_cookie {
	struct mptcp_syn_tuple	syn;
	u32			minute;
} __aligned(SIPHASH_ALIGNMENT);

static siphash_aligned_key_t low_cookie_secret;

static u64 low_cookie_hash(const struct net *net, const struct sk_buff *skb, u32 seq, u32 minute)
{
	struct low_cookie in = {};

	net_get_random_once(&low_cookie_secret, sizeof(low_cookie_secret));
	mptcp_syn_tuple_fill(&in.syn, net, skb, seq);
	in.minute = minute;
	return siphash(&in, sizeof(in), &low_cookie_secret);
}

/* At the try after which @retries are left. 0 is no token. */
static u32 low_cookie_try(u64 hash, unsigned int retries)
{
	BUILD_BUG_ON(8 * MPTCP_TOKEN_MAX_RETRIES > 32);
	return (u32)(hash >> 8 * retries) ? : 1;
}

/* The token of the SYN/ACK that answers the SYN @skb */
u32 mptcp_low_cookie_token(const struct net *net, const struct sk_buff *skb, unsigned int retries)
{
	return low_cookie_try(low_cookie_hash(net, skb, ntohl(tcp_hdr(skb)->seq),
					      tcp_cookie_time()), retries);
}

/* Is it @token that a SYN/ACK had, to which the third ACK @skb answers? */
bool mptcp_low_cookie_valid(const struct net *net, const struct sk_buff *skb, u64 token)
{
	u32 seq = ntohl(tcp_hdr(skb)->seq) - 1, now = tcp_cookie_time(), age;
	unsigned int retries;
	u64 hash;

	for (age = 0; age < MAX_SYNCOOKIE_AGE; age++) {
		hash = low_cookie_hash(net, skb, seq, now - age);
		for (retries = 0; retries <= MPTCP_TOKEN_MAX_RETRIES; retries++)
			if (token == low_cookie_try(hash, retries))
				return true;
	}
	return false;
}
