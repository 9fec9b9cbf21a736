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

/* Bytes from @seq on in @dfrag that may be copied: those before the head. */
static u32 mptcp_copy_len(const struct mptcp_data_frag *dfrag, u64 seq, u64 head)
{
	u64 end = dfrag->data_seq + dfrag->data_len;

	if (before64(head, end))
		end = head;
	return after64(end, seq) ? end - seq : 0;
}

/* Carry out a decision to send a copy: from the transmit path, with @ssk locked. Returns
 * the bytes sent.
 */
int mptcp_sched_push_copy(struct sock *sk, struct sock *ssk,
			  struct mptcp_sendmsg_info *info)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	struct mptcp_sock *msk = mptcp_sk(sk);
	u64 seq = subflow->sched_ahead_seq, una = READ_ONCE(msk->snd_una);
	struct mptcp_data_frag *dfrag;
	int copied = 0;

	if (__mptcp_check_fallback(msk))
		return 0;
	if (before64(seq, una))
		seq = una;

	list_for_each_entry(dfrag, &msk->rtx_queue, list) {
		u32 len;
		int ret;

		if (!before64(seq, dfrag->data_seq + dfrag->data_len))
			continue;
		len = mptcp_copy_len(dfrag, seq, mptcp_sched_head(msk));
		len = min(len, subflow->sched_budget);
		if (!len || before64(seq, dfrag->data_seq))
			break;
		info->sent = seq - dfrag->data_seq;
		info->limit = info->sent + len;
		ret = mptcp_sendmsg_frag(sk, ssk, dfrag, info);
		if (ret <= 0)
			break;
		mptcp_sched_spend(subflow, ret, info->mss_now);
		seq += ret;
		copied += ret;
		subflow->sched_next = seq;
	}

	msk->bytes_retrans += copied;
	mptcp_sched_count(msk, MPTCP_MIB_SCHEDCOPYBYTES,
			  &msk->sched_info.copy_bytes, copied);
	return copied;
}
