// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Network interfaces and their addresses. */

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <linux/if_addr.h>
#include <net/if.h>
#include <string.h>
#include "mptcpctl.h"
#include "netlink.h"

/* The interface with this address, 0: none */
unsigned int interface_of(const struct sockaddr_storage *address)
{
	struct ifaddrs *list, *one;
	unsigned int index = 0;

	if (getifaddrs(&list))
		return 0;
	for (one = list; one && !index; one = one->ifa_next) {
		if (one->ifa_addr && same_host((const void *)one->ifa_addr, address))
			index = if_nametoindex(one->ifa_name);
	}
	freeifaddrs(list);
	return index;
}

/* IFF_UP and others */
unsigned int interface_flags(unsigned int index)
{
	struct ifaddrs *list, *one;
	unsigned int flags = 0;

	if (getifaddrs(&list))
		return 0;
	for (one = list; one; one = one->ifa_next) {
		if (if_nametoindex(one->ifa_name) == index)
			flags = one->ifa_flags;
	}
	freeifaddrs(list);
	return flags;
}

/* Others can reach it: neither loopback nor link-local. */
bool is_global(const struct sockaddr *address)
{
	const struct in6_addr *in6 = &((const struct sockaddr_in6 *)address)->sin6_addr;
	uint32_t in = ntohl(((const struct sockaddr_in *)address)->sin_addr.s_addr);

	if (address->sa_family == AF_INET)
		return in >> 24 != IN_LOOPBACKNET && in >> 16 != 0xa9fe;	/* 169.254/16 */
	return !IN6_IS_ADDR_LOOPBACK(in6) && !IN6_IS_ADDR_LINKLOCAL(in6);
}

/* What is sought: the best address of an interface so far */
struct search {
	unsigned int index;
	int family;
	int rank;
	struct sockaddr_storage *address;
};

/* How good is it for connections? 0: not at all. Private addresses of IPv6 (RFC 4193) come from
 * nowhere else.
 */
static int rank(const struct sockaddr_storage *address)
{
	const struct in6_addr *in6 = &((const struct sockaddr_in6 *)address)->sin6_addr;

	if (!is_global((const void *)address))
		return 0;
	return address->ss_family == AF_INET6 && (in6->s6_addr[0] & 0xfe) == 0xfc ? 1 : 2;
}

static void look_at_address(const struct nlmsghdr *header, void *arg)
{
	const struct ifaddrmsg *message = NLMSG_DATA(header);
	struct rtattr *attr = netlink_attr(header, sizeof(*message), IFA_LOCAL);
	struct sockaddr_storage address = {};
	struct search *search = arg;
	int found;

	if (!attr)
		attr = netlink_attr(header, sizeof(*message), IFA_ADDRESS);
	/* a kernel without IPv6 tells of IPv4 when it is asked for IPv6 */
	if (!attr || message->ifa_index != search->index || message->ifa_family != search->family)
		return;
	/* of IPv6 the former is one that changes, of IPv4 one that is not the first */
	if ((message->ifa_family == AF_INET6 && message->ifa_flags & IFA_F_TEMPORARY) ||
	    message->ifa_flags & (IFA_F_DEPRECATED | IFA_F_TENTATIVE | IFA_F_DADFAILED))
		return;
	set_host(&address, message->ifa_family, RTA_DATA(attr), RTA_PAYLOAD(attr));
	found = rank(&address);
	if (found > search->rank) {
		search->rank = found;
		*search->address = address;
	}
}

/* An address of the interface that others can reach, and that stays; false: it has none of this
 * family.
 */
bool interface_address(unsigned int index, int family, struct sockaddr_storage *address)
{
	struct search search = { .index = index, .family = family, .address = address };
	struct ifaddrmsg message = { .ifa_family = family };
	struct netlink_request request;

	netlink_begin(&request, RTM_GETADDR, NLM_F_DUMP, &message, sizeof(message));
	netlink_ask(NETLINK_ROUTE, &request, look_at_address, &search);
	return search.rank;
}
