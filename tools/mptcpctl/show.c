// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Show MPTCP connections: scheduler, subflows, their congestion control, what they carried. */

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

static const char help[] =
	"usage: mptcpctl show [--pid PID] [--json]\n"
	"Shows the MPTCP connections of running programs, their subflows, and what their\n"
	"schedulers and coupled congestion controls did, see mptcpctl(8).\n"
	"  -p, --pid PID  of this process only\n"
	"  -j, --json     for programs: an array with an object per socket\n";

#define TCP_INFINITE_SSTHRESH 0x7fffffff	/* no loss yet */

struct view {
	bool json;
	int shown;
	struct connection *buf;
};

static const struct {
	const char *text, *json;
} counter_names[SCHED_COUNTERS] = {
	[SCHED_WND_BLOCKED] = { "window-full", "wnd_blocked" },
	[SCHED_AHEAD_BYTES] = { "ahead", "ahead_bytes" },
	[SCHED_AGAIN_BYTES] = { "again", "again_bytes" },
	[SCHED_COPY_BYTES] = { "copies", "copy_bytes" },
	[SCHED_PENALIZED] = { "penalized", "penalized" },
	[SCHED_CAPPED_BYTES] = { "capped", "capped_bytes" },
};

static const char *tcp_state_name(unsigned int state)
{
	static const char *const names[] = {
		"?", "established", "syn-sent", "syn-recv", "fin-wait-1", "fin-wait-2",
		"time-wait", "closed", "close-wait", "last-ack", "listening", "closing",
	};

	return names[state < sizeof(names) / sizeof(names[0]) ? state : 0];
}

static bool has_ssthresh(const struct tcp_info *tcp)
{
	return tcp->tcpi_snd_ssthresh < TCP_INFINITE_SSTHRESH;
}

static void print_count(const char *what, unsigned long long count)
{
	printf("  %s %llu", what, count);
}

/* Only wvegas measures the base RTT. */
static void print_coupling(const struct mptcpctl_coupling *coupling)
{
	printf("      coupled %u", coupling->subflows);
	if (!coupling->base_rtt_us)
		printf("  growth %.2f of reno", coupling->growth / 1000.0);
	else
		printf("  base-rtt %.1f ms  queued %.1f  target %.1f",
		       coupling->base_rtt_us / 1000.0, coupling->queued / 1000.0,
		       coupling->target / 1000.0);
	printf("\n");
}

static void print_congestion(const struct subflow_diag *diag, const struct tcp_info *tcp)
{
	if (*diag->congestion)
		printf("  congestion %s", diag->congestion);
	print_count("cwnd", tcp->tcpi_snd_cwnd);
	if (has_ssthresh(tcp))
		print_count("ssthresh", tcp->tcpi_snd_ssthresh);
}

static void print_subflow(const struct connection *c, unsigned int i)
{
	const struct tcp_info *tcp = &c->tcp[i];
	char local[ADDRESS_MAX], peer[ADDRESS_MAX];

	format_address(&c->subflow[i].addrs.local, local, sizeof(local));
	format_address(&c->subflow[i].addrs.remote, peer, sizeof(peer));
	printf("    subflow %u  %s -> %s  %s%s  rtt %.1f ms", c->subflow[i].id, local, peer,
	       tcp_state_name(tcp->tcpi_state),
	       c->diag[i].backup == BACKUP_YES ? "  backup" : "", tcp->tcpi_rtt / 1000.0);
	print_congestion(&c->diag[i], tcp);
	print_count("sent", tcp->tcpi_bytes_sent);
	print_count("acked", tcp->tcpi_bytes_acked);
	print_count("received", tcp->tcpi_bytes_received);
	print_count("retrans", tcp->tcpi_total_retrans);
	printf("\n");
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
			printf("    scheduling");
		any = true;
		print_count(counter_names[i].text, c->counters[i]);
	}
	if (any)
		printf("\n");
}

static void print_text(const struct mptcp_socket *sk, const struct connection *c)
{
	char local[ADDRESS_MAX], peer[ADDRESS_MAX];
	unsigned int i;

	format_address(&c->addrs.local, local, sizeof(local));
	format_address(&c->addrs.remote, peer, sizeof(peer));
	printf("%s[%d] fd %d  %s -> %s  %s  scheduler %s", sk->comm, sk->pid, sk->their_fd,
	       local, peer, state_names[c->state], *c->scheduler ? c->scheduler : "?");
	if (c->info.token)
		printf("  token %#x", c->info.token);
	if (c->state == CONN_MPTCP || c->state == CONN_FALLBACK) {
		print_count("sent", c->info.bytes_sent);
		print_count("acked", c->info.bytes_acked);
		print_count("received", c->info.bytes_received);
		print_count("resent", c->info.bytes_retrans);
	}
	if (c->netns)
		print_count("netns", c->netns);
	printf("\n");
	print_counters(c);
	for (i = 0; i < c->subflows; i++)
		print_subflow(c, i);
}

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
		printf("%s\"%s\": ", i ? ", " : "{", counter_names[i].json);
		if (i < c->counters_known)
			printf("%llu", (unsigned long long)c->counters[i]);
		else
			printf("null");
	}
	printf("}");
}

static void print_json(const struct mptcp_socket *sk, const struct connection *c)
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

static bool show(const struct mptcp_socket *sk, void *arg)
{
	struct view *view = arg;

	read_connection(sk->fd, view->buf);
	if (view->json) {
		printf("%s", view->shown ? ",\n " : "[");
		print_json(sk, view->buf);
	} else {
		print_text(sk, view->buf);
	}
	view->shown++;
	return true;
}

static int show_sockets(pid_t pid, bool json)
{
	struct view view = { .json = json, .buf = malloc(sizeof(*view.buf)) };
	bool done;

	if (!view.buf)
		return complain("%s", strerror(errno));
	done = walk_sockets(pid, show, &view);
	free(view.buf);
	if (!done)
		return 1;
	if (json)
		printf("%s]\n", view.shown ? "" : "[");
	else if (!view.shown)
		printf("no MPTCP sockets\n");
	return 0;
}

int cmd_show(int argc, char **argv)
{
	static const struct option options[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	bool json = false;
	pid_t pid = 0;
	int opt;

	while ((opt = getopt_long(argc, argv, "p:jh", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			if (!parse_number(optarg, "--pid", 1, &pid))
				return EXIT_USAGE;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fputs(help, stderr);
			return EXIT_USAGE;
		}
	}
	if (optind < argc) {
		complain("show takes no argument '%s'", argv[optind]);
		return EXIT_USAGE;
	}
	return show_sockets(pid, json);
}
