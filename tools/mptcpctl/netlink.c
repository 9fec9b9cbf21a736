// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A question to the kernel by netlink, and its answers. */

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "netlink.h"

void netlink_begin(struct netlink_request *request, int type, int flags, const void *body,
		   size_t len)
{
	memset(request, 0, sizeof(*request));
	request->header.nlmsg_len = NLMSG_LENGTH(len);
	request->header.nlmsg_type = type;
	/* what is no dump ends with an acknowledgment */
	request->header.nlmsg_flags = NLM_F_REQUEST | (flags ? flags : NLM_F_ACK);
	memcpy(request->data, body, len);
}

/* There is room for what this program asks. */
void netlink_put(struct netlink_request *request, int type, const void *value, size_t len)
{
	size_t at = NLMSG_ALIGN(request->header.nlmsg_len);
	struct rtattr *attr = (void *)((char *)request + at);

	if (at + RTA_SPACE(len) > sizeof(*request))
		return;
	attr->rta_type = type;
	attr->rta_len = RTA_LENGTH(len);
	memcpy(RTA_DATA(attr), value, len);
	request->header.nlmsg_len = at + attr->rta_len;
}

/* True: that was the last one, or an error. */
static bool read_messages(struct nlmsghdr *header, size_t len, netlink_fn answer, void *arg,
			  int *error)
{
	for (; NLMSG_OK(header, len); header = NLMSG_NEXT(header, len)) {
		if (header->nlmsg_type == NLMSG_ERROR) {
			*error = -((struct nlmsgerr *)NLMSG_DATA(header))->error;
			return true;
		}
		if (header->nlmsg_type == NLMSG_DONE)
			return true;
		answer(header, arg);
	}
	return false;
}

static int read_answers(int fd, netlink_fn answer, void *arg)
{
	char buf[32768] __attribute__((aligned(NLMSG_ALIGNTO)));
	int error = 0;
	ssize_t received;

	do {
		received = recv(fd, buf, sizeof(buf), 0);
		if (received <= 0)
			return received ? errno : ENODATA;
	} while (!read_messages((void *)buf, received, answer, arg, &error));
	return error;
}

/* 0, or an error number */
int netlink_ask(int protocol, const struct netlink_request *request, netlink_fn answer, void *arg)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol), error;

	if (fd < 0)
		return errno;
	if (send(fd, request, request->header.nlmsg_len, 0) < 0)
		error = errno;
	else
		error = read_answers(fd, answer, arg);
	close(fd);
	return error;
}

struct rtattr *netlink_find(struct rtattr *attr, int len, int type)
{
	for (; RTA_OK(attr, len); attr = RTA_NEXT(attr, len)) {
		if ((attr->rta_type & NLA_TYPE_MASK) == type)
			return attr;
	}
	return NULL;
}

struct rtattr *netlink_inside(struct rtattr *outer, int type)
{
	return outer ? netlink_find(RTA_DATA(outer), RTA_PAYLOAD(outer), type) : NULL;
}

/* Of the message's attributes, which begin after a header of @len bytes */
struct rtattr *netlink_attr(const struct nlmsghdr *header, size_t len, int type)
{
	struct rtattr *first = (void *)((char *)NLMSG_DATA(header) + NLMSG_ALIGN(len));

	return netlink_find(first, NLMSG_PAYLOAD(header, len), type);
}

uint32_t netlink_u32(struct rtattr *attr)
{
	uint32_t value = 0;

	if (attr && RTA_PAYLOAD(attr) >= sizeof(value))
		memcpy(&value, RTA_DATA(attr), sizeof(value));
	return value;
}
