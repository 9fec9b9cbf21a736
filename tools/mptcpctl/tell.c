// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Preloaded by "mptcpctl run", beside preload.c: tells of connections that are plain TCP.
 *
 * A program that asked for MPTCP gets TCP without a word if the peer does not speak it, or if
 * something on the way removes its options. Only the end of a connection is sure to be after the
 * handshake, whether connect() waits for it or not: there the kernel is asked, and a line goes to
 * standard error, once for a peer. Connections that others began are none of this program's choice.
 */

#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mptcp_uapi.h"

#define MAX_FD	4096	/* sockets with higher numbers are not told of */

/* The process that connected a socket; a child that inherited it has nothing to tell. */
static pid_t connected_by[MAX_FD];

/* Standard error as the program got it */
static struct stat first_stderr;

static int wanted(void)
{
	const char *value = getenv("MPTCPCTL_TELL");

	return value && *value;
}

__attribute__((constructor)) static void look_at_stderr(void)
{
	fstat(STDERR_FILENO, &first_stderr);
}

/* Else the program has closed it, and its number may be a connection's, or a file's with data. */
static int has_stderr(void)
{
	struct stat now;

	return !fstat(STDERR_FILENO, &now) && now.st_dev == first_stderr.st_dev &&
	       now.st_ino == first_stderr.st_ino;
}

static int is_mptcp(int fd)
{
	int protocol;
	socklen_t len = sizeof(protocol);

	return !getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) &&
	       protocol == IPPROTO_MPTCP;
}

/* On a connection that fell back the kernel has no such option. */
static int fell_back(int fd)
{
	struct mptcp_info info;
	socklen_t len = sizeof(info);

	return getsockopt(fd, SOL_MPTCP, MPTCP_INFO, &info, &len) &&
	       (errno == EOPNOTSUPP || errno == ENOPROTOOPT);
}

static void tell_peer(int fd)
{
	static char last[INET6_ADDRSTRLEN + 16];
	struct sockaddr_storage peer = {};
	socklen_t len = sizeof(peer);
	char address[INET6_ADDRSTRLEN], line[sizeof(last)];
	const void *raw = &((struct sockaddr_in *)&peer)->sin_addr;

	if (getpeername(fd, (struct sockaddr *)&peer, &len))
		return;
	if (peer.ss_family == AF_INET6)
		raw = &((struct sockaddr_in6 *)&peer)->sin6_addr;
	/* the port is at the same place in both */
	if (!inet_ntop(peer.ss_family, raw, address, sizeof(address)))
		return;
	snprintf(line, sizeof(line), "%s port %u", address,
		 ntohs(((struct sockaddr_in *)&peer)->sin_port));
	if (!strcmp(line, last))
		return;
	snprintf(last, sizeof(last), "%s", line);
	dprintf(STDERR_FILENO, "mptcpctl: %s: plain TCP: it does not speak MPTCP, or something on the way removes it\n",
		line);
}

static void tell(int fd)
{
	int error = errno;

	if (fd < 0 || fd >= MAX_FD || !connected_by[fd])
		return;
	/* a child of vfork() shares this memory, and closes for itself */
	if (connected_by[fd] != getpid())
		return;
	if (has_stderr() && is_mptcp(fd) && fell_back(fd))
		tell_peer(fd);
	connected_by[fd] = 0;
	errno = error;
}

int connect(int fd, const struct sockaddr *address, socklen_t len)
{
	static int (*next)(int fd, const struct sockaddr *address, socklen_t len);
	int ret;

	if (!next)
		next = (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "connect");
	ret = next ? next(fd, address, len) : syscall(SYS_connect, fd, address, len);
	if ((!ret || errno == EINPROGRESS) && fd >= 0 && fd < MAX_FD && wanted())
		connected_by[fd] = getpid();
	return ret;
}

int close(int fd)
{
	static int (*next)(int fd);

	tell(fd);
	if (!next)
		next = (int (*)(int))dlsym(RTLD_NEXT, "close");
	return next ? next(fd) : syscall(SYS_close, fd);
}

/* The C library's own does not come by close(). */
int fclose(FILE *file)
{
	static int (*next)(FILE *file);

	tell(fileno(file));
	if (!next)
		next = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
	return next ? next(file) : EOF;
}

/* What a program leaves open when it ends. */
__attribute__((destructor)) static void tell_of_the_rest(void)
{
	int fd;

	for (fd = 0; fd < MAX_FD; fd++)
		tell(fd);
}
