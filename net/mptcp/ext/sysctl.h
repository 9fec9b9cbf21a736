/* SPDX-License-Identifier: GPL-2.0 */
/* The sysctls of what goes beyond RFC 8684, by network namespace: see sysctl.c
 *
 * What is not built in says here that it is off, so that the compiler leaves out whoever asks.
 */
#ifndef _MPTCP_EXT_SYSCTL_H
#define _MPTCP_EXT_SYSCTL_H

#include <linux/kconfig.h>
#include <linux/types.h>

struct net;

enum mptcp_ext_setting {
	MPTCP_EXT_LOW_OVERHEAD,
	MPTCP_EXT_LOW_USED,	/* no sysctl: what this namespace has seen */
	MPTCP_EXT_STATELESS_JOIN,
	MPTCP_EXT_CONTROL_STREAM,
	MPTCP_EXT_RTO_SEGMENTS,
	MPTCP_EXT_BLOCKED_RTO_MIN_US,
	MPTCP_EXT_EARLY_DELIVERY,
	MPTCP_EXT_CODING,
	MPTCP_EXT_FIRST_PATH,	/* MPTCP_FIRST_ROUTE and so on, counted from there */
	MPTCP_EXT_FIRST_PATH_TIMEOUT,
	MPTCP_EXT_REJOIN,
	MPTCP_EXT_SILENT_RTO_MAX,
	MPTCP_EXT_SETTINGS
};

/* The most that blocked_rto_min_us takes: TCP's own least timeout */
#define MPTCP_BLOCKED_RTO_MOST_US	(200 * USEC_PER_MSEC)
/* The longest pause that rejoin takes, s */
#define MPTCP_REJOIN_MOST		3600
/* The longest timeout that silent_rto_max takes, ms: TCP's own */
#define MPTCP_SILENT_RTO_MOST		120000
/* The most redundancy that coding takes, per cent of the data */
#define MPTCP_CODING_MOST		10

u32 mptcp_ext_get(const struct net *net, enum mptcp_ext_setting which);
void mptcp_low_use(const struct net *net);

static inline bool mptcp_low_overhead(const struct net *net)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_LOW_OVERHEAD) &&
	       mptcp_ext_get(net, MPTCP_EXT_LOW_OVERHEAD);
}

/* Was ever a connection established so? Without one there is none to join by a token. */
static inline bool mptcp_low_used(const struct net *net)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_LOW_OVERHEAD) &&
	       mptcp_ext_get(net, MPTCP_EXT_LOW_USED);
}

static inline bool mptcp_stateless_join(const struct net *net)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_JOIN) &&
	       mptcp_ext_get(net, MPTCP_EXT_STATELESS_JOIN);
}

static inline bool mptcp_control_stream(const struct net *net)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_CONTROL) &&
	       mptcp_ext_get(net, MPTCP_EXT_CONTROL_STREAM);
}

static inline u32 mptcp_rto_segments(const struct net *net)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_TIMERS) ?
	       mptcp_ext_get(net, MPTCP_EXT_RTO_SEGMENTS) : 1;
}

static inline u32 mptcp_blocked_rto_min_us(const struct net *net)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_TIMERS) ?
	       mptcp_ext_get(net, MPTCP_EXT_BLOCKED_RTO_MIN_US) : 0;
}

static inline u32 mptcp_silent_rto_max(const struct net *net)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_TIMERS) ?
	       mptcp_ext_get(net, MPTCP_EXT_SILENT_RTO_MAX) : 0;
}

static inline bool mptcp_early_delivery(const struct net *net)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_EARLY) &&
	       mptcp_ext_get(net, MPTCP_EXT_EARLY_DELIVERY);
}

static inline u32 mptcp_coding_wanted(const struct net *net)
{
	return IS_ENABLED(CONFIG_MPTCP_EXT_CODING) ? mptcp_ext_get(net, MPTCP_EXT_CODING) : 0;
}

#endif /* _MPTCP_EXT_SYSCTL_H */
