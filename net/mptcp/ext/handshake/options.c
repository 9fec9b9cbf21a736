// SPDX-License-Identifier: GPL-2.0
/* The low-overhead handshake: its options on the wire
 *
 * MP_CAPABLE of version 2, flags as in version 1 (A: checksums, C: no more subflows to this
 * address; H is set in a SYN only, for a peer that answers with version 1):
 *
 *	SYN                             | 30 | 4       | 0 2 | flags |
 *	SYN/ACK                         | 30 | 8       | 0 2 | flags | token B |
 *	third ACK                       | 30 | 12      | 0 2 | flags | token A | token B |
 *	first data                      | 30 | 14 (16) | ... token B | length | (checksum) |
 *
 * MP_JOIN, where the token is B's, of the connection that was established so:
 *
 *	SYN                             | 30 | 8       | 1 B | address id | token |
 *	SYN/ACK                         | 30 | 4       | 1 B | address id |
 *	third ACK                       | 30 | 8       | 1 0 | 0          | token |
 *
 * But for the first SYN's, these lengths are of no other option of those segments: who does
 * not know them takes them for nothing. All others, ADD_ADDR and MP_FASTCLOSE too, are as
 * RFC 8684 has them, with the tokens for keys of 64 bits.
 */

#include <kunit/visibility.h>
#include <linux/unaligned.h>
#include "protocol.h"
#include "ext/handshake/low_overhead.h"

static bool low_is(const struct sk_buff *skb, u8 flags)
{
	return (TCP_SKB_CB(skb)->tcp_flags & (TCPHDR_SYN | TCPHDR_ACK)) == flags;
}

/* What comes behind the tokens of the first data: as a DSS would say it */
static void low_parse_map(const u8 *ptr, int opsize, struct mptcp_options_received *mp_opt)
{
	mp_opt->suboptions |= OPTION_MPTCP_DSS;
	mp_opt->use_map = 1;
	mp_opt->mpc_map = 1;
	mp_opt->data_len = get_unaligned_be16(ptr);
	if (opsize == TCPOLEN_MPTCP_LOW_ACK_DATA_CSUM) {
		mp_opt->csum = get_unaligned((__force __sum16 *)(ptr + 2));
		mp_opt->suboptions |= OPTION_MPTCP_CSUMREQD;
	}
}

static bool low_parse_ack(const struct sk_buff *skb, const u8 *ptr, int opsize,
			  struct mptcp_options_received *mp_opt)
{
	bool data = skb->len > tcp_hdr(skb)->doff << 2;
	int wanted = data ? TCPOLEN_MPTCP_LOW_ACK_DATA : TCPOLEN_MPTCP_LOW_ACK;

	if (mp_opt->suboptions & ~OPTION_MPTCP_RM_ADDR)
		return false;
	if (opsize != wanted && !(data && opsize == TCPOLEN_MPTCP_LOW_ACK_DATA_CSUM))
		return false;

	mp_opt->suboptions |= OPTION_MPTCP_MPC_ACK;
	mp_opt->sndr_key = get_unaligned_be32(ptr + 2);
	mp_opt->rcvr_key = get_unaligned_be32(ptr + 6);
	if (data)
		low_parse_map(ptr + 10, opsize, mp_opt);
	return true;
}

static bool low_parse_synack(const u8 *ptr, int opsize, struct mptcp_options_received *mp_opt)
{
	if (mp_opt->suboptions & ~OPTIONS_MPTCP_PRIVATE || opsize != TCPOLEN_MPTCP_LOW_SYNACK)
		return false;

	mp_opt->suboptions |= OPTION_MPTCP_MPC_SYNACK;
	mp_opt->sndr_key = get_unaligned_be32(ptr + 2);
	return true;
}

/* MP_CAPABLE: @ptr is at its subtype. False if that of version 1 is to be looked for: the version
 * is not ours, or it is a SYN's, which is the same for both.
 */
bool mptcp_low_parse_capable(const struct sk_buff *skb, u8 forms, const u8 *ptr, int opsize,
			     struct mptcp_options_received *mp_opt)
{
	u8 flags;
	bool good;

	if (likely(!(forms & MPTCP_FORM_LOW)))
		return false;
	if ((ptr[0] & MPTCP_VERSION_MASK) != MPTCP_VERSION_LOW || low_is(skb, TCPHDR_SYN) ||
	    opsize < TCPOLEN_MPTCP_LOW_SYNACK)
		return !(forms & MPTCP_FORM_KEYS);

	flags = ptr[1];
	if (flags & MPTCP_CAP_EXTENSIBILITY)
		return true;
	good = low_is(skb, TCPHDR_SYN | TCPHDR_ACK) ? low_parse_synack(ptr, opsize, mp_opt) :
						      low_parse_ack(skb, ptr, opsize, mp_opt);
	if (!good)
		return true;

	mp_opt->low_overhead = 1;
	mp_opt->deny_join_id0 = !!(flags & MPTCP_CAP_DENY_JOIN_ID0);
	if (flags & MPTCP_CAP_CHECKSUM_REQD && opsize < TCPOLEN_MPTCP_LOW_ACK_DATA)
		mp_opt->suboptions |= OPTION_MPTCP_CSUMREQD;
	return true;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_low_parse_capable);

/* MP_JOIN, in the same way; what may stand beside it was looked at. */
bool mptcp_low_parse_join(const struct sk_buff *skb, u8 forms, const u8 *ptr, int opsize,
			  struct mptcp_options_received *mp_opt)
{
	if (likely(!(forms & MPTCP_FORM_LOW)))
		return false;
	if (opsize == TCPOLEN_MPTCP_LOW_JOIN_SYNACK && low_is(skb, TCPHDR_SYN | TCPHDR_ACK))
		mp_opt->suboptions |= OPTION_MPTCP_MPJ_SYNACK;
	else if (opsize == TCPOLEN_MPTCP_LOW_JOIN && low_is(skb, TCPHDR_SYN))
		mp_opt->suboptions |= OPTION_MPTCP_MPJ_SYN;
	else if (opsize == TCPOLEN_MPTCP_LOW_JOIN && low_is(skb, TCPHDR_ACK))
		mp_opt->suboptions |= OPTION_MPTCP_MPJ_ACK;
	else
		return !(forms & MPTCP_FORM_KEYS);

	mp_opt->low_overhead = 1;
	mp_opt->backup = ptr[0] & MPTCPOPT_BACKUP;
	mp_opt->join_id = ptr[1];
	mp_opt->nonce = 0;
	if (opsize == TCPOLEN_MPTCP_LOW_JOIN)
		mp_opt->token = get_unaligned_be32(ptr + 2);
	return true;
}

/* Of the option that @opts asks for, without padding */
static u8 low_length(const struct mptcp_out_options *opts)
{
	if (opts->suboptions & OPTION_MPTCP_MPC_SYN)
		return TCPOLEN_MPTCP_MPC_SYN;
	if (opts->suboptions & OPTION_MPTCP_MPC_SYNACK)
		return TCPOLEN_MPTCP_LOW_SYNACK;
	if (opts->suboptions & OPTION_MPTCP_MPC_ACK && !opts->data_len)
		return TCPOLEN_MPTCP_LOW_ACK;
	if (opts->suboptions & OPTION_MPTCP_MPC_ACK)
		return opts->csum_reqd ? TCPOLEN_MPTCP_LOW_ACK_DATA_CSUM :
					 TCPOLEN_MPTCP_LOW_ACK_DATA;
	if (opts->suboptions & OPTION_MPTCP_MPJ_SYNACK)
		return TCPOLEN_MPTCP_LOW_JOIN_SYNACK;
	return TCPOLEN_MPTCP_LOW_JOIN;
}

unsigned int mptcp_low_size(const struct mptcp_out_options *opts)
{
	return ALIGN(low_length(opts), 4);
}

static __be32 *low_write_map(__be32 *ptr, const struct mptcp_out_options *opts)
{
	u16 behind = TCPOPT_NOP << 8 | TCPOPT_NOP;

	put_unaligned_be16(opts->data_len, ptr);
	if (opts->csum_reqd)
		put_unaligned(__mptcp_make_csum(opts->data_seq, opts->subflow_seq, opts->data_len,
						~csum_unfold(opts->csum)), (__sum16 *)ptr + 1);
	else
		put_unaligned_be16(behind, (u8 *)ptr + 2);
	return ptr + 1;
}

static __be32 *low_write_capable(__be32 *ptr, const struct mptcp_out_options *opts)
{
	u8 flags = opts->suboptions & OPTION_MPTCP_MPC_SYN ? MPTCP_CAP_HMAC_SHA256 : 0;

	if (opts->csum_reqd)
		flags |= MPTCP_CAP_CHECKSUM_REQD;
	if (!opts->allow_join_id0)
		flags |= MPTCP_CAP_DENY_JOIN_ID0;

	*ptr++ = mptcp_option(MPTCPOPT_MP_CAPABLE, low_length(opts), MPTCP_VERSION_LOW, flags);
	if (opts->suboptions & OPTION_MPTCP_MPC_SYN)
		return ptr;
	*ptr++ = cpu_to_be32(opts->sndr_key);
	if (opts->suboptions & OPTION_MPTCP_MPC_SYNACK)
		return ptr;
	*ptr++ = cpu_to_be32(opts->rcvr_key);
	return opts->data_len ? low_write_map(ptr, opts) : ptr;
}

/* In place of MP_CAPABLE or MP_JOIN of RFC 8684 */
__be32 *mptcp_low_write(__be32 *ptr, const struct mptcp_out_options *opts)
{
	bool third = opts->suboptions & OPTION_MPTCP_MPJ_ACK;

	if (opts->suboptions & OPTIONS_MPTCP_MPC)
		return low_write_capable(ptr, opts);

	*ptr++ = mptcp_option(MPTCPOPT_MP_JOIN, low_length(opts), third ? 0 : opts->backup,
			      third ? 0 : opts->join_id);
	if (!(opts->suboptions & OPTION_MPTCP_MPJ_SYNACK))
		*ptr++ = cpu_to_be32(opts->token);
	return ptr;
}
