// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Sums over all MPTCP connections, in the text format of Prometheus: for the textfile collector
 * of its node_exporter. The kernel's own counters (nstat: MPTcpExt*) that collects by itself.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "history.h"

/* Connections with this state and scheduler */
struct group {
	enum conn_state state;
	char scheduler[MPTCP_SCHED_FULL_MAX + 1];
	unsigned long long connections;
	unsigned long long limited[LIMITS];	/* of these, by what they wait for now */
	bool limits_known;
};

/* Subflows with this address on our side */
struct uplink {
	char address[ADDRESS_MAX];
	unsigned long long subflows, sent, acked, received, retrans;
};

struct sums {
	struct group *groups;
	struct uplink *uplinks;
	size_t group_count, uplink_count;
	struct connection *buf;
	struct history *history;	/* NULL: none is kept */
	bool known, unknown;	/* what limits them, of connections */
	bool failed;		/* the user was told why */
};

static struct group *group_of(struct sums *sums, const struct connection *c)
{
	struct group *group;
	size_t i;

	for (i = 0; i < sums->group_count; i++) {
		group = &sums->groups[i];
		if (group->state == c->state && !strcmp(group->scheduler, c->scheduler))
			return group;
	}
	group = append((void **)&sums->groups, &sums->group_count, sizeof(*group));
	if (group) {
		group->state = c->state;
		memcpy(group->scheduler, c->scheduler, sizeof(group->scheduler));
	}
	return group;
}

static struct uplink *uplink_of(struct sums *sums, const struct mptcpctl_addrs *addrs)
{
	struct uplink *uplink;
	char address[ADDRESS_MAX];
	size_t i;

	/* its port is another one for each connection */
	if (!format_host(&addrs->local, address, sizeof(address)))
		snprintf(address, sizeof(address), "?");
	for (i = 0; i < sums->uplink_count; i++) {
		if (!strcmp(sums->uplinks[i].address, address))
			return &sums->uplinks[i];
	}
	uplink = append((void **)&sums->uplinks, &sums->uplink_count, sizeof(*uplink));
	if (uplink)
		memcpy(uplink->address, address, sizeof(uplink->address));
	return uplink;
}

static bool add_subflow(struct sums *sums, const struct connection *c, unsigned int i)
{
	struct uplink *uplink = uplink_of(sums, &c->subflow[i].addrs);
	const struct tcp_info *tcp = &c->tcp[i];

	if (!uplink)
		return false;
	uplink->subflows++;
	uplink->sent += tcp->tcpi_bytes_sent;
	uplink->acked += tcp->tcpi_bytes_acked;
	uplink->received += tcp->tcpi_bytes_received;
	uplink->retrans += tcp->tcpi_bytes_retrans;
	return true;
}

static bool add_limits(struct sums *sums, struct group *group, int fd)
{
	const struct connection *c = sums->buf;

	sums->known |= c->limits_known;
	sums->unknown |= !c->limits_known;
	if (!c->limits_known || c->limits.state >= LIMITS)
		return true;
	group->limits_known = true;
	group->limited[c->limits.state]++;
	return !sums->history || add_to_history(sums->history, fd, c);
}

static bool add(const struct mptcp_socket *sk, void *arg)
{
	struct sums *sums = arg;
	struct group *group;
	unsigned int i;

	read_connection(sk->fd, sums->buf);
	group = group_of(sums, sums->buf);
	if (group)
		group->connections++;
	sums->failed |= !group;
	if (group && is_connection(sums->buf))
		sums->failed |= !add_limits(sums, group, sk->fd);
	for (i = 0; i < sums->buf->subflows; i++)
		sums->failed |= !add_subflow(sums, sums->buf, i);
	return true;
}

static void describe_as(const char *type, const char *name, const char *what)
{
	printf("# HELP %s %s\n# TYPE %s %s\n", name, what, name, type);
}

static void describe(const char *name, const char *what)
{
	describe_as("gauge", name, what);
}

static void print_groups(const struct sums *sums)
{
	size_t i;

	describe("mptcp_connections", "MPTCP sockets of running programs; fallback: they are plain TCP.");
	for (i = 0; i < sums->group_count; i++)
		printf("mptcp_connections{state=\"%s\",scheduler=\"%s\"} %llu\n",
		       state_names[sums->groups[i].state], sums->groups[i].scheduler,
		       sums->groups[i].connections);
}

/* Gauges: what a connection carried leaves the sum with it. */
static void print_uplinks(const struct sums *sums)
{
	static const struct {
		const char *name, *what;
		size_t offset;
	} figures[] = {
		{ "mptcp_subflows", "Subflows with this address on our side.",
		  offsetof(struct uplink, subflows) },
		{ "mptcp_subflow_sent_bytes", "What these sent, with retransmissions.",
		  offsetof(struct uplink, sent) },
		{ "mptcp_subflow_acked_bytes", "What of it was acknowledged.",
		  offsetof(struct uplink, acked) },
		{ "mptcp_subflow_received_bytes", "What these received.",
		  offsetof(struct uplink, received) },
		{ "mptcp_subflow_retransmitted_bytes", "What these sent once more.",
		  offsetof(struct uplink, retrans) },
	};
	size_t i, k;

	for (k = 0; k < sizeof(figures) / sizeof(figures[0]); k++) {
		describe(figures[k].name, figures[k].what);
		for (i = 0; i < sums->uplink_count; i++)
			printf("%s{local=\"%s\"} %llu\n", figures[k].name, sums->uplinks[i].address,
			       *(const unsigned long long *)((const char *)&sums->uplinks[i] +
							     figures[k].offset));
	}
}

/* All that there are for each group, so that none comes and goes. */
static void print_limited(const struct sums *sums)
{
	size_t i;
	int k;

	if (!sums->known)
		return;
	describe("mptcp_limited_connections", "Connections by what they wait for now, see mptcpctl why.");
	for (i = 0; i < sums->group_count; i++) {
		const struct group *group = &sums->groups[i];

		for (k = 0; k < LIMITS && group->limits_known; k++)
			printf("mptcp_limited_connections{state=\"%s\",scheduler=\"%s\",limit=\"%s\"} %llu\n",
			       state_names[group->state], group->scheduler, limit_names[k],
			       group->limited[k]);
	}
}

static void print_history(const struct history *history)
{
	size_t i;
	int k;

	describe_as("counter", "mptcp_limited_seconds_total",
		    "For how long connections waited for what, ended ones, too.");
	for (i = 0; i < history->total_count; i++) {
		const struct history_total *total = &history->totals[i];

		for (k = 0; k < LIMITS; k++)
			printf("mptcp_limited_seconds_total{scheduler=\"%s\",limit=\"%s\"} %.6f\n",
			       total->scheduler, limit_names[k], total->us[k] / 1e6);
	}
}

/* What is printed is what the file says: else the next run would count it once more. */
static bool finish(const struct sums *sums, const char *path)
{
	if (path && sums->unknown && !sums->known)
		return !complain("%s", limits_unknown());
	if (path && !save_history(sums->history, path))
		return false;
	print_groups(sums);
	print_uplinks(sums);
	print_limited(sums);
	if (path)
		print_history(sums->history);
	return true;
}

static int print_metrics(const char *path)
{
	struct history history = {};
	struct sums sums = { .buf = malloc(sizeof(*sums.buf)), .history = path ? &history : NULL };
	bool done = false;

	if (!sums.buf)
		complain("%s", strerror(ENOMEM));
	else if ((!path || load_history(&history, path)) && walk_sockets(0, add, &sums))
		done = !sums.failed && finish(&sums, path);
	free(sums.buf);
	free(sums.groups);
	free(sums.uplinks);
	free_history(&history);
	return !done;
}

int cmd_metrics(int argc, char **argv)
{
	const char *path = NULL;

	while (next_choice(argc, argv) != -1)
		path = optarg;
	if (optind < argc) {
		complain("%s takes no argument '%s'", argv[0], argv[optind]);
		return usage_error(argv[0]);
	}
	if (path && !*path) {
		complain("--history takes the name of a file");
		return EXIT_USAGE;
	}
	return print_metrics(path);
}
