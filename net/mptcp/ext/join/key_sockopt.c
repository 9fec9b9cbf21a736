// SPDX-License-Identifier: GPL-2.0
/* Socket options MPTCP_ENABLE_APP_KEY and MPTCP_KEY of level SOL_MPTCP, see key.c
 *
 * MPTCP_ENABLE_APP_KEY, an int, before connect() or listen(); accepted sockets inherit it:
 *	0: no (the default)
 *	1: yes; if the peer does not know it or does not want it, with keys in clear
 *	2: yes; if the peer does not, there is one subflow and no more
 * set: EINVAL    not an int, out of range, or it listens already
 *      EISCONN   it is connected, or about to be
 * get: the value
 *
 * MPTCP_KEY, 16 to 64 bytes that an eavesdropper cannot know, once per connection:
 * set: EINVAL	  another length
 *	ENOTCONN  not connected, or no longer, or the handshake is not complete
 *	EOPNOTSUPP  the peer did not agree
 *	EALREADY  there is one
 *	ENOMEM	  no memory
 *	Nothing changes on error.
 * get: an int: 0: the peer did not agree (or there is none yet), 1: it is waited for, 2: there
 *	is one. The key itself is not kept.
 */

#include <net/sock.h>
#include "protocol.h"
#include "sockopt/value.h"
#include "ext/join/key.h"

#define MPTCP_KEY_MIN	16
#define MPTCP_KEY_MAX	64

static int join_key_enable(struct mptcp_sock *msk, sockptr_t optval, unsigned int optlen)
{
	static const u8 modes[] = {
		0, MPTCP_APP_KEY_WANTED, MPTCP_APP_KEY_WANTED | MPTCP_APP_KEY_ONLY,
	};
	struct sock *sk = (struct sock *)msk;
	int val, err;

	err = mptcp_option_int(optval, optlen, 0, ARRAY_SIZE(modes) - 1, &val);
	if (err)
		return err;

	lock_sock(sk);
	if (sk->sk_state == TCP_LISTEN) {
		err = -EINVAL;
	} else if (sk->sk_state != TCP_CLOSE || sk->sk_socket->state != SS_UNCONNECTED) {
		err = -EISCONN;
	} else {
		WRITE_ONCE(msk->app_key, modes[val]);
		if (val)
			WRITE_ONCE(mptcp_join_key_used, true);
	}
	release_sock(sk);
	return err;
}

static int join_key_state(const struct mptcp_sock *msk)
{
	if (!mptcp_join_key_agreed(msk) || __mptcp_check_fallback(msk))
		return 0;
	return mptcp_join_ready(msk) ? 2 : 1;
}

static int join_key_give(struct mptcp_sock *msk, sockptr_t optval, unsigned int optlen)
{
	struct sock *sk = (struct sock *)msk;
	u8 key[MPTCP_KEY_MAX];
	int err;

	if (optlen < MPTCP_KEY_MIN || optlen > MPTCP_KEY_MAX)
		return -EINVAL;
	if (copy_from_sockptr(key, optval, optlen))
		return -EFAULT;

	lock_sock(sk);
	if (!((1 << sk->sk_state) & (TCPF_ESTABLISHED | TCPF_CLOSE_WAIT | TCPF_FIN_WAIT1 |
				     TCPF_FIN_WAIT2)))
		err = -ENOTCONN;
	else if (join_key_state(msk) == 0)
		err = -EOPNOTSUPP;
	else if (join_key_state(msk) == 2)
		err = -EALREADY;
	else if (!smp_load_acquire(&msk->can_ack)) /* the peer's key is missing */
		err = -ENOTCONN;
	else
		err = mptcp_join_key_set(msk, key, optlen);
	release_sock(sk);
	memzero_explicit(key, sizeof(key));
	return err;
}

int mptcp_join_key_setsockopt(struct mptcp_sock *msk, int optname, sockptr_t optval,
			      unsigned int optlen)
{
	if (optname == MPTCP_ENABLE_APP_KEY)
		return join_key_enable(msk, optval, optlen);
	return join_key_give(msk, optval, optlen);
}

int mptcp_join_key_getsockopt(struct mptcp_sock *msk, int optname, char __user *optval,
			      int __user *optlen)
{
	u8 app_key = READ_ONCE(msk->app_key);
	int val;

	if (optname == MPTCP_KEY)
		val = join_key_state(msk);
	else
		val = app_key & MPTCP_APP_KEY_ONLY ? 2 : !!(app_key & MPTCP_APP_KEY_WANTED);
	return mptcp_option_answer(&val, sizeof(val), optval, optlen);
}
