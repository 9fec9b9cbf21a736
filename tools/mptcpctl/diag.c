// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Is a subflow a backup, what does its congestion control, and does anybody listen at a port? No
 * socket option tells, only sock_diag(7), the first to administrators only. It knows the sockets of
 * our own network namespace.
 */

#include <netinet/in.h>
#include <linux/inet_diag.h>
#include <linux/mptcp.h>
#include <linux/sock_diag.h>
#include <string.h>
#include "mptcpctl.h"
#include "netlink.h"

static void copy_address(const struct sockaddr_storage *ss, __be32 *address, __be16 *port)
{
	host_bytes(ss, address);
	/* at the same place in both families */
	*port = ((const struct sockaddr_in *)ss)->sin_port;
}

static void prepare(struct netlink_request *request, const struct mptcpctl_addrs *addrs)
{
	struct sockaddr_storage local;
	struct inet_diag_req_v2 diag = {
		.sdiag_family = addrs->local.ss_family,
		.sdiag_protocol = IPPROTO_TCP,
		/* what MPTCP adds comes with the TCP information only, and what
		 * congestion controls add with that of the first that had something
		 */
		.idiag_ext = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_CONG - 1) |
			     1 << (INET_DIAG_VEGASINFO - 1),
		.idiag_states = -1,
		.id = {
			.idiag_cookie = { INET_DIAG_NOCOOKIE, INET_DIAG_NOCOOKIE },
		},
	};
	struct inet_diag_sockid *id = &diag.id;

	/* a subflow may be bound to it, and is found only if this names it */
	plain_address(&addrs->local, &local);
	id->idiag_if = interface_of(&local);
	copy_address(&addrs->local, id->idiag_src, &id->idiag_sport);
	copy_address(&addrs->remote, id->idiag_dst, &id->idiag_dport);
	netlink_begin(request, SOCK_DIAG_BY_FAMILY, 0, &diag, sizeof(diag));
}

static struct rtattr *find(const struct nlmsghdr *header, int type)
{
	return netlink_attr(header, sizeof(struct inet_diag_msg), type);
}

static enum backup read_backup(const struct nlmsghdr *header)
{
	struct rtattr *attr = netlink_inside(find(header, INET_DIAG_ULP_INFO), INET_ULP_INFO_MPTCP);

	attr = netlink_inside(attr, MPTCP_SUBFLOW_ATTR_FLAGS);
	if (!attr)
		return BACKUP_UNKNOWN;
	return netlink_u32(attr) & (MPTCP_SUBFLOW_FLAG_BKUP_LOC | MPTCP_SUBFLOW_FLAG_BKUP_REM) ?
	       BACKUP_YES : BACKUP_NO;
}

static void read_congestion(const struct nlmsghdr *header, struct subflow_diag *diag)
{
	struct rtattr *attr = find(header, INET_DIAG_CONG);

	if (attr && RTA_PAYLOAD(attr) <= sizeof(diag->congestion))
		memcpy(diag->congestion, RTA_DATA(attr), RTA_PAYLOAD(attr));
	diag->congestion[sizeof(diag->congestion) - 1] = 0;
	/* later kernels may tell more */
	attr = find(header, INET_DIAG_MPTCPCCINFO);
	diag->coupled = attr && RTA_PAYLOAD(attr) >= sizeof(diag->coupling);
	if (diag->coupled)
		memcpy(&diag->coupling, RTA_DATA(attr), sizeof(diag->coupling));
}

static void read_answer(const struct nlmsghdr *header, void *arg)
{
	struct subflow_diag *diag = arg;

	diag->backup = read_backup(header);
	read_congestion(header, diag);
}

/* What is not found out stays unknown, that is 0. */
void read_subflow_diag(const struct mptcpctl_addrs *addrs, struct subflow_diag *diag)
{
	struct netlink_request request;

	prepare(&request, addrs);
	netlink_ask(NETLINK_SOCK_DIAG, &request, read_answer, diag);
}

static void note_answer(const struct nlmsghdr *header, void *arg)
{
	bool *any = arg;

	(void)header;
	*any = true;
}

/* Does a socket here listen at this port, with whatever address? */
bool is_listened_to(const struct sockaddr_storage *local)
{
	static const int families[] = { AF_INET, AF_INET6 };
	bool any = false;
	size_t i;

	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		struct inet_diag_req_v2 diag = {
			.sdiag_family = families[i],
			.sdiag_protocol = IPPROTO_TCP,
			.idiag_states = 1 << STATE_LISTEN,
			.id.idiag_sport = ((const struct sockaddr_in *)local)->sin_port,
		};
		struct netlink_request request;

		netlink_begin(&request, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, &diag, sizeof(diag));
		netlink_ask(NETLINK_SOCK_DIAG, &request, note_answer, &any);
	}
	return any;
}
