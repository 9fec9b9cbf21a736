/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef MISSING_H
#define MISSING_H

#include "mptcpctl.h"

/* Why an endpoint has no subflow */
enum missing {
	MISSING_LIMITS,		/* ip mptcp limits */
	MISSING_ADDRESS,	/* it is on no interface, or on another one */
	MISSING_LINK,		/* it is down */
	MISSING_ROUTE,		/* to the peer */
	MISSING_UNANSWERED,	/* its SYN is */
	MISSING_REFUSED,	/* by the peer, or on the way */
};

extern const char *const missing_names[];

/* The most that "ip mptcp limits" takes */
#define LIMIT_MOST 8

/* @most: of MISSING_LIMITS, how many subflows beside the first one they would have to allow;
 * 0: more than they can
 */
typedef void (*missing_fn)(const char *endpoint, enum missing why, unsigned int most, void *arg);

void find_missing(const struct connection *c, missing_fn tell, void *arg);

#endif
