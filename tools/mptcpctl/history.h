/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef HISTORY_H
#define HISTORY_H

#include "mptcpctl.h"

/* For how long connections with this scheduler waited for what, ended ones, too */
struct history_total {
	char scheduler[MPTCP_SCHED_FULL_MAX + 1];
	uint64_t us[LIMITS];
};

/* What a socket had counted when it was last seen */
struct history_socket {
	unsigned long long inode;
	unsigned int unseen;	/* runs since then */
	uint64_t us[LIMITS];
};

struct history {
	struct history_total *totals;
	struct history_socket *sockets;
	size_t total_count, socket_count;
	size_t sorted;		/* of the sockets, those of the file, by inode */
};

/* False: the user was told why not. */
bool load_history(struct history *history, const char *path);
bool add_to_history(struct history *history, int fd, const struct connection *c);
bool save_history(const struct history *history, const char *path);
void free_history(struct history *history);

#endif
