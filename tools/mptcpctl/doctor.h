/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef DOCTOR_H
#define DOCTOR_H

#include <stdbool.h>
#include "mptcpctl.h"

#define WAIT_S 3	/* for answers of the network */

/* finding.c: what is said, as text or JSON */
struct report {
	bool json;
	bool wrong;		/* something is */
	unsigned int findings, commands;
};

void say_ok(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void say_wrong(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* one that mends what was said last */
void say_command(struct report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
void end_report(struct report *r);

/* endpoint.c: the kernel's path manager */
#define ENDPOINTS_MAX 256	/* they are numbered in 8 bits */

struct endpoint {
	unsigned int id, flags;
	unsigned int dev;	/* 0: none */
	struct sockaddr_storage address;
	unsigned int on;	/* the interface that has the address, 0: none */
	bool sound;		/* as far as doctor sees: what uses it can be sent */
};

struct endpoints {
	unsigned int count;
	struct endpoint one[ENDPOINTS_MAX];	/* those for subflows */
	unsigned int other_count;
	struct endpoint other[ENDPOINTS_MAX];	/* those that are not, as nobody said so */
	unsigned int limit;	/* subflows beside the first one */
};

int read_endpoints(struct endpoints *all);
const char *endpoint_flags(const struct endpoint *endpoint, char *buf, size_t len);

/* route.c */
#define ROUTES_MAX 32

struct route {
	unsigned int dev, metric;
	struct sockaddr_storage gateway;	/* ss_family 0: none */
};

bool find_route(const struct sockaddr_storage *to, const struct sockaddr_storage *from,
		unsigned int dev, struct route *route);
unsigned int default_routes(int family, struct route *routes);

/* probe.c: test connections */
enum probe {
	PROBE_MPTCP,
	PROBE_PLAIN,		/* TCP without MPTCP */
	PROBE_DROPPED,		/* no answer, but to plain TCP */
	PROBE_SMALL,		/* full packets are lost, smaller ones are not */
	PROBE_MUTE,		/* no data is acknowledged */
	PROBE_ENDED,		/* by the peer, at once */
	PROBE_REFUSED,
	PROBE_DARK,		/* no answer */
	PROBE_ERROR,		/* of this machine: errno */
};

/* What a connection got */
struct probe_subflows {
	unsigned int count;
	bool began;		/* another one was tried, or was to be */
};

enum probe probe_path(const struct endpoint *endpoint, const struct sockaddr_storage *to,
		      unsigned int *mtu);
enum probe probe_subflows(const struct sockaddr_storage *to, struct probe_subflows *subflows);

/* What is checked. Of each family there is an address to check the routes with, the host's or one
 * that only default routes lead to.
 */
enum { IPV4, IPV6, FAMILIES };

struct machine {
	struct report report;
	struct endpoints endpoints;
	struct route defaults[FAMILIES][ROUTES_MAX];
	unsigned int default_count[FAMILIES];
	const char *host;	/* as the user wrote it; NULL: none */
	bool has_host[FAMILIES];
	struct sockaddr_storage to[FAMILIES];
};

#define NAME_MAX_LEN 80

int family_of(const struct sockaddr_storage *address);
int ip_version(int family);
const char *device_name(unsigned int index, char *name);
const char *endpoint_name(const struct endpoint *endpoint, char *name);

/* doctor_endpoints.c */
const struct route *default_by(const struct machine *m, int family, unsigned int dev);
void say_add_endpoint(struct machine *m, const struct sockaddr_storage *address, unsigned int dev,
		      const char *flags);
void check_endpoints(struct machine *m);

/* doctor_machine.c: false: it has no MPTCP now */
bool check_machine(struct machine *m);

/* doctor_settings.c: what slows connections down on any path */
void check_settings(struct machine *m);

/* offload.c: false: it has none, or none that the kernel tells of */
bool has_lro(const char *device);

/* doctor_ways.c: those to the host */
void check_ways(struct machine *m);

#endif
