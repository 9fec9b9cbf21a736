// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What mptcpctl doctor checks with connections to a host: a way from each endpoint, and whether a
 * connection gets a second subflow.
 */

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include "doctor.h"

struct way {
	const struct endpoint *endpoint;	/* NULL: where the routes lead */
	enum probe result;
	int error;
	unsigned int mtu;	/* of PROBE_SMALL */
};

struct ways {
	unsigned int count, plain, refused;
	struct way one[ENDPOINTS_MAX];
};

static void try_all(const struct machine *m, struct ways *ways)
{
	unsigned int i;

	for (i = 0; i < m->endpoints.count; i++) {
		const struct endpoint *endpoint = &m->endpoints.one[i];
		struct way *way = &ways->one[ways->count];

		if (!endpoint->sound || !m->has_host[family_of(&endpoint->address)])
			continue;
		way->endpoint = endpoint;
		way->result = probe_path(endpoint, &m->to[family_of(&endpoint->address)],
					 &way->mtu);
		way->error = errno;
		ways->count++;
		ways->plain += way->result == PROBE_PLAIN;
		ways->refused += way->result == PROBE_REFUSED;
	}
}

static void say_way(struct machine *m, const struct way *way)
{
	static const char *const words[] = {
		[PROBE_PLAIN] = "plain TCP: the server does not speak MPTCP, or something on this way takes its options away",
		[PROBE_DROPPED] = "something on this way drops what has MPTCP's options, TCP gets through",
		[PROBE_SMALL] = "full packets are lost on this way, small ones get through",
		[PROBE_MUTE] = "connections begin, but their data is not answered within 1.5 s",
		[PROBE_ENDED] = "the server ends the test connection at once: name another port of it",
		[PROBE_REFUSED] = "refused: nothing listens at this port",
		[PROBE_DARK] = "no answer: this way is dark, or a firewall drops what is sent or comes back",
	};
	char name[NAME_MAX_LEN] = "the default route", device[IF_NAMESIZE];

	if (way->endpoint)
		endpoint_name(way->endpoint, name);
	if (way->result == PROBE_MPTCP)
		say_ok(&m->report, "way to %s from %s: MPTCP", m->host, name);
	else
		say_wrong(&m->report, "way to %s from %s: %s", m->host, name,
			  way->result == PROBE_ERROR ? strerror(way->error) : words[way->result]);
	/* The peer learns of it by the size of our segments. */
	if (way->result == PROBE_SMALL)
		say_command(&m->report, "ip link set %s mtu %u",
			    device_name(way->endpoint->on, device), way->mtu);
}

/* The same from everywhere: it is the server's doing. True: that was said. */
static bool say_server(struct machine *m, const struct ways *ways)
{
	if (ways->count && ways->plain == ways->count) {
		say_wrong(&m->report,
			  "server %s: plain TCP from everywhere, it does not speak MPTCP", m->host);
		say_command(&m->report, "mptcpctl run -- PROGRAM    # there, the one that listens");
	} else if (ways->count && ways->refused == ways->count) {
		say_wrong(&m->report, "server %s: it refuses, nothing listens at this port",
			  m->host);
	} else {
		return false;
	}
	return true;
}

/* After two connections, one soon after the other, whose SYNs with MPTCP were lost, while one
 * without was answered. Setting the time, to whatever, ends it.
 */
static void say_disabled(struct machine *m)
{
	char seconds[16] = "3600";

	read_sysctl("blackhole_timeout", seconds, sizeof(seconds));
	say_wrong(&m->report,
		  "MPTCP: for %s s or longer this machine does without, as only TCP got through",
		  seconds);
	say_command(&m->report, "sysctl net.mptcp.blackhole_timeout=%s", seconds);
}

static unsigned int sound_endpoints(const struct machine *m, int family)
{
	unsigned int i, count = 0;

	for (i = 0; i < m->endpoints.count; i++)
		count += m->endpoints.one[i].sound &&
			 family_of(&m->endpoints.one[i].address) == family;
	return count;
}

/* What this machine has counted of joins, of all its connections */
struct joins {
	unsigned long long syns, answers;
};

static struct joins read_joins(void)
{
	return (struct joins){
		.syns = read_counter("MPJoinSynTx"), .answers = read_counter("MPJoinSynAckRx"),
	};
}

/* A peer that takes no more subflows answers the SYN, and resets what follows. @began: a
 * second one of this connection was tried, as far as it tells; others have theirs.
 */
static void say_no_join(struct machine *m, int family, bool began, const struct joins *early)
{
	const char *why, *command = "nstat -az 'MPTcpExtMPJoin*'";
	struct joins late = read_joins();

	if (!has_counter("MPJoinSynTx")) {
		why = "the first tells who is to blame";
	} else if (began && late.answers > early->answers) {
		why = "the server answers, and takes none, look at \"ip mptcp limits\" there";
	} else if (began && late.syns > early->syns) {
		why = "nobody answers its SYN, something on the way drops or removes MP_JOIN";
	} else if (sound_endpoints(m, family) < 2) {
		why = "there are no two endpoints of this family";
		command = NULL;
	} else {
		why = "no SYN for one left here; without another mistake, the server takes none";
		command = "sysctl net.mptcp.allow_join_initial_addr_port=1    # there";
	}
	say_wrong(&m->report, "connection to %s over IPv%d: no second subflow within %d s: %s",
		  m->host, ip_version(family), WAIT_S, why);
	if (command)
		say_command(&m->report, "%s", command);
}

static void check_subflows(struct machine *m, int family)
{
	struct joins early = read_joins();
	struct probe_subflows subflows = {};
	struct way way = {};

	way.result = probe_subflows(&m->to[family], &subflows);
	way.error = errno;
	if (way.result != PROBE_MPTCP)
		say_way(m, &way);
	else if (subflows.count > 1)
		say_ok(&m->report, "connection to %s over IPv%d: it has %u subflows", m->host,
		       ip_version(family), subflows.count);
	else
		say_no_join(m, family, subflows.began, &early);
}

static bool leads_to(const struct machine *m, int family)
{
	return m->has_host[family] && m->default_count[family];
}

/* Programs try IPv6 first where there is some, and IPv4 where it fails: both should do. One without
 * a default route is tried where the other has none, either.
 */
static void check_families(struct machine *m)
{
	int family;

	for (family = FAMILIES - 1; family >= 0; family--) {
		if (leads_to(m, family) || (m->has_host[family] && !leads_to(m, !family)))
			check_subflows(m, family);
	}
}

void check_ways(struct machine *m)
{
	unsigned long long disabled = read_counter("MPCapableSYNTXDisabled");
	struct ways ways = {};
	unsigned int i;

	try_all(m, &ways);
	if (read_counter("MPCapableSYNTXDisabled") != disabled) {
		say_disabled(m);
		return;
	}
	if (say_server(m, &ways))
		return;
	for (i = 0; i < ways.count; i++)
		say_way(m, &ways.one[i]);
	check_families(m);
}
