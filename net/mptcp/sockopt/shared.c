// SPDX-License-Identifier: GPL-2.0
/* Socket options of TCP and IP that all subflows share
 *
 * Programs that set TCP_USER_TIMEOUT, IPV6_TCLASS or TCP_QUICKACK on a TCP socket take
 * "operation not supported" for a failure, and are kept from MPTCP by it. What such an
 * option asks for has a meaning for each subflow on its own:
 *
 * - IP's (time to live, traffic class, path MTU discovery, ...) say how packets look.
 *   The connection is an inet socket, too: the value is checked and kept there, by the
 *   same functions as TCP's, and copied to the subflows.
 * - TCP_USER_TIMEOUT: a subflow whose data was not acknowledged for so long is given up
 *   and what it carried goes out on another one; with the last one, the connection ends
 *   with ETIMEDOUT, as TCP's does (RFC 5482, section 3). TCP_SYNCNT: how often the SYN of
 *   a subflow is sent again. Both are kept where TCP keeps them.
 * - TCP_RTO_MIN_US, TCP_DELACK_MAX_US: the least retransmission timeout, and how long an
 *   ACK may be delayed at most, with the numbers, units and ranges that plain TCP has from
 *   Linux 6.15 on. Kept where TCP keeps them; 0 there: not set. See ext/timers/timers.c, too.
 * - TCP_MAXSEG and TCP_QUICKACK are set on each subflow that there is. The former is kept
 *   for new ones; quick acknowledgments are for the moment only.
 *
 * A subflow that comes later is given the values by sync_socket_options(). Options that
 * only ask for control messages (IP_RECVTTL) are kept and do nothing, as with TCP, whose
 * recvmsg() has none. IP_RECVERR is refused as before: it makes ICMP errors, which anyone
 * may send, end a subflow.
 *
 * Locking: the msk lock; of each subflow, the subflow's.
 */

#include <net/ip.h>
#include <net/ipv6.h>
#include <net/mptcp.h>
#include <net/tcp.h>
#include "protocol.h"

static bool mptcp_shared_ip(int optname)
{
	switch (optname) {
	case IP_TTL:
	case IP_MINTTL:
	case IP_MTU_DISCOVER:
	case IP_PKTINFO:
	case IP_RECVOPTS:
	case IP_RECVORIGDSTADDR:
	case IP_RECVTOS:
	case IP_RECVTTL:
	case IP_RETOPTS:
		return true;
	}
	return false;
}

static bool mptcp_shared_ipv6(int optname)
{
	switch (optname) {
	case IPV6_UNICAST_HOPS:
	case IPV6_MINHOPCOUNT:
	case IPV6_MTU_DISCOVER:
	case IPV6_TCLASS:
	case IPV6_AUTOFLOWLABEL:
	case IPV6_DONTFRAG:
	case IPV6_RECVHOPLIMIT:
	case IPV6_RECVORIGDSTADDR:
	case IPV6_RECVPKTINFO:
	case IPV6_RECVTCLASS:
		return true;
	}
	return false;
}

/* Does mptcp_shared_setsockopt() set it, and keep it for the socket's next connection and all later
 * subflows? Then it must also after a fallback, when all other options go straight to TCP.
 */
bool mptcp_shared_is_option(int level, int optname)
{
	if (level == SOL_IP)
		return mptcp_shared_ip(optname);
	if (level == SOL_IPV6)
		return mptcp_shared_ipv6(optname);
	if (level != SOL_TCP)
		return false;

	switch (optname) {
	case TCP_MAXSEG:
	case TCP_QUICKACK:
	case TCP_SYNCNT:
	case TCP_USER_TIMEOUT:
	case TCP_RTO_MIN_US:
	case TCP_DELACK_MAX_US:
		return true;
	}
	return false;
}

/* The ECN bits of the class are TCP's own. */
static void mptcp_shared_copy_tclass(const struct sock *sk, struct sock *ssk)
{
	struct ipv6_pinfo *to = inet6_sk(ssk);
	u8 tclass = inet6_sk(sk)->tclass & ~INET_ECN_MASK;

	tclass |= to->tclass & INET_ECN_MASK;
	if (to->tclass == tclass)
		return;

	to->tclass = tclass;
	sk_dst_reset(ssk);
}

static bool mptcp_shared_both_ipv6(const struct sock *sk, const struct sock *ssk)
{
	return IS_ENABLED(CONFIG_MPTCP_IPV6) && sk->sk_family == AF_INET6 &&
	       ssk->sk_family == AF_INET6;
}

static void mptcp_shared_copy_ip(const struct sock *sk, struct sock *ssk, int optname)
{
	const struct inet_sock *from = inet_sk(sk);
	struct inet_sock *to = inet_sk(ssk);

	switch (optname) {
	case IP_TTL:
		WRITE_ONCE(to->uc_ttl, READ_ONCE(from->uc_ttl));
		break;
	case IP_MINTTL:
		WRITE_ONCE(to->min_ttl, READ_ONCE(from->min_ttl));
		break;
	case IP_MTU_DISCOVER:
		WRITE_ONCE(to->pmtudisc, READ_ONCE(from->pmtudisc));
		break;
	}
}

static void mptcp_shared_copy_ipv6(const struct sock *sk, struct sock *ssk, int optname)
{
	const struct ipv6_pinfo *from = inet6_sk(sk);
	struct ipv6_pinfo *to = inet6_sk(ssk);

	switch (optname) {
	case IPV6_UNICAST_HOPS:
		WRITE_ONCE(to->hop_limit, READ_ONCE(from->hop_limit));
		break;
	case IPV6_MINHOPCOUNT:
		WRITE_ONCE(to->min_hopcount, READ_ONCE(from->min_hopcount));
		break;
	case IPV6_MTU_DISCOVER:
		WRITE_ONCE(to->pmtudisc, READ_ONCE(from->pmtudisc));
		break;
	case IPV6_AUTOFLOWLABEL:
		inet_assign_bit(AUTOFLOWLABEL, ssk, inet_test_bit(AUTOFLOWLABEL, sk));
		inet_assign_bit(AUTOFLOWLABEL_SET, ssk, inet_test_bit(AUTOFLOWLABEL_SET, sk));
		break;
	case IPV6_TCLASS:
		mptcp_shared_copy_tclass(sk, ssk);
		break;
	}
}

static void mptcp_shared_copy_tcp(const struct sock *sk, struct sock *ssk, int optname)
{
	const struct inet_connection_sock *from = inet_csk(sk);
	struct inet_connection_sock *to = inet_csk(ssk);

	switch (optname) {
	case TCP_USER_TIMEOUT:
		WRITE_ONCE(to->icsk_user_timeout, READ_ONCE(from->icsk_user_timeout));
		break;
	case TCP_SYNCNT:
		WRITE_ONCE(to->icsk_syn_retries, READ_ONCE(from->icsk_syn_retries));
		break;
	case TCP_RTO_MIN_US:
		if (from->icsk_rto_min)
			WRITE_ONCE(to->icsk_rto_min, from->icsk_rto_min);
		break;
	case TCP_DELACK_MAX_US:
		if (from->icsk_delack_max)
			WRITE_ONCE(to->icsk_delack_max, from->icsk_delack_max);
		break;
	}
}

/* Only what was set: a subflow may have other values of its own (net.ipv4.tcp_reflect_tos, BPF). */
static void mptcp_shared_copy(const struct sock *sk, struct sock *ssk, int level, int optname)
{
	if (level == SOL_TCP)
		mptcp_shared_copy_tcp(sk, ssk, optname);
	else if (level == SOL_IP)
		mptcp_shared_copy_ip(sk, ssk, optname);
	else if (mptcp_shared_both_ipv6(sk, ssk))
		mptcp_shared_copy_ipv6(sk, ssk, optname);
}

/**
 * mptcp_shared_sync() - give a new subflow the values that the connection has
 * @msk: connection, locked or with its data lock held
 * @ssk: subflow, locked
 */
void mptcp_shared_sync(const struct mptcp_sock *msk, struct sock *ssk)
{
	const struct sock *sk = (const struct sock *)msk;

	mptcp_shared_copy_ip(sk, ssk, IP_TTL);
	mptcp_shared_copy_ip(sk, ssk, IP_MINTTL);
	mptcp_shared_copy_ip(sk, ssk, IP_MTU_DISCOVER);
	mptcp_shared_copy_tcp(sk, ssk, TCP_USER_TIMEOUT);
	mptcp_shared_copy_tcp(sk, ssk, TCP_SYNCNT);
	mptcp_shared_copy_tcp(sk, ssk, TCP_RTO_MIN_US);
	mptcp_shared_copy_tcp(sk, ssk, TCP_DELACK_MAX_US);
	if (msk->maxseg)
		tcp_sk(ssk)->rx_opt.user_mss = msk->maxseg;

	if (!mptcp_shared_both_ipv6(sk, ssk))
		return;
	mptcp_shared_copy_ipv6(sk, ssk, IPV6_UNICAST_HOPS);
	mptcp_shared_copy_ipv6(sk, ssk, IPV6_MINHOPCOUNT);
	mptcp_shared_copy_ipv6(sk, ssk, IPV6_MTU_DISCOVER);
	mptcp_shared_copy_ipv6(sk, ssk, IPV6_AUTOFLOWLABEL);
	/* else it may be the one of the peer's SYN */
	if (inet6_sk(sk)->tclass & ~INET_ECN_MASK)
		mptcp_shared_copy_tclass(sk, ssk);
}

static void mptcp_shared_copy_to_all(struct mptcp_sock *msk, int level, int optname)
{
	struct mptcp_subflow_context *subflow;
	struct sock *sk = (struct sock *)msk;

	lock_sock(sk);
	mptcp_sockopt_seq_inc(msk);
	mptcp_for_each_subflow(msk, subflow) {
		struct sock *ssk = mptcp_subflow_tcp_sock(subflow);
		bool slow = lock_sock_fast(ssk);

		mptcp_shared_copy(sk, ssk, level, optname);
		unlock_sock_fast(ssk, slow);
	}

	/* how long to wait for a subflow follows it */
	if (level == SOL_TCP && optname == TCP_USER_TIMEOUT)
		mptcp_reset_tout_timer(msk, 0);
	release_sock(sk);
}

/* Set what TCP keeps in the subflows; before connect(), in the first one. */
static int mptcp_shared_set_each(struct mptcp_sock *msk, int optname, int val)
{
	struct mptcp_subflow_context *subflow;
	struct sock *sk = (struct sock *)msk;
	int ret = 0;

	lock_sock(sk);
	if (!msk->first)
		ret = PTR_ERR_OR_ZERO(__mptcp_nmpc_sk(msk));

	mptcp_for_each_subflow(msk, subflow) {
		if (ret)
			break;
		ret = tcp_setsockopt(mptcp_subflow_tcp_sock(subflow), SOL_TCP, optname,
				     KERNEL_SOCKPTR(&val), sizeof(val));
	}

	if (!ret && optname == TCP_MAXSEG) {
		msk->maxseg = val;
		mptcp_sockopt_seq_inc(msk);
	}
	release_sock(sk);

	return ret;
}

/* Keep @us of a timer in *@kept, in jiffies: from TCP_TIMEOUT_MIN to @most of them. */
static int mptcp_shared_set_timer(u32 *kept, int us, u32 most)
{
	unsigned long val = us < 0 ? 0 : usecs_to_jiffies(us);

	if (val < TCP_TIMEOUT_MIN || val > most)
		return -EINVAL;
	WRITE_ONCE(*kept, val);
	return 0;
}

/**
 * mptcp_shared_timer_us() - what TCP_RTO_MIN_US or TCP_DELACK_MAX_US is
 * @msk: connection
 * @optname: which one
 *
 * Return: us; what was set, else what subflows begin with
 */
int mptcp_shared_timer_us(const struct mptcp_sock *msk, int optname)
{
	const struct inet_connection_sock *icsk = inet_csk((const struct sock *)msk);
	const struct net *net = sock_net((const struct sock *)msk);

	if (optname == TCP_DELACK_MAX_US)
		return jiffies_to_usecs(READ_ONCE(icsk->icsk_delack_max) ?: TCP_DELACK_MAX);
	if (READ_ONCE(icsk->icsk_rto_min))
		return jiffies_to_usecs(READ_ONCE(icsk->icsk_rto_min));
	return READ_ONCE(net->ipv4.sysctl_tcp_rto_min_us);
}

static int mptcp_shared_set_tcp(struct mptcp_sock *msk, int optname, sockptr_t optval,
				unsigned int optlen)
{
	struct sock *sk = (struct sock *)msk;
	int ret, val;

	if (optlen < sizeof(val))
		return -EINVAL;
	if (copy_from_sockptr(&val, optval, sizeof(val)))
		return -EFAULT;

	switch (optname) {
	case TCP_USER_TIMEOUT:
		ret = tcp_sock_set_user_timeout(sk, val);
		break;
	case TCP_SYNCNT:
		ret = tcp_sock_set_syncnt(sk, val);
		break;
	case TCP_RTO_MIN_US:
		ret = mptcp_shared_set_timer(&inet_csk(sk)->icsk_rto_min, val, TCP_RTO_MIN);
		break;
	case TCP_DELACK_MAX_US:
		ret = mptcp_shared_set_timer(&inet_csk(sk)->icsk_delack_max, val, TCP_DELACK_MAX);
		break;
	default:
		return mptcp_shared_set_each(msk, optname, val);
	}

	if (!ret)
		mptcp_shared_copy_to_all(msk, SOL_TCP, optname);
	return ret;
}

/**
 * mptcp_shared_setsockopt() - set an option of the connection and of its subflows
 * @msk: connection, not locked
 * @level: SOL_IP, SOL_IPV6 or SOL_TCP
 * @optname: one that mptcp_shared_is_option() names
 * @optval: as TCP has it
 * @optlen: its size
 *
 * Return: 0; -ENOPROTOOPT: IPv6's, on an IPv4 socket; and what TCP answers to a bad value.
 */
int mptcp_shared_setsockopt(struct mptcp_sock *msk, int level, int optname, sockptr_t optval,
			    unsigned int optlen)
{
	struct sock *sk = (struct sock *)msk;
	int ret = -ENOPROTOOPT;

	if (level == SOL_TCP)
		return mptcp_shared_set_tcp(msk, optname, optval, optlen);

	if (level == SOL_IP)
		ret = ip_setsockopt(sk, level, optname, optval, optlen);
	else if (IS_ENABLED(CONFIG_MPTCP_IPV6) && sk->sk_family == AF_INET6)
		ret = ipv6_setsockopt(sk, level, optname, optval, optlen);

	if (!ret)
		mptcp_shared_copy_to_all(msk, level, optname);
	return ret;
}

/**
 * mptcp_shared_getsockopt() - what an IP option of the connection is set to
 * @msk: connection, not locked
 * @level: SOL_IP or SOL_IPV6
 * @optname: which option
 * @optval: where the answer goes
 * @optlen: its size
 *
 * Return: 0; -EOPNOTSUPP: not an option that subflows share; -ENOPROTOOPT: IPv6's, on
 * an IPv4 socket.
 */
int mptcp_shared_getsockopt(struct mptcp_sock *msk, int level, int optname, char __user *optval,
			    int __user *optlen)
{
	struct sock *sk = (struct sock *)msk;

	if (level == SOL_IP && mptcp_shared_ip(optname))
		return ip_getsockopt(sk, level, optname, optval, optlen);
	if (level != SOL_IPV6 || !mptcp_shared_ipv6(optname))
		return -EOPNOTSUPP;
	if (!IS_ENABLED(CONFIG_MPTCP_IPV6) || sk->sk_family != AF_INET6)
		return -ENOPROTOOPT;

	return ipv6_getsockopt(sk, level, optname, optval, optlen);
}
