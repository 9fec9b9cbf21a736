// SPDX-License-Identifier: GPL-2.0
/* Many MPTCP connections at a time, each of whose bytes is checked.
 *
 *	faults_load serve -p PORT [-l BACKLOG] [-i MS] [OPTION...]
 *	faults_load run -a ADDR -p PORT -n CONNECTIONS -j AT_ONCE -k KINDS -b MIN:MAX
 *		-S SEED [OPTION...]
 *
 * The client draws for each connection from SEED what it does (struct plan) and sends that
 * as its first bytes. KINDS has a letter for each way to end, to choose from:
 *	t	both send, shut down, read to the end
 *	c	the server sends, then the client sends and closes at once
 *	r R	the client, the server resets the connection in the middle
 *	u U	the client, the server closes with data unread
 *	a	the client closes while the connection is being established
 * Options of both: -w and -G, schedulers and congestion controls of which one is set each
 * 64 KB; -B the send buffer; -T the seconds without any progress after which a connection
 * counts as stuck; -e every connection may break (but not hang); -2 data goes both ways in
 * each connection (else in 6 of 8).
 *
 * The server ends after SIGTERM, when all its connections did. Both print "key=value" lines:
 * complete, broken (which was meant to be, or might be), failed, stuck, bytes, wrong bytes,
 * and why connections broke or failed.
 */
#define _GNU_SOURCE
#include "../../mptcp_uapi.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHUNK		(256 * 1024)
#define SWITCH_EACH	(64 * 1024)
#define MAX_CONNS	4096
#define MAX_NAMES	16
#define MAX_ERRNO	160
#define MAGIC		0x4d50544350706c61ULL
/* More events than this without a byte moved: the kernel says "ready", and is not. */
#define MAX_SPINS	100000
/* The end of the stream came too early: an errno of our own */
#define SHORT_END	(MAX_ERRNO - 1)

/* The first bytes of what the client sends */
struct plan {
	uint64_t magic, id, seed;
	uint64_t up, down;	/* bytes of the client, with this plan; of the server */
	uint64_t cut;		/* bytes until it breaks off, or for "a" the ms */
	uint32_t kind, chunk;
	uint64_t pause;		/* bytes after which a slow reader rests, or 0 */
	uint64_t sum;
};

struct conn {
	struct plan plan;
	uint64_t sent, received, switched, rng;
	uint64_t progress, wake;	/* when, in ms */
	uint64_t rest_at;		/* bytes received when the reader rests next */
	unsigned int spins;
	uint32_t events;
	int fd, index;
	bool server, connected, shut, ended, resting;
};

struct names {
	const char *name[MAX_NAMES];
	int count;
};

static struct {
	const char *addr, *kinds;
	struct names scheds, congs;
	uint64_t min, max, seed;
	unsigned int port, connections, at_once, backlog, accept_ms;
	unsigned int sndbuf, patience;
	bool server, may_break, two_way;
} args = { .kinds = "t", .min = 1, .max = 1 << 20, .at_once = 1, .backlog = 1024,
	   .patience = 150 };

static struct {
	uint64_t started, complete, broken, failed, stuck, headless, sent, received, wrong;
	uint64_t switches, refused;
	uint64_t failed_by[MAX_ERRNO], broken_by[MAX_ERRNO], refused_by[MAX_ERRNO];
} stats;

static struct conn *conns[MAX_CONNS];
static int n_conns;
static int epoll_fd, signal_fd;
static bool stopping;

static void die(const char *what)
{
	fprintf(stderr, "faults_load: %s: %s\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static uint64_t draw(uint64_t *rng)
{
	*rng += 0x9e3779b97f4a7c15ULL;
	return mix(*rng);
}

static uint64_t plan_sum(const struct plan *plan)
{
	const uint64_t *words = (const uint64_t *)plan;
	uint64_t sum = 0;

	for (size_t i = 0; i < offsetof(struct plan, sum) / sizeof(*words); i++)
		sum = mix(sum + words[i] + 1);
	return sum;
}

/* The bytes at @offset of a stream: of no other place of it, of no other connection. */
static const uint8_t *stream(const struct conn *conn, bool up, uint64_t offset, size_t len)
{
	static uint64_t words[CHUNK / 8 + 2];
	uint64_t key = mix(mix(conn->plan.seed + conn->plan.id) + up);
	uint64_t first = offset / 8, last = (offset + len) / 8;

	for (uint64_t i = first; i <= last; i++) {
		uint64_t x = (key + i) * 0x9e3779b97f4a7c15ULL;

		words[i - first] = x ^ x >> 29;
	}
	if (up && offset < sizeof(conn->plan)) {
		size_t head = sizeof(conn->plan) - offset;

		memcpy((uint8_t *)words + offset % 8, (uint8_t *)&conn->plan + offset,
		       head < len ? head : len);
	}
	return (uint8_t *)words + offset % 8;
}

static uint64_t differ(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint64_t wrong = 0;

	if (!memcmp(a, b, len))
		return 0;
	for (size_t i = 0; i < len; i++)
		wrong += a[i] != b[i];
	return wrong;
}

static bool has_plan(const struct conn *conn)
{
	return !conn->server || conn->received >= sizeof(conn->plan);
}

static uint64_t to_receive(const struct conn *conn)
{
	return conn->server ? conn->plan.up : conn->plan.down;
}

/* How far it may send now. */
static uint64_t may_send(const struct conn *conn)
{
	if (conn->server)
		return has_plan(conn) ? conn->plan.down : 0;
	if (conn->plan.kind == 'c' && !conn->ended)
		return sizeof(conn->plan);
	return conn->plan.up;
}

/* Is it this side that breaks off, and with a kind of these? */
static bool breaks(const struct conn *conn, char by_client, char by_server)
{
	return has_plan(conn) &&
	       conn->plan.kind == (uint32_t)(conn->server ? by_server : by_client);
}

static void watch(struct conn *conn)
{
	struct epoll_event event = { .data.ptr = conn };

	if (!conn->ended && !conn->resting)
		event.events |= EPOLLIN;
	if (!conn->connected || conn->sent < may_send(conn))
		event.events |= EPOLLOUT;
	if (event.events == conn->events)
		return;
	if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, conn->fd, &event))
		die("epoll_ctl");
	conn->events = event.events;
}

/* Errors that are no surprise when allocations fail; ENFILE is that of an inode. */
static bool short_of_memory(void)
{
	return args.may_break && (errno == ENOMEM || errno == ENOBUFS || errno == ENFILE);
}

static void add_conn(struct conn *conn)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT, .data.ptr = conn };

	while (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, conn->fd, &event))
		if (!short_of_memory())
			die("epoll_ctl");
	conn->events = event.events;
	conn->progress = now_ms();
	conn->index = n_conns;
	conns[n_conns++] = conn;
	stats.started++;
}

static void end_conn(struct conn *conn)
{
	stats.sent += conn->sent;
	stats.received += conn->received;
	close(conn->fd);
	conns[conn->index] = conns[--n_conns];
	conns[conn->index]->index = conn->index;
	free(conn);
}

static unsigned long long number(uint64_t value)
{
	return value;
}

static void tell(const struct conn *conn, const char *what)
{
	fprintf(stderr, "# %s %s: connection %llu kind %c sent %llu of %llu received %llu of %llu%s%s%s\n",
		conn->server ? "server" : "client", what, number(conn->plan.id),
		has_plan(conn) ? conn->plan.kind : '?', number(conn->sent),
		number(may_send(conn)), number(conn->received), number(to_receive(conn)),
		conn->connected ? "" : ", not connected", conn->shut ? ", shut down" : "",
		conn->ended ? ", at the end" : "");
}

static const char *reason(int error)
{
	return error == SHORT_END ? "END" : strerrorname_np(error);
}

static bool meant_to_break(const struct conn *conn)
{
	return has_plan(conn) && strchr("rRuUa", conn->plan.kind);
}

/* It ended otherwise than "complete". A server that has no plan yet leaves the judgement
 * to the client.
 */
static void break_conn(struct conn *conn, int error)
{
	if (error < 0 || error >= MAX_ERRNO)
		error = 0;
	if (!has_plan(conn)) {
		stats.headless++;
	} else if (args.may_break || meant_to_break(conn)) {
		stats.broken++;
		stats.broken_by[error]++;
	} else {
		stats.failed++;
		stats.failed_by[error]++;
		if (stats.failed <= 5)
			tell(conn, reason(error));
	}
	end_conn(conn);
}

static void reset_conn(struct conn *conn)
{
	struct linger linger = { .l_onoff = 1 };

	setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger));
	break_conn(conn, 0);
}

static void stuck_conn(struct conn *conn, const char *what)
{
	if (++stats.stuck <= 5)
		tell(conn, what);
	end_conn(conn);
}

static void switch_one(struct conn *conn, const struct names *names, int level, int option)
{
	const char *name;

	if (!names->count)
		return;
	name = names->name[draw(&conn->rng) % names->count];
	stats.switches++;
	if (setsockopt(conn->fd, level, option, name, strlen(name))) {
		stats.refused++;
		stats.refused_by[errno < MAX_ERRNO ? errno : 0]++;
	}
}

static void switch_names(struct conn *conn)
{
	if (conn->sent < conn->switched)
		return;
	conn->switched = conn->sent + SWITCH_EACH;
	switch_one(conn, &args.scheds, SOL_MPTCP, MPTCP_SCHEDULER);
	switch_one(conn, &args.congs, IPPROTO_TCP, TCP_CONGESTION);
}

static void moved(struct conn *conn)
{
	conn->progress = now_ms();
	conn->spins = 0;
}

/* Returns false when the connection is no more. */
static bool send_some(struct conn *conn)
{
	uint64_t left = may_send(conn) - conn->sent;
	size_t len = left < conn->plan.chunk ? left : conn->plan.chunk;
	ssize_t n;

	switch_names(conn);
	n = send(conn->fd, stream(conn, !conn->server, conn->sent, len), len, MSG_NOSIGNAL);
	if (n >= 0) {
		conn->sent += n;
		moved(conn);
	} else if (errno != EAGAIN) {
		break_conn(conn, errno);
		return false;
	}
	return true;
}

/* The plan, as it comes. Returns false when it is wrong. */
static bool learn(struct conn *conn, const uint8_t *buf, size_t len)
{
	size_t head = sizeof(conn->plan) - conn->received;

	if (len < head)
		head = len;
	memcpy((uint8_t *)&conn->plan + conn->received, buf, head);
	if (conn->received + head < sizeof(conn->plan))
		return true;
	conn->rng = conn->plan.seed + ~conn->plan.id;
	conn->rest_at = conn->plan.pause ?: UINT64_MAX;
	return conn->plan.magic == MAGIC && conn->plan.sum == plan_sum(&conn->plan);
}

static void verify(struct conn *conn, const uint8_t *buf, size_t len)
{
	if (conn->received + len > to_receive(conn))
		stats.wrong += len;
	else
		stats.wrong += differ(buf, stream(conn, conn->server, conn->received, len), len);
}

/* Returns false when the connection is no more. */
static bool receive_some(struct conn *conn)
{
	static uint8_t buf[CHUNK];
	ssize_t n = recv(conn->fd, buf, sizeof(buf), 0);

	if (n < 0 && errno == EAGAIN)
		return true;
	if (n < 0) {
		break_conn(conn, errno);
		return false;
	}
	moved(conn);
	conn->ended = !n;
	if (!has_plan(conn) && !learn(conn, buf, n)) {
		stats.wrong += sizeof(conn->plan);
		break_conn(conn, EBADMSG);
		return false;
	}
	if (n && (!conn->server || conn->received + n >= sizeof(conn->plan)))
		verify(conn, buf, n);
	conn->received += n;
	if (conn->ended && (!has_plan(conn) || conn->received < to_receive(conn))) {
		break_conn(conn, SHORT_END);
		return false;
	}
	if (conn->received >= conn->rest_at) {
		conn->rest_at = conn->received + conn->plan.pause;
		conn->resting = true;
		conn->wake = now_ms() + 30;
	}
	return true;
}

/* Break off, if it is time. Returns false when the connection is no more. */
static bool go_on(struct conn *conn, bool readable)
{
	if (breaks(conn, 'r', 0) && conn->sent >= conn->plan.cut)
		reset_conn(conn);
	else if (breaks(conn, 0, 'R') && conn->received >= conn->plan.cut)
		reset_conn(conn);
	else if (breaks(conn, 'u', 'U') && conn->received >= conn->plan.cut && readable)
		break_conn(conn, 0);
	else
		return true;
	return false;
}

/* Shut down or close when all is done. */
static void finish(struct conn *conn)
{
	bool close_only = !conn->server && conn->plan.kind == 'c';

	if (!has_plan(conn))
		return;
	if (conn->sent == may_send(conn) && !conn->shut && !close_only) {
		conn->shut = true;
		shutdown(conn->fd, SHUT_WR);
	}
	if (!conn->ended || conn->sent < may_send(conn)) {
		watch(conn);
	} else if (meant_to_break(conn)) {
		break_conn(conn, 0);
	} else {
		stats.complete++;
		end_conn(conn);
	}
}

static bool established(struct conn *conn, uint32_t events)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (!(events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
		return true;
	getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (error) {
		break_conn(conn, error);
		return false;
	}
	conn->connected = true;
	moved(conn);
	return true;
}

static void on_event(struct conn *conn, uint32_t events)
{
	bool readable = events & (EPOLLIN | EPOLLHUP | EPOLLERR);

	if (!conn->connected && !established(conn, events))
		return;
	if (++conn->spins > MAX_SPINS) {
		stuck_conn(conn, "spins");
		return;
	}
	if (!go_on(conn, readable))
		return;
	if (events & (EPOLLHUP | EPOLLERR))
		conn->resting = false;
	if (readable && !conn->resting && !conn->ended && !receive_some(conn))
		return;
	if (conn->connected && conn->sent < may_send(conn) && !send_some(conn))
		return;
	if (go_on(conn, false))
		finish(conn);
}

static void set_int(int fd, int level, int option, int value)
{
	if (setsockopt(fd, level, option, &value, sizeof(value)) && !args.may_break)
		die("setsockopt");
}

/* A peer that went away without a word is noticed: resets may get lost. */
static int prepare(int fd)
{
	set_int(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	set_int(fd, IPPROTO_TCP, TCP_KEEPIDLE, 15);
	set_int(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
	set_int(fd, IPPROTO_TCP, TCP_KEEPCNT, 20);
	if (args.sndbuf)
		set_int(fd, SOL_SOCKET, SO_SNDBUF, args.sndbuf);
	return fd;
}

static int new_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_MPTCP);

	return fd < 0 ? fd : prepare(fd);
}

/* As many small ones as large ones: uniform in the logarithm, about. */
static uint64_t draw_size(uint64_t *rng)
{
	uint64_t top = args.max, steps = 0;

	while (args.min << (steps + 1) <= args.max)
		steps++;
	top >>= draw(rng) % (steps + 1);
	top -= draw(rng) % (top / 2 + 1);
	return top < args.min ? args.min : top;
}

static struct plan draw_plan(uint64_t id)
{
	static const uint32_t chunks[] = { 3000, 20000, 65536, CHUNK };
	uint64_t rng = mix(args.seed) + id * 0x632be59bd9b4e019ULL;
	struct plan plan = { .magic = MAGIC, .id = id, .seed = args.seed };
	uint64_t one_way = args.two_way ? 2 : draw(&rng) % 8;

	plan.kind = args.kinds[draw(&rng) % strlen(args.kinds)];
	plan.up = sizeof(plan) + (one_way == 0 ? 0 : draw_size(&rng));
	plan.down = one_way == 1 ? 0 : draw_size(&rng);
	plan.chunk = chunks[draw(&rng) % 4];
	if (plan.up > 1 << 20 || plan.down > 1 << 20)
		plan.chunk = CHUNK;
	if (!(draw(&rng) % 8))
		plan.pause = 20000 + draw(&rng) % 200000;
	if (plan.kind == 'u')
		plan.cut = draw(&rng) % (plan.down + 1);
	else if (plan.kind == 'a')
		plan.cut = draw(&rng) % 24;
	else
		plan.cut = sizeof(plan) + draw(&rng) % (plan.up - sizeof(plan) + 1);
	plan.sum = plan_sum(&plan);
	return plan;
}

static struct sockaddr_in address(void)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(args.port) };

	if (args.addr)
		inet_pton(AF_INET, args.addr, &in.sin_addr);
	return in;
}

/* One that broke before it began: memory is short. */
static bool gave_up(const char *what)
{
	if (!short_of_memory())
		die(what);
	stats.started++;
	stats.broken++;
	stats.broken_by[errno]++;
	return true;
}

/* Returns false when it is not the time to: without a route there is no connection. */
static bool open_conn(uint64_t id)
{
	struct sockaddr_in to = address();
	struct conn *conn;
	int fd = new_socket();

	if (fd < 0)
		return gave_up("socket");
	if (connect(fd, (void *)&to, sizeof(to)) && errno != EINPROGRESS) {
		int error = errno;

		close(fd);
		errno = error;
		return error != ENETUNREACH && error != EHOSTUNREACH &&
		       error != EADDRNOTAVAIL && gave_up("connect");
	}
	conn = calloc(1, sizeof(*conn));
	if (!conn)
		die("calloc");
	conn->fd = fd;
	conn->plan = draw_plan(id);
	conn->rng = mix(args.seed + id);
	conn->rest_at = conn->plan.pause ?: UINT64_MAX;
	if (conn->plan.kind == 'a')
		conn->wake = now_ms() + conn->plan.cut;
	add_conn(conn);
	if (conn->plan.kind == 'a' && !conn->plan.cut)
		break_conn(conn, 0);
	return true;
}

static void accept_conns(int fd)
{
	do {
		int new = accept4(fd, NULL, NULL, SOCK_NONBLOCK);
		struct conn *conn;

		if (new < 0)
			return;
		conn = calloc(1, sizeof(*conn));
		if (!conn || n_conns == MAX_CONNS)
			die("too many connections");
		conn->fd = prepare(new);
		conn->server = true;
		conn->connected = true;
		add_conn(conn);
		watch(conn);
	} while (!args.accept_ms);
}

/* Those that rest, those that are aborted, those that are stuck. */
static void on_time(void)
{
	uint64_t now = now_ms();

	for (int i = n_conns - 1; i >= 0; i--) {
		struct conn *conn = conns[i];

		if (conn->wake && conn->wake <= now) {
			conn->wake = 0;
			if (!conn->server && conn->plan.kind == 'a') {
				break_conn(conn, 0);
				continue;
			}
			conn->resting = false;
			watch(conn);
		}
		if (now - conn->progress > args.patience * 1000ULL)
			stuck_conn(conn, "stuck");
	}
}

static int time_to_wait(void)
{
	uint64_t now = now_ms(), wait = args.server && args.accept_ms ? args.accept_ms : 1000;

	for (int i = 0; i < n_conns; i++) {
		uint64_t wake = conns[i]->wake;

		if (wake && wake < now + wait)
			wait = wake > now ? wake - now : 0;
	}
	return wait;
}

static int listen_on(void)
{
	struct epoll_event event = { .events = EPOLLIN };
	struct sockaddr_in on = address();
	int fd = new_socket();

	if (fd < 0)
		die("socket");
	set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (bind(fd, (void *)&on, sizeof(on)) || listen(fd, args.backlog))
		die("listen");
	if (!args.accept_ms && epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event))
		die("epoll_ctl");
	puts("listening");
	fflush(stdout);
	return fd;
}

static void wait_for_events(int listener)
{
	struct signalfd_siginfo info;
	struct epoll_event events[64];
	int n = epoll_wait(epoll_fd, events, 64, time_to_wait());

	for (int i = 0; i < n; i++) {
		if (events[i].data.ptr == &signal_fd)
			stopping = read(signal_fd, &info, sizeof(info)) > 0;
		else if (events[i].data.ptr)
			on_event(events[i].data.ptr, events[i].events);
		else
			accept_conns(listener);
	}
	if (listener >= 0 && args.accept_ms)
		accept_conns(listener);
	on_time();
}

static void serve(void)
{
	int listener = listen_on();

	/* once more after the signal: there may be some to accept */
	while (!stopping)
		wait_for_events(listener);
	do
		wait_for_events(listener);
	while (n_conns);
}

static void run(void)
{
	uint64_t next = 0;

	while (next < args.connections || n_conns) {
		while (next < args.connections && n_conns < (int)args.at_once && open_conn(next))
			next++;
		if (n_conns || next < args.connections)
			wait_for_events(-1);
	}
}

static void report(const char *key, uint64_t value)
{
	printf("%s=%llu\n", key, number(value));
}

static void report_by(const char *key, const uint64_t *by)
{
	for (int i = 1; i < MAX_ERRNO; i++)
		if (by[i])
			printf("%s_%s=%llu\n", key, reason(i), number(by[i]));
}

static void report_all(void)
{
	report("connections", stats.started);
	report("complete", stats.complete);
	report("broken", stats.broken);
	report("failed", stats.failed);
	report("stuck", stats.stuck);
	report("headless", stats.headless);
	report("sent", stats.sent);
	report("received", stats.received);
	report("wrong", stats.wrong);
	report("switches", stats.switches);
	report("refused", stats.refused);
	report_by("broken", stats.broken_by);
	report_by("failed", stats.failed_by);
	report_by("refused", stats.refused_by);
}

static void parse_names(struct names *names, char *list)
{
	for (char *name = strtok(list, ","); name && names->count < MAX_NAMES;
	     name = strtok(NULL, ","))
		names->name[names->count++] = name;
}

static void parse_sizes(const char *sizes)
{
	char *rest;

	args.min = strtoull(sizes, &rest, 0);
	args.max = *rest == ':' ? strtoull(rest + 1, NULL, 0) : args.min;
	if (!args.min || args.max < args.min) {
		fprintf(stderr, "faults_load: -b MIN:MAX\n");
		exit(2);
	}
}

static bool parse(int argc, char **argv)
{
	unsigned int *numbers[128] = {
		['p'] = &args.port, ['n'] = &args.connections, ['j'] = &args.at_once,
		['l'] = &args.backlog, ['i'] = &args.accept_ms, ['B'] = &args.sndbuf,
		['T'] = &args.patience,
	};
	int opt;

	while ((opt = getopt(argc, argv, "p:n:j:l:i:B:T:a:k:b:S:w:G:e2")) != -1) {
		if (numbers[opt])
			*numbers[opt] = strtoul(optarg, NULL, 0);
		else if (opt == 'a')
			args.addr = optarg;
		else if (opt == 'k')
			args.kinds = optarg;
		else if (opt == 'b')
			parse_sizes(optarg);
		else if (opt == 'S')
			args.seed = strtoull(optarg, NULL, 0);
		else if (opt == 'w')
			parse_names(&args.scheds, optarg);
		else if (opt == 'G')
			parse_names(&args.congs, optarg);
		else if (opt == 'e')
			args.may_break = true;
		else if (opt == '2')
			args.two_way = true;
		else
			return false;
	}
	return args.port && args.at_once <= MAX_CONNS;
}

/* SIGTERM is an event as the others. */
static void await_end(void)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = &signal_fd };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal_fd = signalfd(-1, &set, 0);
	if (signal_fd < 0 || epoll_ctl(epoll_fd, EPOLL_CTL_ADD, signal_fd, &event))
		die("signalfd");
}

int main(int argc, char **argv)
{
	if (argc < 2 || !parse(argc - 1, argv + 1)) {
		fprintf(stderr, "usage: faults_load serve|run -p PORT [OPTION...]\n");
		return 2;
	}
	args.server = !strcmp(argv[1], "serve");
	epoll_fd = epoll_create1(0);
	if (epoll_fd < 0)
		die("epoll_create1");
	if (args.server) {
		await_end();
		serve();
	} else {
		run();
	}
	report_all();
	return 0;
}
