// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What limited connections, in a file that outlives them: the kernel counts per connection, so the
 * sum over those that exist falls when one ends, while a monitoring system wants counters, which
 * only rise. Each run adds what a connection counted since the run before:
 *
 *	mptcpctl-history 1 BOOT_ID
 *	total SCHEDULER US...		a number for each of enum MPTCP_LIMIT_*
 *	socket INODE UNSEEN US...
 *
 * What a connection waited between the last run and its end is lost, and one that came and went
 * between two runs is not seen.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "history.h"

#define FIRST_WORDS "mptcpctl-history 1 "
#define BOOT_ID_LEN 36
/* A socket may be on its way from one process to another: kept so long, it does not count anew. */
#define UNSEEN_MOST 3

static struct history_total *total_of(struct history *history, const char *scheduler)
{
	struct history_total *total;
	size_t i;

	for (i = 0; i < history->total_count; i++) {
		if (!strcmp(history->totals[i].scheduler, scheduler))
			return &history->totals[i];
	}
	total = append((void **)&history->totals, &history->total_count, sizeof(*total));
	if (total)
		snprintf(total->scheduler, sizeof(total->scheduler), "%s", scheduler);
	return total;
}

/* Numbers behind a line's first words; false: they are none. */
static bool read_numbers(const char *text, uint64_t *numbers)
{
	char *end;
	int i;

	for (i = 0; i < LIMITS; i++) {
		numbers[i] = strtoull(text, &end, 10);
		if (end == text)
			return false;
		text = end;
	}
	return !strcmp(text, "\n");
}

/* False: it is no line of ours, or memory is short. */
static bool read_line(struct history *history, const char *line, bool same_boot)
{
	char scheduler[MPTCP_SCHED_FULL_MAX + 1];
	struct history_socket socket = {}, *added;
	struct history_total *total;
	int len = 0;

	if (sscanf(line, "total %40s %n", scheduler, &len) == 1 && len) {
		total = total_of(history, scheduler);
		return total && read_numbers(line + len, total->us);
	}
	if (sscanf(line, "socket %llu %u %n", &socket.inode, &socket.unseen, &len) != 2 || !len ||
	    !read_numbers(line + len, socket.us))
		return false;
	if (!same_boot)
		return true;
	added = append((void **)&history->sockets, &history->socket_count, sizeof(*added));
	if (added)
		*added = socket;
	return added;
}

static int compare(const void *a, const void *b)
{
	const struct history_socket *one = a, *other = b;

	if (one->inode != other->inode)
		return one->inode < other->inode ? -1 : 1;
	return 0;
}

/* Inodes are numbered anew by each boot. */
static void read_boot(char *id, size_t len)
{
	if (!read_file("/proc/sys/kernel/random/boot_id", id, len))
		snprintf(id, len, "?");
}

static bool read_lines(struct history *history, FILE *file)
{
	char *line = NULL, id[BOOT_ID_LEN + 1];
	const size_t first = strlen(FIRST_WORDS);
	bool done, same_boot;
	size_t size = 0;

	read_boot(id, sizeof(id));
	done = getline(&line, &size, file) > 0 && !strncmp(line, FIRST_WORDS, first);
	same_boot = done && !strncmp(line + first, id, strlen(id));
	while (done && getline(&line, &size, file) > 0)
		done = read_line(history, line, same_boot);
	free(line);
	return done;
}

/* No file is an empty history. */
bool load_history(struct history *history, const char *path)
{
	FILE *file = fopen(path, "re");
	struct stat st;
	bool done;

	if (!file)
		return errno == ENOENT || !complain("%s: %s", path, strerror(errno));
	done = (!fstat(fileno(file), &st) && !st.st_size) || read_lines(history, file);
	fclose(file);
	if (!done)
		return !complain("%s: this is no history of mptcpctl's: name another file, or remove it",
				 path);
	history->sorted = history->socket_count;
	if (history->sorted)
		qsort(history->sockets, history->sorted, sizeof(*history->sockets), compare);
	return true;
}

/* As it was counted last; a new one has counted nothing. */
static struct history_socket *socket_of(struct history *history, unsigned long long inode)
{
	struct history_socket key = { .inode = inode }, *socket = NULL;

	if (history->sorted)
		socket = bsearch(&key, history->sockets, history->sorted, sizeof(key), compare);
	if (socket)
		return socket;
	socket = append((void **)&history->sockets, &history->socket_count, sizeof(*socket));
	if (socket)
		socket->inode = inode;
	return socket;
}

/* One that counted less than before began anew: another connection, or another socket. */
static bool is_anew(const struct history_socket *socket, const uint64_t *us)
{
	int i;

	for (i = 0; i < LIMITS; i++) {
		if (us[i] < socket->us[i])
			return true;
	}
	return false;
}

bool add_to_history(struct history *history, int fd, const struct connection *c)
{
	struct history_total *total = total_of(history, c->scheduler);
	struct history_socket *socket;
	struct stat st;
	int i;

	if (!total)
		return false;
	if (fstat(fd, &st))
		return !complain("%s", strerror(errno));
	socket = socket_of(history, st.st_ino);
	if (!socket)
		return false;
	if (is_anew(socket, c->limits.us))
		memset(socket->us, 0, sizeof(socket->us));
	for (i = 0; i < LIMITS; i++)
		total->us[i] += c->limits.us[i] - socket->us[i];
	memcpy(socket->us, c->limits.us, sizeof(socket->us));
	/* less than none, as this run adds one to all */
	socket->unseen = -1;
	return true;
}

static void write_numbers(FILE *file, const uint64_t *us)
{
	int i;

	for (i = 0; i < LIMITS; i++)
		fprintf(file, " %llu", (unsigned long long)us[i]);
	fputc('\n', file);
}

static bool write_lines(const struct history *history, FILE *file)
{
	char id[BOOT_ID_LEN + 1];
	size_t i;

	read_boot(id, sizeof(id));
	fprintf(file, FIRST_WORDS "%s\n", id);
	for (i = 0; i < history->total_count; i++) {
		fprintf(file, "total %s", history->totals[i].scheduler);
		write_numbers(file, history->totals[i].us);
	}
	for (i = 0; i < history->socket_count; i++) {
		const struct history_socket *socket = &history->sockets[i];

		if (socket->unseen + 1 > UNSEEN_MOST)
			continue;
		fprintf(file, "socket %llu %u", socket->inode, socket->unseen + 1);
		write_numbers(file, socket->us);
	}
	return !fflush(file) && !ferror(file);
}

/* Whoever reads it finds it whole, whatever happens meanwhile. */
bool save_history(const struct history *history, const char *path)
{
	char *new_path;
	FILE *file;
	bool done;
	int fd;

	if (asprintf(&new_path, "%s.XXXXXX", path) < 0)
		return !complain("%s", strerror(ENOMEM));
	fd = mkostemp(new_path, O_CLOEXEC);
	file = fd < 0 ? NULL : fdopen(fd, "w");
	done = file && write_lines(history, file);
	if (file)
		done = !fclose(file) && done;
	done = done && !rename(new_path, path);
	if (!done) {
		complain("%s cannot be written: %s", path, strerror(errno));
		if (fd >= 0)
			unlink(new_path);
	}
	free(new_path);
	return done;
}

void free_history(struct history *history)
{
	free(history->totals);
	free(history->sockets);
}
