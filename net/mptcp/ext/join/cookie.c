// SPDX-License-Identifier: GPL-2.0
/* Joins without state: the passive end's numbers, made of what comes back in the third ACK
 *
 * Paasch, "Improving Multipath TCP" (2014), 6.1.4 and 6.2.2: "the server verifies that
 * indeed it has generated a SYN/ACK (like regular TCP's SYN-cookie mechanism)". The thesis
 * leaves open where the server's random number R_B is while it keeps nothing. Here both the
 * sequence number of the SYN/ACK and R_B are a keyed hash (SipHash, of 64 bits):
 *
 *	h   = H1(addresses, ports, client's ISN, token, R_A, address id, minute)
 *	R_B = upper 32 bits of h
 *	ISN = H0(addresses, ports) + client's ISN + (minute << 24)
 *	      + ((lower bits of h + MSS) mod 2^24)
 *
 * which has the form of TCP's cookies (net/ipv4/syncookies.c): it grows with time, holds one
 * of eight MSS, and is valid for one to two minutes (MAX_SYNCOOKIE_AGE). It is none of
 * TCP's: the keys are others, and the token and R_A are in it, so that who got one cannot try
 * tokens with it, nor open a TCP connection. Window scale, SACK and ECN come back in the
 * timestamp, as with TCP's cookies; without timestamps they are lost.
 *
 * A guess is right once in 2^28 (21 bits of the hash, 2 minutes of 256), and then costs
 * a lookup of the token and an HMAC. The upper half of h is as unpredictable as
 * the random number that RFC 8684 wants, for those who do not know the keys of this machine.
 */

#include <linux/siphash.h>
#include <linux/tcp.h>
#include <net/tcp.h>
#include "protocol.h"
#include "ext/join/join.h"
#include "ext/syn_tuple.h"

#define JOIN_COUNT_SHIFT	24
#define JOIN_HASH_MASK		GENMASK(JOIN_COUNT_SHIFT - 1, 0)

/* Of the thesis' time and since: IPv4 and IPv6, plain, tunnelled, PPPoE, jumbo. Sorted. */
static const u16 join_mss[] = { 536, 1220, 1300, 1420, 1440, 1460, 4036, 8940 };

static siphash_aligned_key_t join_secret[2];

struct join_cookie {
	struct mptcp_syn_tuple	syn;	/* its seq, the last, and all behind: in H1 only */
	u32			token;
	u32			nonce;
	u32			id;
	u32			count;
	u32			pad;
} __aligned(SIPHASH_ALIGNMENT);

static void join_cookie_fill(struct join_cookie *in, const struct net *net,
			     const struct sk_buff *skb, u32 seq,
			     const struct mptcp_options_received *opt)
{
	memset(in, 0, sizeof(*in));
	mptcp_syn_tuple_fill(&in->syn, net, skb, seq);
	in->token = opt->token;
	in->nonce = opt->nonce;
	in->id = opt->join_id;
}

/* H0 and the client's ISN */
static u32 join_cookie_base(const struct join_cookie *in)
{
	net_get_random_once(join_secret, sizeof(join_secret));
	return (u32)siphash(in, offsetof(struct join_cookie, syn.seq), &join_secret[0]) +
	       in->syn.seq;
}

/* H1 in the minute @count */
static u64 join_cookie_hash(struct join_cookie *in, u32 count)
{
	in->count = count;
	return siphash(in, sizeof(*in), &join_secret[1]);
}

/* The SYN/ACK's sequence number for the SYN @skb, and its R_B; @mss becomes the next lower
 * one that comes back.
 */
u32 mptcp_join_cookie(const struct net *net, const struct sk_buff *skb,
		      const struct mptcp_options_received *opt, u16 *mss, u32 *nonce)
{
	u32 base, count = tcp_cookie_time();
	struct join_cookie in;
	unsigned int i;
	u64 hash;

	for (i = ARRAY_SIZE(join_mss) - 1; i; i--)
		if (*mss >= join_mss[i])
			break;
	*mss = join_mss[i];

	join_cookie_fill(&in, net, skb, ntohl(tcp_hdr(skb)->seq), opt);
	base = join_cookie_base(&in);
	hash = join_cookie_hash(&in, count);
	*nonce = upper_32_bits(hash);

	return base + (count << JOIN_COUNT_SHIFT) + (((u32)hash + i) & JOIN_HASH_MASK);
}

/* Does the third ACK @skb acknowledge such a number? Its MSS, and R_B; 0: no, or one that is
 * too old.
 */
int mptcp_join_cookie_check(const struct net *net, const struct sk_buff *skb,
			    const struct mptcp_options_received *opt, u32 *nonce)
{
	u32 cookie = ntohl(tcp_hdr(skb)->ack_seq) - 1, age, count = tcp_cookie_time();
	struct join_cookie in;
	u64 hash;

	join_cookie_fill(&in, net, skb, ntohl(tcp_hdr(skb)->seq) - 1, opt);
	cookie -= join_cookie_base(&in);
	age = (count - (cookie >> JOIN_COUNT_SHIFT)) & (~0U >> JOIN_COUNT_SHIFT);
	if (age >= MAX_SYNCOOKIE_AGE)
		return 0;

	hash = join_cookie_hash(&in, count - age);
	*nonce = upper_32_bits(hash);
	cookie = (cookie - (u32)hash) & JOIN_HASH_MASK;

	return cookie < ARRAY_SIZE(join_mss) ? join_mss[cookie] : 0;
}
