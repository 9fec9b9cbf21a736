// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A connection for a terminal of 80 columns: a line of whose it is, indented what is known of it,
 * then its subflows in the same way.
 */

#include <stdio.h>
#include "mptcpctl.h"

static const char *const texts[SCHED_COUNTERS] = {
	[SCHED_WND_BLOCKED] = "window-full",
	[SCHED_AHEAD_BYTES] = "ahead",
	[SCHED_AGAIN_BYTES] = "again",
	[SCHED_COPY_BYTES] = "copies",
	[SCHED_PENALIZED] = "penalized",
	[SCHED_CAPPED_BYTES] = "capped",
};

#define SUBFLOW "    "		/* what is known of a connection, and its subflows begin here */
#define FIGURE "        "	/* what is known of a subflow */

static void print_count(const char *what, unsigned long long count)
{
	printf("  %s %llu", what, count);
}

/* Only wvegas measures the base RTT. */
static void print_coupling(const struct mptcpctl_coupling *coupling)
{
	printf(FIGURE "coupled %u", coupling->subflows);
	if (!coupling->base_rtt_us)
		printf("  growth %.2f of reno", coupling->growth / 1000.0);
	else
		printf("  base-rtt %.1f ms  queued %.1f  target %.1f",
		       coupling->base_rtt_us / 1000.0, coupling->queued / 1000.0,
		       coupling->target / 1000.0);
	printf("\n");
}

static void print_path(const struct subflow_diag *diag, const struct tcp_info *tcp)
{
	printf(FIGURE "rtt %.1f ms", tcp->tcpi_rtt / 1000.0);
	if (*diag->congestion)
		printf("  congestion %s", diag->congestion);
	print_count("cwnd", tcp->tcpi_snd_cwnd);
	if (has_ssthresh(tcp))
		print_count("ssthresh", tcp->tcpi_snd_ssthresh);
	printf("\n");
}

static void print_rate(const char *indent, const struct rate *rate)
{
	if (rate->known)
		printf("%snow sending %.2f Mbit/s  receiving %.2f Mbit/s\n", indent,
		       rate->sent / 1e6, rate->received / 1e6);
}

static void print_carried(const struct tcp_info *tcp)
{
	printf(FIGURE "sent %llu", (unsigned long long)tcp->tcpi_bytes_sent);
	print_count("acked", tcp->tcpi_bytes_acked);
	print_count("received", tcp->tcpi_bytes_received);
	print_count("retrans", tcp->tcpi_total_retrans);
	printf("\n");
}

static void print_subflow(const struct connection *c, unsigned int i)
{
	char local[ADDRESS_MAX], peer[ADDRESS_MAX];

	format_address(&c->subflow[i].addrs.local, local, sizeof(local));
	format_address(&c->subflow[i].addrs.remote, peer, sizeof(peer));
	printf(SUBFLOW "subflow %u  %s -> %s  %s%s\n", c->subflow[i].id, local, peer,
	       tcp_state_name(c->tcp[i].tcpi_state),
	       c->diag[i].backup == BACKUP_YES ? "  backup" : "");
	print_path(&c->diag[i], &c->tcp[i]);
	print_carried(&c->tcp[i]);
	print_rate(FIGURE, &c->rate[i]);
	if (c->diag[i].coupled)
		print_coupling(&c->diag[i].coupling);
}

static void print_counters(const struct connection *c)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < c->counters_known; i++) {
		if (!c->counters[i])
			continue;
		if (!any)
			printf(SUBFLOW "scheduling");
		any = true;
		print_count(texts[i], c->counters[i]);
	}
	if (any)
		printf("\n");
}

static void print_whole(const struct connection *c)
{
	printf(SUBFLOW "scheduler %s", *c->scheduler ? c->scheduler : "?");
	if (c->info.token)
		printf("  token %#x", c->info.token);
	if (c->netns)
		print_count("netns", c->netns);
	printf("\n");
	if (!is_connection(c))
		return;
	printf(SUBFLOW "sent %llu", (unsigned long long)c->info.bytes_sent);
	print_count("acked", c->info.bytes_acked);
	print_count("received", c->info.bytes_received);
	print_count("resent", c->info.bytes_retrans);
	printf("\n");
	print_rate(SUBFLOW, &c->whole);
}

void print_text(const struct mptcp_socket *sk, const struct connection *c)
{
	char local[ADDRESS_MAX], peer[ADDRESS_MAX];
	unsigned int i;

	format_address(&c->addrs.local, local, sizeof(local));
	format_address(&c->addrs.remote, peer, sizeof(peer));
	printf("%s[%d] fd %d  %s -> %s  %s\n", sk->name, sk->pid, sk->their_fd, local, peer,
	       state_names[c->state]);
	print_whole(c);
	print_counters(c);
	for (i = 0; i < c->subflows; i++)
		print_subflow(c, i);
}
