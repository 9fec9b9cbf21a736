// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The MPTCP sockets of running programs: find them, change their scheduler.
 *
 * pidfd_getfd() gives us a copy of another process' descriptor, which is the same socket. The
 * kernel allows it to those who may trace the process.
 */

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mptcpctl.h"
#include "mptcp_uapi.h"

static const char help[] =
	"usage: mptcpctl set NAME [--param K=V]...\n"
	"       mptcpctl set NAME --pid PID [--fd N]\n"
	"       mptcpctl set NAME [--local ADDR:PORT] [--peer ADDR:PORT]\n"
	"Without a connection: the default of new sockets in this network namespace, or with\n"
	"--param a tunable of scheduler NAME. Else: connections of running programs, from\n"
	"their next bytes on. IPv6 addresses are written [ADDR]:PORT.\n";

static bool is_mptcp(int fd)
{
	socklen_t len = sizeof(int);
	int protocol;

	return !getsockopt(fd, SOL_SOCKET, SO_PROTOCOL, &protocol, &len) &&
	       protocol == IPPROTO_MPTCP;
}

static void read_comm(pid_t pid, char *comm, size_t len)
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(comm, len, file))
		snprintf(comm, len, "?");
	comm[strcspn(comm, "\n")] = 0;
	if (file)
		fclose(file);
}

static bool is_socket(int dirfd, const char *name, ino_t *inode)
{
	struct stat st;

	*inode = 0;
	if (fstatat(dirfd, name, &st, 0) || !S_ISSOCK(st.st_mode))
		return false;
	*inode = st.st_ino;
	return true;
}

/* The sockets of one process; false: we may not look. */
static bool walk_process(pid_t pid, struct walk_result *result,
			 int (*visit)(const struct mptcp_socket *sk, void *arg), void *arg)
{
	struct mptcp_socket sk = { .pid = pid };
	struct dirent *entry;
	bool allowed = true;
	char path[64];
	int pidfd;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	fds = opendir(path);
	if (!fds)
		return errno == ENOENT;
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	read_comm(pid, sk.comm, sizeof(sk.comm));
	while (pidfd >= 0 && (entry = readdir(fds))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    !is_socket(dirfd(fds), entry->d_name, &sk.inode))
			continue;
		sk.their_fd = atoi(entry->d_name);
		sk.fd = syscall(SYS_pidfd_getfd, pidfd, sk.their_fd, 0);
		if (sk.fd < 0) {
			allowed = allowed && errno != EPERM;
			continue;
		}
		if (is_mptcp(sk.fd))
			result->visited += visit(&sk, arg);
		close(sk.fd);
	}
	if (pidfd >= 0)
		close(pidfd);
	closedir(fds);
	return allowed;
}

/* Call @visit for each MPTCP socket of process @pid, or of all (0); it returns 1 for a socket
 * that it took, 0 for one that it passed over.
 */
struct walk_result walk_sockets(pid_t pid, int (*visit)(const struct mptcp_socket *sk, void *arg),
				void *arg)
{
	struct walk_result result = {};
	struct dirent *entry;
	DIR *proc;

	if (pid) {
		result.unreadable = !walk_process(pid, &result, visit, arg);
		return result;
	}
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]) || atoi(entry->d_name) == getpid())
			continue;
		result.unreadable += !walk_process(atoi(entry->d_name), &result, visit, arg);
	}
	if (proc)
		closedir(proc);
	return result;
}

/* ADDR:PORT or [ADDR]:PORT; addresses of IPv4 that come as IPv6 look like IPv4. */
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

struct selection {
	const char *name, *local, *peer;
	int fd;			/* -1: all */
	int failed;
};

static bool address_is(int fd, int (*get)(int, struct sockaddr *, socklen_t *), const char *want)
{
	struct sockaddr_storage ss = {};
	socklen_t len = sizeof(ss);
	char text[80];

	return !want || (!get(fd, (struct sockaddr *)&ss, &len) &&
			 format_address(&ss, text, sizeof(text)) && !strcmp(text, want));
}

int local_name(int fd, struct sockaddr *addr, socklen_t *len)
{
	return getsockname(fd, addr, len);
}

int peer_name(int fd, struct sockaddr *addr, socklen_t *len)
{
	return getpeername(fd, addr, len);
}

static int change(const struct mptcp_socket *sk, void *arg)
{
	struct selection *selection = arg;

	if ((selection->fd >= 0 && sk->their_fd != selection->fd) ||
	    !address_is(sk->fd, local_name, selection->local) ||
	    !address_is(sk->fd, peer_name, selection->peer))
		return 0;
	if (setsockopt(sk->fd, SOL_MPTCP, MPTCP_SCHEDULER, selection->name,
		       strlen(selection->name))) {
		complain("%s (pid %d, fd %d): %s", sk->comm, sk->pid, sk->their_fd,
			 scheduler_error(errno, selection->name));
		selection->failed++;
	}
	return 1;
}

static int set_live(pid_t pid, struct selection *selection)
{
	struct walk_result result = walk_sockets(pid, change, selection);

	if (!result.visited)
		return complain("no MPTCP socket matches%s", result.unreadable ?
				" among those that you may see (try as root)" : "");
	printf("%d of %d sockets changed to %s\n", result.visited - selection->failed,
	       result.visited, selection->name);
	return selection->failed ? 1 : 0;
}

static bool parse_number(const char *text, const char *what, int *value)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || end == text || n < 0 || n > INT_MAX) {
		complain("%s takes a number, not '%s'", what, text);
		return false;
	}
	*value = n;
	return true;
}

int cmd_set(int argc, char **argv)
{
	static const struct option options[] = {
		{ "param", required_argument, NULL, 'k' },
		{ "pid", required_argument, NULL, 'p' },
		{ "fd", required_argument, NULL, 'f' },
		{ "local", required_argument, NULL, 'l' },
		{ "peer", required_argument, NULL, 'r' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	struct selection selection = { .fd = -1 };
	const char *params[16];
	int opt, pid = 0, count = 0, status = 0;

	while ((opt = getopt_long(argc, argv, "p:f:h", options, NULL)) != -1) {
		switch (opt) {
		case 'k':
			if (count < 16)
				params[count++] = optarg;
			break;
		case 'p':
			if (!parse_number(optarg, "--pid", &pid))
				return EXIT_USAGE;
			break;
		case 'f':
			if (!parse_number(optarg, "--fd", &selection.fd))
				return EXIT_USAGE;
			break;
		case 'l':
			selection.local = optarg;
			break;
		case 'r':
			selection.peer = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fputs(help, stderr);
			return EXIT_USAGE;
		}
	}
	if (optind != argc - 1) {
		complain(optind == argc ? "set: which scheduler?" : "set: one scheduler only");
		fputs(help, stderr);
		return EXIT_USAGE;
	}
	selection.name = argv[optind];
	if (selection.fd >= 0 && !pid) {
		complain("--fd is a number of a process: say which with --pid");
		return EXIT_USAGE;
	}
	if (pid || selection.local || selection.peer)
		return set_live(pid, &selection);
	if (!count)
		return set_default(selection.name);
	for (int i = 0; i < count && !status; i++)
		status = set_param(selection.name, params[i]);
	return status;
}
