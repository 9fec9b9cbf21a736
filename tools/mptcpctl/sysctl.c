// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The network namespace's schedulers: sysctls. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "mptcpctl.h"

#define LIST_MAX 4096
#define NO_SCHEDULER "this kernel cannot choose a scheduler (no " SYSCTLS "scheduler): " \
	"boot one with the scheduler patches"

struct listing {
	bool json;
	int shown;
	char current[64];	/* the default */
};

bool read_file(const char *path, char *buf, size_t len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, buf, len - 1);
	close(fd);
	if (n < 0)
		return false;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return true;
}

/* 0, or an error number */
int write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, value, strlen(value)) < 0)
		error = errno;
	close(fd);
	return error;
}

bool read_sysctl(const char *name, char *buf, size_t len)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), SYSCTLS "%s", name);
	return read_file(path, buf, len);
}

int write_sysctl(const char *name, const char *value)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), SYSCTLS "%s", name);
	return write_file(path, value);
}

bool kernel_is_patched(void)
{
	return !access(SYSCTLS "allowed_schedulers", F_OK);
}

/* Says so where it has none. */
bool kernel_has_mptcp(void)
{
	if (!access(SYSCTLS, F_OK))
		return true;
	complain("this kernel has no MPTCP (no " SYSCTLS "): boot one with CONFIG_MPTCP=y");
	return false;
}

bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *at = list;

	while (len && (at = strstr(at, word))) {
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
		at += len;
	}
	return false;
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* The files @prefix* of @dir as "name=value ...", the names without @prefix; false: none.
 * @buf is TUNABLES_MAX long.
 */
bool read_tunables(const char *dir, const char *prefix, char *buf)
{
	char path[PATH_MAX + 256], value[128];
	struct dirent **entries;
	size_t used = 0, len = strlen(prefix);
	int i, count;

	count = scandir(dir, &entries, not_hidden, alphasort);
	for (i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;

		snprintf(path, sizeof(path), "%s/%s", dir, name);
		if (!strncmp(name, prefix, len) && used < TUNABLES_MAX &&
		    read_file(path, value, sizeof(value)))
			used += snprintf(buf + used, TUNABLES_MAX - used, "%s%s=%s",
					 used ? " " : "", name + len, value);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return used;
}

/* What depmod(8) knows about the modules of this kernel; NULL: nothing */
FILE *open_modules_file(const char *name)
{
	char path[128 + sizeof(((struct utsname *)0)->release)];
	struct utsname kernel;

	if (uname(&kernel))
		return NULL;
	snprintf(path, sizeof(path), "/lib/modules/%s/%s", kernel.release, name);
	return fopen(path, "re");
}

/* A module that is there and not loaded. What is built in has no file, and without tunables
 * no directory in /sys/module either; BPF schedulers have neither.
 */
static bool module_is_waiting(const char *scheduler)
{
	char path[128], *line = NULL;
	bool found = false;
	size_t len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/mptcp_sched_%s", scheduler);
	if (!access(path, F_OK))
		return false;
	file = open_modules_file("modules.dep");
	if (!file)
		return false;
	snprintf(path, sizeof(path), "/mptcp_sched_%s.ko", scheduler);
	while (!found && getline(&line, &len, file) > 0)
		found = strstr(line, path);
	free(line);
	fclose(file);
	return found;
}

/* The kernel loads these two for everybody, and what else there is for root. */
static const char *when_it_loads(const char *scheduler)
{
	bool for_all = !strcmp(scheduler, "inorder") || !strcmp(scheduler, "minrtt");

	return for_all ? "(loads when it is named)" : "(loads when root names it)";
}

/* @users: NULL, they cannot choose */
static void print_scheduler(const struct listing *list, const char *name, const char *users)
{
	char dir[PATH_MAX], tunables[TUNABLES_MAX] = "";
	bool current = !strcmp(name, list->current), waits = module_is_waiting(name);

	snprintf(dir, sizeof(dir), "/sys/module/mptcp_sched_%s/parameters", name);
	read_tunables(dir, "", tunables);
	if (!list->json) {
		printf("%-16s %-8s %-8s %s\n", name, current ? "yes" : "-", users ? users : "-",
		       *tunables ? tunables : waits ? when_it_loads(name) : "-");
		return;
	}
	printf("%s\n  {\"name\": ", list->shown ? "," : "");
	json_string(name);
	printf(", \"default\": %s, \"users\": ", json_bool(current));
	json_string(users);
	printf(", \"loaded\": %s, \"tunables\": ", json_bool(!waits));
	json_tunables(tunables);
	printf("}");
}

/* All that there are, then those with extensions that are the default or may be chosen by all. */
static void list_schedulers(struct listing *list, char *available, char *allowed)
{
	char *name, *rest = available;
	bool patched = kernel_is_patched();

	if (list->json)
		printf("{\"patched\": %s,\n \"schedulers\": [", json_bool(patched));
	else
		printf("%-16s %-8s %-8s %s\n", "SCHEDULER", "DEFAULT", "USERS", "TUNABLES");
	for (; (name = strsep(&rest, " ")); list->shown += !!*name) {
		if (*name)
			print_scheduler(list, name, !patched ? NULL :
					has_word(allowed, name) ? "all" : "admin");
	}
	while ((name = strsep(&allowed, " "))) {
		if (strchr(name, '+'))
			print_scheduler(list, name, "all");
	}
	if (list->json)
		printf("]");
}

int cmd_list(int argc, char **argv)
{
	char available[LIST_MAX], allowed[LIST_MAX] = "";
	struct listing list = {};
	struct query query = {};

	if (!read_query(argc, argv, &query))
		return EXIT_USAGE;
	list.json = query.json;
	if (!kernel_has_mptcp())
		return 1;
	if (!read_sysctl("available_schedulers", available, sizeof(available)) ||
	    !read_sysctl("scheduler", list.current, sizeof(list.current)))
		return complain("this kernel does not list its schedulers (no " SYSCTLS "available_schedulers): boot one with the scheduler patches");

	read_sysctl("allowed_schedulers", allowed, sizeof(allowed));
	list_schedulers(&list, available, allowed);
	list_extensions(list.json);
	list_congestions(list.json);
	if (list.json) {
		printf("}\n");
		return 0;
	}
	if (!kernel_is_patched())
		printf("This kernel has no MPTCP scheduler framework: connections cannot choose.\n");
	if (!kernel_has_coupled())
		printf("This kernel has no coupled congestion controls.\n");
	return 0;
}

int cmd_get(int argc, char **argv)
{
	struct query query = {};
	char current[64];

	if (!read_query(argc, argv, &query))
		return EXIT_USAGE;
	if (!kernel_has_mptcp())
		return 1;
	if (!read_sysctl("scheduler", current, sizeof(current)))
		return errno == ENOENT ? complain(NO_SCHEDULER) :
		       complain(SYSCTLS "scheduler: %s", strerror(errno));
	if (query.json) {
		printf("{\"scheduler\": ");
		json_string(current);
		printf("}\n");
	} else {
		puts(current);
	}
	return 0;
}

static void explain_missing(const char *name, char *text, size_t len)
{
	char list[LIST_MAX] = "?", base[256];

	/* kernels without extensions take all of it for the scheduler's name */
	snprintf(base, sizeof(base), "%s", name);
	if (!access(SYSCTLS "available_sched_extensions", F_OK))
		base[strcspn(base, "+")] = 0;
	read_sysctl("available_schedulers", list, sizeof(list));
	snprintf(text, len, "there is no scheduler '%s'; this kernel has: %s%s", base, list,
		 !kernel_is_patched() ? "; boot one with the scheduler patches for more" :
		 is_extension(base) ? " (an extension comes behind one of these: minrtt+rp)" : "");
}

static void explain_refused(const char *name, char *text, size_t len)
{
	char list[LIST_MAX] = "?", loaded[LIST_MAX] = "", base[256];

	snprintf(base, sizeof(base), "%s", name);
	base[strcspn(base, "+")] = 0;
	read_sysctl("allowed_schedulers", list, sizeof(list));
	read_sysctl("available_schedulers", loaded, sizeof(loaded));
	/* root of a container may use all that are there, and load none */
	if (has_word(list, name) || has_word(list, base) ||
	    (!geteuid() && !has_word(loaded, base)))
		snprintf(text, len,
			 "'%s' is not loaded, and the kernel loads it for the host's administrator only: as root there, modprobe mptcp_sched_%s",
			 base, base);
	else
		snprintf(text, len,
			 "only CAP_NET_ADMIN may use '%s' here, all may use: %s (an administrator adds names to net.mptcp.allowed_schedulers)",
			 name, list);
}

static void explain_invalid(const char *name, char *text, size_t len)
{
	char why[512];

	if (!explain_extensions(name, why, sizeof(why)))
		snprintf(why, sizeof(why), "it has 1 to 15 characters, no '/', and extensions behind a '+'");
	snprintf(text, len, "'%s' is no scheduler name: %s", name, why);
}

/* Of a socket, which loads it. 0, or an errno */
int set_scheduler(int fd, const char *name)
{
	return setsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, name, strlen(name)) ? errno : 0;
}

/* What to tell about a scheduler that could not be set. */
const char *scheduler_error(int error, const char *name)
{
	static char text[LIST_MAX + 512];

	switch (error) {
	case ENOENT:
		explain_missing(name, text, sizeof(text));
		break;
	case EPERM:
		explain_refused(name, text, sizeof(text));
		break;
	case EOPNOTSUPP:
	case ENOPROTOOPT:
		snprintf(text, sizeof(text),
			 "this kernel has no MPTCP_SCHEDULER socket option: boot one with the scheduler patches; on this one only the default can be changed");
		break;
	case EINVAL:
		explain_invalid(name, text, sizeof(text));
		break;
	default:
		snprintf(text, sizeof(text), "'%s': %s", name, strerror(error));
	}
	return text;
}

int set_default(const char *name)
{
	int error;

	if (!*name || strlen(name) >= MPTCP_SCHED_FULL_MAX)
		return complain("%s", scheduler_error(EINVAL, name));
	error = write_sysctl("scheduler", name);
	if (!error)
		return 0;
	if (!kernel_has_mptcp())
		return 1;
	if (access(SYSCTLS "scheduler", F_OK))
		return complain(NO_SCHEDULER);
	if (error == EACCES || (error == EPERM && geteuid()))
		return complain("only root may change the default; for one program: mptcpctl run --scheduler %s -- PROGRAM",
				name);
	return complain("%s", scheduler_error(error, name));
}
