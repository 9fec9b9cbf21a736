// SPDX-License-Identifier: MIT
/* Connects by Multipath TCP with a scheduler of the caller's choice, sends a little, and says
 * which subflows there are. The same as subflows.py, subflows.go and subflows.rs; README.md
 * explains it once for all.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/mptcp.h>	/* MPTCP_TCPINFO, MPTCP_SUBFLOW_ADDRS */
#include <linux/tcp.h>
#include <mptcp_sched.h>	/* MPTCP_SCHEDULER, and what old C libraries lack */

#define MOST 9			/* subflows: the first, and eight that join */
#define NAME 40			/* of a scheduler with all its extensions, and the NUL behind it */
#define BYTES 1000000

/* What both options give: how many subflows there are, and for each of them one of these. */
struct tcp_infos {
	struct mptcp_subflow_data head;
	struct tcp_info of[MOST];
};

struct addresses {
	struct mptcp_subflow_data head;
	struct mptcp_subflow_addrs of[MOST];
};

/* How MPTCP_FULL_INFO begins (Linux 6.5; older headers lack it): sizes, and where the arrays are
 * that the kernel is to fill. Behind that may follow a struct mptcp_info.
 */
#define FULL_INFO 4

struct full_info {
	uint32_t size_tcp_info_kernel, size_tcp_info;
	uint32_t size_subflow_info_kernel, size_subflow_info;
	uint32_t num_subflows, size_arrays;
	uint64_t subflow_info, tcp_info;
};

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static int open_socket(const char *scheduler)
{
	int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP);

	if (fd < 0)
		fail("this kernel has no Multipath TCP, or net.mptcp.enabled is 0");
	if (scheduler && setsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, scheduler, strlen(scheduler)))
		fail(scheduler);
	return fd;
}

static void connect_to(int fd, const char *host, const char *port)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *to;
	char *end;
	unsigned long number = strtoul(port, &end, 10);
	int err;

	/* getaddrinfo() takes 99999 for 34463 */
	if (!*end && (number < 1 || number > 65535)) {
		fprintf(stderr, "%s: write a port from 1 to 65535\n", port);
		exit(1);
	}
	err = getaddrinfo(host, port, &hints, &to);
	if (err) {
		fprintf(stderr, "%s: %s\n", host, gai_strerror(err));
		exit(1);
	}
	if (connect(fd, to->ai_addr, to->ai_addrlen))
		fail(host);
	freeaddrinfo(to);
}

static void send_some(int fd)
{
	static char data[BYTES];
	size_t sent = 0;

	while (sent < sizeof(data)) {
		ssize_t n = send(fd, data + sent, sizeof(data) - sent, MSG_NOSIGNAL);

		if (n < 0)
			fail("send");
		sent += n;
	}
}

static void print_address(const struct sockaddr_in *in, const char *after)
{
	char text[INET_ADDRSTRLEN];

	printf("%s:%d%s", inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text)),
	       ntohs(in->sin_port), after);
}

static void print_scheduler(int fd)
{
	socklen_t len = NAME;
	char name[NAME] = "";

	if (getsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, name, &len))
		puts("scheduler: this kernel does not tell");
	else
		printf("scheduler %s\n", name);
}

/* Each subflow. An error: the connection fell back to TCP. */
static int print_subflows(int fd)
{
	struct tcp_infos infos = { .head = { .size_subflow_data = sizeof(infos.head),
					     .size_user = sizeof(infos.of[0]) } };
	struct addresses addrs = { .head = { .size_subflow_data = sizeof(addrs.head),
					     .size_user = sizeof(addrs.of[0]) } };
	socklen_t infos_len = sizeof(infos), addrs_len = sizeof(addrs);
	unsigned int i;

	if (getsockopt(fd, SOL_MPTCP, MPTCP_TCPINFO, &infos, &infos_len) ||
	    getsockopt(fd, SOL_MPTCP, MPTCP_SUBFLOW_ADDRS, &addrs, &addrs_len))
		return -errno;
	print_scheduler(fd);
	/* one may have come or gone between both questions */
	for (i = 0; i < infos.head.num_subflows && i < addrs.head.num_subflows && i < MOST; i++) {
		/* shorter than ours if the kernel is older than its headers here */
		const char *at = (const char *)infos.of + i * infos.head.size_user;
		const struct tcp_info *info = (const void *)at;

		print_address(&addrs.of[i].sin_local, " to ");
		print_address(&addrs.of[i].sin_remote, "");
		printf(": RTT %.1f ms, window %u segments, %llu bytes acknowledged\n",
		       info->tcpi_rtt / 1e3, info->tcpi_snd_cwnd,
		       (unsigned long long)info->tcpi_bytes_acked);
	}
	return 0;
}

/* The number of each subflow: no other gets it while the connection lasts. It is what the entries
 * of subflow_info begin with. They could have the addresses, too, and tcp_info what is above.
 */
static int print_numbers(int fd)
{
	uint32_t numbers[MOST], i;
	struct full_info full = { .size_subflow_info = sizeof(numbers[0]), .size_arrays = MOST,
				  .subflow_info = (uintptr_t)numbers };
	socklen_t len = sizeof(full);

	/* Linux has it since 6.5 */
	if (getsockopt(fd, SOL_MPTCP, FULL_INFO, &full, &len))
		return errno == EOPNOTSUPP ? 0 : -errno;
	printf("%u subflows, numbers", full.num_subflows);
	for (i = 0; i < full.num_subflows && i < MOST; i++)
		printf(" %u", numbers[i]);
	puts("");
	return 0;
}

int main(int argc, char **argv)
{
	int fd, err;

	if (argc < 3) {
		fprintf(stderr, "usage: %s HOST PORT [SCHEDULER]\n", argv[0]);
		return 2;
	}
	fd = open_socket(argv[3]);
	connect_to(fd, argv[1], argv[2]);
	send_some(fd);
	err = print_subflows(fd) ?: print_numbers(fd);
	if (err == -EOPNOTSUPP)
		puts("TCP: the peer, or something on the way, knows no Multipath TCP");
	else if (err)
		fail("getsockopt");
	close(fd);
	return 0;
}
