// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Network interfaces and their addresses. */

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <string.h>
#include "mptcpctl.h"

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

/* An address of the interface that others can reach; false: it has none of this family. */
bool interface_address(unsigned int index, int family, struct sockaddr_storage *address)
{
	struct ifaddrs *list, *one;
	bool found = false;

	if (getifaddrs(&list))
		return false;
	for (one = list; one && !found; one = one->ifa_next) {
		found = one->ifa_addr && one->ifa_addr->sa_family == family &&
			if_nametoindex(one->ifa_name) == index && is_global(one->ifa_addr);
		if (found)
			copy_host(address, one->ifa_addr);
	}
	freeifaddrs(list);
	return found;
}
