// SPDX-License-Identifier: GPL-2.0
/* Each allocation of a call fails, one by one: the call says so, changes nothing, and works
 * the next time.
 */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int call_sched(struct target *t)
{
	return setsockopt(t->fd, SOL_MPTCP, MPTCP_SCHEDULER, "redundant+rp", 12);
}

static int call_weight(struct target *t)
{
	int weight = 7;

	return setsockopt(t->fd, SOL_MPTCP, MPTCP_CONG_WEIGHT, &weight, sizeof(weight));
}

static int call_cong(struct target *t)
{
	return setsockopt(t->fd, IPPROTO_TCP, TCP_CONGESTION, "olia", 4);
}

static int call_listen(struct target *t)
{
	return listen(t->fd, 5);
}

static int call_socket(struct target *t)
{
	int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP);

	if (fd < 0)
		return -1;
	close(t->fd);
	t->fd = fd;
	return 0;
}

/* Blocking: a SYN that could not be sent is sent again. */
static int call_connect(struct target *t)
{
	struct sockaddr_in in = address(PEER, 7000);

	fcntl(t->fd, F_SETFL, 0);
	return connect(t->fd, (void *)&in, sizeof(in));
}

static int call_accept(struct target *t)
{
	int fd = accept(listeners[0], NULL, NULL);

	if (fd < 0)
		return -1;
	close(t->other);
	t->other = fd;
	return 0;
}

static int call_send(struct target *t)
{
	uint8_t data[20000] = {};

	return send(t->fd, data, sizeof(data), MSG_DONTWAIT) < 0 ? -1 : 0;
}

static int call_info(struct target *t)
{
	char info[48];
	socklen_t len = sizeof(info);

	return getsockopt(t->fd, SOL_MPTCP, MPTCP_SCHED_INFO, info, &len);
}

static int call_shutdown(struct target *t)
{
	return shutdown(t->fd, SHUT_WR);
}

static int call_disconnect(struct target *t)
{
	struct sockaddr none = { .sa_family = AF_UNSPEC };

	return connect(t->fd, &none, sizeof(none));
}

static const struct {
	const char *name;
	enum state state;
	int (*call)(struct target *t);
	bool needs_memory;
} faults[] = {
	{ "MPTCP_SCHEDULER of a new socket", NEW, call_sched, false },
	{ "MPTCP_SCHEDULER of a connection", CONNECTED, call_sched, false },
	{ "MPTCP_SCHED_INFO of a connection", CONNECTED, call_info, false },
	{ "MPTCP_CONG_WEIGHT of a new socket", NEW, call_weight, false },
	{ "MPTCP_CONG_WEIGHT of a connection", CONNECTED, call_weight, false },
	{ "TCP_CONGESTION of a new socket", NEW, call_cong, false },
	{ "TCP_CONGESTION of a connection", CONNECTED, call_cong, false },
	{ "socket", NEW, call_socket, true },
	{ "listen", NEW, call_listen, true },
	{ "connect", NEW, call_connect, true },
	{ "accept", CONNECTED, call_accept, true },
	{ "send", CONNECTED, call_send, false },
	{ "shutdown", CONNECTED, call_shutdown, false },
	{ "disconnect", CONNECTED, call_disconnect, false },
};

static int fail_nth_fd;

/* Let the @n-th allocation of this thread fail; returns how many were left until then. */
static int fail_nth(int n)
{
	char text[16] = "";
	ssize_t len = pread(fail_nth_fd, text, sizeof(text) - 1, 0);
	int left = len > 0 ? atoi(text) : 0;

	len = snprintf(text, sizeof(text), "%d", n);
	if (pwrite(fail_nth_fd, text, len, 0) != len)
		die("fail-nth");
	return left;
}

static void check_kept(const struct target *t, const struct target *old, const char *name)
{
	if (strcmp(t->sched, old->sched) || strcmp(t->cong, old->cong) || t->weight != old->weight)
		wrong(VALUE, "%s failed, and now it is %s %s %d", name, t->sched, t->cong,
		      t->weight);
}

/* One call with the @n-th allocation failing, @failed counts if it fails itself; false: it
 * has not that many.
 */
static bool fault(struct fuzzer *f, int i, int n, int *failed)
{
	/* as with TCP: no file for a socket, no bucket for its port */
	static const int allowed[] = { ENOMEM, ENOBUFS, EAGAIN, ENFILE, EADDRINUSE, 0 };
	struct sockaddr_in in = address(PEER, 7000);
	struct target t, old;
	int err, left, queued = -1;

	make(f, &t, faults[i].state);
	old = t;
	/* to look at a new socket's options gives it what the call is to allocate */
	if (faults[i].state == NEW)
		make(f, &old, NEW);
	read_options(&old);
	if (faults[i].state == NEW)
		close_target(&old);
	if (faults[i].call == call_accept) {
		queued = new_socket(IPPROTO_MPTCP);
		if (connect(queued, (void *)&in, sizeof(in)))
			die("connect");
	}
	fail_nth(n);
	err = faults[i].call(&t) ? errno : 0;
	left = fail_nth(0);
	count_call(f, FAULT, err, allowed);
	read_options(&t);
	if (err) {
		check_kept(&t, &old, faults[i].name);
		(*failed)++;
	}
	/* what failed once works the next time */
	if (err && faults[i].call(&t) && errno != EISCONN)
		wrong(STUCK, "%s, after allocation %d failed: %s", faults[i].name, n,
		      strerrorname_np(errno));
	if (queued >= 0)
		close(queued);
	if (faults[i].call == call_connect)
		t.other = accept(listeners[0], NULL, NULL);
	close_target(&t);
	return !left;
}

void run_faults(struct fuzzer *f)
{
	unsigned int i;
	int n, failed;

	fail_nth_fd = open("/proc/thread-self/fail-nth", O_RDWR);
	if (fail_nth_fd < 0)
		die("fail-nth");
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		failed = 0;
		for (n = 1; n < 1000 && fault(f, i, n, &failed); n++)
			;
		printf("# %s: %d allocations, %d of them made it fail\n", faults[i].name, n - 1,
		       failed);
		if (n == 1000 || (faults[i].needs_memory && !failed))
			wrong(ERROR, "%s: no allocation could be made to fail", faults[i].name);
	}
}
