// SPDX-License-Identifier: GPL-2.0
/* Falling back: acknowledgments that come without options
 *
 * A middlebox may begin to remove options in mid-connection: a route changes, and
 * the new path has a firewall that knows TCP only. Who receives data notices at
 * once, since there are bytes without a mapping. Who only sends does not: TCP's
 * acknowledgments go on to come, but no DATA_ACK.
 *
 * With a single subflow the peer went on as TCP then (RFC 8684, section 3.7). What
 * this end sends again, since the data level lacks it, the peer takes for what
 * comes next: wrong bytes. With several subflows what this one carried is owed
 * for ever.
 *
 * A proxy that acknowledges data before it has delivered it (satellites, mobile
 * networks) looks the same, but the peer's own acknowledgments, with options, come
 * behind. They are late when its path is, and may pause for seconds: the proxy
 * tells nothing about the time behind it. So:
 *
 * - While acknowledgments without options are all that comes, for data that TCP
 *   has acknowledged and no DATA_ACK has, nothing is sent again on an only subflow.
 * - That must last MPTCP_OPTIONLESS_PATIENCE, and eight round trips, before it is
 *   acted upon. The first subflow, alone, goes on as TCP. A joined one, or the
 *   first beside others, is reset, so that what it carried is sent again elsewhere; for
 *   that it takes two segments, as one that strayed to an idle subflow says nothing.
 *   Both are what section 3.7 asks for, and concern this subflow only.
 *
 * Locking: noted under the subflow's lock, acted upon by the worker, under the msk
 * lock.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"

#define MPTCP_OPTIONLESS_PATIENCE	(10 * HZ)

static u64 mptcp_unacked(const struct mptcp_sock *msk)
{
	u64 unacked = READ_ONCE(msk->snd_nxt) - READ_ONCE(msk->snd_una);

	/* a DATA_FIN has no byte that TCP could acknowledge */
	return unacked - (unacked && mptcp_data_fin_enabled(msk));
}

/* A segment came on @ssk that has none of our options: note since when that is so, while TCP
 * has acknowledged more than the data level.
 */
void mptcp_optionless_note(struct mptcp_sock *msk, struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	const struct tcp_sock *tp = tcp_sk(ssk);

	if (!subflow->fully_established)
		return;
	if (mptcp_unacked(msk) <= tp->write_seq - tp->snd_una) {
		WRITE_ONCE(subflow->optionless_since, 0);
		return;
	}

	WRITE_ONCE(subflow->optionless_again, subflow->optionless_since);
	if (!subflow->optionless_since)
		WRITE_ONCE(subflow->optionless_since, tcp_jiffies32 ?: 1);
}

/* Did it last? */
static bool mptcp_optionless_lasts(const struct mptcp_subflow_context *subflow)
{
	const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));
	u32 since = READ_ONCE(subflow->optionless_since);
	/* srtt_us is eight round trips */
	s32 patience = max_t(s32, MPTCP_OPTIONLESS_PATIENCE,
			     usecs_to_jiffies(READ_ONCE(tp->srtt_us)));

	return since && (s32)(tcp_jiffies32 - since) >= patience;
}

/* Does the data level lack something that TCP has not in flight on any subflow? */
static bool mptcp_optionless_owed(const struct mptcp_sock *msk)
{
	const struct mptcp_subflow_context *subflow;
	u64 flight = 0;

	mptcp_for_each_subflow(msk, subflow) {
		const struct tcp_sock *tp = tcp_sk(mptcp_subflow_tcp_sock(subflow));

		flight += READ_ONCE(tp->write_seq) - READ_ONCE(tp->snd_una);
	}
	return mptcp_unacked(msk) > flight;
}

static void mptcp_optionless_reset(struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);

	lock_sock(ssk);
	subflow->reset_transient = 0;
	subflow->reset_reason = MPTCP_RST_EMIDDLEBOX;
	mptcp_subflow_reset(ssk);
	release_sock(ssk);
}

/* Go on as TCP, which has what was sent so far. */
static void mptcp_optionless_fall_back(struct sock *sk, struct sock *ssk)
{
	struct mptcp_sock *msk = mptcp_sk(sk);
	bool done;

	lock_sock(ssk);
	done = ssk->sk_state != TCP_CLOSE && mptcp_try_fallback(ssk, MPTCP_MIB_DSSFALLBACK);
	release_sock(ssk);
	if (!done)
		return;

	mptcp_data_lock(sk);
	__mptcp_snd_una_update(msk, READ_ONCE(msk->snd_nxt));
	__mptcp_data_acked(sk);
	mptcp_data_unlock(sk);
	__mptcp_push_pending(sk, 0);
}

/* The retransmission timer has expired. True: nothing is to be sent again now. */
bool mptcp_optionless_retrans(struct sock *sk)
{
	struct mptcp_subflow_context *subflow, *tmp;
	struct mptcp_sock *msk = mptcp_sk(sk);
	struct sock *first = msk->first;

	msk_owned_by_me(msk);

	if (__mptcp_check_fallback(msk) || !first)
		return false;

	if (READ_ONCE(msk->allow_infinite_fallback)) {
		subflow = mptcp_subflow_ctx(first);
		if (mptcp_optionless_lasts(subflow))
			mptcp_optionless_fall_back(sk, first);
		return __mptcp_check_fallback(msk) || READ_ONCE(subflow->optionless_since);
	}

	/* while another one joins its end is waited for */
	if (READ_ONCE(msk->one_stream))
		return false;

	mptcp_for_each_subflow_safe(msk, subflow, tmp) {
		if (READ_ONCE(subflow->optionless_again) && mptcp_optionless_lasts(subflow) &&
		    mptcp_optionless_owed(msk))
			mptcp_optionless_reset(mptcp_subflow_tcp_sock(subflow));
	}
	return false;
}
