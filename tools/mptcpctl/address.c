// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Socket addresses: ADDR:PORT, [ADDR]:PORT for IPv6. */

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

/* Addresses of IPv4 that come as IPv6 look like IPv4. */
bool format_address(const struct sockaddr_storage *ss, char *buf, size_t len)
{
	const struct sockaddr_in6 *in6 = (const void *)ss;
	const struct sockaddr_in *in = (const void *)ss;
	char text[INET6_ADDRSTRLEN] = "";

	if (ss->ss_family == AF_INET) {
		inet_ntop(AF_INET, &in->sin_addr, text, sizeof(text));
		snprintf(buf, len, "%s:%d", text, ntohs(in->sin_port));
	} else if (ss->ss_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
		inet_ntop(AF_INET, &in6->sin6_addr.s6_addr[12], text, sizeof(text));
		snprintf(buf, len, "%s:%d", text, ntohs(in6->sin6_port));
	} else if (ss->ss_family == AF_INET6) {
		inet_ntop(AF_INET6, &in6->sin6_addr, text, sizeof(text));
		snprintf(buf, len, "[%s]:%d", text, ntohs(in6->sin6_port));
	} else {
		snprintf(buf, len, "-");
		return false;
	}
	return true;
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
