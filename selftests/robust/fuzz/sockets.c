// SPDX-License-Identifier: GPL-2.0
/* Sockets in each of their states, and the peer's listeners that they connect to. */
#include "fuzz.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int listeners[3];
static pthread_mutex_t pairing = PTHREAD_MUTEX_INITIALIZER;

static void nonblocking(int fd)
{
	fcntl(fd, F_SETFL, O_NONBLOCK);
}

struct sockaddr_in address(const char *host, int port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };

	inet_pton(AF_INET, host, &in.sin_addr);
	return in;
}

int new_socket(int protocol)
{
	int fd = socket(AF_INET, SOCK_STREAM, protocol);

	if (fd < 0)
		die("socket");
	return fd;
}

static int new_listener(int protocol, int port)
{
	struct sockaddr_in in = address(PEER, port);
	int fd = new_socket(protocol), one = 1, tries = 200;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	/* what an earlier run left may hold the port for a while */
	while (bind(fd, (void *)&in, sizeof(in)) || listen(fd, 100)) {
		if (errno != EADDRINUSE || !tries--)
			die("listen");
		pause_us(1000000);
	}
	return fd;
}

/* The peer's listeners; this thread is back in its own namespace afterwards. */
void open_listeners(const char *netns)
{
	char path[256];
	int here, there;

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	here = open("/proc/thread-self/ns/net", O_RDONLY);
	there = open(path, O_RDONLY);
	if (here < 0 || there < 0 || setns(there, CLONE_NEWNET))
		die(path);
	listeners[0] = new_listener(IPPROTO_MPTCP, 7000);
	listeners[1] = new_listener(IPPROTO_TCP, 7001);
	listeners[2] = new_listener(IPPROTO_MPTCP, 7002);
	nonblocking(listeners[2]);
	if (setns(here, CLONE_NEWNET))
		die("setns");
	close(here);
	close(there);
}

/* Connect to the peer's listener: both ends, or none. */
static bool pair(int protocol, int which, int *ours, int *theirs)
{
	struct sockaddr_in in = address(PEER, 7000 + which);

	*ours = new_socket(protocol);
	pthread_mutex_lock(&pairing);
	*theirs = connect(*ours, (void *)&in, sizeof(in)) ? -1 :
							    accept(listeners[which], NULL, NULL);
	pthread_mutex_unlock(&pairing);
	if (*theirs < 0) {
		close(*ours);
		return false;
	}
	nonblocking(*ours);
	nonblocking(*theirs);
	return true;
}

void new_pair(int protocol, int which, int *ours, int *theirs)
{
	if (!pair(protocol, which, ours, theirs))
		die("connect");
	if (write(*ours, "hello", 5) < 0 || write(*theirs, "hello", 5) < 0)
		die("write");
}

void swap(struct target *t)
{
	int fd = t->fd;

	t->fd = t->other;
	t->other = fd;
}

static void reset_peer(struct target *t)
{
	struct linger linger = { 1, 0 };

	setsockopt(t->other, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	close(t->other);
	t->other = -1;
}

void close_target(struct target *t)
{
	close(t->fd);
	if (t->other >= 0)
		close(t->other);
}

static void make_single(struct target *t, enum state state)
{
	struct sockaddr_in self = address(SELF, 0), nobody = address(NOBODY, 7000);

	t->other = -1;
	t->fd = new_socket(IPPROTO_MPTCP);
	nonblocking(t->fd);
	if (state == BOUND || state == LISTENING)
		bind(t->fd, (void *)&self, sizeof(self));
	if (state == LISTENING)
		listen(t->fd, 5);
	if (state == CONNECTING)
		connect(t->fd, (void *)&nobody, sizeof(nobody));
}

/* Move a connected pair on to @state. */
static void end_pair(struct target *t, enum state state)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };

	switch (state) {
	case SHUT_IN:
	case SHUT_OUT:
	case SHUT_BOTH:
		shutdown(t->fd, state == SHUT_IN  ? SHUT_RD :
				state == SHUT_OUT ? SHUT_WR :
						    SHUT_RDWR);
		break;
	case PEER_SHUT:
		shutdown(t->other, SHUT_WR);
		break;
	case PEER_CLOSED:
		close(t->other);
		t->other = -1;
		break;
	case PEER_RESET:
		reset_peer(t);
		break;
	case DISCONNECTED:
		connect(t->fd, &none, sizeof(none));
		break;
	default:
		break;
	}
}

/* A socket in @state, its options not known yet. */
void make(struct fuzzer *f, struct target *t, enum state state)
{
	memset(t, 0, sizeof(*t));
	t->mptcp = state != PLAIN;
	if (state <= CONNECTING) {
		make_single(t, state);
		return;
	}
	new_pair(state == PLAIN ? IPPROTO_TCP : IPPROTO_MPTCP, state == FALLBACK, &t->fd,
		 &t->other);
	/* the end that was accepted; of a peer without MPTCP it is plain TCP */
	if (state == ACCEPTED || state == PLAIN || (state > PLAIN && one_in(f, 2)))
		swap(t);
	if (one_in(f, 4))
		pause_us(100000);	/* subflows join */
	end_pair(t, state);
	if (one_in(f, 2))
		pause_us(50000);
}
