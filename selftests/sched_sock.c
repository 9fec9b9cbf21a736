// SPDX-License-Identifier: GPL-2.0
/* An MPTCP program for the tests: sets the scheduler and the congestion control,
 * moves a known pattern.
 *
 *	sched_sock option [-s NAME] [-g NAME] [-n WEIGHT] [-P LIST] [-W LIST] [-l LEN] [-t]
 *	sched_sock listen -p PORT [-s NAME] [-c] [-g NAME] [-G NAME] [-n WEIGHT]
 *		[-N WEIGHT] [-P LIST] [-W LIST] [-t]
 *	sched_sock connect -a ADDR -p PORT [-s NAME] [-w NAME,NAME...] [-g NAME]
 *		[-G NAME,NAME...] [-n WEIGHT] [-b BYTES | -d SECONDS] [-m BYTES -i MS]
 *		[-o PORT] [-B BYTES] [-P LIST] [-L LIST] [-W LIST] [-e] [-t]
 *
 * -s, -g and -n are for the new socket; -c, -G and -N for the accepted one. The lists
 * change with each chunk. -o: each message is written to a second connection, too.
 * -B: so large is the send buffer, for good. -P, -W: the connection's prices and weights of
 * interfaces, -L: prices from the middle of the transfer on. -e: disconnected at the end, before it
 * tells what it knows. Each prints what it saw, a "key=value" per line; errors by their
 * E... name.
 */
#define _GNU_SOURCE
#include "mptcp_uapi.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHUNK 65536

/* Names to switch to, one after the other and over again. */
struct names {
	const char *list, *next;
};

struct args {
	const char *addr, *sched, *cong, *prices, *later_prices, *weights;
	struct names scheds, congs;
	int port, other_port, buffer, optlen, interval_ms, weight, weight_later;
	uint64_t bytes, message, seconds;
	bool tcp, change_after_accept, set_weight, set_weight_later, disconnect;
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

static void show_name(int fd, int level, int option, const char *key)
{
	char name[64] = "";
	socklen_t len = sizeof(name);

	if (getsockopt(fd, level, option, name, &len))
		printf("%s=%s\n", key, strerrorname_np(errno));
	else
		printf("%s=%s\n", key, name);
}

static void show_sched(int fd, const char *key)
{
	show_name(fd, SOL_MPTCP, MPTCP_SCHEDULER, key);
}

static bool set_sched(int fd, const char *name, int len)
{
	int err = setsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, name, len);

	printf("set=%s\n", err ? strerrorname_np(errno) : "ok");
	return !err;
}

static void show_cong(int fd, const char *key)
{
	show_name(fd, IPPROTO_TCP, TCP_CONGESTION, key);
}

static bool set_cong(int fd, const char *name)
{
	int err = setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, strlen(name));

	printf("cong_set=%s\n", err ? strerrorname_np(errno) : "ok");
	return !err;
}

static void show_weight(int fd, const char *key)
{
	int weight = -1;
	socklen_t len = sizeof(weight);

	if (getsockopt(fd, SOL_MPTCP, MPTCP_CONG_WEIGHT, &weight, &len))
		printf("%s=%s\n", key, strerrorname_np(errno));
	else
		printf("%s=%d\n", key, weight);
}

static bool set_weight(int fd, int weight, int len)
{
	int err = setsockopt(fd, SOL_MPTCP, MPTCP_CONG_WEIGHT, &weight, len);

	printf("weight_set=%s\n", err ? strerrorname_np(errno) : "ok");
	return !err;
}

static bool set_paths(int fd, int option, const char *list, int len)
{
	int err = setsockopt(fd, SOL_MPTCP, option, list, len);

	printf("path_set=%s\n", err ? strerrorname_np(errno) : "ok");
	return !err;
}

/* What a list has, and how long the kernel says that it is. */
static void show_paths(int fd, int option, const char *key)
{
	char list[512] = "";
	socklen_t len = sizeof(list);

	if (getsockopt(fd, SOL_MPTCP, option, list, &len))
		printf("%s=%s\n", key, strerrorname_np(errno));
	else
		printf("%s=%s (%u)\n", key, list, (unsigned int)len);
}

/* The first subflow's window, in segments, and where its slow start ends. */
static void show_window(int fd)
{
	struct tcp_info info = {};
	socklen_t len = sizeof(info);

	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len))
		die("TCP_INFO");
	printf("cwnd=%u\nssthresh=%u\nmss=%u\n", info.tcpi_snd_cwnd,
	       info.tcpi_snd_ssthresh, info.tcpi_snd_mss);
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

/* What the connection may have written and not yet acknowledged, in bytes. */
static void show_buffer(int fd)
{
	socklen_t len = sizeof(int);
	int size;

	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size, &len))
		die("SO_SNDBUF");
	printf("sndbuf=%d\n", size);
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
	if (args->cong)
		set_cong(fd, args->cong);
	show_cong(fd, "cong");
	if (args->set_weight)
		set_weight(fd, args->weight, args->optlen >= 0 ?
			   args->optlen : (int)sizeof(args->weight));
	show_weight(fd, "weight");
	if (args->prices)
		set_paths(fd, MPTCP_PATH_PRICE, args->prices, args->optlen >= 0 ?
			  args->optlen : (int)strlen(args->prices));
	show_paths(fd, MPTCP_PATH_PRICE, "prices");
	if (args->weights)
		set_paths(fd, MPTCP_PATH_WEIGHT, args->weights, strlen(args->weights));
	show_paths(fd, MPTCP_PATH_WEIGHT, "weights");
	show_paths(fd, MPTCP_PATH_PRICE, "prices_then");
	return 0;
}

/* A new socket for listen() or connect(), with all that was asked for. */
static int prepared_socket(const struct args *args)
{
	int fd = new_socket(args);

	if ((args->sched && !set_sched(fd, args->sched, strlen(args->sched))) ||
	    (args->cong && !set_cong(fd, args->cong)) ||
	    (args->set_weight && !set_weight(fd, args->weight, sizeof(args->weight))) ||
	    (args->prices && !set_paths(fd, MPTCP_PATH_PRICE, args->prices,
					strlen(args->prices))) ||
	    (args->weights && !set_paths(fd, MPTCP_PATH_WEIGHT, args->weights,
					 strlen(args->weights))))
		exit(1);
	return fd;
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

static void switch_to(int fd, struct names *names, int level, int option)
{
	size_t len;

	if (!names->list)
		return;
	len = strcspn(names->next, ",");
	if (setsockopt(fd, level, option, names->next, len))
		die(names->next);
	names->next += len;
	names->next = *names->next ? names->next + 1 : names->list;
}

static int do_listen(struct args *args)
{
	struct sockaddr_storage ss;
	socklen_t len = address(args, &ss);
	int one = 1, fd = prepared_socket(args), conn;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(fd, (void *)&ss, len) || listen(fd, 5))
		die("listen");
	puts("listening");
	fflush(stdout);
	conn = accept(fd, NULL, NULL);
	if (conn < 0)
		die("accept");
	show_sched(conn, "accepted");
	if (args->change_after_accept) {
		set_sched(conn, "default", 7);
		show_sched(conn, "changed");
		show_sched(fd, "listener");
	}
	show_cong(conn, "accepted_cong");
	show_weight(conn, "accepted_weight");
	show_paths(conn, MPTCP_PATH_PRICE, "accepted_prices");
	switch_to(conn, &args->congs, IPPROTO_TCP, TCP_CONGESTION);
	if (args->set_weight_later)
		set_weight(conn, args->weight_later, sizeof(args->weight_later));
	show_window(conn);
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

/* Send the pattern, a chunk at a time, with other names of the lists for each, and on
 * @other, too, unless that is negative.
 */
static void transmit(int fd, int other, struct args *args)
{
	uint64_t chunk = args->message ? args->message : CHUNK, sent;
	uint64_t end = args->seconds ? now_ms() + 1000 * args->seconds : UINT64_MAX;
	static uint8_t buf[CHUNK];

	for (sent = 0; sent < args->bytes && now_ms() < end; sent += chunk) {
		if (chunk > args->bytes - sent)
			chunk = args->bytes - sent;
		for (uint64_t i = 0; i < chunk; i++)
			buf[i] = pattern(sent + i);
		switch_to(fd, &args->scheds, SOL_MPTCP, MPTCP_SCHEDULER);
		switch_to(fd, &args->congs, IPPROTO_TCP, TCP_CONGESTION);
		if (args->later_prices && sent >= args->bytes / 2) {
			set_paths(fd, MPTCP_PATH_PRICE, args->later_prices,
				  strlen(args->later_prices));
			args->later_prices = NULL;
		}
		send_all(fd, buf, chunk);
		if (other >= 0)
			send_all(other, buf, chunk);
		if (args->interval_ms)
			pause_ms(args->interval_ms);
	}
	printf("sent=%llu\n", (unsigned long long)sent);
}

static int connected_socket(const struct args *args)
{
	int one = 1, fd = prepared_socket(args);
	struct sockaddr_storage ss;
	socklen_t len = address(args, &ss);

	if (connect(fd, (void *)&ss, len))
		die("connect");
	if (args->message && !args->other_port)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (args->buffer &&
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &args->buffer, sizeof(args->buffer)))
		die("SO_SNDBUF");
	return fd;
}

/* No more to send: wait for the peer's end, so that no data is in flight any more. */
static void end_of_data(int fd)
{
	char byte;

	shutdown(fd, SHUT_WR);
	while (read(fd, &byte, 1) > 0)
		;
}

static void disconnect(int fd)
{
	struct sockaddr_storage nowhere = { .ss_family = AF_UNSPEC };

	if (connect(fd, (void *)&nowhere, sizeof(nowhere)))
		die("disconnect");
}

static int do_connect(struct args *args)
{
	int fd = connected_socket(args), other = -1;

	if (args->other_port) {
		args->port = args->other_port;
		other = connected_socket(args);
	}
	show_sched(fd, "connected");
	show_cong(fd, "connected_cong");
	show_window(fd);
	transmit(fd, other, args);
	show_sched(fd, "end");
	if (other >= 0)
		end_of_data(other);
	end_of_data(fd);
	if (args->disconnect)
		disconnect(fd);
	show_info(fd);
	show_buffer(fd);
	close(fd);
	return 0;
}

/* The options behind the command; false if there is one that is not known. */
static bool parse(struct args *args, int argc, char **argv)
{
	static const char options[] = "a:p:s:w:cg:G:n:N:l:b:d:m:i:o:B:P:L:W:et";
	int opt;

	while ((opt = getopt(argc - 1, argv + 1, options)) != -1) {
		switch (opt) {
		case 'a':
			args->addr = optarg;
			break;
		case 'p':
			args->port = atoi(optarg);
			break;
		case 's':
			args->sched = optarg;
			break;
		case 'l':
			args->optlen = atoi(optarg);
			break;
		case 'b':
			args->bytes = strtoull(optarg, NULL, 0);
			break;
		case 'w':
			args->scheds = (struct names){ optarg, optarg };
			break;
		case 'g':
			args->cong = optarg;
			break;
		case 'G':
			args->congs = (struct names){ optarg, optarg };
			break;
		case 'n':
			args->weight = atoi(optarg);
			args->set_weight = true;
			break;
		case 'N':
			args->weight_later = atoi(optarg);
			args->set_weight_later = true;
			break;
		case 'd':
			args->seconds = strtoull(optarg, NULL, 0);
			args->bytes = UINT64_MAX;
			break;
		case 'm':
			args->message = strtoull(optarg, NULL, 0);
			break;
		case 'i':
			args->interval_ms = atoi(optarg);
			break;
		case 'o':
			args->other_port = atoi(optarg);
			break;
		case 'B':
			args->buffer = atoi(optarg);
			break;
		case 'P':
			args->prices = optarg;
			break;
		case 'L':
			args->later_prices = optarg;
			break;
		case 'W':
			args->weights = optarg;
			break;
		case 'e':
			args->disconnect = true;
			break;
		case 't':
			args->tcp = true;
			break;
		case 'c':
			args->change_after_accept = true;
			break;
		default:
			return false;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	struct args args = { .optlen = -1, .bytes = 1 << 20 };

	if (argc < 2) {
		fprintf(stderr, "usage: sched_sock option|listen|connect [-a ADDR] [-p PORT]\n"
			"\t[-s SCHEDULER] [-w NAME,NAME...] [-c] [-g CONG] [-G NAME,NAME...]\n"
			"\t[-n WEIGHT] [-N WEIGHT] [-l OPTLEN] [-b BYTES] [-d SECONDS]\n"
			"\t[-m BYTES] [-i MS] [-o PORT] [-B BYTES] [-e] [-t]\n");
		return 2;
	}
	if (!parse(&args, argc, argv))
		return 2;
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
