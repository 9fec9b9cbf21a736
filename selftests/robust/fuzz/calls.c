// SPDX-License-Identifier: GPL-2.0
/* Any call but those on options, on sockets that threads share and nobody relies on. */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

static void fuzz_send(struct fuzzer *f, int fd)
{
	static const int allowed[] = { EAGAIN, EFAULT, EOPNOTSUPP, EINVAL, EINPROGRESS, EALREADY,
				       EISCONN, EDESTADDRREQ, ENOBUFS, EMSGSIZE, EAFNOSUPPORT,
				       EADDRNOTAVAIL, ENETUNREACH, 0 };
	static const int flags[] = { 0, MSG_MORE, MSG_OOB, MSG_FASTOPEN, MSG_ZEROCOPY, MSG_EOR,
				     MSG_DONTROUTE, -1 };
	struct sockaddr_in in = address(one_in(f, 2) ? PEER : NOBODY, 7002);
	uint8_t control[64];
	struct iovec iov[2];
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 1 + below(f, 2) };
	int room, i;

	for (i = 0; i < 2; i++) {
		iov[i].iov_base = place(f, 2000, &room);
		iov[i].iov_len = one_in(f, 4) ? below(f, 1 << 20) : below(f, 3000);
	}
	for (i = 0; i < (int)sizeof(control); i++)
		control[i] = one_in(f, 4) ? draw(f) : 0;
	if (one_in(f, 3)) {
		msg.msg_name = &in;
		msg.msg_namelen = sizeof(in);
	}
	if (one_in(f, 6)) {
		msg.msg_control = control;
		msg.msg_controllen = below(f, sizeof(control));
	}
	i = flags[below(f, ARRAY_SIZE(flags))];
	if (i < 0)
		i = draw(f) & 0x7fffffff;
	count_call(f, SEND, result(sendmsg(fd, &msg, i | MSG_DONTWAIT | MSG_NOSIGNAL)), allowed);
}

void fuzz_recv(struct fuzzer *f, int fd, bool peek)
{
	/* EPERM: of TCP in repair mode (TCP_REPAIR), which some of the sockets are in */
	static const int allowed[] = { EPERM, EAGAIN, EFAULT, EINVAL, EOPNOTSUPP, EMSGSIZE, 0 };
	static const int flags[] = { 0, MSG_TRUNC, MSG_OOB, MSG_ERRQUEUE, MSG_WAITALL,
				     MSG_CMSG_CLOEXEC, -1 };
	uint8_t control[64];
	int room, i = flags[below(f, ARRAY_SIZE(flags))];
	struct iovec iov = { .iov_base = place(f, 2000, &room), .iov_len = below(f, 3000) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (one_in(f, 2)) {
		msg.msg_control = control;
		msg.msg_controllen = below(f, sizeof(control));
	}
	if (i < 0)
		i = draw(f) & 0x7fffffff;
	if (peek || one_in(f, 3))
		i |= MSG_PEEK;
	count_call(f, RECV, result(recvmsg(fd, &msg, i | MSG_DONTWAIT)), allowed);
}

static void fuzz_ioctl(struct fuzzer *f, int fd)
{
	static const int allowed[] = { EFAULT, EINVAL, ENOTTY, EPERM, ENODEV, EOPNOTSUPP,
				       ENOTCONN, EADDRNOTAVAIL, ENXIO, ENOPKG, ENOENT,
				       EPFNOSUPPORT, 0 };
	static const int requests[] = { SIOCINQ, SIOCOUTQ, SIOCOUTQNSD, SIOCATMARK, FIOASYNC, 0 };
	int request = requests[below(f, ARRAY_SIZE(requests))], room;
	uint8_t *at = place(f, 4, &room);

	memset(f->zone, 0, ZONE_SIZE);
	net_admin(f, false);
	count_call(f, IOCTL, result(ioctl(fd, request ? request : 0x8900 + (int)below(f, 256), at)),
		   allowed);
}

void fuzz_poll(struct fuzzer *f, int fd)
{
	static const int allowed[] = { 0 };
	struct pollfd set = { .fd = fd, .events = draw(f) };

	count_call(f, POLL, result(poll(&set, 1, one_in(f, 4) ? 2 : 0)), allowed);
}

/* From the socket through a pipe to the same or another one. */
static void fuzz_splice(struct fuzzer *f, int fd, int to)
{
	static const int allowed[] = { EAGAIN, EINVAL, EBADF, 0 };
	int ends[2], flags = SPLICE_F_NONBLOCK | (draw(f) & 15);

	if (pipe(ends))
		return;
	if (one_in(f, 2) && write(ends[1], "data", 4) != 4)
		die("pipe");
	else
		count_call(f, SPLICE,
			   result(splice(fd, NULL, ends[1], NULL, below(f, 5000), flags)), allowed);
	count_call(f, SPLICE, result(splice(ends[0], NULL, to, NULL, below(f, 5000), flags)),
		   allowed);
	close(ends[0]);
	close(ends[1]);
}

static void fuzz_sendfile(struct fuzzer *f, int fd)
{
	static const int allowed[] = { EAGAIN, EINVAL, 0 };
	off_t at = below(f, 1000);
	int file = open("/proc/self/exe", O_RDONLY);

	count_call(f, SENDFILE, result(sendfile(fd, file, &at, below(f, 30000))), allowed);
	close(file);
}

static void fuzz_accept(struct fuzzer *f, int fd)
{
	static const int allowed[] = { EAGAIN, EINVAL, EFAULT, EOPNOTSUPP, 0 };
	int room, got;
	socklen_t len = some_length(f, 16);
	struct sockaddr *at = (void *)place(f, 16, &room);

	got = accept4(fd, one_in(f, 2) ? at : NULL, &len, one_in(f, 20) ? -1 : SOCK_NONBLOCK);
	count_call(f, ACCEPT, result(got), allowed);
	/* it takes the place of some other socket */
	if (got >= 0) {
		dup2(got, SLOT_FD + below(f, SLOTS));
		close(got);
	}
}

static void fuzz_connect(struct fuzzer *f, int fd)
{
	static const int allowed[] = { EINPROGRESS, EALREADY, EISCONN, EINVAL, EFAULT,
				       EAFNOSUPPORT, EADDRNOTAVAIL, ENETUNREACH, EADDRINUSE,
				       EAGAIN, 0 };
	static const int families[] = { AF_INET, AF_INET, AF_INET, AF_UNSPEC, AF_INET6, AF_UNIX };
	struct sockaddr_in in = address(one_in(f, 2) ? PEER : NOBODY, 7002 + below(f, 2));
	int len = one_in(f, 3) ? some_length(f, sizeof(in)) : (int)sizeof(in), room;

	in.sin_family = families[below(f, ARRAY_SIZE(families))];
	if (one_in(f, 2))
		in.sin_port = htons(7002);
	if (one_in(f, 16))
		count_call(f, CONNECT, result(connect(fd, (void *)place(f, 16, &room), len)),
			   allowed);
	else
		count_call(f, CONNECT, result(connect(fd, (void *)&in, len < 200 ? len : 16)),
			   allowed);
}

static void fuzz_setup(struct fuzzer *f, int fd)
{
	static const int allowed[] = { EINVAL, EADDRINUSE, EADDRNOTAVAIL, EAFNOSUPPORT, ENOTCONN,
				       EACCES, 0 };
	struct sockaddr_in in =
		address(one_in(f, 2) ? SELF : "127.0.0.1", one_in(f, 2) ? 0 : draw(f));

	switch (below(f, 6)) {
	case 0:
		if (one_in(f, 8))
			in.sin_family = draw(f);
		count_call(f, BIND,
			   result(bind(fd, (void *)&in, one_in(f, 8) ? below(f, 40) : sizeof(in))),
			   allowed);
		break;
	case 1:
		count_call(f, LISTEN, result(listen(fd, one_in(f, 2) ? 5 : (int)draw(f))), allowed);
		break;
	case 2:
		if (!one_in(f, 4))
			break;
		count_call(f, SHUTDOWN,
			   result(shutdown(fd, one_in(f, 8) ? (int)draw(f) : (int)below(f, 3))),
			   allowed);
		break;
	}
}

static void fuzz_names(struct fuzzer *f, int fd)
{
	static const int allowed[] = { EINVAL, EFAULT, ENOTCONN, 0 };
	socklen_t len = some_length(f, 16);
	int room, asked = len;
	uint8_t *at = place(f, 16, &room);
	bool peer = one_in(f, 2);

	memset(f->zone, 0xa5, ZONE_SIZE);
	memcpy(f->before, f->zone, ZONE_SIZE);
	count_call(f, NAMES, result((peer ? getpeername : getsockname)(fd, (void *)at, &len)),
		   allowed);
	check_zone(f, &options[SCHED], room ? at : f->zone, room && asked > 0 ? asked : 0);
}

/* Another socket, in any state, takes the place. */
void replace(struct fuzzer *f, int slot)
{
	struct target t;

	make(f, &t, below(f, STATES));
	dup2(t.fd, SLOT_FD + slot);
	close(t.fd);
	if (t.other < 0)
		return;
	dup2(t.other, SLOT_FD + below(f, SLOTS));
	close(t.other);
}

/* Any call on a socket that nobody relies on. */
void fuzz_slot(struct fuzzer *f)
{
	int slot = below(f, SLOTS), fd = SLOT_FD + slot;

	switch (below(f, 14)) {
	case 0:
		fuzz_send(f, fd);
		break;
	case 1:
		fuzz_recv(f, fd, false);
		break;
	case 2:
		fuzz_ioctl(f, fd);
		break;
	case 3:
		fuzz_poll(f, fd);
		break;
	case 4:
		fuzz_splice(f, fd, SLOT_FD + below(f, SLOTS));
		break;
	case 5:
		fuzz_sendfile(f, fd);
		break;
	case 6:
		fuzz_accept(f, one_in(f, 2) ? listeners[2] : fd);
		break;
	case 7:
		fuzz_connect(f, fd);
		break;
	case 8:
		fuzz_setup(f, fd);
		break;
	case 9:
		fuzz_names(f, fd);
		break;
	case 10:
	case 11:
		replace(f, slot);
		break;
	}
}
