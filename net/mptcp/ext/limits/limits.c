// SPDX-License-Identifier: GPL-2.0
/* MPTCP: what limits a connection
 *
 * TCP's chronograph (tcp_info: tcpi_busy_time, tcpi_rwnd_limited, tcpi_sndbuf_limited) says
 * why a subflow does not send more. It cannot say why the connection does not: there the
 * scheduler decides, the window is another one, and one full path is no limit while another
 * has room. So the connection has a clock of its own, which runs in one of these states:
 *
 *	is something unsent?
 *	  no, all of it is acknowledged				 IDLE	the application
 *	  no subflow is usable					 DARK	the paths
 *	  no, and a writer waits for memory			 SNDBUF	the send buffer
 *	  no							 IDLE
 *	  yes, and the peer's window is used up			 RWND	the receiver
 *	  yes, and a subflow has room				 SCHED	the scheduler
 *	  yes, and one has congestion window, but no memory	 SNDBUF
 *	  yes, and all congestion windows are full		 CWND	the paths
 *	  the same, and all of these subflows recover		 LOSS
 *
 * Unsent is also what waits in the queues of subflows, as the default scheduler fills them
 * beyond their congestion windows: when all of them do so, the paths are the limit, and
 * neither the buffer, nor the window, that are full in consequence. Less than a segment may
 * wait for Nagle's algorithm, and does not count while the window is open.
 *
 * Usable is who may carry data (mptcp_subflow_active()), has not sent the same in vain for
 * two timeouts in a row, and is no backup, unless there are only backups. A path that is too
 * dear (path/price.c) is usable: that the scheduler does not use it is its decision.
 *
 * States change where something is sent or could not be: at the end of the transmit path,
 * which ACKs and window updates call, too, when memory is freed, and after a timeout of the
 * connection. In between the last one counts; the clock is read when it changes only, and
 * when somebody asks.
 *
 * After fallback to TCP there is one subflow, and the window is its own. TCP's ACKs do not call
 * the transmit path then; they say whether a subflow whose window is full recovers.
 *
 * Socket option MPTCP_LIMITS of level SOL_MPTCP
 *   get: struct mptcp_limits, as much of it as the buffer takes. Time counts since data was
 *	first sent or acknowledged.
 *	EINVAL  a negative length
 *
 * Locking: the msk lock, or its spinlock while nobody owns the socket.
 */

#include <net/tcp.h>
#include "protocol.h"
#include "sched/core.h"
#include "sockopt/value.h"
#include "ext/limits/limits.h"

/* Timeouts in a row after which a subflow counts as dark */
#define LIMITS_TIMEOUTS	2

/* Of usable subflows, how many ... */
struct limits_survey {
	unsigned int usable;
	unsigned int room;	/* could send */
	unsigned int memory;	/* could, if they had memory */
	unsigned int lost;	/* recover */
	unsigned int waits;	/* have data in their own queue that does not fit the window */
	bool used_up;		/* the window of the one that is left after fallback */
};

/* As mptcp_subflow_active(), which also wakes a stale subflow that is heard of again: who looks
 * changes nothing.
 */
static bool limits_usable(struct mptcp_subflow_context *subflow, bool backups)
{
	const struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
	bool stale = subflow->stale &&
		     subflow->stale_rcv_tstamp == READ_ONCE(tcp_sk(ssk)->rcv_tstamp);

	return mptcp_sched_is_backup(subflow) == backups && !stale &&
	       __mptcp_subflow_active(subflow) &&
	       !mptcp_sched_is_silent(subflow) &&
	       READ_ONCE(inet_csk(ssk)->icsk_retransmits) < LIMITS_TIMEOUTS;
}

static bool limits_recovers(const struct sock *ssk)
{
	/* Without the subflow's lock, under which these bits change: a late answer does no harm. */
	return data_race(inet_csk(ssk)->icsk_ca_state >= TCP_CA_Recovery);
}

static void limits_add(struct limits_survey *survey, const struct mptcp_subflow_context *subflow)
{
	const struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
	const struct tcp_sock *tp = tcp_sk(ssk);
	u32 nxt = READ_ONCE(tp->snd_nxt), unsent = READ_ONCE(tp->write_seq) - nxt;
	/* less than 0 when the peer has made it smaller than what is in flight */
	s32 window = READ_ONCE(tp->snd_una) + READ_ONCE(tp->snd_wnd) - nxt;
	bool full = !mptcp_sched_window(subflow, MPTCP_SCHED_UNCAPPED);

	survey->usable++;
	survey->lost += limits_recovers(ssk);
	survey->waits += unsent && (full || unsent >= mptcp_sched_mss(subflow));
	if (!full && sk_stream_memory_free(ssk))
		survey->room++;
	else if (!full)
		survey->memory++;
	survey->used_up = unsent && window < (s32)min(unsent, mptcp_sched_mss(subflow));
}

static void limits_look_at_all(struct mptcp_sock *msk, struct limits_survey *survey)
{
	bool backups = mptcp_sched_only_backups(msk);
	struct mptcp_subflow_context *subflow;

	mptcp_for_each_subflow(msk, subflow)
		if (limits_usable(subflow, backups))
			limits_add(survey, subflow);
}

/* Somebody waits until there is room to write. */
static bool limits_writer_waits(const struct sock *sk)
{
	return sk->sk_socket && test_bit(SOCK_NOSPACE, &sk->sk_socket->flags) &&
	       !__sk_stream_is_writeable(sk, 1);
}

static u32 limits_full(const struct limits_survey *survey)
{
	return survey->lost == survey->usable ? MPTCP_LIMIT_LOSS : MPTCP_LIMIT_CWND;
}

static bool limits_is_full(u32 state)
{
	return state == MPTCP_LIMIT_CWND || state == MPTCP_LIMIT_LOSS;
}

/* The connection has given all to subflows. */
static u32 limits_sent(const struct sock *sk, const struct limits_survey *survey)
{
	if (survey->waits == survey->usable)
		return limits_full(survey);
	if (limits_writer_waits(sk))
		return MPTCP_LIMIT_SNDBUF;
	return survey->waits ? limits_full(survey) : MPTCP_LIMIT_IDLE;
}

static u32 limits_state(struct mptcp_sock *msk)
{
	bool fallback = __mptcp_check_fallback(msk), used_up;
	struct limits_survey survey = {};

	if (!msk->first_pending && READ_ONCE(msk->snd_una) == msk->snd_nxt && !fallback)
		return MPTCP_LIMIT_IDLE;

	limits_look_at_all(msk, &survey);
	if (!survey.usable)
		return MPTCP_LIMIT_DARK;

	if (fallback)
		used_up = survey.used_up;
	else
		used_up = mptcp_sched_wnd_is_used_up(msk) && survey.waits < survey.usable;
	if (used_up)
		return MPTCP_LIMIT_RWND;
	if (!msk->first_pending)
		return limits_sent((struct sock *)msk, &survey);
	if (survey.room)
		return MPTCP_LIMIT_SCHED;
	return survey.memory ? MPTCP_LIMIT_SNDBUF : limits_full(&survey);
}

/* The time until now belongs to the state that was. */
static void limits_charge(struct mptcp_sock *msk)
{
	u64 now = tcp_clock_us();

	if (msk->limits_since)
		msk->limits.us[msk->limits.state] += now - msk->limits_since;
	msk->limits_since = now;
}

void __mptcp_limits_look(struct mptcp_sock *msk)
{
	u32 state;

	/* a subflow is about to send */
	if (mptcp_sched_is_decided(msk))
		return;
	state = limits_state(msk);
	if (state == msk->limits.state && msk->limits_since)
		return;
	limits_charge(msk);
	msk->limits.state = state;
}

void __mptcp_limits_acked(struct mptcp_sock *msk)
{
	u32 state = msk->limits.state;

	/* after fallback TCP sends after this: then another state would be one that is over soon */
	if (state == MPTCP_LIMIT_SNDBUF ||
	    (limits_is_full(state) && __mptcp_check_fallback(msk)))
		__mptcp_limits_look(msk);
}

void __mptcp_limits_reset(struct mptcp_sock *msk)
{
	memset(&msk->limits, 0, sizeof(msk->limits));
	msk->limits_since = 0;
}

int mptcp_limits_getsockopt(struct mptcp_sock *msk, char __user *optval, int __user *optlen)
{
	struct sock *sk = (struct sock *)msk;
	struct mptcp_limits limits;

	lock_sock(sk);
	if (msk->limits_since) {
		limits_charge(msk);
		__mptcp_limits_look(msk);
	}
	limits = msk->limits;
	release_sock(sk);

	return mptcp_option_answer(&limits, sizeof(limits), optval, optlen);
}
