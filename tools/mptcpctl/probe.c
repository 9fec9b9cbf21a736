// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Test connections, as the kernel's path manager makes subflows: from the endpoint's address,
 * bound to its interface.
 */

#include <errno.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "doctor.h"

/* Linux sends its fourth SYN after three seconds, without MPTCP, and does without MPTCP for an hour
 * if that one is answered: a test must not bring this about.
 */
#define CONNECT_MS (WAIT_S * 1000 - 200)
#define LOOK_MS 50
#define STAYS 10	/* looks in turn: a subflow that is refused is there for a round trip */

/* A full packet is answered within a round trip, or after a loss or two. */
#define FULL_MS 1500

/* What tunnels and providers leave of 1500 bytes: PPPoE, 6in4, GRE, WireGuard, mobile networks; and
 * what IPv6 asks for
 */
static const unsigned int mtus[] = { 1492, 1480, 1476, 1460, 1420, 1400, 1358, 1280 };

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

/* A connection with segments of at most @mss, if that is not 0; or -1 with errno */
static int open_limited(int protocol, const struct endpoint *endpoint,
			const struct sockaddr_storage *to, int mss)
{
	/* below "mptcpctl run", socket() makes MPTCP of TCP */
	int fd = syscall(SYS_socket, to->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
			 protocol);
	int error;

	if (fd < 0)
		return -1;
	if (mss)
		setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &mss, sizeof(mss));
	error = bind_to(fd, endpoint);
	if (!error)
		error = connect_in_time(fd, to);
	if (!error)
		return fd;
	close(fd);
	errno = error;
	return -1;
}

static int open_connection(int protocol, const struct endpoint *endpoint,
			   const struct sockaddr_storage *to)
{
	return open_limited(protocol, endpoint, to, 0);
}

static bool answers_plain(const struct endpoint *endpoint, const struct sockaddr_storage *to)
{
	int fd = open_connection(IPPROTO_TCP, endpoint, to);

	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static bool read_tcp_info(int fd, struct tcp_info *info)
{
	socklen_t len = sizeof(*info);

	return !getsockopt(fd, IPPROTO_TCP, TCP_INFO, info, &len);
}

/* Is a segment as long as its connection has them answered? By an acknowledgment, or by what ends
 * the connection. On TCP, as MPTCP would send it again over another path.
 */
static bool takes_full(int fd)
{
	struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	static const char text[65536] = { [0 ... 65535] = 'G' };
	struct tcp_info info = {};
	int looks, left = 1;

	if (!read_tcp_info(fd, &info) || send(fd, text, info.tcpi_snd_mss, MSG_NOSIGNAL) < 0)
		return true;
	for (looks = 0; left && looks < FULL_MS / LOOK_MS; looks++) {
		nanosleep(&pause, NULL);
		if (ioctl(fd, SIOCOUTQ, &left) || !read_tcp_info(fd, &info) ||
		    info.tcpi_state == STATE_CLOSE)
			return true;
	}
	return !left;
}

/* With packets of at most @mtu, 0: as the interface has them. What cannot be tried is taken. */
static bool takes_packets(const struct endpoint *endpoint, const struct sockaddr_storage *to,
			  unsigned int mtu)
{
	unsigned int headers = to->ss_family == AF_INET6 ? 60 : 40;
	int fd = open_limited(IPPROTO_TCP, endpoint, to, mtu ? mtu - headers : 0);
	bool takes = fd < 0 || takes_full(fd);

	if (fd >= 0)
		close(fd);
	return takes;
}

/* The largest packets that get through, 0: none of those that there usually are */
static unsigned int find_mtu(const struct endpoint *endpoint, const struct sockaddr_storage *to)
{
	size_t i;

	for (i = 0; i < sizeof(mtus) / sizeof(mtus[0]); i++) {
		if (takes_packets(endpoint, to, mtus[i]))
			return mtus[i];
	}
	return 0;
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

/* With PROBE_ERROR errno is set, with PROBE_SMALL @mtu. */
enum probe probe_path(const struct endpoint *endpoint, const struct sockaddr_storage *to,
		      unsigned int *mtu)
{
	int fd = open_connection(IPPROTO_MPTCP, endpoint, to);
	bool plain;

	if (fd < 0)
		return judge_error(endpoint, to);
	plain = is_plain(fd);
	close(fd);
	if (plain)
		return PROBE_PLAIN;
	if (takes_packets(endpoint, to, 0))
		return PROBE_MPTCP;
	*mtu = find_mtu(endpoint, to);
	return *mtu ? PROBE_SMALL : PROBE_MUTE;
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
 * TLS and others wait for the rest. How many there are when a second one has come to stay, or 1;
 * 0: the connection has ended. One that the peer refuses has come and gone between two looks, but
 * its address, or the peer's, stays counted.
 */
static struct probe_subflows wait_for_subflows(int fd, struct connection *c)
{
	struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	bool sent = send(fd, "G", 1, MSG_NOSIGNAL) == 1;
	struct probe_subflows got = { .count = sent };
	unsigned int looks, stayed = 0;
	char byte;

	for (looks = 0; got.count && stayed < STAYS && looks < WAIT_S * 1000 / LOOK_MS; looks++) {
		nanosleep(&pause, NULL);
		got.count = recv(fd, &byte, 1, MSG_PEEK) ? established(fd, c) : 0;
		got.began |= c->subflows > 1 || c->info.locals_used || c->info.accepted;
		stayed = got.count > 1 ? stayed + 1 : 0;
	}
	if (got.count && stayed < STAYS)
		got.count = 1;
	return got;
}

/* A connection from wherever the routes begin it, and how many subflows it has got after a while.
 * With PROBE_ERROR errno is set.
 */
enum probe probe_subflows(const struct sockaddr_storage *to, struct probe_subflows *subflows)
{
	struct connection *c = calloc(1, sizeof(*c));
	enum probe result;
	int fd;

	if (!c)
		return PROBE_ERROR;
	fd = open_connection(IPPROTO_MPTCP, NULL, to);
	if (fd < 0) {
		result = judge_error(NULL, to);
	} else if (is_plain(fd)) {
		result = PROBE_PLAIN;
		close(fd);
	} else {
		*subflows = wait_for_subflows(fd, c);
		result = subflows->count ? PROBE_MPTCP : PROBE_ENDED;
		close(fd);
	}
	free(c);
	return result;
}
