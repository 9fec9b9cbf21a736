/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef MPTCPCTL_H
#define MPTCPCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>

#define EXIT_USAGE 2

/* main.c */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* sysctl.c: the network namespace's settings and the schedulers' tunables */
bool kernel_is_patched(void);
bool read_sysctl(const char *name, char *buf, size_t len);
int cmd_list(int argc, char **argv);
int cmd_get(int argc, char **argv);
int set_default(const char *name);
int set_param(const char *scheduler, const char *assignment);
const char *scheduler_error(int error, const char *name);

/* run.c: programs over MPTCP */
int cmd_run(int argc, char **argv);

/* sockets.c: the MPTCP sockets of running programs */
struct mptcp_socket {
	int fd;			/* our copy */
	pid_t pid;
	int their_fd;
	ino_t inode;
	char comm[32];
};

struct walk_result {
	int visited;		/* sockets for which the callback ran */
	int unreadable;		/* processes that the kernel does not show us */
};

struct walk_result walk_sockets(pid_t pid, int (*visit)(const struct mptcp_socket *sk, void *arg),
				void *arg);
int local_name(int fd, struct sockaddr *addr, socklen_t *len);
int peer_name(int fd, struct sockaddr *addr, socklen_t *len);
bool format_address(const struct sockaddr_storage *ss, char *buf, size_t len);
int cmd_set(int argc, char **argv);

/* show.c */
int cmd_show(int argc, char **argv);

#endif
