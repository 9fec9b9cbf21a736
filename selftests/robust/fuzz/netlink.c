// SPDX-License-Identifier: GPL-2.0
/* Nonsense for the path manager's family and inet_diag: every answer is an error that they
 * have, beside connections in all states.
 */
#include "fuzz.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>

/* Append an attribute with random content, maybe with some inside. */
static int some_attribute(struct fuzzer *f, uint8_t *at, int depth)
{
	static const char * const texts[] = { "mptcp_pm", "rr", "\n\0\1\2", "\2\0\0\0", "\2\0" };
	struct nlattr *attr = (void *)at;
	int len = NLA_HDRLEN, n, i;

	attr->nla_type = below(f, 10) | (one_in(f, 2) ? NLA_F_NESTED : 0);
	if (depth < 2 && one_in(f, 2)) {
		for (n = below(f, 5); n > 0; n--)
			len += some_attribute(f, at + len, depth + 1);
	} else if (one_in(f, 2)) {
		memcpy(at + len, texts[below(f, ARRAY_SIZE(texts))], 4);
		len += below(f, 5);
	} else {
		n = below(f, 24);
		for (i = 0; i < n; i++)
			at[len++] = draw(f);
	}
	attr->nla_len = one_in(f, 20) ? draw(f) : (unsigned int)len;
	return NLA_ALIGN(len);
}

/* Send it; the errors of the answers are counted. */
static void ask(struct fuzzer *f, int fd, struct nlmsghdr *msg, int len)
{
	static const int allowed[] = { EINVAL, EOPNOTSUPP, EPERM, ENOENT, EADDRINUSE,
				       EADDRNOTAVAIL, ERANGE, ENODEV, EAFNOSUPPORT, EEXIST, ESRCH,
				       EMSGSIZE, ENOTCONN, ENETUNREACH, EBUSY, ENOMSG,
				       ECONNREFUSED, EHOSTUNREACH, 0 };
	static __thread uint8_t answer[65536];
	struct nlmsghdr *got = (void *)answer;
	ssize_t n;

	msg->nlmsg_len = len;
	if (send(fd, msg, len, 0) < 0) {
		count_call(f, NETLINK, errno, allowed);
		return;
	}
	while ((n = recv(fd, answer, sizeof(answer), MSG_DONTWAIT)) > 0) {
		for (got = (void *)answer; NLMSG_OK(got, n); got = NLMSG_NEXT(got, n)) {
			if (got->nlmsg_type == NLMSG_ERROR)
				count_call(f, NETLINK, -*(int *)NLMSG_DATA(got), allowed);
		}
	}
}

/* The number of the path manager's family. */
static int pm_family(int fd)
{
	struct {
		struct nlmsghdr nl;
		struct genlmsghdr genl;
		struct nlattr attr;
		char name[12];
	} query = { { sizeof(query), GENL_ID_CTRL, NLM_F_REQUEST, 1, 0 },
		    { CTRL_CMD_GETFAMILY, 1, 0 },
		    { NLA_HDRLEN + 9, CTRL_ATTR_FAMILY_NAME },
		    "mptcp_pm" };
	uint8_t answer[8192], *at = answer + NLMSG_HDRLEN + GENL_HDRLEN;
	ssize_t n;

	if (send(fd, &query, sizeof(query), 0) < 0)
		die("genetlink");
	n = recv(fd, answer, sizeof(answer), 0);
	for (; at < answer + n; at += NLA_ALIGN(((struct nlattr *)at)->nla_len)) {
		if (((struct nlattr *)at)->nla_type == CTRL_ATTR_FAMILY_ID)
			return *(uint16_t *)(at + NLA_HDRLEN);
	}
	die("mptcp_pm");
	return 0;
}

static void fuzz_pm(struct fuzzer *f, int fd, int family)
{
	uint8_t message[4096] = {};
	struct nlmsghdr *msg = (void *)message;
	struct genlmsghdr *genl = NLMSG_DATA(msg);
	int len = NLMSG_HDRLEN + GENL_HDRLEN, n;

	msg->nlmsg_type = family;
	msg->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | (one_in(f, 4) ? NLM_F_DUMP : 0);
	genl->cmd = below(f, 14);
	genl->version = 1;
	for (n = below(f, 5); n > 0; n--)
		len += some_attribute(f, message + len, 0);
	ask(f, fd, msg, len);
}

static void fuzz_diag(struct fuzzer *f, int fd)
{
	uint8_t message[4096] = {};
	struct nlmsghdr *msg = (void *)message;
	struct inet_diag_req_v2 *req = NLMSG_DATA(msg);
	struct nlattr *attr;
	int len = NLMSG_HDRLEN + NLMSG_ALIGN(sizeof(*req)), n;

	msg->nlmsg_type = one_in(f, 8) ? 18 + (int)below(f, 5) : SOCK_DIAG_BY_FAMILY;
	msg->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | (one_in(f, 2) ? NLM_F_DUMP : 0);
	req->sdiag_family = one_in(f, 8) ? (int)below(f, 12) : AF_INET;
	req->sdiag_protocol = one_in(f, 8) ? (int)draw(f) : IPPROTO_RAW;
	req->idiag_ext = draw(f);
	req->idiag_states = draw(f);
	for (n = 0; one_in(f, 4) && n < (int)sizeof(req->id); n++)
		((uint8_t *)&req->id)[n] = draw(f);
	attr = (void *)(message + len);
	if (!one_in(f, 4)) {
		attr->nla_type = INET_DIAG_REQ_PROTOCOL;
		attr->nla_len = NLA_HDRLEN + 4;
		*(uint32_t *)(message + len + NLA_HDRLEN) = one_in(f, 8) ? draw(f) : IPPROTO_MPTCP;
		len += NLA_ALIGN(attr->nla_len);
	}
	for (n = below(f, 3); n > 0; n--)
		len += some_attribute(f, message + len, 0);
	ask(f, fd, msg, len);
}

static int netlink(int protocol)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, protocol);

	if (fd < 0)
		die("netlink");
	return fd;
}

/* Beside connections in all states, and subflows that the nonsense may make. */
void run_netlink(struct fuzzer *f, long calls)
{
	int pm = netlink(NETLINK_GENERIC), diag = netlink(NETLINK_SOCK_DIAG),
	    family = pm_family(pm), i;
	long asked = 0;

	for (i = 0; i < SLOTS; i++)
		replace(f, i);
	while (asked++ < calls) {
		net_admin(f, !one_in(f, 8));
		if (one_in(f, 2))
			fuzz_pm(f, pm, family);
		else
			fuzz_diag(f, diag);
		if (one_in(f, 30))
			pause_us(below(f, 10000));
		if (one_in(f, 50))
			replace(f, below(f, SLOTS));
	}
	f->calls = asked - 1;
}
