/* SPDX-License-Identifier: GPL-2.0 */
/* The paths of a connection that come again: what rejoin.c and event.c alone know of them */
#ifndef _MPTCP_REJOIN_PATHS_H
#define _MPTCP_REJOIN_PATHS_H

#include "protocol.h"

/* From where to where a subflow was, or could not be */
struct mptcp_rejoin_path {
	struct mptcp_pm_local local;
	struct mptcp_addr_info remote;
	unsigned long last;	/* when it was tried, jiffies */
	unsigned long next;	/* when it is to be, while it waits */
	u8 failures;		/* in a row */
	bool waits;
	bool endpoint;		/* @local is one: without it there is nothing to try */
	bool counted;		/* the peer's address is one of pm.add_addr_accepted */
};

/* Of a connection, under the msk lock */
struct mptcp_rejoin {
	struct sock *sk;
	struct list_head list;	/* of its namespace, under a lock there */
	struct timer_list timer;
	u32 alone;	/* since when it has no subflow but attempts, jiffies; 0: it has */
	/* by the peer's ids: addresses that it has taken back */
	DECLARE_BITMAP(removed, MPTCP_PM_MAX_ADDR_ID + 1);
	unsigned int count;
	unsigned int room;	/* paths, at most */
	struct mptcp_rejoin_path path[] __counted_by(room);
};

#endif /* _MPTCP_REJOIN_PATHS_H */
