// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: copies of data that another subflow has
 *
 * A scheduler with .copies gives a subflow data that was sent before, to have it
 * arrive twice. Such a scheduler has work as long as something is not
 * acknowledged, though nothing new waits; the transmit path asks it then, too
 * (see mptcp_sched_has_work()).
 *
 * Each subflow remembers where the last data that it was given ends
 * (subflow->sched_next).
 *
 * Locking: all under the msk lock.
 */

#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"
#include "sched.h"

/* Carry out a decision to send a copy: from the transmit path, with @ssk locked. Returns
 * the bytes sent.
 */
int mptcp_sched_push_copy(struct sock *sk, struct sock *ssk,
			  struct mptcp_sendmsg_info *info)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(sk);
	u64 seq = subflow->sched_ahead_seq, una = READ_ONCE(msk->snd_una);
	u64 head = mptcp_sched_head(msk);
	u32 steps = MPTCP_SCHED_STEPS;
	int copied;

	if (before64(seq, una))
		seq = una;
	if (__mptcp_check_fallback(msk) || !before64(seq, head))
		return 0;

	copied = mptcp_sched_send_from(ssk, info, seq,
				       min_t(u64, head - seq, subflow->sched_budget),
				       &steps);
	if (copied)
		subflow->sched_next = seq + copied;

	msk->bytes_retrans += copied;
	mptcp_sched_count(msk, MPTCP_MIB_SCHEDCOPYBYTES,
			  &msk->sched_info.copy_bytes, copied);
	return copied;
}
