/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef TOP_H
#define TOP_H

#include "mptcpctl.h"

/* What one refresh knows of a subflow, and of a connection: the figures that are shown, as struct
 * connection is too large to keep thousands of them.
 */
struct top_subflow {
	struct mptcpctl_addrs addrs;
	struct rate rate;
	unsigned int id, state;
	uint32_t rtt, cwnd, queue;
};

struct top_row {
	pid_t pid;
	int fd;
	char comm[32];
	struct mptcpctl_addrs addrs;
	bool foreign;		/* of another network namespace */
	bool fallback;
	char scheduler[MPTCP_SCHED_FULL_MAX + 1];
	struct rate rate;
	int queue;		/* bytes that wait for a subflow, < 0: not known */
	int limit;		/* what it waits for, < 0: not known */
	double share;		/* so much of the time, percent; < 0: it is so now */
	size_t first;		/* of its subflows */
	unsigned int subflows;
};

struct top {
	struct top_row *rows;
	struct top_subflow *subflows;
	size_t count, room, subflow_count, subflow_room;
	int unreadable;		/* processes */
	bool failed;		/* memory is short */
};

/* top_text.c: @lines and @columns of a screen; 0: as many as it takes */
void print_top(const struct top *top, unsigned int lines, unsigned int columns);

/* top_json.c */
void print_top_json(const struct top *top);

/* screen.c */
bool is_screen(void);
bool open_screen(void);
void close_screen(void);
void screen_size(unsigned int *lines, unsigned int *columns);
bool wait_on_screen(double until);

#endif
