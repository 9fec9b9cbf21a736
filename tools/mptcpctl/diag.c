// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Is a subflow a backup, and what does its congestion control? No socket option tells, only
 * sock_diag(7), the former to administrators only. It knows the sockets of our own network
 * namespace.
 */

#include <netinet/in.h>
#include <ifaddrs.h>
#include <linux/inet_diag.h>
#include <linux/mptcp.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>
#include "mptcpctl.h"

static void copy_address(const struct sockaddr_storage *ss, __be32 *address, __be16 *port)
{
	const struct sockaddr_in6 *in6 = (const void *)ss;
	const struct sockaddr_in *in = (const void *)ss;

	if (ss->ss_family == AF_INET) {
		memcpy(address, &in->sin_addr, sizeof(in->sin_addr));
		*port = in->sin_port;
	} else {
		memcpy(address, &in6->sin6_addr, sizeof(in6->sin6_addr));
		*port = in6->sin6_port;
	}
}

/* The interface with this address. A subflow may be bound to it, and is found only if the
 * question names it.
 */
static unsigned int interface_of(const struct sockaddr_storage *ss)
{
	__be32 want[4] = {}, have[4];
	struct ifaddrs *list, *one;
	unsigned int index = 0;
	__be16 port;

	copy_address(ss, want, &port);
	if (getifaddrs(&list))
		return 0;
	for (one = list; one && !index; one = one->ifa_next) {
		if (!one->ifa_addr || one->ifa_addr->sa_family != ss->ss_family)
			continue;
		memset(have, 0, sizeof(have));
		copy_address((const void *)one->ifa_addr, have, &port);
		if (!memcmp(have, want, sizeof(have)))
			index = if_nametoindex(one->ifa_name);
	}
	freeifaddrs(list);
	return index;
}

static bool ask(int fd, const struct mptcpctl_addrs *addrs)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req_v2 diag;
	} request = {
		.header = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = SOCK_DIAG_BY_FAMILY,
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.diag = {
			.sdiag_family = addrs->local.ss_family,
			.sdiag_protocol = IPPROTO_TCP,
			/* what MPTCP adds comes with the TCP information only, and what
			 * congestion controls add with that of the first that had something
			 */
			.idiag_ext = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_CONG - 1) |
				     1 << (INET_DIAG_VEGASINFO - 1),
			.idiag_states = -1,
			.id = {
				.idiag_if = interface_of(&addrs->local),
				.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE },
			},
		},
	};
	struct inet_diag_sockid *id = &request.diag.id;

	copy_address(&addrs->local, id->idiag_src, &id->idiag_sport);
	copy_address(&addrs->remote, id->idiag_dst, &id->idiag_dport);
	return send(fd, &request, sizeof(request), 0) == sizeof(request);
}

static struct rtattr *find(struct rtattr *attr, int len, int type)
{
	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		if ((attr->rta_type & NLA_TYPE_MASK) == type)
			return attr;
	}
	return NULL;
}

static struct rtattr *find_inside(struct rtattr *outer, int type)
{
	return outer ? find(RTA_DATA(outer), RTA_PAYLOAD(outer), type) : NULL;
}

static enum backup read_backup(struct rtattr *attrs, int len)
{
	struct rtattr *attr = find(attrs, len, INET_DIAG_ULP_INFO);
	uint32_t flags;

	attr = find_inside(find_inside(attr, INET_ULP_INFO_MPTCP), MPTCP_SUBFLOW_ATTR_FLAGS);
	if (!attr)
		return BACKUP_UNKNOWN;
	memcpy(&flags, RTA_DATA(attr), sizeof(flags));
	return flags & (MPTCP_SUBFLOW_FLAG_BKUP_LOC | MPTCP_SUBFLOW_FLAG_BKUP_REM) ?
	       BACKUP_YES : BACKUP_NO;
}

static void read_congestion(struct rtattr *attrs, int len, struct subflow_diag *diag)
{
	struct rtattr *attr = find(attrs, len, INET_DIAG_CONG);

	if (attr && RTA_PAYLOAD(attr) <= sizeof(diag->congestion))
		memcpy(diag->congestion, RTA_DATA(attr), RTA_PAYLOAD(attr));
	diag->congestion[sizeof(diag->congestion) - 1] = 0;
	/* later kernels may tell more */
	attr = find(attrs, len, INET_DIAG_MPTCPCCINFO);
	diag->coupled = attr && RTA_PAYLOAD(attr) >= sizeof(diag->coupling);
	if (diag->coupled)
		memcpy(&diag->coupling, RTA_DATA(attr), sizeof(diag->coupling));
}

static void read_answer(int fd, struct subflow_diag *diag)
{
	char buf[8192] __attribute__((aligned(NLMSG_ALIGNTO)));
	struct nlmsghdr *header = (void *)buf;
	ssize_t received = recv(fd, buf, sizeof(buf), 0);
	struct rtattr *attrs;
	int len;

	if (received < 0 || !NLMSG_OK(header, (size_t)received) ||
	    header->nlmsg_type != SOCK_DIAG_BY_FAMILY)
		return;
	attrs = (void *)((char *)NLMSG_DATA(header) + NLMSG_ALIGN(sizeof(struct inet_diag_msg)));
	len = NLMSG_PAYLOAD(header, sizeof(struct inet_diag_msg));
	diag->backup = read_backup(attrs, len);
	read_congestion(attrs, len, diag);
}

/* What is not found out stays unknown, that is 0. */
void read_subflow_diag(const struct mptcpctl_addrs *addrs, struct subflow_diag *diag)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);

	if (fd < 0)
		return;
	if (ask(fd, addrs))
		read_answer(fd, diag);
	close(fd);
}
