// SPDX-License-Identifier: GPL-2.0
/* An MPTCP program for the tests: sets the scheduler, moves a known pattern.
 *
 *	sched_sock option [-s NAME] [-l LEN] [-t]
 *	sched_sock listen -p PORT [-s NAME] [-c]
 *	sched_sock connect -a ADDR -p PORT [-s NAME] [-b BYTES] [-w NAME,NAME...]
 *		[-m BYTES -i MS]
 *
 * Each prints what it saw, a "key=value" per line; errors by their E... name.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef SOL_MPTCP
#define SOL_MPTCP 284
#endif
#ifndef MPTCP_SCHEDULER
#define MPTCP_SCHEDULER 43
#endif

#ifndef MPTCP_SCHED_INFO
#define MPTCP_SCHED_INFO 44
#endif

#define CHUNK 65536

struct args {
	const char *addr, *sched, *switches;
	int port, optlen, interval_ms;
	uint64_t bytes, message;
	bool tcp, change_after_accept;
};

static void die(const char *what)
{
	fprintf(stderr, "sched_sock: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* The byte at @offset of the stream: any shift or swap shows. */
static uint8_t pattern(uint64_t offset)
{
	return (offset * 0x9e3779b97f4a7c15ULL) >> 56;
}

static void show_sched(int fd, const char *key)
{
	char name[64] = "";
	socklen_t len = sizeof(name);

	if (getsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, name, &len))
		printf("%s=%s\n", key, strerrorname_np(errno));
	else
		printf("%s=%s\n", key, name);
}

static bool set_sched(int fd, const char *name, int len)
{
	int err = setsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, name, len);

	printf("set=%s\n", err ? strerrorname_np(errno) : "ok");
	return !err;
}

/* What the connection's scheduler did: struct mptcp_sched_info, of which kernels
 * to come may tell more.
 */
static void show_info(int fd)
{
	static const char * const keys[] = { "wnd_blocked", "ahead_bytes", "again_bytes",
					     "copy_bytes", "penalized", "capped_bytes" };
	uint64_t info[6] = {};
	socklen_t len = sizeof(info);

	if (getsockopt(fd, SOL_MPTCP, MPTCP_SCHED_INFO, info, &len)) {
		printf("info=%s\n", strerrorname_np(errno));
		return;
	}
	printf("info=%u\n", (unsigned int)len);
	for (int i = 0; i < 6; i++)
		printf("%s=%llu\n", keys[i], (unsigned long long)info[i]);
}

static int new_socket(const struct args *args)
{
	bool v6 = args->addr && strchr(args->addr, ':');
	int fd = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM,
			args->tcp ? IPPROTO_TCP : IPPROTO_MPTCP);

	if (fd < 0)
		die("socket");
	return fd;
}

static socklen_t address(const struct args *args, struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *in6 = (void *)ss;
	struct sockaddr_in *in = (void *)ss;

	memset(ss, 0, sizeof(*ss));
	if (args->addr && strchr(args->addr, ':')) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(args->port);
		inet_pton(AF_INET6, args->addr, &in6->sin6_addr);
		return sizeof(*in6);
	}
	in->sin_family = AF_INET;
	in->sin_port = htons(args->port);
	if (args->addr)
		inet_pton(AF_INET, args->addr, &in->sin_addr);
	return sizeof(*in);
}

static int do_option(const struct args *args)
{
	int fd = new_socket(args);

	show_sched(fd, "before");
	if (args->sched)
		set_sched(fd, args->sched, args->optlen >= 0 ?
			  args->optlen : (int)strlen(args->sched));
	show_sched(fd, "after");
	show_info(fd);
	return 0;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* gap: the longest time in which nothing came, between the first and last byte */
static void receive(int fd)
{
	uint64_t total = 0, wrong = 0, last = 0, gap = 0;
	static uint8_t buf[CHUNK];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		uint64_t now = now_ms();

		if (last && now - last > gap)
			gap = now - last;
		last = now;
		for (ssize_t i = 0; i < n; i++)
			wrong += buf[i] != pattern(total + i);
		total += n;
	}
	if (n < 0)
		die("read");
	printf("received=%llu\nwrong=%llu\ngap=%llu\n", (unsigned long long)total,
	       (unsigned long long)wrong, (unsigned long long)gap);
}

static int do_listen(const struct args *args)
{
	struct sockaddr_storage ss;
	socklen_t len = address(args, &ss);
	int one = 1, fd = new_socket(args), conn;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (args->sched && !set_sched(fd, args->sched, strlen(args->sched)))
		return 1;
	if (bind(fd, (void *)&ss, len) || listen(fd, 5))
		die("listen");
	conn = accept(fd, NULL, NULL);
	if (conn < 0)
		die("accept");
	show_sched(conn, "accepted");
	if (args->change_after_accept) {
		set_sched(conn, "default", 7);
		show_sched(conn, "changed");
		show_sched(fd, "listener");
	}
	receive(conn);
	close(conn);
	return 0;
}

static void pause_ms(int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000L };

	nanosleep(&ts, NULL);
}

static void send_all(int fd, const uint8_t *buf, size_t len)
{
	while (len) {
		ssize_t n = write(fd, buf, len);

		if (n < 0)
			die("write");
		buf += n;
		len -= n;
	}
}

/* Send the pattern, a chunk at a time, with another scheduler for each. */
static void transmit(int fd, const struct args *args)
{
	char *list = args->switches ? strdup(args->switches) : NULL, *next = list;
	uint64_t chunk = args->message ? args->message : CHUNK;
	static uint8_t buf[CHUNK];

	for (uint64_t sent = 0; sent < args->bytes; sent += chunk) {
		if (chunk > args->bytes - sent)
			chunk = args->bytes - sent;
		for (uint64_t i = 0; i < chunk; i++)
			buf[i] = pattern(sent + i);
		if (list) {
			char *name = strsep(&next, ",");

			if (setsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, name, strlen(name)))
				die(name);
			if (!next) {
				free(list);
				list = strdup(args->switches);
				next = list;
			}
		}
		send_all(fd, buf, chunk);
		if (args->interval_ms)
			pause_ms(args->interval_ms);
	}
}

static int do_connect(const struct args *args)
{
	struct sockaddr_storage ss;
	socklen_t len = address(args, &ss);
	int one = 1, fd = new_socket(args);

	if (args->sched && !set_sched(fd, args->sched, strlen(args->sched)))
		return 1;
	for (int tries = 0; connect(fd, (void *)&ss, len); tries++) {
		if (errno != ECONNREFUSED || tries == 50)
			die("connect");
		close(fd);
		pause_ms(100);
		fd = new_socket(args);
		if (args->sched && !set_sched(fd, args->sched, strlen(args->sched)))
			return 1;
	}
	if (args->message)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	show_sched(fd, "connected");
	transmit(fd, args);
	show_sched(fd, "end");
	shutdown(fd, SHUT_WR);
	/* wait for the peer's end, so that no data is in flight any more */
	while (read(fd, &one, 1) > 0)
		;
	show_info(fd);
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	struct args args = { .optlen = -1, .bytes = 1 << 20 };
	int opt;

	if (argc < 2) {
		fprintf(stderr, "usage: sched_sock option|listen|connect [-a ADDR] [-p PORT]\n"
			"\t[-s SCHEDULER] [-l OPTLEN] [-b BYTES] [-w NAME,NAME...] [-m BYTES] [-i MS] [-t] [-c]\n");
		return 2;
	}
	while ((opt = getopt(argc - 1, argv + 1, "a:p:s:l:b:w:m:i:tc")) != -1) {
		switch (opt) {
		case 'a':
			args.addr = optarg;
			break;
		case 'p':
			args.port = atoi(optarg);
			break;
		case 's':
			args.sched = optarg;
			break;
		case 'l':
			args.optlen = atoi(optarg);
			break;
		case 'b':
			args.bytes = strtoull(optarg, NULL, 0);
			break;
		case 'w':
			args.switches = optarg;
			break;
		case 'm':
			args.message = strtoull(optarg, NULL, 0);
			break;
		case 'i':
			args.interval_ms = atoi(optarg);
			break;
		case 't':
			args.tcp = true;
			break;
		case 'c':
			args.change_after_accept = true;
			break;
		default:
			return 2;
		}
	}
	if (args.message > CHUNK) {
		fprintf(stderr, "sched_sock: -m takes at most %d\n", CHUNK);
		return 2;
	}
	if (!strcmp(argv[1], "option"))
		return do_option(&args);
	if (!strcmp(argv[1], "listen"))
		return do_listen(&args);
	if (!strcmp(argv[1], "connect"))
		return do_connect(&args);
	fprintf(stderr, "sched_sock: unknown command %s\n", argv[1]);
	return 2;
}
