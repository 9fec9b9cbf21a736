// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What mptcpctl doctor checks without sending anything. */

#include <net/if.h>
#include <string.h>
#include "doctor.h"

#define WEIGHTED "weighted"	/* the scheduler that looks at weights */

static bool check_enabled(struct machine *m)
{
	char value[16] = "";

	read_sysctl("enabled", value, sizeof(value));
	if (strcmp(value, "0")) {
		say_ok(&m->report, "MPTCP: it is on");
		return true;
	}
	say_wrong(&m->report, "MPTCP: it is switched off");
	say_command(&m->report, "sysctl net.mptcp.enabled=1");
	return false;
}

static void check_path_manager(struct machine *m)
{
	char value[16] = "0";

	if (!read_sysctl("pm_type", value, sizeof(value)) || !strcmp(value, "0"))
		return;
	say_wrong(&m->report,
		  "path manager: it is a program's business, endpoints count for nothing");
	say_command(&m->report, "sysctl net.mptcp.pm_type=0");
}

static void check_scheduler(struct machine *m)
{
	char name[MPTCP_SCHED_FULL_MAX + 1] = "?";

	read_sysctl("scheduler", name, sizeof(name));
	say_ok(&m->report, "scheduler: %s%s", name,
	       kernel_is_patched() ? "" : " of Linux; this kernel lacks the scheduler patches");
}

static bool is_listed(const char *sysctl)
{
	char list[4096] = "";

	return read_sysctl(sysctl, list, sizeof(list)) && *list;
}

/* Prices are for schedulers with +price, weights for one of that name. One command for both: a
 * second one would undo the first.
 */
static void check_lists(struct machine *m)
{
	char name[MPTCP_SCHED_FULL_MAX + 1] = "";
	bool prices = is_listed("path_price"), weights = is_listed("path_weight");
	const char *extensions;
	int base;

	read_sysctl("scheduler", name, sizeof(name));
	base = strcspn(name, "+");
	extensions = name + base;
	prices = prices && !strstr(extensions, "+price");
	weights = weights && (base != strlen(WEIGHTED) || strncmp(name, WEIGHTED, base));
	if (prices)
		say_wrong(&m->report, "prices: the scheduler %s does not look at them", name);
	if (weights)
		say_wrong(&m->report, "weights: the scheduler %s does not look at them", name);
	if (weights || prices)
		say_command(&m->report, "mptcpctl set %.*s%s%s",
			    weights ? (int)strlen(WEIGHTED) : base, weights ? WEIGHTED : name,
			    extensions, prices ? "+price" : "");
}

/* mptcpd makes such ones unless it is told what for. */
static const struct endpoint *useless_endpoint(const struct machine *m, int family,
					       unsigned int dev)
{
	unsigned int i;

	for (i = 0; i < m->endpoints.other_count; i++) {
		const struct endpoint *endpoint = &m->endpoints.other[i];

		if (endpoint->on == dev && family_of(&endpoint->address) == family)
			return endpoint;
	}
	return NULL;
}

static void say_useless_endpoint(struct machine *m, const struct endpoint *endpoint)
{
	char text[NAME_MAX_LEN], flags[64];

	say_wrong(&m->report, "endpoint %s: it is not for subflows",
		  endpoint_name(endpoint, text));
	say_command(&m->report, "ip mptcp endpoint delete id %u", endpoint->id);
	say_add_endpoint(m, &endpoint->address, endpoint->on,
			 endpoint_flags(endpoint, flags, sizeof(flags)));
}

static void check_device(struct machine *m, const char *name)
{
	char until[64];

	if (budget_is_used_up(name, until, sizeof(until))) {
		say_wrong(&m->report, "budget of %s: it is used up, so that %s is a backup until %s",
			  name, name, until);
		say_command(&m->report, "mptcpctl path %s --budget none    # or a larger one",
			    name);
	}
	if (has_lro(name)) {
		say_wrong(&m->report,
			  "offload of %s: LRO, by which the card merges segments, may lose MPTCP's options",
			  name);
		say_command(&m->report, "ethtool -K %s lro off", name);
	}
}

static bool has_endpoint(const struct machine *m, int family, unsigned int dev)
{
	unsigned int i;

	for (i = 0; i < m->endpoints.count; i++) {
		const struct endpoint *endpoint = &m->endpoints.one[i];

		if (endpoint->on == dev && family_of(&endpoint->address) == family)
			return true;
	}
	return false;
}

static void check_uplink(struct machine *m, int family, const struct route *uplink)
{
	const struct endpoint *useless = useless_endpoint(m, family, uplink->dev);
	struct sockaddr_storage address;
	char name[IF_NAMESIZE];

	if (default_by(m, family, uplink->dev) != uplink)
		return;
	if (family == IPV4 || !default_by(m, IPV4, uplink->dev))
		check_device(m, device_name(uplink->dev, name));
	if (has_endpoint(m, family, uplink->dev) ||
	    !interface_address(uplink->dev, m->to[family].ss_family, &address))
		return;
	if (useless) {
		say_useless_endpoint(m, useless);
		return;
	}
	say_wrong(&m->report, "uplink %s: it has a default route of IPv%d, but no endpoint for subflows",
		  device_name(uplink->dev, name), ip_version(family));
	say_add_endpoint(m, &address, uplink->dev, "subflow");
}

/* Does an interface other than @dev have an endpoint or a default route? */
static bool has_another(const struct machine *m, unsigned int dev)
{
	unsigned int i;
	int family;

	for (i = 0; i < m->endpoints.count; i++) {
		if (m->endpoints.one[i].on && m->endpoints.one[i].on != dev)
			return true;
	}
	for (family = 0; family < FAMILIES; family++) {
		for (i = 0; i < m->default_count[family]; i++) {
			if (m->defaults[family][i].dev != dev)
				return true;
		}
	}
	return false;
}

/* Interfaces with a default route */
static void check_uplinks(struct machine *m)
{
	unsigned int i, dev = 0;
	char name[IF_NAMESIZE];
	int family;

	for (family = 0; family < FAMILIES; family++) {
		for (i = 0; i < m->default_count[family]; i++) {
			dev = m->defaults[family][i].dev;
			check_uplink(m, family, &m->defaults[family][i]);
		}
	}
	if (!dev)
		say_wrong(&m->report, "uplinks: no interface has a default route");
	else if (!has_another(m, dev))
		say_wrong(&m->report, "uplinks: only %s has a default route, a second one needs it, too",
			  device_name(dev, name));
}

/* The most that a connection can use: it has one family. The first subflow is not counted. */
static void check_limits(struct machine *m)
{
	unsigned int i, count[FAMILIES] = {}, most;

	for (i = 0; i < m->endpoints.count; i++)
		count[family_of(&m->endpoints.one[i].address)]++;
	most = count[IPV4] > count[IPV6] ? count[IPV4] : count[IPV6];
	if (m->endpoints.limit + 1 >= most) {
		say_ok(&m->report, "limits: %u subflows beside the first one", m->endpoints.limit);
		return;
	}
	say_wrong(&m->report, "limits: %u subflows beside the first one, but there are %u endpoints",
		  m->endpoints.limit, most);
	say_command(&m->report, "ip mptcp limits set subflow %u", most - 1);
}

bool check_machine(struct machine *m)
{
	bool enabled = check_enabled(m);

	check_path_manager(m);
	check_scheduler(m);
	check_lists(m);
	check_endpoints(m);
	check_uplinks(m);
	check_limits(m);
	check_settings(m);
	return enabled;
}
