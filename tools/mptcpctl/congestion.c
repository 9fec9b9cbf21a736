// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Congestion controls: which there are, TCP's and MPTCP's coupled ones, and what is wrong with
 * one that cannot be had.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "mptcpctl.h"

#define TCP_SYSCTLS "/proc/sys/net/ipv4/tcp_"
#define CONGESTIONS_MAX 64
#define TEXT_MAX 4096

struct congestion {
	char name[CONGESTION_NAME_MAX];
	bool loaded;
	bool coupled;
};

struct congestions {
	size_t count;
	struct congestion one[CONGESTIONS_MAX];
};

/* Those built in have no module that would tell. */
bool is_coupled(const char *name)
{
	static const char *const names[] = { "lia", "olia", "balia", "wvegas", "ewlia" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], name))
			return true;
	}
	return false;
}

bool kernel_has_coupled(void)
{
	return !access(SYSCTLS "ewlia_weight", F_OK);
}

static struct congestion *find(struct congestions *all, const char *name)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		if (!strcmp(all->one[i].name, name))
			return &all->one[i];
	}
	return NULL;
}

static void add(struct congestions *all, const char *name, bool loaded, bool coupled)
{
	struct congestion *one = find(all, name);

	if (!one) {
		if (!*name || strlen(name) >= sizeof(one->name) || all->count == CONGESTIONS_MAX)
			return;
		one = &all->one[all->count++];
		snprintf(one->name, sizeof(one->name), "%s", name);
		one->loaded = loaded;
		one->coupled = false;
	}
	one->coupled |= coupled;
}

/* "kernel/net/ipv4/tcp_bbr.ko.xz: ..." */
static void add_module(struct congestions *all, char *line)
{
	char *name, *suffix;

	line[strcspn(line, ":")] = 0;
	name = strrchr(line, '/');
	suffix = name ? strstr(name, ".ko") : NULL;
	if (!suffix || strncmp(name, "/tcp_", 5))
		return;
	*suffix = 0;
	name += 5;
	/* tcp_diag is for sock_diag(7) */
	if (strcmp(name, "diag"))
		add(all, name, false, is_coupled(name));
}

/* "alias tcp_olia mptcp_cong_olia": tcp_NAME is what the kernel asks for */
static void add_alias(struct congestions *all, char *line)
{
	char name[CONGESTION_NAME_MAX], any;

	if (sscanf(line, "alias tcp_%15s mptcp_cong_%c", name, &any) == 2)
		add(all, name, false, true);
}

static void add_lines(struct congestions *all, const char *modules_file,
		      void (*add_line)(struct congestions *all, char *line))
{
	FILE *file = open_modules_file(modules_file);
	char *line = NULL;
	size_t len = 0;

	if (!file)
		return;
	while (getline(&line, &len, file) > 0)
		add_line(all, line);
	free(line);
	fclose(file);
}

static int by_name(const void *a, const void *b)
{
	const struct congestion *one = a, *other = b;

	return strcmp(one->name, other->name);
}

/* Those that the kernel has, then those whose modules are installed. */
static void collect(struct congestions *all)
{
	char available[TEXT_MAX] = "", *name, *rest = available;

	all->count = 0;
	read_file(TCP_SYSCTLS "available_congestion_control", available, sizeof(available));
	while ((name = strsep(&rest, " ")))
		add(all, name, true, is_coupled(name));
	add_lines(all, "modules.dep", add_module);
	add_lines(all, "modules.alias", add_alias);
	qsort(all->one, all->count, sizeof(all->one[0]), by_name);
}

static void print_congestion(const struct congestion *one, bool current, const char *users,
			     const char *tunables)
{
	printf("%-16s %-8s %-8s %-8s %s%s%s\n", one->name, current ? "yes" : "-", users,
	       one->coupled ? "yes" : "-", *tunables ? tunables : one->loaded ? "-" : "",
	       *tunables && !one->loaded ? " " : "",
	       one->loaded ? "" : "(loads when root names it)");
}

static void print_json_congestion(const struct congestion *one, bool current, const char *users,
				  const char *tunables)
{
	printf("\n  {\"name\": ");
	json_string(one->name);
	printf(", \"default\": %s, \"users\": \"%s\", \"coupled\": %s, \"loaded\": %s, \"tunables\": ",
	       json_bool(current), users, json_bool(one->coupled), json_bool(one->loaded));
	json_tunables(tunables);
	printf("}");
}

void list_congestions(bool json)
{
	char current[CONGESTION_NAME_MAX] = "", allowed[TEXT_MAX] = "";
	void (*print)(const struct congestion *one, bool current, const char *users,
		      const char *tunables) = json ? print_json_congestion : print_congestion;
	struct congestions all;
	size_t i;

	collect(&all);
	read_file(TCP_SYSCTLS "congestion_control", current, sizeof(current));
	read_file(TCP_SYSCTLS "allowed_congestion_control", allowed, sizeof(allowed));
	if (json)
		printf(",\n \"congestion\": [");
	else
		printf("\n%-16s %-8s %-8s %-8s %s\n", "CONGESTION", "DEFAULT", "USERS", "COUPLED",
		       "TUNABLES");
	for (i = 0; i < all.count; i++) {
		const char *name = all.one[i].name;
		const char *users = has_word(allowed, name) ? "all" : "admin";
		char prefix[CONGESTION_NAME_MAX + 1], tunables[TUNABLES_MAX] = "";

		snprintf(prefix, sizeof(prefix), "%s_", name);
		if (all.one[i].coupled)
			read_tunables(SYSCTLS, prefix, tunables);
		if (json)
			printf("%s", i ? "," : "");
		print(&all.one[i], !strcmp(name, current), users, tunables);
	}
	if (json)
		printf("]");
}

static void explain_missing(const char *name, char *text, size_t len)
{
	struct congestions all;
	size_t i, used;

	collect(&all);
	if (find(&all, name)) {
		snprintf(text, len,
			 "'%s' is installed but not loaded, and the kernel loads it for administrators only: as root, modprobe tcp_%s, or sysctl net.ipv4.tcp_congestion_control=%s to make it the default of all",
			 name, name, name);
		return;
	}
	if (is_coupled(name) && !kernel_has_coupled())
		used = snprintf(text, len,
				"this kernel has no coupled congestion control such as '%s': boot one with the patches for it; this one has:",
				name);
	else
		used = snprintf(text, len,
				"there is no congestion control '%s'; this kernel has:", name);
	for (i = 0; i < all.count && used < len; i++)
		used += snprintf(text + used, len - used, " %s", all.one[i].name);
}

static void explain_refused(const char *name, char *text, size_t len)
{
	char allowed[TEXT_MAX] = "?";

	read_file(TCP_SYSCTLS "allowed_congestion_control", allowed, sizeof(allowed));
	if (has_word(allowed, name))
		snprintf(text, len,
			 "'%s' is not for this connection: its route prescribes another (ip route: congctl lock)",
			 name);
	else
		snprintf(text, len,
			 "only CAP_NET_ADMIN may use '%s' here, all may use: %s (an administrator adds names to net.ipv4.tcp_allowed_congestion_control)",
			 name, allowed);
}

/* What to tell about a congestion control that could not be set. */
const char *congestion_error(int error, const char *name)
{
	static char text[TEXT_MAX + 256];

	switch (error) {
	case ENOENT:
		explain_missing(name, text, sizeof(text));
		break;
	case EPERM:
		explain_refused(name, text, sizeof(text));
		break;
	case EINVAL:
		snprintf(text, sizeof(text),
			 "'%s' is no congestion control's name: it has 1 to %d characters", name,
			 CONGESTION_NAME_MAX - 1);
		break;
	default:
		snprintf(text, sizeof(text), "'%s': %s", name, strerror(error));
	}
	return text;
}

/* 0, or an error number */
int set_congestion(int fd, const char *name)
{
	/* the kernel would cut what is longer, and take that */
	if (strlen(name) >= CONGESTION_NAME_MAX)
		errno = EINVAL;
	else if (!setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, strlen(name)))
		return 0;
	return errno;
}

/* Load it, if we may, and see if we may use it: 0, or an error number. This takes a TCP socket:
 * an MPTCP socket without subflows takes any name and loads nothing, on kernels without coupled
 * congestion control. Below "mptcpctl run", socket() gives one of those.
 */
int try_congestion(const char *name)
{
	int fd = syscall(SYS_socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP), error;

	if (fd < 0)
		return errno;
	error = set_congestion(fd, name);
	close(fd);
	return error;
}

bool parse_weight(const char *text, int *weight)
{
	if (!parse_number(text, "--weight", 0, weight))
		return false;
	if (*weight <= WEIGHT_MAX)
		return true;
	complain("--weight takes a number from 0 to %d, not '%s'", WEIGHT_MAX, text);
	return false;
}

/* 0, or an error number */
int set_weight(int fd, int weight)
{
	return setsockopt(fd, SOL_MPTCP, MPTCP_CONG_WEIGHT, &weight, sizeof(weight)) ? errno : 0;
}

/* What to tell about a weight that could not be set. */
const char *weight_error(int error)
{
	static char text[256];

	if (error == ENOPROTOOPT || error == EOPNOTSUPP)
		snprintf(text, sizeof(text),
			 "this kernel has no MPTCP_CONG_WEIGHT socket option: boot one with the patches for coupled congestion control");
	else
		snprintf(text, sizeof(text), "%s", strerror(error));
	return text;
}
