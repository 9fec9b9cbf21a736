/* SPDX-License-Identifier: GPL-2.0 */
/* What a SYN and its third ACK have in common, for those who keep nothing in between: a part of
 * what they hash. Included after protocol.h
 */
#ifndef _MPTCP_SYN_TUPLE_H
#define _MPTCP_SYN_TUPLE_H

#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <net/ipv6.h>

struct mptcp_syn_tuple {
	struct in6_addr	saddr;
	struct in6_addr	daddr;
	__be16		sport;
	__be16		dport;
	u32		net;
	u32		seq;	/* the client's ISN */
};

static inline void mptcp_syn_tuple_fill(struct mptcp_syn_tuple *to, const struct net *net,
					const struct sk_buff *skb, u32 seq)
{
	const struct tcphdr *th = tcp_hdr(skb);

	if (skb->protocol == htons(ETH_P_IP)) {
		ipv6_addr_set_v4mapped(ip_hdr(skb)->saddr, &to->saddr);
		ipv6_addr_set_v4mapped(ip_hdr(skb)->daddr, &to->daddr);
	} else {
		to->saddr = ipv6_hdr(skb)->saddr;
		to->daddr = ipv6_hdr(skb)->daddr;
	}
	to->sport = th->source;
	to->dport = th->dest;
	to->net = net_hash_mix(net);
	to->seq = seq;
}

#endif /* _MPTCP_SYN_TUPLE_H */
