// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The MPTCP sockets of running programs.
 *
 * pidfd_getfd() gives us a copy of another process' descriptor, which is the same socket. The
 * kernel allows it to those who may trace the process.
 */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mptcpctl.h"

struct walk {
	visit_fn visit;
	void *arg;
	ino_t *seen;		/* a socket may be open in several processes */
	size_t seen_count;
	int unreadable;		/* processes that the kernel does not show us */
};

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

/* A program names itself, with whatever a terminal might take for a command. */
void printable(char *text)
{
	for (; *text; text++) {
		if (!isprint((unsigned char)*text))
			*text = '?';
	}
}

/* Kernel threads and zombies have no command line, and no sockets to miss. */
static bool has_command_line(pid_t pid)
{
	char path[64];
	FILE *file;
	int first;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	first = getc(file);
	fclose(file);
	return first != EOF;
}

static bool seen_before(const struct walk *walk, ino_t inode)
{
	size_t i;

	for (i = 0; i < walk->seen_count; i++) {
		if (walk->seen[i] == inode)
			return true;
	}
	return false;
}

static void remember(struct walk *walk, ino_t inode)
{
	ino_t *seen = reallocarray(walk->seen, walk->seen_count + 1, sizeof(*seen));

	if (!seen) {
		complain("%s", strerror(errno));
		exit(1);
	}
	walk->seen = seen;
	walk->seen[walk->seen_count++] = inode;
}

/* One descriptor; false: we may not look. Only a socket that was taken counts as seen: another
 * descriptor of it may be the one that the caller is after.
 */
static bool walk_descriptor(struct walk *walk, struct mptcp_socket *sk, int pidfd, int dirfd,
			    const char *name)
{
	char link[64] = "";
	unsigned long inode;

	/* not fstatat(): of a file whose server is gone it would wait for that */
	if (!isdigit((unsigned char)name[0]) ||
	    readlinkat(dirfd, name, link, sizeof(link) - 1) < 0 ||
	    sscanf(link, "socket:[%lu]", &inode) != 1 || seen_before(walk, inode))
		return true;
	sk->their_fd = atoi(name);
	sk->fd = syscall(SYS_pidfd_getfd, pidfd, sk->their_fd, 0);
	if (sk->fd < 0)
		return errno != EPERM;
	if (is_mptcp(sk->fd) && walk->visit(sk, walk->arg))
		remember(walk, inode);
	close(sk->fd);
	return true;
}

/* The sockets of one process. One that ended meanwhile has none. */
static void walk_process(struct walk *walk, pid_t pid)
{
	struct mptcp_socket sk = { .pid = pid };
	struct dirent *entry;
	bool allowed = true;
	char path[64];
	int pidfd;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	fds = opendir(path);
	if (!fds) {
		walk->unreadable += errno == EACCES && has_command_line(pid);
		return;
	}
	pidfd = syscall(SYS_pidfd_open, pid, 0);
	if (pidfd >= 0) {
		read_comm(pid, sk.comm, sizeof(sk.comm));
		memcpy(sk.name, sk.comm, sizeof(sk.name));
		printable(sk.name);
		while (allowed && (entry = readdir(fds)))
			allowed = walk_descriptor(walk, &sk, pidfd, dirfd(fds), entry->d_name);
		walk->unreadable += !allowed;
		close(pidfd);
	} else if (errno != ESRCH) {
		walk->unreadable++;
	}
	closedir(fds);
}

static bool walk_all(struct walk *walk)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;

	if (!proc) {
		complain("/proc: %s", strerror(errno));
		return false;
	}
	while ((entry = readdir(proc))) {
		if (isdigit((unsigned char)entry->d_name[0]) && atoi(entry->d_name) != getpid())
			walk_process(walk, atoi(entry->d_name));
	}
	closedir(proc);
	return true;
}

static bool walk_one(struct walk *walk, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", pid);
	if (access(path, F_OK)) {
		complain("there is no process %d", pid);
		return false;
	}
	snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, pid);
	if (access(path, F_OK)) {
		complain("%d is a thread: name its process", pid);
		return false;
	}
	walk_process(walk, pid);
	return !walk->unreadable;
}

/* As walk_sockets(), but how many processes were not readable is for the caller to tell. */
bool look_at_sockets(pid_t pid, visit_fn visit, void *arg, int *unreadable)
{
	struct walk walk = { .visit = visit, .arg = arg };
	bool done;

	if (!kernel_has_mptcp())
		return false;
	done = pid ? walk_one(&walk, pid) : walk_all(&walk);
	*unreadable = walk.unreadable;
	free(walk.seen);
	return done;
}

void tell_unreadable(int unreadable)
{
	if (unreadable)
		complain("%d process%s not readable; run as root", unreadable,
			 unreadable == 1 ? "" : "es");
}

/* Call @visit once for each MPTCP socket of process @pid, or of all (0). It returns true for a
 * socket that it took, false for a descriptor that it passed over.
 */
bool walk_sockets(pid_t pid, visit_fn visit, void *arg)
{
	int unreadable = 0;
	bool done = look_at_sockets(pid, visit, arg, &unreadable);

	tell_unreadable(unreadable);
	return done;
}
