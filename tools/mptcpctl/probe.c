// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Test connections, as the kernel's path manager makes subflows: from the endpoint's address,
 * bound to its interface.
 */

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include "doctor.h"

/* Linux sends its fourth SYN after three seconds, without MPTCP, and does without MPTCP for an hour
 * if that one is answered: a test must not bring this about.
 */
#define CONNECT_MS (WAIT_S * 1000 - 200)
#define LOOK_MS 50
#define STAYS 10	/* looks in turn: a subflow that is refused is there for a round trip */

/* Where it comes from; 0, or an error number. Old kernels lack the option for MPTCP. */
static int bind_to(int fd, const struct endpoint *endpoint)
{
	char name[IF_NAMESIZE];

	if (!endpoint)
		return 0;
	if (endpoint->dev && if_indextoname(endpoint->dev, name))
		setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, sizeof(name));
	return bind(fd, (const void *)&endpoint->address, sizeof(endpoint->address)) ? errno : 0;
}

/* 0, or an error number; ETIMEDOUT: no answer */
static int connect_in_time(int fd, const struct sockaddr_storage *to)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	socklen_t len = sizeof(int);
	int error = ETIMEDOUT;

	if (!connect(fd, (const void *)to, sizeof(*to)))
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	if (poll(&poll_fd, 1, CONNECT_MS) > 0 &&
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len))
		error = errno;
	return error;
}

/* A connection, or -1 with errno */
static int open_connection(int protocol, const struct endpoint *endpoint,
			   const struct sockaddr_storage *to)
{
	int fd = socket(to->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
	int error;

	if (fd < 0)
		return -1;
	error = bind_to(fd, endpoint);
	if (!error)
		error = connect_in_time(fd, to);
	if (!error)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

static bool answers_plain(const struct endpoint *endpoint, const struct sockaddr_storage *to)
{
	int fd = open_connection(IPPROTO_TCP, endpoint, to);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static enum probe judge_error(const struct endpoint *endpoint, const struct sockaddr_storage *to)
{
	if (errno == ECONNREFUSED)
		return PROBE_REFUSED;
	/* the latter: nor does the gateway answer */
	if (errno != ETIMEDOUT && errno != EHOSTUNREACH)
		return PROBE_ERROR;
	return answers_plain(endpoint, to) ? PROBE_DROPPED : PROBE_DARK;
}

/* On a connection that fell back the kernel has no such option. */
static bool is_plain(int fd)
{
	struct mptcpctl_info info;
	socklen_t len = sizeof(info);

	return getsockopt(fd, SOL_MPTCP, MPTCP_INFO, &info, &len) ||
	       info.flags & MPTCP_FLAG_FALLBACK;
}

/* With PROBE_ERROR errno is set. */
enum probe probe_path(const struct endpoint *endpoint, const struct sockaddr_storage *to)
{
	int fd = open_connection(IPPROTO_MPTCP, endpoint, to);
	bool plain;

	if (fd < 0)
		return judge_error(endpoint, to);
	plain = is_plain(fd);
	close(fd);
	return plain ? PROBE_PLAIN : PROBE_MPTCP;
}

static unsigned int established(int fd, struct connection *c)
{
	unsigned int i, count = 0;

	read_connection(fd, c);
	for (i = 0; i < c->subflows; i++)
		count += tcp_is_established(&c->tcp[i]);
	return count;
}

/* Further subflows begin when the peer has acknowledged data: a byte, after which servers of HTTP,
 * TLS and others wait for the rest. How many there are when a second one has come to stay, or 1
 */
static unsigned int wait_for_subflows(int fd)
{
	struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	struct connection *c = malloc(sizeof(*c));
	bool sent = c && send(fd, "G", 1, MSG_NOSIGNAL) == 1;
	unsigned int count = 1, looks, stayed = 0;

	for (looks = 0; sent && stayed < STAYS && looks < WAIT_S * 1000 / LOOK_MS; looks++) {
		nanosleep(&pause, NULL);
		count = established(fd, c);
		stayed = count > 1 ? stayed + 1 : 0;
	}
	free(c);
	return stayed < STAYS ? 1 : count;
}

/* A connection from wherever the routes begin it, and how many subflows it has got after a while.
 * With PROBE_ERROR errno is set.
 */
enum probe probe_subflows(const struct sockaddr_storage *to, unsigned int *subflows)
{
	int fd = open_connection(IPPROTO_MPTCP, NULL, to);
	bool plain;

	if (fd < 0)
		return judge_error(NULL, to);
	plain = is_plain(fd);
	*subflows = plain ? 1 : wait_for_subflows(fd);
	close(fd);
	return plain ? PROBE_PLAIN : PROBE_MPTCP;
}
