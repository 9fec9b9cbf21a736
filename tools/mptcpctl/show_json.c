// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A connection as a JSON object. */

#include <stdio.h>
#include "mptcpctl.h"

static const char *const names[SCHED_COUNTERS] = {
	[SCHED_WND_BLOCKED] = "wnd_blocked",
	[SCHED_AHEAD_BYTES] = "ahead_bytes",
	[SCHED_AGAIN_BYTES] = "again_bytes",
	[SCHED_COPY_BYTES] = "copy_bytes",
	[SCHED_PENALIZED] = "penalized",
	[SCHED_CAPPED_BYTES] = "capped_bytes",
};

static void print_json_addresses(const struct mptcpctl_addrs *addrs)
{
	char text[ADDRESS_MAX];

	printf("\"local\": %s", format_address(&addrs->local, text, sizeof(text)) ? "" : "null");
	if (addrs->local.ss_family)
		json_string(text);
	printf(", \"peer\": %s", format_address(&addrs->remote, text, sizeof(text)) ? "" : "null");
	if (addrs->remote.ss_family)
		json_string(text);
}

static void print_json_count(const char *what, unsigned long long count)
{
	printf(", \"%s\": %llu", what, count);
}

/* Only with --rates, and of what was there a second ago. */
static void print_json_rate(const struct rate *rate)
{
	if (rate->known)
		printf(", \"sent_bps\": %.0f, \"received_bps\": %.0f", rate->sent, rate->received);
}

static void print_json_coupling(const struct subflow_diag *diag)
{
	const struct mptcpctl_coupling *coupling = &diag->coupling;

	printf(", \"coupling\": ");
	if (!diag->coupled) {
		printf("null");
		return;
	}
	printf("{\"subflows\": %u, \"growth\": %.3f", coupling->subflows,
	       coupling->growth / 1000.0);
	if (coupling->base_rtt_us)
		printf(", \"base_rtt_us\": %u, \"queued\": %.3f, \"target\": %.3f}",
		       coupling->base_rtt_us, coupling->queued / 1000.0,
		       coupling->target / 1000.0);
	else
		printf(", \"base_rtt_us\": null, \"queued\": null, \"target\": null}");
}

static void print_json_congestion(const struct subflow_diag *diag, const struct tcp_info *tcp)
{
	printf(", \"congestion\": ");
	json_string(*diag->congestion ? diag->congestion : NULL);
	print_json_count("cwnd", tcp->tcpi_snd_cwnd);
	if (has_ssthresh(tcp))
		print_json_count("ssthresh", tcp->tcpi_snd_ssthresh);
	else
		printf(", \"ssthresh\": null");
	print_json_coupling(diag);
}

static void print_json_subflow(const struct connection *c, unsigned int i)
{
	static const char *const backup[] = {
		[BACKUP_UNKNOWN] = "null", [BACKUP_NO] = "false", [BACKUP_YES] = "true",
	};
	const struct tcp_info *tcp = &c->tcp[i];

	printf("{\"id\": %u, ", c->subflow[i].id);
	print_json_addresses(&c->subflow[i].addrs);
	printf(", \"state\": \"%s\", \"backup\": %s", tcp_state_name(tcp->tcpi_state),
	       backup[c->diag[i].backup]);
	print_json_count("rtt_us", tcp->tcpi_rtt);
	print_json_congestion(&c->diag[i], tcp);
	print_json_count("bytes_sent", tcp->tcpi_bytes_sent);
	print_json_count("bytes_acked", tcp->tcpi_bytes_acked);
	print_json_count("bytes_received", tcp->tcpi_bytes_received);
	print_json_count("retrans", tcp->tcpi_total_retrans);
	print_json_rate(&c->rate[i]);
	printf("}");
}

static void print_json_counters(const struct connection *c)
{
	unsigned int i;

	printf(", \"scheduling\": ");
	if (!c->counters_known) {
		printf("null");
		return;
	}
	for (i = 0; i < SCHED_COUNTERS; i++) {
		printf("%s\"%s\": ", i ? ", " : "{", names[i]);
		if (i < c->counters_known)
			printf("%llu", (unsigned long long)c->counters[i]);
		else
			printf("null");
	}
	printf("}");
}

void print_json(const struct mptcp_socket *sk, const struct connection *c)
{
	unsigned int i;

	printf("{\"pid\": %d, \"comm\": ", sk->pid);
	json_string(sk->comm);
	printf(", \"fd\": %d, ", sk->their_fd);
	print_json_addresses(&c->addrs);
	printf(", \"state\": \"%s\", \"fallback\": %s, \"scheduler\": ", state_names[c->state],
	       c->state == CONN_FALLBACK ? "true" : "false");
	json_string(*c->scheduler ? c->scheduler : NULL);
	print_json_count("token", c->info.token);
	print_json_count("bytes_sent", c->info.bytes_sent);
	print_json_count("bytes_acked", c->info.bytes_acked);
	print_json_count("bytes_received", c->info.bytes_received);
	print_json_count("bytes_retrans", c->info.bytes_retrans);
	print_json_rate(&c->whole);
	if (c->netns)
		print_json_count("netns", c->netns);
	print_json_counters(c);
	printf(", \"subflows\": [");
	for (i = 0; i < c->subflows; i++) {
		printf("%s", i ? ", " : "");
		print_json_subflow(c, i);
	}
	printf("]}");
}
