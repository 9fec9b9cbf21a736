// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The endpoints and limits of the kernel's path manager, see ip-mptcp(8). */

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/mptcp.h>
#include <netinet/in.h>
#include <string.h>
#include "doctor.h"
#include "netlink.h"

#ifndef MPTCP_PM_ADDR_FLAG_IMPLICIT
#define MPTCP_PM_ADDR_FLAG_IMPLICIT 0x10
#endif

static struct rtattr *generic_attr(const struct nlmsghdr *header, int type)
{
	return netlink_attr(header, GENL_HDRLEN, type);
}

static void begin(struct netlink_request *request, int family, int command, int flags)
{
	struct genlmsghdr generic = { .cmd = command, .version = 1 };

	netlink_begin(request, family, flags, &generic, sizeof(generic));
}

static void read_family(const struct nlmsghdr *header, void *arg)
{
	struct rtattr *attr = generic_attr(header, CTRL_ATTR_FAMILY_ID);
	uint16_t *family = arg;

	if (attr && RTA_PAYLOAD(attr) >= sizeof(*family))
		memcpy(family, RTA_DATA(attr), sizeof(*family));
}

static void read_address(struct rtattr *attr, struct sockaddr_storage *address)
{
	struct rtattr *in = netlink_inside(attr, MPTCP_PM_ADDR_ATTR_ADDR4);
	struct rtattr *in6 = netlink_inside(attr, MPTCP_PM_ADDR_ATTR_ADDR6);

	if (in)
		set_host(address, AF_INET, RTA_DATA(in), RTA_PAYLOAD(in));
	else if (in6)
		set_host(address, AF_INET6, RTA_DATA(in6), RTA_PAYLOAD(in6));
}

static bool read_one(const struct nlmsghdr *header, struct endpoint *endpoint)
{
	struct rtattr *attr = generic_attr(header, MPTCP_PM_ATTR_ADDR);
	struct rtattr *id = netlink_inside(attr, MPTCP_PM_ADDR_ATTR_ID);

	if (!id || RTA_PAYLOAD(id) < sizeof(uint8_t))
		return false;
	memset(endpoint, 0, sizeof(*endpoint));
	endpoint->id = *(uint8_t *)RTA_DATA(id);
	endpoint->flags = netlink_u32(netlink_inside(attr, MPTCP_PM_ADDR_ATTR_FLAGS));
	endpoint->dev = netlink_u32(netlink_inside(attr, MPTCP_PM_ADDR_ATTR_IF_IDX));
	read_address(attr, &endpoint->address);
	endpoint->on = interface_of(&endpoint->address);
	return true;
}

/* The kernel makes implicit ones for itself, and a real one takes their place. */
static void read_endpoint(const struct nlmsghdr *header, void *arg)
{
	struct endpoints *all = arg;
	struct endpoint endpoint;

	if (!read_one(header, &endpoint))
		return;
	if (endpoint.flags & MPTCP_PM_ADDR_FLAG_SUBFLOW && all->count < ENDPOINTS_MAX)
		all->one[all->count++] = endpoint;
	else if (!(endpoint.flags & (MPTCP_PM_ADDR_FLAG_SUBFLOW | MPTCP_PM_ADDR_FLAG_IMPLICIT)) &&
		 all->other_count < ENDPOINTS_MAX)
		all->other[all->other_count++] = endpoint;
}

static void read_limits(const struct nlmsghdr *header, void *arg)
{
	struct endpoints *all = arg;

	all->limit = netlink_u32(generic_attr(header, MPTCP_PM_ATTR_SUBFLOWS));
}

/* 0, or an error number */
int read_endpoints(struct endpoints *all)
{
	struct netlink_request request;
	uint16_t family = 0;
	int error;

	all->count = 0;
	all->other_count = 0;
	begin(&request, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	netlink_put(&request, CTRL_ATTR_FAMILY_NAME, MPTCP_PM_NAME, sizeof(MPTCP_PM_NAME));
	error = netlink_ask(NETLINK_GENERIC, &request, read_family, &family);
	if (error || !family)
		return error ? error : ENOENT;
	begin(&request, family, MPTCP_PM_CMD_GET_LIMITS, 0);
	error = netlink_ask(NETLINK_GENERIC, &request, read_limits, all);
	if (error)
		return error;
	begin(&request, family, MPTCP_PM_CMD_GET_ADDR, NLM_F_DUMP);
	return netlink_ask(NETLINK_GENERIC, &request, read_endpoint, all);
}

/* As "ip mptcp endpoint add" takes them */
const char *endpoint_flags(const struct endpoint *endpoint, char *buf, size_t len)
{
	snprintf(buf, len, "%ssubflow%s%s",
		 endpoint->flags & MPTCP_PM_ADDR_FLAG_SIGNAL ? "signal " : "",
		 endpoint->flags & MPTCP_PM_ADDR_FLAG_BACKUP ? " backup" : "",
		 endpoint->flags & MPTCP_PM_ADDR_FLAG_FULLMESH ? " fullmesh" : "");
	return buf;
}
