// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The subflows that a connection could have and lacks: those of endpoints of this machine from
 * whose address it has none, and why. What a peer refuses and what is lost on the way look alike
 * from here once they are over; doctor tries it.
 */

#include <net/if.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include "doctor.h"
#include "missing.h"

const char *const missing_names[] = {
	[MISSING_LIMITS] = "limits",
	[MISSING_ADDRESS] = "address",
	[MISSING_LINK] = "link",
	[MISSING_ROUTE] = "route",
	[MISSING_UNANSWERED] = "unanswered",
	[MISSING_REFUSED] = "refused",
};

/* Those of this network namespace; none if the kernel does not tell, or they count for nothing. */
static const struct endpoints *our_endpoints(void)
{
	static struct endpoints all;
	static bool known;
	char type[16] = "0";

	if (known)
		return &all;
	known = true;
	read_sysctl("pm_type", type, sizeof(type));
	if (strcmp(type, "0") || read_endpoints(&all))
		all.count = 0;
	return &all;
}

/* The subflow from this endpoint, NULL: there is none. */
static const struct tcp_info *subflow_from(const struct connection *c,
					   const struct endpoint *endpoint)
{
	unsigned int i;

	for (i = 0; i < c->subflows; i++) {
		struct sockaddr_storage local;

		plain_address(&c->subflow[i].addrs.local, &local);
		if (same_host(&local, &endpoint->address))
			return &c->tcp[i];
	}
	return NULL;
}

static bool is_up(unsigned int index)
{
	unsigned int flags = interface_flags(index);

	return flags & IFF_UP && flags & IFF_RUNNING;
}

static enum missing reason(const struct connection *c, const struct endpoint *endpoint,
			   const struct sockaddr_storage *peer, const struct tcp_info *tcp)
{
	struct route route;

	if (!endpoint->on || (endpoint->dev && endpoint->dev != endpoint->on))
		return MISSING_ADDRESS;
	if (!is_up(endpoint->on))
		return MISSING_LINK;
	if (!find_route(peer, &endpoint->address, endpoint->dev, &route))
		return MISSING_ROUTE;
	if (tcp)
		return MISSING_UNANSWERED;
	return c->info.subflows >= c->info.subflows_max ? MISSING_LIMITS : MISSING_REFUSED;
}

/* Did the peer begin it? Linux does not tell, but then somebody listens at its port, or did, and
 * who begins has a port of this range. Such a peer takes no subflows from here, but begins them.
 */
static bool is_accepted(const struct connection *c)
{
	unsigned int port = ntohs(((const struct sockaddr_in *)&c->addrs.local)->sin_port);
	char range[32] = "0";

	read_file("/proc/sys/net/ipv4/ip_local_port_range", range, sizeof(range));
	return port < strtoul(range, NULL, 10) || is_listened_to(&c->addrs.local);
}

static bool is_missing(const struct connection *c, const struct endpoint *endpoint,
		       const struct sockaddr_storage *peer, enum missing *why)
{
	const struct tcp_info *tcp;

	if (endpoint->address.ss_family != peer->ss_family)
		return false;
	tcp = subflow_from(c, endpoint);
	if (tcp && tcp->tcpi_state != STATE_SYN_SENT)
		return false;
	*why = reason(c, endpoint, peer, tcp);
	return true;
}

struct found {
	const struct endpoint *endpoint;
	enum missing why;
	bool beyond;		/* what the limits can allow */
};

/* Calls @tell for each, and for an accepted connection if none may come. Further subflows begin
 * when the peer has acknowledged something.
 */
void find_missing(const struct connection *c, missing_fn tell, void *arg)
{
	unsigned int i, count = 0, most = c->info.subflows_max;
	struct found found[ENDPOINTS_MAX];
	struct sockaddr_storage peer;
	const struct endpoints *all;

	if (c->state != CONN_MPTCP || c->netns || !(c->info.bytes_acked || c->info.bytes_received))
		return;
	if (is_accepted(c)) {
		if (!c->info.subflows_max)
			tell("the peer", MISSING_LIMITS, 1, arg);
		return;
	}
	all = our_endpoints();
	plain_address(&c->addrs.remote, &peer);
	for (i = 0; i < all->count; i++) {
		struct found *next = &found[count];

		if (!is_missing(c, &all->one[i], &peer, &next->why))
			continue;
		next->endpoint = &all->one[i];
		next->beyond = next->why == MISSING_LIMITS && most >= LIMIT_MOST;
		if (next->why == MISSING_LIMITS && !next->beyond)
			most++;
		count++;
	}
	for (i = 0; i < count; i++) {
		char name[NAME_MAX_LEN];

		tell(endpoint_name(found[i].endpoint, name), found[i].why,
		     found[i].beyond ? 0 : most, arg);
	}
}
