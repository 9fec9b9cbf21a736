// SPDX-License-Identifier: GPL-2.0 OR MIT
/* How large a receive buffer a connection needs: from what its subflows carry and how long they
 * take, measured for a second.
 *
 * While the slowest subflow sends again what it lost, the receiver keeps all that the others
 * bring. After a fast retransmission that takes two round trips at most, after a timeout the
 * timeout and a round trip:
 *
 *	2 * sum of rates * longest RTT				(Li, Eq. 3.2; RFC 8684, 3.3.1)
 *	sum of rates * longest (timeout + RTT)			(Li, Eq. 3.5 with d = 0)
 *
 * (M. Li, "Improving the Efficiency of Multipath Transport Protocols", 2014.) These are bytes of
 * the receive window. Linux counts the memory of packets, and lets half of that be window at
 * first: so the sysctl is twice as much.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

#define TCP_RMEM "/proc/sys/net/ipv4/tcp_rmem"
#define TCP_WMEM "/proc/sys/net/ipv4/tcp_wmem"
#define MEMORY_PER_WINDOW 2
#define MEMORY_MOST INT_MAX	/* that the sysctls take */
#define WINDOW_MOST 65535	/* in units of its scale */
/* Less says nothing of what a connection could need, bit/s */
#define LEAST_RATE 10e3

struct advice {
	bool receives;		/* the buffer is ours; else the peer's */
	double rate;		/* bit/s, of all subflows */
	double rtt, pause;	/* s, the longest: RTT, timeout + RTT */
	double needs, needs_timeout;	/* bytes of window */
	unsigned long long has, most;	/* bytes of memory, 0: not known */
	bool fixed;		/* by the program: no sysctl acts on it */
	unsigned long long set;	/* what the sysctl should be, 0: it is enough, or acts on nothing */
	unsigned long long window_most;	/* as far as the scale of its SYN goes; receives only */
	unsigned long long blocked, blocked_now;	/* times by the peer's window; sends only */
	bool waited;		/* for that window, in this second: not all count how often */
	unsigned long long usual[3];	/* the sysctl: least, at first, most */
};

struct survey {
	bool json;
	int shown;
	struct connection *buf;
};

static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static void add_subflow(struct advice *a, const struct tcp_info *tcp, const struct rate *rate)
{
	/* who only receives has sampled the RTT of little: of the handshake, or of ACKs */
	double rtt = larger(tcp->tcpi_rtt, a->receives ? tcp->tcpi_rcv_rtt : 0) / 1e6;
	double carries = a->receives ? rate->received : rate->sent;

	if (tcp_is_established(tcp) && rate->known && carries >= LEAST_RATE) {
		a->rate += carries;
		a->rtt = larger(a->rtt, rtt);
		a->pause = larger(a->pause, tcp->tcpi_rto / 1e6 + rtt);
		a->window_most = (unsigned long long)WINDOW_MOST << tcp->tcpi_rcv_wscale;
	}
}

/* Has the program set it? @lock is SOCK_SNDBUF_LOCK or SOCK_RCVBUF_LOCK. */
bool has_fixed_buffer(int fd, int lock)
{
	socklen_t len = sizeof(int);
	int locks = 0;

	return !getsockopt(fd, SOL_SOCKET, SO_BUF_LOCK, &locks, &len) && locks & lock;
}

/* Our own limit. What the peer's is, only the peer knows. */
static void read_limits(int fd, struct advice *a, bool foreign)
{
	const char *name = a->receives ? TCP_RMEM : TCP_WMEM;
	socklen_t len = sizeof(int);
	int now = 0;
	char text[96];

	if (!getsockopt(fd, SOL_SOCKET, a->receives ? SO_RCVBUF : SO_SNDBUF, &now, &len))
		a->has = now;
	a->fixed = has_fixed_buffer(fd, a->receives ? SOCK_RCVBUF_LOCK : SOCK_SNDBUF_LOCK);
	if (!foreign && read_file(name, text, sizeof(text)) &&
	    sscanf(text, "%llu %llu %llu", &a->usual[0], &a->usual[1], &a->usual[2]) == 3)
		a->most = a->usual[2];
}

static struct advice advise(int fd, const struct connection *c, bool receives)
{
	struct advice a = { .receives = receives };
	unsigned int i;
	double memory;

	for (i = 0; i < c->subflows; i++)
		add_subflow(&a, &c->tcp[i], &c->rate[i]);
	a.needs = 2 * a.rate / 8 * a.rtt;
	a.needs_timeout = a.rate / 8 * a.pause;
	if (!a.receives) {
		a.blocked = c->counters[SCHED_WND_BLOCKED];
		a.blocked_now = c->whole.blocked;
		a.waited = a.blocked_now || c->whole.limits[MPTCP_LIMIT_RWND];
	}
	read_limits(fd, &a, c->netns);
	memory = smaller(MEMORY_PER_WINDOW * larger(a.needs, a.needs_timeout), MEMORY_MOST);
	if (!a.fixed && a.most && a.most < memory)
		a.set = memory;
	return a;
}

/* What to do, or that there is nothing to do */
static void print_verdict(const struct advice *a, const char *buffer)
{
	double needs = larger(a->needs, a->needs_timeout);

	if (a->fixed) {
		printf("    the program has set it (SO_%sBUF): no sysctl changes that\n",
		       a->receives ? "RCV" : "SND");
	} else if (a->set) {
		printf("    sysctl net.ipv4.tcp_%s=\"%llu %llu %llu\"\n", buffer, a->usual[0],
		       a->usual[1], a->set);
		if (a->receives && a->window_most < needs)
			printf("    for connections that begin then: the window of this one ends at %.0f KB\n",
			       a->window_most / 1e3);
	} else if (a->receives && a->window_most < needs) {
		printf("    that is enough for connections that begin now: the window of this one ends at %.0f KB\n",
		       a->window_most / 1e3);
	} else if (a->most && !a->blocked && !a->waited) {
		printf("    that is enough\n");
	}
	if (a->blocked)
		printf("    held up by the peer's window %llu times, %llu of them now\n",
		       a->blocked, a->blocked_now);
	if (!a->receives)
		printf("    the peer needs %s in net.ipv4.tcp_rmem, before connections begin\n",
		       a->waited ? "more than that" : "the same");
}

static void print_has(const struct advice *a, const char *buffer)
{
	printf("    has %.0f KB of memory for it now", a->has / 1e3);
	if (a->most)
		printf(", %.0f KB at most (net.ipv4.tcp_%s)", a->most / 1e3, buffer);
	printf("\n");
}

static void print_needs(const struct advice *a)
{
	const char *buffer = a->receives ? "rmem" : "wmem";

	printf("    needs a receive window of %.0f KB, or %.0f KB to go on through a timeout\n",
	       a->needs / 1e3, a->needs_timeout / 1e3);
	print_has(a, buffer);
	print_verdict(a, buffer);
}

/* For "why": below what that says. What limits a connection is about what it sends. While nothing
 * moves, no size of a buffer follows from that.
 */
void print_window_advice(int fd, const struct connection *c)
{
	struct advice a = advise(fd, c, false);

	if (!a.rate) {
		printf("    hardly anything moves: the peer's program does not read\n");
		return;
	}
	print_needs(&a);
	printf("    or the peer's program reads too slowly\n");
}

/* The same of a send buffer that is full, whatever it seems to need: what the connection carries is
 * what that lets through.
 */
void print_sndbuf_advice(int fd, const struct connection *c)
{
	struct advice a = advise(fd, c, false);

	if (!a.most)
		return;
	print_has(&a, "wmem");
	printf("    sysctl net.ipv4.tcp_wmem=\"%llu %llu %.0f\"\n", a.usual[0], a.usual[1],
	       smaller(larger(a.set, 2.0 * a.most), MEMORY_MOST));
}

static void print_advice_text(const struct mptcp_socket *sk, const struct connection *c,
			      const struct advice *a)
{
	char local[ADDRESS_MAX], peer[ADDRESS_MAX];

	format_address(&c->addrs.local, local, sizeof(local));
	format_address(&c->addrs.remote, peer, sizeof(peer));
	printf("%s[%d] fd %d  %s -> %s  %s %.2f Mbit/s, longest RTT %.1f ms, timeout %.0f ms\n",
	       sk->name, sk->pid, sk->their_fd, local, peer, a->receives ? "receives" : "sends",
	       a->rate / 1e6, a->rtt * 1e3, (a->pause - a->rtt) * 1e3);
	print_needs(a);
}

static void print_advice_json(const struct mptcp_socket *sk, const struct connection *c,
			      const struct advice *a)
{
	char peer[ADDRESS_MAX];

	format_address(&c->addrs.remote, peer, sizeof(peer));
	printf("{\"pid\": %d, \"fd\": %d, \"peer\": ", sk->pid, sk->their_fd);
	json_string(peer);
	printf(", \"receives\": %s, \"rate_bps\": %.0f, \"rtt_us\": %.0f, \"pause_us\": %.0f",
	       json_bool(a->receives), a->rate, a->rtt * 1e6, a->pause * 1e6);
	printf(", \"window_bytes\": %.0f, \"window_timeout_bytes\": %.0f", a->needs,
	       a->needs_timeout);
	printf(", \"memory_bytes\": %llu, \"memory_most_bytes\": %llu", a->has, a->most);
	printf(", \"fixed\": %s, \"window_full\": %llu, \"window_full_now\": %llu, \"set_bytes\": ",
	       json_bool(a->fixed), a->blocked, a->blocked_now);
	printf(a->set ? "%llu}" : "null}", a->set);
}

static bool visit(const struct mptcp_socket *sk, void *arg)
{
	struct survey *survey = arg;
	struct connection *c = survey->buf;
	struct advice a;

	read_connection(sk->fd, c);
	read_rates(c);
	a = advise(sk->fd, c, c->whole.received > c->whole.sent);
	if (c->state != CONN_MPTCP || !a.rate)
		return true;
	if (survey->json) {
		printf("%s", survey->shown ? ",\n " : "[");
		print_advice_json(sk, c, &a);
	} else {
		print_advice_text(sk, c, &a);
	}
	survey->shown++;
	return true;
}

static int advise_all(pid_t pid, bool json)
{
	struct survey survey = { .json = json, .buf = malloc(sizeof(*survey.buf)) };
	bool done;

	if (!survey.buf)
		return complain("no memory");
	done = watch_rates(pid) && walk_sockets(pid, visit, &survey);
	free(survey.buf);
	if (!done)
		return 1;
	if (json)
		printf("%s]\n", survey.shown ? "" : "[");
	else if (!survey.shown)
		printf("no MPTCP connection carries anything now\n");
	return 0;
}

int cmd_advise(int argc, char **argv)
{
	struct query query = {};

	if (!read_query(argc, argv, &query))
		return EXIT_USAGE;
	return advise_all(query.pid, query.json);
}
