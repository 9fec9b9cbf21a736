// SPDX-License-Identifier: GPL-2.0
/* Socket options of level SOL_MPTCP: a connection's scheduler, and what it did
 *
 * MPTCP_SCHEDULER: the value is a name of 1..15 characters and its extensions, with or without a
 * final NUL. Before connect() or listen() it is for the connections to come (accepted sockets
 * inherit it), on a live connection for the next bytes. On a connection that
 * fell back to TCP it can be set and read, and there is nothing to schedule.
 *
 * set: EINVAL   empty or too long, or an extension that does not exist
 *      ENOENT   no such scheduler, or its module cannot be loaded
 *      EPERM    not in net.mptcp.allowed_schedulers, and no CAP_NET_ADMIN; or not loaded,
 *               and not the caller's to load
 *      Nothing changes on error.
 *      Without CAP_NET_ADMIN, "price" is added if the sysctl's scheduler has it.
 * get: the name, padded with NUL to the buffer's size, at most 40 bytes.
 *
 * MPTCP_SCHED_INFO, get only: struct mptcp_sched_info, or as much of it as the
 * buffer takes. The counters stay when the scheduler is changed.
 */

#define pr_fmt(fmt) "MPTCP: " fmt

#include <linux/bpf.h>
#include <net/sock.h>
#include "protocol.h"
#include "mib.h"
#include "sockopt/value.h"
#include "sched/core.h"

/* Replace the scheduler of a connection; @sched comes with its reference.
 * mptcp_sk_clone_init() reads the pointer without the lock: it must see the
 * old or the new one, never none.
 */
void mptcp_sched_switch(struct mptcp_sock *msk, struct mptcp_sched_ops *sched, u16 ext)
{
	struct mptcp_sched_ops *old = msk->sched;

	msk_owned_by_me(msk);

	if (old && old->release)
		old->release(msk);
	mptcp_sched_reset(msk);

	WRITE_ONCE(msk->sched, sched);
	WRITE_ONCE(msk->sched_ext, ext);
	if (sched->init)
		sched->init(msk);

	if (old)
		bpf_module_put(old, old->owner);
	MPTCP_INC_STATS(sock_net((struct sock *)msk), MPTCP_MIB_SCHEDSWITCH);
}

int mptcp_sched_setsockopt(struct mptcp_sock *msk, sockptr_t optval,
			   unsigned int optlen)
{
	char name[MPTCP_SCHED_FULL_MAX] = {};
	struct sock *sk = (struct sock *)msk;
	struct net *net = sock_net(sk);
	struct mptcp_sched_name parsed;
	struct mptcp_sched_ops *sched;
	bool privileged;

	if (copy_from_sockptr(name, optval, min_t(size_t, optlen, sizeof(name))))
		return -EFAULT;
	if (strnlen(name, sizeof(name)) == sizeof(name) || mptcp_sched_parse(name, &parsed))
		return -EINVAL;

	privileged = ns_capable(net->user_ns, CAP_NET_ADMIN);
	sched = mptcp_sched_get(net, &parsed, privileged);
	if (IS_ERR(sched))
		return PTR_ERR(sched);
	if (!privileged)
		parsed.ext |= mptcp_sched_imposed(net);

	lock_sock(sk);
	if (sched == msk->sched && parsed.ext == msk->sched_ext) {
		bpf_module_put(sched, sched->owner);
	} else {
		mptcp_sched_switch(msk, sched, parsed.ext);
		/* whoever was to carry out the old decisions finds none */
		mptcp_check_and_set_pending(sk);
	}
	release_sock(sk);

	return 0;
}

int mptcp_sched_getsockopt(struct mptcp_sock *msk, char __user *optval,
			   int __user *optlen)
{
	char name[MPTCP_SCHED_FULL_MAX] = {};
	struct sock *sk = (struct sock *)msk;

	lock_sock(sk);
	mptcp_sched_print(name, msk->sched ? msk->sched->name : "default",
			  msk->sched_ext);
	release_sock(sk);

	return mptcp_option_answer(name, sizeof(name), optval, optlen);
}

int mptcp_sched_getinfo(struct mptcp_sock *msk, char __user *optval,
			int __user *optlen)
{
	struct sock *sk = (struct sock *)msk;
	struct mptcp_sched_info info;

	lock_sock(sk);
	info = msk->sched_info;
	release_sock(sk);

	return mptcp_option_answer(&info, sizeof(info), optval, optlen);
}
