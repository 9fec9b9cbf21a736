// SPDX-License-Identifier: GPL-2.0
/* How much redundancy: as much as is lost
 *
 * What subflows retransmit, as a part of what they send, is the estimate of loss: of all subflows
 * together, since a generation's data goes over several of them. Every 64 segments or
 * more it moves an eighth of the way to what was measured there. It begins with 1 %.
 *
 * The number of redundant symbols is the least with which a generation is lost beyond repair in at
 * most one of a thousand cases, if losses are independent: of n symbols of data and k more, more
 * than k are lost, with the Poisson distribution in place of the binomial one. That is more than
 * what is lost on average, and it has to be: with one case of a hundred the 99th percentile of the
 * delay would be what it is without.
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "ext/coding/coding.h"

#define CODING_LOOK	64

/* How many lost symbols may be expected of a generation, in millionths, with k of 0, 1, ... */
static const u32 coding_expected[MPTCP_CODING_ROWS] = { 1000, 45402, 190535 };

unsigned int mptcp_coding_rows(unsigned int n, u32 loss)
{
	u64 expected = (u64)n * loss;
	unsigned int k = 0;

	while (k < MPTCP_CODING_ROWS && expected > coding_expected[k])
		k++;
	return k;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_coding_rows);

/* Under the lock of the connection. Counters of subflows may change meanwhile. */
void mptcp_coding_measure(struct mptcp_sock *msk, struct mptcp_coding *coding)
{
	struct mptcp_subflow_context *subflow;
	u32 segments = 0, again = 0;
	s32 sent, lost;

	mptcp_for_each_subflow(msk, subflow) {
		const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));

		segments += READ_ONCE(tp->data_segs_out);
		again += READ_ONCE(tp->total_retrans);
	}

	sent = segments - coding->segments;
	lost = again - coding->again;
	if (sent >= 0 && sent < CODING_LOOK)
		return;
	coding->segments = segments;
	coding->again = again;
	/* a subflow is gone, and with it what it had counted */
	if (sent < 0 || lost < 0)
		return;
	lost = div_u64((u64)min(lost, sent) * USEC_PER_SEC, sent);
	coding->loss += (lost - (s32)coding->loss) / 8;
}
