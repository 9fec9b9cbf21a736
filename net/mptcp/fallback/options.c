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
 * - They must go on to come for MPTCP_OPTIONLESS_PATIENCE, and eight round trips,
 *   before that is acted upon. The first subflow, alone, goes on as TCP. A joined one,
 *   or the first beside others, is reset, so that what it carried is sent again
 *   elsewhere. Both are what section 3.7 asks for, and concern this subflow only.
 * - Silence says nothing about options: the path may be dark, and another one join.
 *   After a long one the count begins anew. TCP has nothing to send, so the peer is
 *   asked for an acknowledgment, as keepalives ask, with pauses that double until it
 *   answers. If it never does the subflow is reset.
 *
 * Locking: noted under the subflow's lock, acted upon by the worker, under the msk
 * lock.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"
#include "mib.h"

#define MPTCP_OPTIONLESS_PATIENCE	(10 * HZ)	/* at least */
#define MPTCP_OPTIONLESS_PAUSE		(64 * HZ)	/* the longest */
#define MPTCP_OPTIONLESS_SILENCE	(15 * 60 * HZ)	/* about what TCP's retries take */

static u64 mptcp_unacked(const struct mptcp_sock *msk)
{
	u64 unacked = READ_ONCE(msk->snd_nxt) - READ_ONCE(msk->snd_una);

	/* a DATA_FIN has no byte that TCP could acknowledge */
	return unacked - (unacked && mptcp_data_fin_enabled(msk));
}

static s32 mptcp_optionless_patience(const struct sock *ssk)
{
	/* srtt_us is eight round trips */
	return max_t(s32, MPTCP_OPTIONLESS_PATIENCE,
		     usecs_to_jiffies(READ_ONCE(tcp_sk(ssk)->srtt_us)));
}

/* A segment came on @ssk that has none of our options: note since when that is so, while TCP
 * has acknowledged more than the data level.
 */
void mptcp_optionless_note(struct mptcp_sock *msk, struct sock *ssk)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);
	const struct tcp_sock *tp = tcp_sk(ssk);
	u32 now = tcp_jiffies32;
	s32 silence;

	if (!subflow->fully_established)
		return;
	if (mptcp_unacked(msk) <= tp->write_seq - tp->snd_una) {
		WRITE_ONCE(subflow->optionless_since, 0);
		return;
	}

	silence = now - subflow->optionless_last;
	WRITE_ONCE(subflow->optionless_last, now);
	WRITE_ONCE(subflow->optionless_asked, now);
	if (!subflow->optionless_since || silence > mptcp_optionless_patience(ssk) / 2)
		/* who sees when it began sees the above */
		smp_store_release(&subflow->optionless_since, now ?: 1);
}

/* Did it last, up to the last of them? */
static bool mptcp_optionless_lasts(const struct mptcp_subflow_context *subflow)
{
	/* before when they came last: see mptcp_optionless_note() */
	u32 since = smp_load_acquire(&subflow->optionless_since);
	s32 lasted = READ_ONCE(subflow->optionless_last) - since;

	return since && lasted >= mptcp_optionless_patience(mptcp_subflow_tcp_sock(subflow));
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

static void mptcp_optionless_reset(struct sock *ssk, u8 reason, bool transient)
{
	struct mptcp_subflow_context *subflow = mptcp_subflow_ctx(ssk);

	lock_sock(ssk);
	subflow->reset_transient = transient;
	subflow->reset_reason = reason;
	mptcp_subflow_reset(ssk);
	release_sock(ssk);
}

/* Have the peer acknowledge once more. */
static void mptcp_optionless_keepalive(struct sock *ssk)
{
	lock_sock(ssk);
	WRITE_ONCE(mptcp_subflow_ctx(ssk)->optionless_asked, tcp_jiffies32);
	/* as in a timer of TCP, which asks by itself what it has sent */
	local_bh_disable();
	tcp_mstamp_refresh(tcp_sk(ssk));
	if (!tcp_sk(ssk)->packets_out)
		tcp_write_wakeup(ssk, LINUX_MIB_TCPKEEPALIVE);
	local_bh_enable();
	release_sock(ssk);
}

/* It does not last yet: ask the peer, if it is silent. The time since it answered doubles. */
static void mptcp_optionless_ask(struct mptcp_subflow_context *subflow)
{
	struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
	u32 last, asked, pause;

	/* as in mptcp_optionless_lasts() */
	if (!smp_load_acquire(&subflow->optionless_since))
		return;
	last = READ_ONCE(subflow->optionless_last);
	asked = READ_ONCE(subflow->optionless_asked);
	pause = clamp_t(u32, asked - last, HZ, MPTCP_OPTIONLESS_PAUSE);
	if ((s32)(tcp_jiffies32 - last) >= MPTCP_OPTIONLESS_SILENCE)
		mptcp_optionless_reset(ssk, MPTCP_RST_EBADPERF, true);
	else if ((s32)(tcp_jiffies32 - asked - pause) >= 0)
		mptcp_optionless_keepalive(ssk);
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
		else
			mptcp_optionless_ask(subflow);
		return __mptcp_check_fallback(msk) || READ_ONCE(subflow->optionless_since);
	}

	/* while another one joins its end is waited for */
	if (READ_ONCE(msk->one_stream))
		return false;

	mptcp_for_each_subflow_safe(msk, subflow, tmp) {
		if (!mptcp_optionless_owed(msk))
			break;
		if (mptcp_optionless_lasts(subflow))
			mptcp_optionless_reset(mptcp_subflow_tcp_sock(subflow),
					       MPTCP_RST_EMIDDLEBOX, false);
		else
			mptcp_optionless_ask(subflow);
	}
	return false;
}
