// SPDX-License-Identifier: GPL-2.0
/* The control stream: socket options MPTCP_CONTROL, _SEND and _RECV of level SOL_MPTCP
 *
 * MPTCP_CONTROL
 *   set: int, 1: ask for the stream and grant it, 0: do not, whatever net.mptcp.control_stream
 *	says. For the next connect(), and for what a listener accepts.
 *	EINVAL    another value, or too short
 *	EISCONN   the socket is connected
 *   get: struct mptcp_control_info, as much of it as the buffer takes.
 *
 * MPTCP_CONTROL_SEND
 *   set: struct mptcp_control_tlv with the value behind it. It is sent as soon as can be, and
 *	until the peer has it. From then on the connection does not fall back to TCP.
 *	EINVAL      the length is not that of the option, or the type is neither
 *		    MPTCP_CONTROL_TYPE_KEY nor one of 0x8000 to 0xffff
 *	EMSGSIZE    more than 1024 bytes of value
 *	EAGAIN      the last one has not arrived yet: poll() tells by EPOLLWRBAND when it has, or
 *		    never will
 *	EOPNOTSUPP  the stream was not negotiated, or is given up
 *	ENOTCONN    not connected yet, or no longer
 *
 * MPTCP_CONTROL_RECV
 *   get: the next one that came, in the same form. poll() tells by EPOLLPRI that there is one.
 *	EAGAIN      there is none
 *	EMSGSIZE    the buffer is too short; it stays
 *	EOPNOTSUPP  the stream was not negotiated
 *
 * Eight wait at most. Others are dropped and counted: the stream does not wait for readers, since
 * what concerns addresses is behind them.
 */

#include <net/sock.h>
#include "protocol.h"
#include "ext/control/control.h"
#include "sockopt/value.h"

static int control_set_wanted(struct mptcp_sock *msk, sockptr_t optval, unsigned int optlen)
{
	struct sock *sk = (struct sock *)msk;
	int value, err;

	err = mptcp_option_int(optval, optlen, 0, 1, &value);
	if (err)
		return err;

	lock_sock(sk);
	if ((1 << sk->sk_state) & (TCPF_CLOSE | TCPF_LISTEN))
		WRITE_ONCE(msk->control_want,
			   value ? MPTCP_CONTROL_WANT_ON : MPTCP_CONTROL_WANT_OFF);
	else
		err = -EISCONN;
	release_sock(sk);
	return err;
}

/* May the application send? */
static int control_may_send(struct mptcp_sock *msk)
{
	if (!((1 << ((struct sock *)msk)->sk_state) & (TCPF_ESTABLISHED | TCPF_CLOSE_WAIT)))
		return -ENOTCONN;
	if (__mptcp_check_fallback(msk) || !mptcp_control_sends(msk->control))
		return -EOPNOTSUPP;
	return msk->control->own_waits ? -EAGAIN : 0;
}

static int control_send(struct mptcp_sock *msk, sockptr_t optval, unsigned int optlen)
{
	struct sock *sk = (struct sock *)msk;
	struct mptcp_control_msg *msg;
	struct mptcp_control_tlv tlv;
	int err;

	if (optlen < sizeof(tlv))
		return -EINVAL;
	if (optlen > sizeof(tlv) + MPTCP_CONTROL_MAX)
		return -EMSGSIZE;
	if (copy_from_sockptr(&tlv, optval, sizeof(tlv)))
		return -EFAULT;
	if (tlv.length != optlen - sizeof(tlv) || !mptcp_control_is_own(tlv.type))
		return -EINVAL;

	msg = kmalloc(struct_size(msg, value, tlv.length), GFP_KERNEL_ACCOUNT);
	if (!msg)
		return -ENOMEM;
	msg->type = tlv.type;
	msg->len = tlv.length;
	err = copy_from_sockptr_offset(msg->value, optval, sizeof(tlv), tlv.length) ? -EFAULT : 0;

	lock_sock(sk);
	if (!err)
		err = control_may_send(msk);
	if (!err && !mptcp_control_queue(msk, msg))
		err = -EAGAIN;
	release_sock(sk);

	if (err)
		kfree(msg);
	return err;
}

int mptcp_control_setsockopt(struct mptcp_sock *msk, int optname, sockptr_t optval,
			     unsigned int optlen)
{
	switch (optname) {
	case MPTCP_CONTROL:
		return control_set_wanted(msk, optval, optlen);
	case MPTCP_CONTROL_SEND:
		return control_send(msk, optval, optlen);
	}
	return -ENOPROTOOPT;
}

static int control_get_info(struct mptcp_sock *msk, char __user *optval, int __user *optlen)
{
	struct mptcp_control_info info = {};
	struct sock *sk = (struct sock *)msk;

	lock_sock(sk);
	if (msk->control) {
		info = msk->control->info;
		info.state = __mptcp_check_fallback(msk) ? MPTCP_CONTROL_OFF : msk->control->state;
		info.waits = msk->control->own_waits;
		info.unread = skb_queue_len(&msk->control->unread);
	}
	info.wanted = mptcp_control_wanted(msk);
	release_sock(sk);

	return mptcp_option_answer(&info, sizeof(info), optval, optlen);
}

/* The next one, copied. It goes only when the application has it: the lock of the socket, under
 * which others come, too, is held meanwhile.
 */
static int control_copy_next(struct mptcp_control *control, int size, char __user *optval,
			     int __user *optlen)
{
	struct sk_buff *skb = skb_peek(&control->unread);
	struct mptcp_control_tlv tlv;

	if (!skb)
		return -EAGAIN;
	if (size < (int)(sizeof(tlv) + skb->len))
		return -EMSGSIZE;

	tlv.type = MPTCP_CONTROL_CB(skb)->type;
	tlv.length = skb->len;
	if (put_user((int)(sizeof(tlv) + skb->len), optlen) ||
	    copy_to_user(optval, &tlv, sizeof(tlv)) ||
	    copy_to_user(optval + sizeof(tlv), skb->data, skb->len))
		return -EFAULT;

	__skb_unlink(skb, &control->unread);
	mptcp_control_free(control, skb);
	return 0;
}

static int control_recv(struct mptcp_sock *msk, char __user *optval, int __user *optlen)
{
	struct sock *sk = (struct sock *)msk;
	struct mptcp_control *control;
	int size, err;

	if (get_user(size, optlen))
		return -EFAULT;
	if (size < 0)
		return -EINVAL;

	lock_sock(sk);
	control = msk->control;
	if (mptcp_control_agreed(control) || (control && !skb_queue_empty(&control->unread)))
		err = control_copy_next(control, size, optval, optlen);
	else
		err = -EOPNOTSUPP;
	release_sock(sk);
	return err;
}

int mptcp_control_getsockopt(struct mptcp_sock *msk, int optname, char __user *optval,
			     int __user *optlen)
{
	switch (optname) {
	case MPTCP_CONTROL:
		return control_get_info(msk, optval, optlen);
	case MPTCP_CONTROL_RECV:
		return control_recv(msk, optval, optlen);
	}
	return -ENOPROTOOPT;
}
