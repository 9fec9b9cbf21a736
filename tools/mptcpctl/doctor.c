// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Checks a machine that should use several uplinks. It changes nothing: it names what is wrong, and
 * the commands that mend it.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "doctor.h"

#define PORT "80"	/* if the user names none */
#define EXIT_UNKNOWN 2

static const int families[FAMILIES] = { AF_INET, AF_INET6 };
/* of documentation (RFC 5737, 3849): they are nowhere */
static const char *const nowhere[FAMILIES] = { "192.0.2.1", "2001:db8::1" };

int family_of(const struct sockaddr_storage *address)
{
	return address->ss_family == AF_INET ? IPV4 : IPV6;
}

/* 4 or 6 */
int ip_version(int family)
{
	return family == IPV6 ? 6 : 4;
}

/* @name has room for IF_NAMESIZE. */
const char *device_name(unsigned int index, char *name)
{
	if (!if_indextoname(index, name))
		snprintf(name, IF_NAMESIZE, "?");
	return name;
}

/* "10.0.2.1 dev lte", as ip mptcp endpoint has it; @name has room for NAME_MAX_LEN. */
const char *endpoint_name(const struct endpoint *endpoint, char *name)
{
	char host[INET6_ADDRSTRLEN], device[IF_NAMESIZE];

	format_host(&endpoint->address, host, sizeof(host));
	if (endpoint->dev)
		snprintf(name, NAME_MAX_LEN, "%s dev %s", host, device_name(endpoint->dev, device));
	else
		snprintf(name, NAME_MAX_LEN, "%s", host);
	return name;
}

/* HOST, HOST:PORT, [ADDRESS]:PORT, or an address of IPv6 alone, in @text, which it overwrites;
 * false: it is something else.
 */
static bool split_host(char *text, const char **host, const char **port)
{
	char *colon = strrchr(text, ':'), *bracket = strchr(text, ']');

	*host = text;
	*port = PORT;
	if (*text == '[' && bracket) {
		*host = text + 1;
		if (bracket[1] && bracket[1] != ':')
			return false;
		colon = bracket[1] == ':' ? bracket + 1 : NULL;
		*bracket = 0;
	} else if (colon && strchr(text, ':') != colon) {
		colon = NULL;
	}
	if (colon) {
		*colon = 0;
		*port = colon + 1;
	}
	return true;
}

/* A number, or a name such as https. getaddrinfo() takes the last 16 bits of any number. */
static bool is_port(const char *port)
{
	char *end;
	unsigned long number = strtoul(port, &end, 10);

	return *end || (end > port && number > 0 && number <= 65535);
}

/* The first address of each family; false: there is none, and the user was told. */
static bool find_host(struct machine *m)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *list, *one;
	const char *host, *port;
	char text[256];
	int error;

	snprintf(text, sizeof(text), "%s", m->host);
	if (!split_host(text, &host, &port) || !is_port(port))
		return !complain("%s: this is no HOST, HOST:PORT or [IPv6-ADDR]:PORT, with a port from 1 to 65535",
				 m->host);
	error = getaddrinfo(host, port, &hints, &list);
	if (error)
		return !complain("%s: %s", m->host, error == EAI_SYSTEM ? strerror(errno) :
				 gai_strerror(error));
	for (one = list; one; one = one->ai_next) {
		int family = one->ai_family == AF_INET ? IPV4 : IPV6;

		if (one->ai_family != families[family] || m->has_host[family])
			continue;
		copy_host(&m->to[family], one->ai_addr);
		m->has_host[family] = true;
	}
	freeaddrinfo(list);
	return true;
}

static bool read_machine(struct machine *m)
{
	int error, family;

	for (family = 0; family < FAMILIES; family++) {
		char bytes[sizeof(struct in6_addr)];

		m->default_count[family] = default_routes(families[family], m->defaults[family]);
		if (inet_pton(families[family], nowhere[family], bytes) == 1)
			set_host(&m->to[family], families[family], bytes,
				 family == IPV4 ? sizeof(struct in_addr) : sizeof(bytes));
	}
	error = read_endpoints(&m->endpoints);
	if (error == EPERM)
		complain("only root may see the endpoints");
	else if (error)
		complain("cannot read the endpoints: %s", strerror(error));
	return !error && (!m->host || find_host(m));
}

static int examine(const char *host, bool json)
{
	struct machine *m = calloc(1, sizeof(*m));
	int status = EXIT_UNKNOWN;

	if (!m) {
		complain("no memory");
		return status;
	}
	m->host = host;
	m->report.json = json;
	if (read_machine(m)) {
		if (check_machine(m) && host)
			check_ways(m);
		end_report(&m->report);
		status = m->report.wrong;
	}
	free(m);
	return status;
}

int cmd_doctor(int argc, char **argv)
{
	bool json = false;

	while (next_choice(argc, argv) != -1)
		json = true;
	if (argc - optind > 1) {
		complain("doctor takes one HOST, not '%s'", argv[optind + 1]);
		return usage_error(argv[0]);
	}
	return kernel_has_mptcp() ? examine(argv[optind], json) : EXIT_UNKNOWN;
}
