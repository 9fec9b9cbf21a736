// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Preloaded by "mptcpctl run": TCP sockets become MPTCP sockets, and those that the program opens
 * as MPTCP sockets itself get the same options.
 *
 * Where the kernel refuses, the program gets what it asked for: a TCP socket. The scheduler, the
 * congestion control and its weight come in the environment and were tried before. What still
 * fails here fails silently: the program must not notice.
 */

#include <dlfcn.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mptcp_uapi.h"

static void set_from_environment(int fd, int level, int option, const char *variable)
{
	const char *value = getenv(variable);

	if (value && *value)
		setsockopt(fd, level, option, value, strlen(value));
}

static void set_weight(int fd)
{
	const char *value = getenv("MPTCPCTL_WEIGHT");
	int weight = value ? atoi(value) : 0;

	if (value && *value)
		setsockopt(fd, SOL_MPTCP, MPTCP_CONG_WEIGHT, &weight, sizeof(weight));
}

static int is_tcp_or_mptcp(int domain, int type, int protocol)
{
	return (domain == AF_INET || domain == AF_INET6) &&
	       (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM &&
	       (protocol == 0 || protocol == IPPROTO_TCP || protocol == IPPROTO_MPTCP);
}

/* The C library's, or that of a library preloaded after this one. */
static int next_socket(int domain, int type, int protocol)
{
	static int (*next)(int domain, int type, int protocol);

	if (!next)
		next = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
	return next ? next(domain, type, protocol) : syscall(SYS_socket, domain, type, protocol);
}

int socket(int domain, int type, int protocol)
{
	int fd, error = errno;

	if (!is_tcp_or_mptcp(domain, type, protocol))
		return next_socket(domain, type, protocol);

	fd = next_socket(domain, type, IPPROTO_MPTCP);
	if (fd < 0 && protocol == IPPROTO_MPTCP)
		return fd;	/* what to do without is the program's own business */
	if (fd >= 0) {
		set_from_environment(fd, SOL_MPTCP, MPTCP_SCHEDULER, "MPTCPCTL_SCHEDULER");
		set_weight(fd);
	} else {
		fd = next_socket(domain, type, protocol);
		if (fd < 0)
			return fd;
	}
	set_from_environment(fd, IPPROTO_TCP, TCP_CONGESTION, "MPTCPCTL_CONGESTION");
	errno = error;	/* success leaves it alone */
	return fd;
}
