// SPDX-License-Identifier: GPL-2.0 OR MIT
/* How the kernel would send, and the default routes that it has. */

#include <netinet/in.h>
#include <string.h>
#include "doctor.h"
#include "netlink.h"

static void read_gateway(struct rtattr *attr, int family, struct route *route)
{
	route->gateway.ss_family = 0;
	if (attr)
		set_host(&route->gateway, family, RTA_DATA(attr), RTA_PAYLOAD(attr));
}

static struct rtattr *route_attr(const struct nlmsghdr *header, int type)
{
	return netlink_attr(header, sizeof(struct rtmsg), type);
}

static void read_route(const struct nlmsghdr *header, void *arg)
{
	const struct rtmsg *message = NLMSG_DATA(header);
	struct route *route = arg;

	route->dev = netlink_u32(route_attr(header, RTA_OIF));
	read_gateway(route_attr(header, RTA_GATEWAY), message->rtm_family, route);
}

/* With RTM_F_FIB_MATCH in @flags only what the tables say: for a socket that is bound to an
 * interface IPv4 otherwise takes all that has no route for a neighbour.
 */
static bool ask_route(const struct sockaddr_storage *to, const struct sockaddr_storage *from,
		      unsigned int dev, unsigned int flags, struct route *route)
{
	struct netlink_request request;
	char bytes[sizeof(struct in6_addr)];
	size_t len = host_bytes(to, bytes);
	struct rtmsg message = {
		.rtm_family = to->ss_family, .rtm_dst_len = len * 8, .rtm_flags = flags,
		.rtm_src_len = from ? len * 8 : 0,
	};

	netlink_begin(&request, RTM_GETROUTE, 0, &message, sizeof(message));
	netlink_put(&request, RTA_DST, bytes, len);
	if (from)
		netlink_put(&request, RTA_SRC, bytes, host_bytes(from, bytes));
	if (dev)
		netlink_put(&request, RTA_OIF, &dev, sizeof(dev));
	memset(route, 0, sizeof(*route));
	return !netlink_ask(NETLINK_ROUTE, &request, read_route, route);
}

/* From this source; by this interface only, if it is not 0. IPv6 keeps to an interface here only if
 * no source is named, while a bound socket always does.
 */
bool find_route(const struct sockaddr_storage *to, const struct sockaddr_storage *from,
		unsigned int dev, struct route *route)
{
	if (dev && !ask_route(to, from, dev, RTM_F_FIB_MATCH, route))
		return false;
	if (!ask_route(to, from, dev, 0, route))
		return false;
	if (!dev || route->dev == dev)
		return true;
	return ask_route(to, NULL, dev, 0, route) && route->dev == dev;
}

struct defaults {
	int family;
	struct route *routes;
	unsigned int count;
};

static void add_default(struct defaults *d, unsigned int dev, unsigned int metric,
			struct rtattr *gateway)
{
	struct route *route = &d->routes[d->count];

	if (!dev || d->count == ROUTES_MAX)
		return;
	memset(route, 0, sizeof(*route));
	route->dev = dev;
	route->metric = metric;
	read_gateway(gateway, d->family, route);
	d->count++;
}

static void add_hops(struct defaults *d, unsigned int metric, struct rtattr *hops)
{
	struct rtnexthop *hop = RTA_DATA(hops);
	int len = RTA_PAYLOAD(hops);

	while (len >= (int)sizeof(*hop) && RTNH_OK(hop, len)) {
		int attrs = hop->rtnh_len - sizeof(*hop);

		add_default(d, hop->rtnh_ifindex, metric,
			    netlink_find(RTNH_DATA(hop), attrs, RTA_GATEWAY));
		len -= RTNH_ALIGN(hop->rtnh_len);
		hop = RTNH_NEXT(hop);
	}
}

/* A kernel without IPv6 tells of IPv4 when it is asked for IPv6. */
static void read_default(const struct nlmsghdr *header, void *arg)
{
	const struct rtmsg *message = NLMSG_DATA(header);
	struct defaults *d = arg;
	struct rtattr *hops = route_attr(header, RTA_MULTIPATH);
	unsigned int metric = netlink_u32(route_attr(header, RTA_PRIORITY));

	if (message->rtm_family != d->family || message->rtm_dst_len ||
	    message->rtm_type != RTN_UNICAST ||
	    netlink_u32(route_attr(header, RTA_TABLE)) != RT_TABLE_MAIN)
		return;
	if (hops)
		add_hops(d, metric, hops);
	else
		add_default(d, netlink_u32(route_attr(header, RTA_OIF)), metric,
			    route_attr(header, RTA_GATEWAY));
}

/* Of the main table; their number, ROUTES_MAX at most */
unsigned int default_routes(int family, struct route *routes)
{
	struct defaults d = { .family = family, .routes = routes };
	struct rtmsg message = { .rtm_family = family };
	struct netlink_request request;

	netlink_begin(&request, RTM_GETROUTE, NLM_F_DUMP, &message, sizeof(message));
	netlink_ask(NETLINK_ROUTE, &request, read_default, &d);
	return d.count;
}
