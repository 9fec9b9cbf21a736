// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: how much of the send buffer they need
 *
 * TCP lets a send buffer grow with what its connection has in flight. MPTCP's is the sum
 * of its subflows'. What goes ahead of its turn must be written before: a scheduler that
 * wants data which is not there yet asks for a larger buffer, up to what all subflows
 * together could have.
 *
 * Locking: all under the msk lock.
 */

#include <kunit/visibility.h>
#include <net/tcp.h>
#include "protocol.h"
#include "sched/core.h"

/* The most that a scheduler gets of the send buffer: what the subflows could have
 * made of it. Nothing if memory is short, or for one subflow, which is ahead of none.
 */
static u64 mptcp_sched_most_sndbuf(const struct mptcp_sock *msk)
{
	const struct sock *sk = (const struct sock *)msk;
	u32 n = mptcp_sched_open(msk);

	if (n < 2 || tcp_under_memory_pressure(sk))
		return 0;
	return min_t(u64, INT_MAX,
		     (u64)n * READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_wmem[2]));
}

/* What a scheduler still needs of the send buffer, which is set anew. */
int mptcp_sched_sndbuf(struct mptcp_sock *msk)
{
	msk->sched_sndbuf = min_t(u64, msk->sched_sndbuf, mptcp_sched_most_sndbuf(msk));
	return msk->sched_sndbuf;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_sched_sndbuf);

/* A scheduler could use more of @subflow's window than its own part of the send buffer lets
 * it. TCP makes that larger with the next ACK, if it has not used up its congestion window;
 * but only for a program that waits to write. One that writes less than the connection's
 * buffer holds never does, and the subflow would stay at what it got in the beginning, some
 * 32 KB in flight. For schedulers that keep queues short: others would fill them.
 */
void mptcp_sched_want_memory(const struct mptcp_subflow_context *subflow)
{
	struct socket *sock = subflow->conn->sk_socket;

	if (sock && !sk_stream_memory_free(mptcp_subflow_tcp_sock(subflow)) &&
	    !test_bit(SOCK_NOSPACE, &sock->flags) &&
	    mptcp_sched_window(subflow, MPTCP_SCHED_UNCAPPED))
		set_bit(SOCK_NOSPACE, &sock->flags);
}
EXPORT_SYMBOL_GPL(mptcp_sched_want_memory);

/* The send buffer that data up to @seq takes. */
static u64 sndbuf_for(const struct mptcp_sock *msk, u64 seq)
{
	u64 bytes = seq - READ_ONCE(msk->snd_una);

	return bytes + bytes / 2;
}

/* The largest that it may become. */
static u64 sndbuf_most(const struct mptcp_sock *msk)
{
	const struct sock *sk = (const struct sock *)msk;

	return sk->sk_userlocks & SOCK_SNDBUF_LOCK ? READ_ONCE(sk->sk_sndbuf) :
						     mptcp_sched_most_sndbuf(msk);
}

/* The scheduler could use data up to @seq, but the application's writes end
 * before. If it waits for room in the send buffer, let that grow: subflows only
 * make it as large as what they carry, and one that waits carries nothing.
 */
void mptcp_sched_want_written(struct mptcp_sock *msk, u64 seq)
{
	struct sock *sk = (struct sock *)msk;
	u64 want;

	if (sk->sk_userlocks & SOCK_SNDBUF_LOCK || sk_stream_wspace(sk) >= sk_stream_min_wspace(sk))
		return;

	want = min(sndbuf_for(msk, seq), mptcp_sched_most_sndbuf(msk));
	if (want <= READ_ONCE(sk->sk_sndbuf))
		return;

	msk->sched_sndbuf = want;
	WRITE_ONCE(sk->sk_sndbuf, want);
	mptcp_write_space(sk);
}
EXPORT_SYMBOL_GPL(mptcp_sched_want_written);

/* For data up to @seq to go ahead, @bytes have to be written that are on no subflow yet. An
 * application with TCP_NOTSENT_LOWAT may write so much more than that for a tenth of a second: else
 * it would use its best path only, unless the paths are much alike. What the send buffer never
 * holds, it would write in vain. With several such subflows the one that wants most counts.
 */
void mptcp_sched_want_unsent(struct mptcp_sock *msk, u64 seq, u32 bytes)
{
	struct sock *sk = (struct sock *)msk;
	bool waits;

	if (mptcp_notsent_lowat(sk) == UINT_MAX || bytes < mptcp_sched_wanted(msk) ||
	    sndbuf_for(msk, seq) > sndbuf_most(msk))
		return;
	waits = !mptcp_stream_memory_free(sk, 1);
	WRITE_ONCE(msk->sched_unsent, bytes);
	WRITE_ONCE(msk->sched_unsent_at, (u32)jiffies);
	if (waits)
		mptcp_write_space(sk);
}
EXPORT_SYMBOL_GPL(mptcp_sched_want_unsent);
