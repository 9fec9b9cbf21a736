// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What mptcpctl doctor checks of each endpoint: its address, its link, its route, and if what comes
 * back is taken.
 */

#include <arpa/inet.h>
#include <linux/mptcp.h>
#include <net/if.h>
#include <stdlib.h>
#include "doctor.h"

#define METRIC_STEP 100

/* The default route by this interface, NULL: none */
const struct route *default_by(const struct machine *m, int family, unsigned int dev)
{
	unsigned int i;

	for (i = 0; i < m->default_count[family]; i++) {
		if (m->defaults[family][i].dev == dev)
			return &m->defaults[family][i];
	}
	return NULL;
}

/* Modems and tunnels have one other end. */
static bool has_gateway(unsigned int dev)
{
	return !(interface_flags(dev) & IFF_POINTOPOINT);
}

static void say_add_route(struct machine *m, int family, unsigned int dev)
{
	unsigned int i, metric = 0;
	char name[IF_NAMESIZE];

	for (i = 0; i < m->default_count[family]; i++) {
		if (m->defaults[family][i].metric > metric)
			metric = m->defaults[family][i].metric;
	}
	say_command(&m->report, "ip%s route add default%s dev %s metric %u",
		    family == IPV6 ? " -6" : "", has_gateway(dev) ? " via GATEWAY" : "",
		    device_name(dev, name), metric + METRIC_STEP);
}

void say_add_endpoint(struct machine *m, const struct sockaddr_storage *address, unsigned int dev,
		      const char *flags)
{
	char host[INET6_ADDRSTRLEN], name[IF_NAMESIZE];

	format_host(address, host, sizeof(host));
	say_command(&m->report, "ip mptcp endpoint add %s dev %s %s", host, device_name(dev, name),
		    flags);
}

/* The endpoint once more, with the interface of its address */
static void say_move_endpoint(struct machine *m, const struct endpoint *endpoint)
{
	char flags[64];

	say_command(&m->report, "ip mptcp endpoint delete id %u", endpoint->id);
	say_add_endpoint(m, &endpoint->address, endpoint->on,
			 endpoint_flags(endpoint, flags, sizeof(flags)));
}

/* Its subflows carry data only when there is no other one. */
static bool is_backup(const struct endpoint *endpoint)
{
	return endpoint->flags & MPTCP_PM_ADDR_FLAG_BACKUP;
}

/* Its address is where it should be, and the link is up. */
static void check_endpoint(struct machine *m, struct endpoint *endpoint)
{
	unsigned int flags = interface_flags(endpoint->on);
	char text[NAME_MAX_LEN], name[IF_NAMESIZE];

	endpoint_name(endpoint, text);
	device_name(endpoint->on, name);
	if (!endpoint->on) {
		say_wrong(&m->report, "endpoint %s: no interface has this address", text);
		say_command(&m->report, "ip mptcp endpoint delete id %u", endpoint->id);
	} else if (!is_global((const void *)&endpoint->address)) {
		say_wrong(&m->report, "endpoint %s: a loopback or link-local address reaches nobody else",
			  text);
		say_command(&m->report, "ip mptcp endpoint delete id %u", endpoint->id);
	} else if (endpoint->dev && endpoint->dev != endpoint->on) {
		say_wrong(&m->report, "endpoint %s: the address is on %s", text, name);
		say_move_endpoint(m, endpoint);
	} else if (!(flags & IFF_UP)) {
		say_wrong(&m->report, "endpoint %s: %s is down", text, name);
		say_command(&m->report, "ip link set %s up", name);
	} else if (!(flags & IFF_RUNNING)) {
		say_wrong(&m->report, "endpoint %s: %s has no carrier, look at its cable or modem",
			  text, name);
	} else {
		say_ok(&m->report, "endpoint %s%s", text,
		       is_backup(endpoint) ? ", a backup: it waits until the others fail" : "");
		endpoint->sound = true;
	}
}

static void say_no_route(struct machine *m, const struct endpoint *endpoint, const char *text)
{
	int family = family_of(&endpoint->address);
	char name[IF_NAMESIZE];

	device_name(endpoint->on, name);
	if (default_by(m, family, endpoint->on)) {
		say_wrong(&m->report,
			  "route from %s: a rule hides the default route by %s, see: ip rule",
			  text, name);
		return;
	}
	say_wrong(&m->report,
		  "route from %s: there is none by %s%s; is it no uplink, delete the endpoint, id %u",
		  text, name, has_gateway(endpoint->on) ? ", whose gateway is to be named" : "",
		  endpoint->id);
	say_add_route(m, family, endpoint->on);
}

/* Subflows are bound to the interface of their endpoint. One without an interface goes where the
 * routes lead.
 */
static void check_route(struct machine *m, const struct endpoint *endpoint)
{
	int family = family_of(&endpoint->address);
	char text[NAME_MAX_LEN], name[IF_NAMESIZE], other[IF_NAMESIZE];
	struct route route;

	endpoint_name(endpoint, text);
	if (!find_route(&m->to[family], &endpoint->address, endpoint->dev, &route)) {
		say_no_route(m, endpoint, text);
	} else if (route.dev != endpoint->on) {
		say_wrong(&m->report,
			  "route from %s: it leaves by %s, not by %s, as the endpoint names no dev",
			  text, device_name(route.dev, other), device_name(endpoint->on, name));
		say_move_endpoint(m, endpoint);
		if (!default_by(m, family, endpoint->on))
			say_add_route(m, family, endpoint->on);
	} else {
		say_ok(&m->report, "route from %s: by %s", text, device_name(route.dev, name));
	}
}

static int read_rp_filter(const char *device)
{
	char path[128], value[16] = "0";

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/conf/%s/rp_filter", device);
	read_file(path, value, sizeof(value));
	return atoi(value);
}

/* The larger one of an interface's and "all" counts; 1 drops what comes in where the answer would
 * not go out, by the routes of an unbound socket.
 */
static void check_rp_filter(struct machine *m, const struct endpoint *endpoint)
{
	char name[IF_NAMESIZE], other[IF_NAMESIZE];
	int all = read_rp_filter("all"), own = read_rp_filter(device_name(endpoint->on, name));
	struct route route;

	if (endpoint->address.ss_family != AF_INET || (all > own ? all : own) != 1)
		return;
	if (!find_route(&m->to[IPV4], &endpoint->address, 0, &route) || route.dev == endpoint->on)
		return;
	say_wrong(&m->report, "rp_filter: %s drops what comes in on it, as the first route is by %s",
		  name, device_name(route.dev, other));
	/* a name may have dots */
	say_command(&m->report, "sysctl net/ipv4/conf/%s/rp_filter=2", name);
}

void check_endpoints(struct machine *m)
{
	unsigned int i;

	if (!m->endpoints.count)
		say_wrong(&m->report, "endpoints: there is none for subflows");
	for (i = 0; i < m->endpoints.count; i++) {
		struct endpoint *endpoint = &m->endpoints.one[i];

		check_endpoint(m, endpoint);
		if (endpoint->sound) {
			check_route(m, endpoint);
			check_rp_filter(m, endpoint);
		}
	}
}
