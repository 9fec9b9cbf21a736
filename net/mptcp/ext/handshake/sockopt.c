// SPDX-License-Identifier: GPL-2.0
/* Socket option MPTCP_LOW_OVERHEAD of level SOL_MPTCP
 *
 * Set, an int, before connect() or listen(): 1 to offer and accept the handshake of
 * low_overhead.c, 0 not to, whatever net.mptcp.low_overhead says. Accepted sockets have their
 * listener's. MPTCP_ENABLE_APP_KEY is stronger: who wants a key does neither.
 * Get: of a socket that is not connected, whether it would; of a connection, whether it was
 * established so.
 */

#include <linux/sockptr.h>
#include "protocol.h"
#include "ext/handshake/low_overhead.h"
#include "sockopt/value.h"

int mptcp_low_setsockopt(struct mptcp_sock *msk, sockptr_t optval, unsigned int optlen)
{
	struct sock *sk = (struct sock *)msk;
	int val, err;

	err = mptcp_option_int(optval, optlen, 0, 1, &val);
	if (err)
		return err;

	lock_sock(sk);
	if (sk->sk_state == TCP_CLOSE)
		WRITE_ONCE(msk->low_asked, val ? MPTCP_LOW_YES : MPTCP_LOW_NO);
	else
		err = -EBUSY;
	release_sock(sk);
	return err;
}

int mptcp_low_getsockopt(struct mptcp_sock *msk, char __user *optval, int __user *optlen)
{
	struct sock *sk = (struct sock *)msk;
	int val;

	if ((1 << READ_ONCE(sk->sk_state)) & (TCPF_CLOSE | TCPF_LISTEN))
		val = mptcp_low_wanted(sk, sock_net(sk));
	else
		val = READ_ONCE(msk->low_overhead);
	return mptcp_option_answer(&val, sizeof(val), optval, optlen);
}
