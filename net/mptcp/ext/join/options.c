// SPDX-License-Identifier: GPL-2.0
/* Joins without state: what of it is in MP_JOIN, at the active end
 *
 *	SYN and SYN/ACK, as in RFC 8684, with a bit S beside B: asked for, granted
 *
 *	third ACK (Paasch, "Improving Multipath TCP", figure 6.7):
 *	+---------------+---------------+-------+-------+---------------+
 *	|     Kind      |  Length = 28  |Subtype|0 0 0 B|  Address ID   |
 *	+---------------+---------------+-------+-------+---------------+
 *	|        Sender's truncated HMAC (128 bits, as the leftmost)    |
 *	|                                                               |
 *	+---------------------------------------------------------------+
 *	|               Sender's random number (32 bits)                |
 *	+---------------------------------------------------------------+
 *	|                Receiver's token (32 bits)                     |
 *	+---------------------------------------------------------------+
 *
 * B and the address id are those of the SYN, which the other end has forgotten. S is not in
 * the third ACK: its length says it.
 */

#include <net/mptcp.h>
#include "protocol.h"
#include "ext/join/join.h"
#include "ext/join/key.h"

/* Flags of the SYN */
u8 mptcp_join_syn_flags(const struct sock *ssk, struct mptcp_subflow_context *subflow)
{
	subflow->join_asked = mptcp_stateless_join(sock_net(ssk)) ||
			      mptcp_join_key_agreed(mptcp_sk(subflow->conn));
	return subflow->join_asked ? MPTCPOPT_STATELESS : 0;
}

/* The third ACK's length, and what it needs beside the HMAC */
unsigned int mptcp_join_ack_prepare(const struct mptcp_subflow_context *subflow,
				    struct mptcp_out_options *opts)
{
	opts->join_long = subflow->join_stateless;
	if (!opts->join_long)
		return TCPOLEN_MPTCP_MPJ_ACK;

	opts->backup = subflow->request_bkup;
	opts->join_id = subflow_get_local_id(subflow);
	opts->nonce = subflow->local_nonce;
	opts->token = subflow->remote_token;
	return TCPOLEN_MPTCP_MPJ_ACK_LONG;
}

__be32 *mptcp_join_ack_write(__be32 *ptr, const struct mptcp_out_options *opts)
{
	*ptr++ = mptcp_option(MPTCPOPT_MP_JOIN, TCPOLEN_MPTCP_MPJ_ACK_LONG,
			      opts->backup, opts->join_id);
	memcpy(ptr, opts->hmac, MPTCPOPT_HMAC_LONG_LEN);
	ptr += MPTCPOPT_HMAC_LONG_LEN / 4;
	put_unaligned_be32(opts->nonce, ptr++);
	put_unaligned_be32(opts->token, ptr++);
	return ptr;
}

/* @ptr: behind kind and length, of the third ACK's */
void mptcp_join_ack_parse(const u8 *ptr, struct mptcp_options_received *opt)
{
	opt->suboptions |= OPTION_MPTCP_MPJ_ACK;
	opt->ext = 1;
	opt->backup = *ptr++ & MPTCPOPT_BACKUP;
	opt->join_id = *ptr++;
	memcpy(opt->hmac, ptr, MPTCPOPT_HMAC_LONG_LEN);
	ptr += MPTCPOPT_HMAC_LONG_LEN;
	opt->nonce = get_unaligned_be32(ptr);
	opt->token = get_unaligned_be32(ptr + 4);
}
