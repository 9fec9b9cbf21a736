// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: what is known of interfaces, as text
 *
 * Lists of words with white space between, each of which is IFNAME=VALUE:
 *
 *	path_price	lte0=10 sat0=50
 *	path_weight	dsl0=3
 *	path_budget	lte0=5G/30d		bytes in a period
 *	path_used	lte0=123456@1761955200	bytes since this second of UNIX time
 *
 * Prices and weights take addresses of peers, too: 10.64.0.0/10=10, 2001:db8::/32=10.
 *
 * A name may contain a "=", a value does not. Units are those of contracts and powers of
 * ten: k, M, G, T; periods are in s, m, h, d. A list is read as a whole before it is used.
 */

#include <linux/inet.h>
#include <linux/netdevice.h>
#include <kunit/visibility.h>
#include <net/ipv6.h>
#include "protocol.h"
#include "path/path.h"

struct path_unit {
	char letter;
	u64 factor;
};

static const struct path_unit path_byte_units[] = {
	{ 'k', 1000 }, { 'K', 1000 }, { 'M', 1000000 }, { 'G', 1000000000 },
	{ 'T', 1000000000000ULL },
};

static const struct path_unit path_time_units[] = {
	{ 's', 1 }, { 'm', 60 }, { 'h', 60 * 60 }, { 'd', 24 * 60 * 60 },
};

/* The least and the most of each kind of value is what a u8 holds, but: */
static const u8 path_least[MPTCP_PATH_KINDS] = {
	[MPTCP_PATH_KIND_PRICE] = 0,
	[MPTCP_PATH_KIND_WEIGHT] = 1,
};

/**
 * mptcp_path_word - take the next word from a list
 * @text: the list, consumed
 * @name: what is before its last "=", afterwards
 * @value: what is behind that, afterwards
 *
 * Return: 1, 0 (none is left), or -EINVAL (not of this form).
 */
int mptcp_path_word(char **text, char **name, char **value)
{
	char *word, *sign;

	do {
		word = strsep(text, " \t\n");
		if (!word)
			return 0;
	} while (!*word);

	sign = strrchr(word, '=');
	if (!sign)
		return -EINVAL;
	*sign = 0;
	*name = word;
	*value = sign + 1;
	return 1;
}

/* An empty list with room for @count entries. */
static struct mptcp_path_list *path_alloc(size_t count)
{
	struct mptcp_path_list *list;

	list = kzalloc(struct_size(list, of, count), GFP_KERNEL_ACCOUNT);
	if (list)
		refcount_set(&list->users, 1);
	return list;
}

static bool path_has(const struct mptcp_path_list *list, const struct mptcp_path_value *one)
{
	unsigned int i;

	for (i = 0; i < list->count; i++) {
		if (!strcmp(list->of[i].name, one->name) && list->of[i].bits == one->bits &&
		    ipv6_addr_equal(&list->of[i].peer, &one->peer))
			return true;
	}

	return false;
}

/* Addresses of peers: "10.64.0.0/10" or "2001:db8::/32". */
static int path_parse_peer(const char *text, struct mptcp_path_value *to)
{
	struct in6_addr addr;
	const char *end;
	u8 bits, v4 = 0;
	__be32 addr4;

	if (in4_pton(text, -1, (u8 *)&addr4, '/', &end)) {
		ipv6_addr_set_v4mapped(addr4, &addr);
		v4 = 96;
	} else if (!in6_pton(text, -1, (u8 *)&addr, '/', &end)) {
		return -EINVAL;
	}
	if (*end != '/' || kstrtou8(end + 1, 10, &bits) || bits > 128 - v4)
		return -EINVAL;
	to->bits = bits + v4;
	ipv6_addr_prefix(&to->peer, &addr, to->bits);
	return 0;
}

/* The name of an interface has no slash. */
static int path_parse_name(const char *text, struct mptcp_path_value *to)
{
	if (strchr(text, '/'))
		return path_parse_peer(text, to);
	if (!dev_valid_name(text))
		return -EINVAL;
	strscpy(to->name, text);
	return 0;
}

static int path_fill(struct mptcp_path_list *list, char *text, enum mptcp_path_kind kind)
{
	char *name, *value;
	int ret;

	while ((ret = mptcp_path_word(&text, &name, &value)) > 0) {
		struct mptcp_path_value one = { .kind = kind };

		if (path_parse_name(name, &one) || kstrtou8(value, 10, &one.value) ||
		    one.value < path_least[kind] || path_has(list, &one))
			return -EINVAL;
		list->of[list->count++] = one;
	}

	return ret;
}

/**
 * mptcp_path_parse - read a list of prices or weights
 * @text: "lte0=10 sat0=50", consumed
 * @kind: which of them
 *
 * Return: the list, with a reference; NULL: there is nothing in it; or an ERR_PTR:
 * -EINVAL (a word that is none, a value out of range, a name twice), -ENOMEM.
 */
struct mptcp_path_list *mptcp_path_parse(char *text, enum mptcp_path_kind kind)
{
	struct mptcp_path_list *list;
	unsigned int words = 0;
	const char *at;
	int err;

	for (at = text; *at; at++)
		words += *at == '=';
	list = path_alloc(words);
	if (!list)
		return ERR_PTR(-ENOMEM);

	err = path_fill(list, text, kind);
	if (!err && list->count)
		return list;
	kfree(list);
	return ERR_PTR(err);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_path_parse);

static void path_copy(struct mptcp_path_list *to, const struct mptcp_path_list *from,
		      int without)
{
	unsigned int i;

	for (i = 0; from && i < from->count; i++) {
		if (from->of[i].kind != without)
			to->of[to->count++] = from->of[i];
	}
}

/**
 * mptcp_path_merge - replace what a list has of a kind
 * @old: the list, NULL: an empty one
 * @new: what it is to have instead, NULL: nothing
 * @kind: of that
 *
 * Return: a new list, with a reference; NULL: there is nothing in it; or ERR_PTR(-ENOMEM).
 */
struct mptcp_path_list *mptcp_path_merge(const struct mptcp_path_list *old,
					 const struct mptcp_path_list *new,
					 enum mptcp_path_kind kind)
{
	size_t count = (old ? old->count : 0) + (new ? new->count : 0);
	struct mptcp_path_list *list = path_alloc(count);

	if (!list)
		return ERR_PTR(-ENOMEM);
	path_copy(list, old, kind);
	path_copy(list, new, MPTCP_PATH_KINDS);
	if (list->count)
		return list;
	kfree(list);
	return NULL;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_path_merge);

static size_t path_print_one(const struct mptcp_path_value *one, char *buf, size_t len)
{
	if (*one->name)
		return scnprintf(buf, len, "%s=%u", one->name, one->value);
	if (ipv6_addr_v4mapped(&one->peer) && one->bits >= 96)
		return scnprintf(buf, len, "%pI4/%u=%u", &one->peer.s6_addr32[3],
				 one->bits - 96, one->value);
	return scnprintf(buf, len, "%pI6c/%u=%u", &one->peer, one->bits, one->value);
}

/* Write what @list, NULL: an empty one, has of @kind to @buf. What does not fit is left
 * out.
 */
void mptcp_path_print(const struct mptcp_path_list *list, enum mptcp_path_kind kind,
		      char *buf, size_t len)
{
	unsigned int i;
	size_t used = 0;

	buf[0] = 0;
	for (i = 0; list && i < list->count; i++) {
		if (list->of[i].kind != kind)
			continue;
		if (used)
			used += scnprintf(buf + used, len - used, " ");
		used += path_print_one(&list->of[i], buf + used, len - used);
	}
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_path_print);

/* A number with or without one of @count units behind it; consumed. */
static int path_parse_scaled(char *text, const struct path_unit *units, int count, u64 *value)
{
	size_t len = strlen(text);
	u64 factor = 1;
	int i;

	for (i = 0; i < count && len; i++) {
		if (text[len - 1] != units[i].letter)
			continue;
		text[len - 1] = 0;
		factor = units[i].factor;
		break;
	}
	if (kstrtou64(text, 10, value) || check_mul_overflow(*value, factor, value))
		return -EINVAL;
	return 0;
}

static int path_parse_bytes(char *text, u64 *bytes)
{
	return path_parse_scaled(text, path_byte_units, ARRAY_SIZE(path_byte_units), bytes);
}

/* "5G/30d" */
int mptcp_path_parse_budget(char *text, u64 *bytes, u32 *period)
{
	char *slash = strchr(text, '/');
	u64 seconds;

	if (!slash)
		return -EINVAL;
	*slash = 0;
	if (path_parse_bytes(text, bytes) ||
	    path_parse_scaled(slash + 1, path_time_units, ARRAY_SIZE(path_time_units), &seconds) ||
	    !seconds || seconds > U32_MAX)
		return -EINVAL;
	*period = seconds;
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_path_parse_budget);

/* "123456@1761955200"; without the latter part, @since stays. */
int mptcp_path_parse_used(char *text, u64 *bytes, time64_t *since)
{
	char *at = strchr(text, '@');
	u64 second;

	if (at) {
		*at = 0;
		if (kstrtou64(at + 1, 10, &second) || second > S64_MAX / 2)
			return -EINVAL;
		*since = second;
	}
	return path_parse_bytes(text, bytes);
}
EXPORT_SYMBOL_IF_KUNIT(mptcp_path_parse_used);
