// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Preloaded by "mptcpctl run": TCP sockets become MPTCP sockets.
 *
 * Where the kernel refuses, the program gets what it asked for: a TCP socket. The scheduler
 * and the congestion control come in the environment and were tried before.
 */

#include <dlfcn.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include "mptcp_uapi.h"

static void set_from_environment(int fd, int level, int option, const char *variable)
{
	const char *value = getenv(variable);

	if (value && *value)
		setsockopt(fd, level, option, value, strlen(value));
}

static int is_tcp(int domain, int type, int protocol)
{
	return (domain == AF_INET || domain == AF_INET6) &&
	       (type & ~(SOCK_NONBLOCK | SOCK_CLOEXEC)) == SOCK_STREAM &&
	       (protocol == 0 || protocol == IPPROTO_TCP);
}

int socket(int domain, int type, int protocol)
{
	static int (*original)(int domain, int type, int protocol);
	int fd, error;

	if (!original)
		original = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
	if (!is_tcp(domain, type, protocol))
		return original(domain, type, protocol);

	fd = original(domain, type, IPPROTO_MPTCP);
	if (fd < 0)
		return original(domain, type, protocol);

	error = errno;
	set_from_environment(fd, SOL_MPTCP, MPTCP_SCHEDULER, "MPTCPCTL_SCHEDULER");
	set_from_environment(fd, IPPROTO_TCP, TCP_CONGESTION, "MPTCPCTL_CONGESTION");
	errno = error;
	return fd;
}
