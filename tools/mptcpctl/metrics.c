// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Sums over all MPTCP connections, in the text format of Prometheus: for the textfile collector
 * of its node_exporter. The kernel's own counters (nstat: MPTcpExt*) that collects by itself.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

/* Connections with this state and scheduler */
struct group {
	enum conn_state state;
	char scheduler[MPTCP_SCHED_FULL_MAX + 1];
	unsigned long long connections;
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
	bool failed;		/* memory was short */
};

/* One more element at the end of an array of @count; NULL: memory is short. */
static void *grow(void **array, size_t *count, size_t size)
{
	char *larger = realloc(*array, (*count + 1) * size);

	if (!larger)
		return NULL;
	*array = larger;
	return memset(larger + (*count)++ * size, 0, size);
}

static struct group *group_of(struct sums *sums, const struct connection *c)
{
	struct group *group;
	size_t i;

	for (i = 0; i < sums->group_count; i++) {
		group = &sums->groups[i];
		if (group->state == c->state && !strcmp(group->scheduler, c->scheduler))
			return group;
	}
	group = grow((void **)&sums->groups, &sums->group_count, sizeof(*group));
	if (group) {
		group->state = c->state;
		memcpy(group->scheduler, c->scheduler, sizeof(group->scheduler));
	}
	return group;
}

/* Without its port, which is another one for each connection, and without the brackets that
 * keep an IPv6 address apart from it.
 */
static void address_alone(const struct sockaddr_storage *ss, char *text)
{
	if (!format_address(ss, text, ADDRESS_MAX)) {
		snprintf(text, ADDRESS_MAX, "?");
		return;
	}
	*strrchr(text, ':') = 0;
	if (*text == '[') {
		text[strlen(text) - 1] = 0;
		memmove(text, text + 1, strlen(text));
	}
}

static struct uplink *uplink_of(struct sums *sums, const struct mptcpctl_addrs *addrs)
{
	struct uplink *uplink;
	char address[ADDRESS_MAX];
	size_t i;

	address_alone(&addrs->local, address);
	for (i = 0; i < sums->uplink_count; i++) {
		if (!strcmp(sums->uplinks[i].address, address))
			return &sums->uplinks[i];
	}
	uplink = grow((void **)&sums->uplinks, &sums->uplink_count, sizeof(*uplink));
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
	for (i = 0; i < sums->buf->subflows; i++)
		sums->failed |= !add_subflow(sums, sums->buf, i);
	return true;
}

static void describe(const char *name, const char *what)
{
	printf("# HELP %s %s\n# TYPE %s gauge\n", name, what, name);
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

int cmd_metrics(int argc, char **argv)
{
	struct sums sums = {};
	struct query query = {};
	int status = 1;

	if (!read_query(argc, argv, &query))
		return EXIT_USAGE;
	sums.buf = malloc(sizeof(*sums.buf));
	if (sums.buf && walk_sockets(0, add, &sums) && !sums.failed) {
		print_groups(&sums);
		print_uplinks(&sums);
		status = 0;
	} else if (!sums.buf || sums.failed) {
		complain("%s", strerror(ENOMEM));
	}
	free(sums.buf);
	free(sums.groups);
	free(sums.uplinks);
	return status;
}
