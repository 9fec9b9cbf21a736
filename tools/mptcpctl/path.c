// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What the network interfaces of this namespace cost, or what peers do whose addresses begin
 * alike, what part of the data they shall carry, and how much interfaces may: sysctls, lists of
 * NAME=VALUE. To change one value a list is read and
 * written as a whole.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>
#include "mptcpctl.h"

#define LIST_MAX 4096	/* the kernel's limit */
#define PATHS_MAX (LIST_MAX / 4)	/* "a=1 " */
#define NAME_MAX_LEN 64	/* an interface, or an address of IPv6 and how much of it counts */

enum { PRICE, WEIGHT, BUDGET, USED, KINDS };

static const struct kind {
	const char *sysctl, *option;
	const char *takes;	/* what a value is */
	const char *cleared;	/* the value of what is not in the list */
} kinds[KINDS] = {
	[PRICE] = { "path_price", "--price", "a number from 0 to 255", "0" },
	[WEIGHT] = { "path_weight", "--weight", "a number from 1 to 255", "1" },
	[BUDGET] = { "path_budget", "--budget",
		     "none, or BYTES/PERIOD such as 5G/30d (k, M, G, T; s, m, h, d)", "none" },
	[USED] = { "path_used", "--used",
		   "BYTES, or BYTES@SECOND with the start of the period in UNIX time", NULL },
};

struct path {
	char name[NAME_MAX_LEN];
	char value[KINDS][64];	/* "": not in the list */
};

struct paths {
	size_t count;
	struct path one[PATHS_MAX];
};

static struct path *find_or_add(struct paths *all, const char *name)
{
	size_t i;

	for (i = 0; i < all->count; i++) {
		if (!strcmp(all->one[i].name, name))
			return &all->one[i];
	}
	if (all->count == PATHS_MAX)
		return NULL;
	snprintf(all->one[all->count].name, NAME_MAX_LEN, "%s", name);
	return &all->one[all->count++];
}

/* "lte0=10 sat0=50"; a name may have a "=", a value has none. */
static void read_list(struct paths *all, int kind)
{
	char list[LIST_MAX], *rest = list, *word;

	if (!read_sysctl(kinds[kind].sysctl, list, sizeof(list)))
		return;
	while ((word = strsep(&rest, " "))) {
		char *sign = strrchr(word, '=');
		struct path *path;

		if (!sign)
			continue;
		*sign = 0;
		path = find_or_add(all, word);
		if (path)
			snprintf(path->value[kind], sizeof(path->value[kind]), "%s", sign + 1);
	}
}

static const char *value_of(const struct path *path, int kind)
{
	return *path->value[kind] ? path->value[kind] : kinds[kind].cleared;
}

/* Of "5000000000/2592000" and "12@1761955200" */
static unsigned long long first_number(const char *value)
{
	return strtoull(value, NULL, 10);
}

static unsigned long long second_number(const char *value)
{
	return strtoull(value + strcspn(value, "/@") + 1, NULL, 10);
}

static bool is_used_up(const struct path *path)
{
	const char *budget = path->value[BUDGET], *used = path->value[USED];

	return *budget && *used && first_number(used) >= first_number(budget);
}

static void print_json_path(const struct path *path, bool first)
{
	const char *budget = path->value[BUDGET], *used = path->value[USED];

	printf("%s\n {\"interface\": ", first ? "" : ",");
	json_string(path->name);
	printf(", \"price\": %s, \"weight\": %s, \"budget\": ", value_of(path, PRICE),
	       value_of(path, WEIGHT));
	if (!*budget || !*used) {
		printf("null}");
		return;
	}
	printf("{\"bytes\": %llu, \"period_s\": %llu, \"used\": %llu, \"since\": %llu, \"used_up\": %s}}",
	       first_number(budget), second_number(budget), first_number(used),
	       second_number(used), json_bool(is_used_up(path)));
}

static void format_end(const struct path *path, char *buf, size_t len)
{
	time_t end = second_number(path->value[USED]) + second_number(path->value[BUDGET]);
	struct tm tm;

	if (!localtime_r(&end, &tm) || !strftime(buf, len, "%Y-%m-%d %H:%M", &tm))
		snprintf(buf, len, "-");
}

/* For doctor: then it is a backup @until the period ends. */
bool budget_is_used_up(const char *name, char *until, size_t len)
{
	static struct paths all;
	const struct path *path;

	memset(&all, 0, sizeof(all));
	read_list(&all, BUDGET);
	read_list(&all, USED);
	path = find_or_add(&all, name);
	if (!path || !is_used_up(path))
		return false;
	format_end(path, until, len);
	return true;
}

static void print_path(const struct path *path)
{
	const char *budget = path->value[BUDGET], *used = path->value[USED];
	char end[64] = "-";

	printf("%-15s %5s %6s ", path->name, value_of(path, PRICE), value_of(path, WEIGHT));
	if (*budget && *used) {
		format_end(path, end, sizeof(end));
		printf("%12llu %12llu ", first_number(budget), first_number(used));
	} else {
		printf("%12s %12s ", "-", "-");
	}
	printf("%s%s\n", end, is_used_up(path) ? "  used up" : "");
}

static int show_paths(bool json)
{
	static struct paths all;
	size_t i;
	int kind;

	for (kind = 0; kind < KINDS; kind++)
		read_list(&all, kind);
	if (json)
		printf("[");
	else if (!all.count)
		printf("no interface has a price, a weight or a budget\n");
	else
		printf("%-15s %5s %6s %12s %12s %s\n", "INTERFACE", "PRICE", "WEIGHT", "BUDGET",
		       "USED", "UNTIL");
	for (i = 0; i < all.count; i++) {
		if (json)
			print_json_path(&all.one[i], !i);
		else
			print_path(&all.one[i]);
	}
	if (json)
		printf("%s]\n", all.count ? "\n" : "");
	return 0;
}

static int complain_value(int kind, const char *name, const char *value, int error)
{
	switch (error) {
	case EINVAL:
		return complain("%s %s: %s takes %s; an interface's name has 1 to 15 characters, no '/', ':' or space%s",
				name, value, kinds[kind].option, kinds[kind].takes,
				kind == PRICE || kind == WEIGHT ?
				"; peers are written as 192.0.2.0/24 or 2001:db8::/32" : "");
	case ENOENT:
		return complain("%s has no budget: give it one, as in --budget 5G/30d", name);
	case EACCES:
	case EPERM:
		return complain("%s %s: only root may change it", name, kinds[kind].option);
	default:
		return complain("%s %s: %s", name, value, strerror(error));
	}
}

/* Peers: the addresses that begin with these bits */
struct prefix {
	int family;
	unsigned int bits;
	unsigned char bytes[sizeof(struct in6_addr)];
};

/* 192.0.2.0/24 or 2001:db8::/32. False: it is none, but an interface. */
static bool read_prefix(const char *name, struct prefix *to)
{
	const char *slash = strchr(name, '/');
	char host[INET6_ADDRSTRLEN], more;
	unsigned int i, width;

	to->family = strchr(name, ':') ? AF_INET6 : AF_INET;
	width = to->family == AF_INET6 ? 128 : 32;
	if (!slash || sscanf(slash, "/%u%c", &to->bits, &more) != 1 || to->bits > width)
		return false;
	snprintf(host, sizeof(host), "%.*s", (int)(slash - name), name);
	if (inet_pton(to->family, host, to->bytes) != 1)
		return false;
	for (i = 0; i < width; i += 8)
		to->bytes[i / 8] &= to->bits < i ? 0 :
				    to->bits < i + 8 ? 0xff00 >> (to->bits - i) : 0xff;
	return true;
}

/* Peers as the kernel writes them, else one that is in the list already would not be found:
 * 2001:DB8::7/32 is 2001:db8::/32 there. @buf has room for NAME_MAX_LEN.
 */
static const char *name_in_list(const char *name, char *buf)
{
	char host[INET6_ADDRSTRLEN];
	struct prefix prefix;

	if (!read_prefix(name, &prefix))
		return name;
	inet_ntop(prefix.family, prefix.bytes, host, sizeof(host));
	snprintf(buf, NAME_MAX_LEN, "%s/%u", host, prefix.bits);
	return buf;
}

/* Are all peers of @name among those of @wide, and not the other way around? */
static bool is_within(const char *name, const char *wide)
{
	struct prefix in, out;
	unsigned int i;

	if (!read_prefix(name, &in) || !read_prefix(wide, &out) || in.family != out.family ||
	    in.bits <= out.bits)
		return false;
	for (i = 0; i < out.bits; i++)
		if ((in.bytes[i / 8] ^ out.bytes[i / 8]) & 0x80 >> i % 8)
			return false;
	return true;
}

static size_t add_word(char *buf, size_t used, size_t len, const char *name, const char *value)
{
	return used < len ? used + snprintf(buf + used, len - used, "%s%s=%s", used ? " " : "",
					    name, value) : used;
}

/* The list with @value for @name; used bytes are changed one by one. Of peers the first entry that
 * fits counts: one that is there keeps its place, or comes before the wider ones, as a new one
 * does. Within such a one no value is a value, too. False: it is too long.
 */
static bool new_list(int kind, const char *name, const char *value, char *buf, size_t len)
{
	const char *cleared = kinds[kind].cleared;
	size_t used = 0, i, at, wider;
	static struct paths all;

	memset(&all, 0, sizeof(all));
	if (kind != USED)
		read_list(&all, kind);
	*buf = 0;
	for (at = 0; at < all.count && strcmp(all.one[at].name, name); at++)
		;
	for (wider = 0; wider < all.count && !is_within(name, all.one[wider].name); wider++)
		;
	if (cleared && !strcmp(value, cleared) && wider == all.count)
		value = NULL;
	for (i = 0; i <= all.count; i++) {
		if (value && i == (at < wider ? at : wider))
			used = add_word(buf, used, len, name, value);
		if (i < all.count && i != at)
			used = add_word(buf, used, len, all.one[i].name, all.one[i].value[kind]);
	}
	/* nothing is what writing an empty list would do */
	if (!used)
		used = snprintf(buf, len, " ");
	return used < len;
}

/* One word: with a space in it, it would be two, and the second one another interface. */
static bool is_word(const char *text)
{
	return *text && !strpbrk(text, " \t\n");
}

/* Two at once would each write the list without what the other one changed. Anybody who may read
 * it can hold the lock: whoever does so for seconds is not waited for.
 */
static int lock_list(int kind)
{
	char path[PATH_MAX];
	int fd, tries;

	snprintf(path, sizeof(path), SYSCTLS "%s", kinds[kind].sysctl);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	for (tries = 0; fd >= 0 && tries < 300 && flock(fd, LOCK_EX | LOCK_NB); tries++)
		usleep(10000);
	return fd;
}

static int change_list(int kind, const char *name, const char *value)
{
	char list[LIST_MAX];
	int error;

	if (!new_list(kind, name, value, list, sizeof(list)))
		return complain("%s: the list of all interfaces has more than %d characters",
				kinds[kind].sysctl, LIST_MAX - 1);
	error = write_sysctl(kinds[kind].sysctl, list);
	return error ? complain_value(kind, name, value, error) : 0;
}

static int set_value(int kind, const char *name, const char *value)
{
	int lock, status;

	/* with a "=" in the value, what is before it would belong to the name */
	if (!is_word(name) || !is_word(value) || strchr(value, '='))
		return complain_value(kind, name, value, EINVAL);
	lock = lock_list(kind);
	if (lock < 0)
		return complain_value(kind, name, value, errno);
	status = change_list(kind, name, value);
	close(lock);
	return status;
}

static bool kernel_has_paths(void)
{
	if (!kernel_has_mptcp())
		return false;
	if (!access(SYSCTLS "path_price", F_OK))
		return true;
	complain("this kernel knows no prices of paths (no " SYSCTLS "path_price): boot one with the scheduler patches");
	return false;
}

/* It counts when there is one, so it is no mistake, but it may be a slip of the pen. */
static void warn_of_missing(const char *name)
{
	if (!strchr(name, '/') && !if_nametoindex(name))
		complain("there is no interface '%s' here now: what was set counts when there is one",
			 name);
}

/* The kernel would take it for the name of an interface. */
static bool is_bare_address(const char *name)
{
	unsigned char bytes[16];

	return inet_pton(AF_INET, name, bytes) == 1 || inet_pton(AF_INET6, name, bytes) == 1;
}

static int set_path(const char *name, const char **values)
{
	int kind, status = 0;
	char buf[NAME_MAX_LEN];
	bool given = false;

	if (is_bare_address(name))
		return complain("%s: a peer is written with its prefix's length: %s/%d", name, name,
				strchr(name, ':') ? 128 : 32);
	name = name_in_list(name, buf);
	for (kind = 0; kind < KINDS && !status; kind++) {
		if (!values[kind])
			continue;
		status = set_value(kind, name, values[kind]);
		given |= !kinds[kind].cleared || strcmp(values[kind], kinds[kind].cleared);
	}
	if (given && !status)
		warn_of_missing(name);
	return status;
}

/* What is wrong with the command line; NULL: nothing. */
static const char *mistake(int count, bool change, bool json)
{
	if (count > 1)
		return "one interface at a time";
	if (count && !change)
		return "what shall change of this interface?";
	if (!count && change)
		return "which interface?";
	if (count && json)
		return "--json shows, and changes nothing";
	return NULL;
}

static int carry_out(int count, char **names, const char **values, bool json)
{
	bool change = values[PRICE] || values[WEIGHT] || values[BUDGET] || values[USED];
	const char *wrong = mistake(count, change, json);

	if (wrong) {
		complain("path: %s", wrong);
		return usage_error("path");
	}
	if (!kernel_has_paths())
		return 1;
	return count ? set_path(names[0], values) : show_paths(json);
}

int cmd_path(int argc, char **argv)
{
	const char *values[KINDS] = {};
	bool json = false;
	int opt;

	while ((opt = next_choice(argc, argv)) != -1) {
		switch (opt) {
		case 'p':
			values[PRICE] = optarg;
			break;
		case 'w':
			values[WEIGHT] = optarg;
			break;
		case 'b':
			values[BUDGET] = optarg;
			break;
		case 'u':
			values[USED] = optarg;
			break;
		case 'j':
			json = true;
			break;
		}
	}
	return carry_out(argc - optind, argv + optind, values, json);
}
