/* SPDX-License-Identifier: GPL-2.0 */
/* Early delivery: see early.c */
#ifndef _MPTCP_EARLY_H
#define _MPTCP_EARLY_H

#include <linux/skbuff.h>
#include <net/mptcp.h>

bool mptcp_early_mapped(const struct mptcp_ext *mpext, u32 ssn, u32 len, bool csum_reqd);
bool mptcp_early_has_room(int rmem, u32 truesize, int rcvbuf, bool next);
void mptcp_early_skip(struct sock *ssk, struct sk_buff *skb);

/* Is this a placeholder: has the connection the data of this segment? Nobody can read what
 * is not there, so that TCP neither copies it nor joins it with segments that have data.
 */
static inline bool mptcp_early_taken(const struct sk_buff *skb)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_EARLY) &&
	       unlikely(!skb_frags_readable(skb)) && !skb->len;
}

#endif /* _MPTCP_EARLY_H */
