// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The network namespace's schedulers: sysctls; their tunables: module parameters. */

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

#define SYSCTLS "/proc/sys/net/mptcp/"
#define LIST_MAX 4096

static const char list_help[] =
	"usage: mptcpctl list\n"
	"Shows the schedulers of this kernel: which is the default of this network namespace,\n"
	"who may choose it (all, or admin: with CAP_NET_ADMIN), the tunables of loaded ones.\n";

static const char get_help[] =
	"usage: mptcpctl get\n"
	"Shows the scheduler that new sockets of this network namespace get.\n";

static bool read_file(const char *path, char *buf, size_t len)
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

static int write_file(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, value, strlen(value)) < 0)
		error = errno;
	close(fd);
	return error;
}

static bool read_sysctl(const char *name, char *buf, size_t len)
{
	char path[128];

	snprintf(path, sizeof(path), SYSCTLS "%s", name);
	return read_file(path, buf, len);
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

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *at = list;

	while ((at = strstr(at, word))) {
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

/* Tunables of a loaded scheduler, as " name=value ..."; false: it has none. */
static bool print_params(const char *scheduler)
{
	char dir[PATH_MAX], path[PATH_MAX + 256], value[128];
	struct dirent **entries;
	int i, count;

	snprintf(dir, sizeof(dir), "/sys/module/mptcp_sched_%s/parameters", scheduler);
	count = scandir(dir, &entries, not_hidden, alphasort);
	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		if (read_file(path, value, sizeof(value)))
			printf(" %s=%s", entries[i]->d_name, value);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return count > 0;
}

/* A module that is there and not loaded. What is built in has no file, and without tunables
 * no directory in /sys/module either; BPF schedulers have neither.
 */
static bool module_is_waiting(const char *scheduler)
{
	char path[128 + sizeof(((struct utsname *)0)->release)], *line = NULL;
	struct utsname kernel;
	bool found = false;
	size_t len = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/mptcp_sched_%s", scheduler);
	if (!access(path, F_OK) || uname(&kernel))
		return false;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", kernel.release);
	file = fopen(path, "re");
	if (!file)
		return false;
	snprintf(path, sizeof(path), "/mptcp_sched_%s.ko", scheduler);
	while (!found && getline(&line, &len, file) > 0)
		found = strstr(line, path);
	free(line);
	fclose(file);
	return found;
}

static void print_scheduler(const char *name, const char *current, const char *users)
{
	printf("%-16s %-8s %-8s", name, strcmp(name, current) ? "-" : "yes", users);
	if (!print_params(name))
		printf(" %s", module_is_waiting(name) ? "(loads when it is named)" : "-");
	printf("\n");
}

int cmd_list(int argc, char **argv)
{
	char available[LIST_MAX], allowed[LIST_MAX] = "", current[64];
	char *name, *rest = available;
	bool patched = kernel_is_patched();
	int status;

	if (!no_arguments(argc, argv, list_help, &status))
		return status;
	if (!kernel_has_mptcp())
		return 1;
	if (!read_sysctl("available_schedulers", available, sizeof(available)) ||
	    !read_sysctl("scheduler", current, sizeof(current)))
		return complain("this kernel does not list its schedulers (no " SYSCTLS "available_schedulers): boot one with the scheduler patches");

	read_sysctl("allowed_schedulers", allowed, sizeof(allowed));
	printf("%-16s %-8s %-8s %s\n", "SCHEDULER", "DEFAULT", "USERS", "TUNABLES");
	while ((name = strsep(&rest, " "))) {
		if (*name)
			print_scheduler(name, current, !patched ? "-" :
					has_word(allowed, name) ? "all" : "admin");
	}
	if (!patched)
		printf("This kernel has no MPTCP scheduler framework: connections cannot choose.\n");
	return 0;
}

int cmd_get(int argc, char **argv)
{
	char current[64];
	int status;

	if (!no_arguments(argc, argv, get_help, &status))
		return status;
	if (!kernel_has_mptcp())
		return 1;
	if (!read_sysctl("scheduler", current, sizeof(current)))
		return complain(SYSCTLS "scheduler: %s", strerror(errno));
	puts(current);
	return 0;
}

/* What to tell about a scheduler that could not be set. */
const char *scheduler_error(int error, const char *name)
{
	static char text[LIST_MAX + 256];
	char list[LIST_MAX] = "?";

	switch (error) {
	case ENOENT:
		read_sysctl("available_schedulers", list, sizeof(list));
		snprintf(text, sizeof(text), "there is no scheduler '%s'; this kernel has: %s",
			 name, list);
		break;
	case EPERM:
		read_sysctl("allowed_schedulers", list, sizeof(list));
		snprintf(text, sizeof(text),
			 "only CAP_NET_ADMIN may use '%s' here, all may use: %s (an administrator adds names to net.mptcp.allowed_schedulers)",
			 name, list);
		break;
	case EOPNOTSUPP:
	case ENOPROTOOPT:
		snprintf(text, sizeof(text),
			 "this kernel has no MPTCP_SCHEDULER socket option: boot one with the scheduler patches; on this one only the default can be changed");
		break;
	case EINVAL:
		snprintf(text, sizeof(text),
			 "'%s' is no scheduler name: it has 1 to 15 characters, no '/'", name);
		break;
	default:
		snprintf(text, sizeof(text), "'%s': %s", name, strerror(error));
	}
	return text;
}

int set_default(const char *name)
{
	int error;

	if (!*name || strlen(name) >= MPTCP_SCHED_NAME_MAX)
		return complain("%s", scheduler_error(EINVAL, name));
	error = write_file(SYSCTLS "scheduler", name);
	if (!error)
		return 0;
	if (!kernel_has_mptcp())
		return 1;
	if (access(SYSCTLS "scheduler", F_OK))
		return complain("this kernel cannot choose a scheduler (no " SYSCTLS "scheduler): boot one with the scheduler patches");
	if (error == EACCES || error == EPERM)
		return complain("only root may change the default; for one program: mptcpctl run --scheduler %s -- PROGRAM",
				name);
	return complain("%s", scheduler_error(error, name));
}

int set_param(const char *scheduler, const char *assignment)
{
	const char *value = strchr(assignment, '=');
	char path[PATH_MAX];
	int error;

	if (!value || value == assignment || strchr(assignment, '/')) {
		complain("--param takes NAME=VALUE, not '%s'", assignment);
		return EXIT_USAGE;
	}
	if (!*scheduler || strlen(scheduler) >= MPTCP_SCHED_NAME_MAX || strchr(scheduler, '/'))
		return complain("%s", scheduler_error(EINVAL, scheduler));
	snprintf(path, sizeof(path), "/sys/module/mptcp_sched_%s/parameters/%.*s", scheduler,
		 (int)(value - assignment), assignment);
	error = write_file(path, value + 1);
	if (error == ENOENT)
		return complain("scheduler '%s' has no tunable '%.*s', or is not loaded (modprobe mptcp_sched_%s loads it); see: mptcpctl list",
				scheduler, (int)(value - assignment), assignment, scheduler);
	if (error)
		return complain("%s: %s", assignment, error == EACCES ? "only root may change it" :
				strerror(error));
	return 0;
}
