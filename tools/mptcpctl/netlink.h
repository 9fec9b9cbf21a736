/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef NETLINK_H
#define NETLINK_H

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct netlink_request {
	struct nlmsghdr header;
	char data[240];
};

typedef void (*netlink_fn)(const struct nlmsghdr *header, void *arg);

/* netlink.c */
void netlink_begin(struct netlink_request *request, int type, int flags, const void *body,
		   size_t len);
void netlink_put(struct netlink_request *request, int type, const void *value, size_t len);
int netlink_ask(int protocol, const struct netlink_request *request, netlink_fn answer, void *arg);
struct rtattr *netlink_find(struct rtattr *attr, int len, int type);
struct rtattr *netlink_inside(struct rtattr *outer, int type);
struct rtattr *netlink_attr(const struct nlmsghdr *header, size_t len, int type);
uint32_t netlink_u32(struct rtattr *attr);

#endif
