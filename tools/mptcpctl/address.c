// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Socket addresses: ADDR:PORT, [ADDR]:PORT for IPv6. */

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

/* Where its address is; 0: of a family that has none here */
static size_t raw_address(const struct sockaddr_storage *ss, const void **raw)
{
	const struct sockaddr_in6 *in6 = (const void *)ss;
	const struct sockaddr_in *in = (const void *)ss;

	*raw = ss->ss_family == AF_INET ? (const void *)&in->sin_addr : &in6->sin6_addr;
	if (ss->ss_family == AF_INET)
		return sizeof(in->sin_addr);
	return ss->ss_family == AF_INET6 ? sizeof(in6->sin6_addr) : 0;
}

/* The address without a port. Those of IPv4 that come as IPv6 look like IPv4. */
bool format_host(const struct sockaddr_storage *ss, char *buf, size_t len)
{
	const uint8_t *raw;
	size_t size = raw_address(ss, (const void **)&raw);

	if (size == sizeof(struct in6_addr) && IN6_IS_ADDR_V4MAPPED((struct in6_addr *)raw))
		return inet_ntop(AF_INET, raw + 12, buf, len);
	if (size)
		return inet_ntop(ss->ss_family, raw, buf, len);
	snprintf(buf, len, "-");
	return false;
}

bool format_address(const struct sockaddr_storage *ss, char *buf, size_t len)
{
	/* the port is at the same place in both */
	in_port_t port = ntohs(((const struct sockaddr_in *)ss)->sin_port);
	char text[INET6_ADDRSTRLEN];

	if (!format_host(ss, text, sizeof(text))) {
		snprintf(buf, len, "-");
		return false;
	}
	snprintf(buf, len, strchr(text, ':') ? "[%s]:%d" : "%s:%d", text, port);
	return true;
}

/* Ports do not matter. */
bool same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	const void *raw, *other;
	size_t size = raw_address(a, &raw);

	return size && size == raw_address(b, &other) && !memcmp(raw, other, size);
}

void copy_host(struct sockaddr_storage *ss, const struct sockaddr *from)
{
	size_t size = from->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
						   sizeof(struct sockaddr_in6);

	memset(ss, 0, sizeof(*ss));
	memcpy(ss, from, size);
}

/* Those of IPv4 that come as IPv6, as IPv4: so endpoints and routes have them. */
void plain_address(const struct sockaddr_storage *from, struct sockaddr_storage *to)
{
	const struct sockaddr_in6 *in6 = (const void *)from;

	*to = *from;
	if (from->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr))
		set_host(to, AF_INET, in6->sin6_addr.s6_addr + 12, sizeof(struct in_addr));
}

/* What netlink wants of an address, and what it gives */
size_t host_bytes(const struct sockaddr_storage *ss, void *bytes)
{
	const void *raw;
	size_t size = raw_address(ss, &raw);

	memcpy(bytes, raw, size);
	return size;
}

void set_host(struct sockaddr_storage *ss, int family, const void *bytes, size_t len)
{
	const void *raw;

	memset(ss, 0, sizeof(*ss));
	ss->ss_family = family;
	if (len == raw_address(ss, &raw))
		memcpy((void *)raw, bytes, len);
}

/* "10.0.0.1" or "[2001:db8::1]", which it overwrites */
static bool parse_host(char *host, in_port_t port, struct sockaddr_storage *ss)
{
	struct sockaddr_in6 *in6 = (void *)ss;
	struct sockaddr_in *in = (void *)ss;
	size_t len = strlen(host);

	if (len > 2 && host[0] == '[' && host[len - 1] == ']') {
		host[len - 1] = 0;
		in6->sin6_family = AF_INET6;
		in6->sin6_port = port;
		return inet_pton(AF_INET6, host + 1, &in6->sin6_addr) == 1;
	}
	in->sin_family = AF_INET;
	in->sin_port = port;
	return inet_pton(AF_INET, host, &in->sin_addr) == 1;
}

/* Bring an address that a user wrote to the form that format_address() gives. */
bool parse_address(const char *text, char *buf, size_t len)
{
	struct sockaddr_storage ss = {};
	const char *colon = strrchr(text, ':');
	char host[ADDRESS_MAX], *end;
	unsigned long port;

	if (!colon || colon[1] < '0' || colon[1] > '9' ||
	    (size_t)(colon - text) >= sizeof(host))
		return false;
	port = strtoul(colon + 1, &end, 10);
	if (*end || port > 65535)
		return false;
	snprintf(host, sizeof(host), "%.*s", (int)(colon - text), text);
	return parse_host(host, htons(port), &ss) && format_address(&ss, buf, len);
}

bool local_address(int fd, struct sockaddr_storage *ss)
{
	socklen_t len = sizeof(*ss);

	memset(ss, 0, sizeof(*ss));
	return !getsockname(fd, (struct sockaddr *)ss, &len);
}

bool peer_address(int fd, struct sockaddr_storage *ss)
{
	socklen_t len = sizeof(*ss);

	memset(ss, 0, sizeof(*ss));
	return !getpeername(fd, (struct sockaddr *)ss, &len);
}
