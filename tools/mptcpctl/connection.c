// SPDX-License-Identifier: GPL-2.0 OR MIT
/* All that is known about one MPTCP socket. */

#include <linux/sockios.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mptcpctl.h"

const char *const state_names[] = {
	[CONN_UNCONNECTED] = "unconnected",
	[CONN_LISTENING] = "listening",
	[CONN_MPTCP] = "mptcp",
	[CONN_FALLBACK] = "fallback",
};

#define TCP_INFINITE_SSTHRESH 0x7fffffff	/* no loss yet */

const char *tcp_state_name(unsigned int state)
{
	static const char *const names[] = {
		"?", "established", "syn-sent", "syn-recv", "fin-wait-1", "fin-wait-2",
		"time-wait", "closed", "close-wait", "last-ack", "listening", "closing",
	};

	return names[state < sizeof(names) / sizeof(names[0]) ? state : 0];
}

bool tcp_is_established(const struct tcp_info *tcp)
{
	return tcp->tcpi_state == STATE_ESTABLISHED;
}

bool has_ssthresh(const struct tcp_info *tcp)
{
	return tcp->tcpi_snd_ssthresh < TCP_INFINITE_SSTHRESH;
}

static ino_t our_netns(void)
{
	static struct stat ours;

	if (!ours.st_ino && stat("/proc/self/ns/net", &ours))
		return 0;
	return ours.st_ino;
}

/* The kernel tells it to administrators only; others see few foreign namespaces anyway. */
static ino_t foreign_netns(int fd)
{
	int ns = ioctl(fd, SIOCGSKNS);
	struct stat theirs;
	bool differs;

	if (ns < 0)
		return 0;
	differs = !fstat(ns, &theirs) && our_netns() && theirs.st_ino != our_netns();
	close(ns);
	return differs ? theirs.st_ino : 0;
}

/* A kernel that is older than the headers here knows less of each subflow, @known bytes of @size,
 * and lays these side by side. What it does not know is 0.
 */
static void spread(void *array, unsigned int count, size_t known, size_t size)
{
	char *bytes = array;

	while (known < size && count--) {
		memmove(bytes + count * size, bytes + count * known, known);
		memset(bytes + count * size + known, 0, size - known);
	}
}

/* struct mptcp_subflow_info of a kernel of 64 bits, where the addresses begin at 8, not at 4. */
#define SUBFLOW_INFO (8 + sizeof(struct mptcpctl_addrs))

static bool read_full_info(int fd, struct connection *c)
{
	static char subflows[SUBFLOWS_MAX * SUBFLOW_INFO];
	struct mptcpctl_full_info full = {
		.size_tcpinfo_user = sizeof(c->tcp[0]),
		.size_sfinfo_user = SUBFLOW_INFO,
		.size_arrays_user = SUBFLOWS_MAX,
		.subflow_info = (uintptr_t)subflows,
		.tcp_info = (uintptr_t)c->tcp,
	};
	socklen_t len = sizeof(full);
	unsigned int i;

	if (getsockopt(fd, SOL_MPTCP, MPTCP_FULL_INFO, &full, &len))
		return false;
	c->info = full.info;
	c->subflows = full.num_subflows < SUBFLOWS_MAX ? full.num_subflows : SUBFLOWS_MAX;
	spread(c->tcp, c->subflows, full.size_tcpinfo_user, sizeof(c->tcp[0]));
	for (i = 0; i < c->subflows; i++) {
		const char *one = subflows + i * full.size_sfinfo_user;

		memcpy(&c->subflow[i].id, one, sizeof(c->subflow[i].id));
		one += full.size_sfinfo_kernel - sizeof(struct mptcpctl_addrs);
		memcpy(&c->subflow[i].addrs, one, sizeof(c->subflow[i].addrs));
	}
	return true;
}

/* MPTCP_TCPINFO or MPTCP_SUBFLOW_ADDRS: the number of subflows that it told about */
static unsigned int read_array(int fd, int option, void *array, uint32_t size)
{
	struct {
		struct mptcpctl_subflow_data head;
		union {
			struct tcp_info tcp;
			struct mptcpctl_addrs addrs;
		} data[SUBFLOWS_MAX];
	} buf = { .head = { .size_subflow_data = sizeof(buf.head), .size_user = size } };
	socklen_t len = sizeof(buf.head) + SUBFLOWS_MAX * size;
	unsigned int count;

	if (getsockopt(fd, SOL_MPTCP, option, &buf, &len))
		return 0;
	memcpy(array, buf.data, SUBFLOWS_MAX * size);
	count = buf.head.num_subflows < SUBFLOWS_MAX ? buf.head.num_subflows : SUBFLOWS_MAX;
	spread(array, count, buf.head.size_user, size);
	return count;
}

/* Such a kernel does not count what a connection carries, either: what its subflows did. */
static void add_bytes(struct connection *c)
{
	unsigned int i;

	for (i = 0; i < c->subflows; i++) {
		const struct tcp_info *tcp = &c->tcp[i];

		c->info.bytes_sent += tcp->tcpi_bytes_sent - tcp->tcpi_bytes_retrans;
		c->info.bytes_retrans += tcp->tcpi_bytes_retrans;
		c->info.bytes_acked += tcp->tcpi_bytes_acked;
		c->info.bytes_received += tcp->tcpi_bytes_received;
	}
}

/* Kernels before 6.5: three questions, and subflows may come and go between them. They are
 * numbered as they come.
 */
static bool read_info_in_parts(int fd, struct connection *c)
{
	struct mptcpctl_addrs addrs[SUBFLOWS_MAX];
	socklen_t len = sizeof(c->info);
	unsigned int i, count;

	if (getsockopt(fd, SOL_MPTCP, MPTCP_INFO, &c->info, &len))
		return false;
	c->subflows = read_array(fd, MPTCP_TCPINFO, c->tcp, sizeof(c->tcp[0]));
	count = read_array(fd, MPTCP_SUBFLOW_ADDRS, addrs, sizeof(addrs[0]));
	if (count < c->subflows)
		c->subflows = count;
	for (i = 0; i < c->subflows; i++) {
		c->subflow[i].id = i + 1;
		c->subflow[i].addrs = addrs[i];
	}
	if (len < offsetof(struct mptcpctl_info, rest))
		add_bytes(c);
	return true;
}

/* After fallback the socket answers as the TCP socket that is left: shown as subflow 0. */
static void read_fallback(int fd, struct connection *c)
{
	socklen_t len = sizeof(c->tcp[0]);

	c->state = CONN_FALLBACK;
	if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &c->tcp[0], &len))
		return;
	c->subflows = 1;
	c->subflow[0].addrs = c->addrs;
	c->info.bytes_sent = c->tcp[0].tcpi_bytes_sent;
	c->info.bytes_acked = c->tcp[0].tcpi_bytes_acked;
	c->info.bytes_received = c->tcp[0].tcpi_bytes_received;
	c->info.bytes_retrans = c->tcp[0].tcpi_bytes_retrans;
}

static bool is_listening(int fd)
{
	socklen_t len = sizeof(int);
	int listening = 0;

	getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &len);
	return listening;
}

/* Older kernels do not tell, or not all. */
static void read_counters(int fd, struct connection *c)
{
	socklen_t len = sizeof(c->counters);

	if (!getsockopt(fd, SOL_MPTCP, MPTCP_SCHED_INFO, c->counters, &len))
		c->counters_known = len / sizeof(c->counters[0]);
}

/* Kernels without it, and short answers, tell nothing. */
static void read_limits(int fd, struct connection *c)
{
	socklen_t len = sizeof(c->limits);

	c->limits_known = !getsockopt(fd, SOL_MPTCP, MPTCP_LIMITS, &c->limits, &len) &&
			  len == sizeof(c->limits);
}

static void read_subflows(int fd, struct connection *c)
{
	if (!read_full_info(fd, c) && !read_info_in_parts(fd, c)) {
		if (c->state == CONN_MPTCP)
			read_fallback(fd, c);
	} else if (c->info.flags & MPTCP_FLAG_FALLBACK) {
		c->state = CONN_FALLBACK;
	}
}

/* What only sock_diag(7) tells of subflows: a question for each, so for those who need it. */
void read_diags(struct connection *c)
{
	unsigned int i;

	for (i = 0; i < c->subflows; i++) {
		if (!c->netns)
			read_subflow_diag(&c->subflow[i].addrs, &c->diag[i]);
		if (c->state == CONN_FALLBACK)
			c->diag[i].backup = BACKUP_NO;
	}
}

void read_connection(int fd, struct connection *c)
{
	socklen_t len = MPTCP_SCHED_FULL_MAX;

	memset(c, 0, sizeof(*c));
	getsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, c->scheduler, &len);
	read_counters(fd, c);
	read_limits(fd, c);
	c->netns = foreign_netns(fd);
	local_address(fd, &c->addrs.local);
	if (is_listening(fd)) {
		c->state = CONN_LISTENING;
		return;
	}
	if (peer_address(fd, &c->addrs.remote))
		c->state = CONN_MPTCP;
	read_subflows(fd, c);
}
