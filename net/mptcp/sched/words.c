// SPDX-License-Identifier: GPL-2.0
/* MPTCP packet schedulers: names as text
 *
 * A scheduler is named alone or with its extensions, each once and in any order:
 *
 *	minrtt+rp+bm = minrtt with retransmission and penalization (mods/rp.c)
 *		       and bufferbloat mitigation (mods/bm.c)
 *	default+rs   = Linux' own with the rescue of what a silent path owes
 *		       (mods/rescue.c)
 *	rr+price     = rr on the cheapest paths (path/price.c)
 *	rr+ew	     = rr with what blocks sent again before the window is used up
 *		       (mods/warn.c)
 *	rr+rp1	     = rr with another penalization, or none (r), to compare with +rp
 *
 * This file alone knows how such a name is read and written. It is shown with its
 * extensions in the order of the table below. Lists of names have a space between two.
 */

#include <net/tcp.h>
#include "protocol.h"
#include "sched/core.h"

/* Is @name one of the words of @list? Words are separated by one space. */
bool mptcp_sched_list_has(const char *list, const char *name)
{
	size_t len = strlen(name);
	const char *word;

	for (word = list; word; word = strchr(word, ' ')) {
		word += *word == ' ';
		if (!strncmp(word, name, len) && (!word[len] || word[len] == ' '))
			return len > 0;
	}

	return false;
}
EXPORT_SYMBOL_GPL(mptcp_sched_list_has);

/* Append @name to the @list in a buffer of @len bytes, unless it is there. */
void mptcp_sched_list_add(char *list, size_t len, const char *name)
{
	size_t used = strlen(list);

	if (!mptcp_sched_list_has(list, name))
		snprintf(list + used, len - used, "%s%s", used ? " " : "", name);
}

/**
 * mptcp_sched_list_text - take a list that is written to a sysctl
 * @list: gets the text and a 0 byte
 * @most: bytes that it has
 * @buffer: what is written, on any number of lines
 * @len: bytes of that
 * @ppos: where, moves on
 *
 * proc_dostring() would take the first line, as far as it fits.
 *
 * Return: 0, or -EINVAL: too long, or to be added to what was written before.
 */
int mptcp_sched_list_text(char *list, size_t most, const void *buffer, size_t len, loff_t *ppos)
{
	if (len >= most || *ppos)
		return -EINVAL;
	memcpy(list, buffer, len);
	list[len] = 0;
	*ppos += len;
	return 0;
}

static const char * const mptcp_sched_ext_names[] = {
	[MPTCP_SCHED_RP] = "rp",
	[MPTCP_SCHED_BM] = "bm",
	[MPTCP_SCHED_RS] = "rs",
	[MPTCP_SCHED_PRICE] = "price",
	[MPTCP_SCHED_EW] = "ew",
	[MPTCP_SCHED_R] = "r",
	[MPTCP_SCHED_RP0] = "rp0",
	[MPTCP_SCHED_RP1] = "rp1",
};

static_assert(BITS_PER_TYPE(u16) >= MPTCP_SCHED_EXTENSIONS);

/* Which extensions may not stand beside that of @bit? Itself, and of rp.c's there is one only. */
static u16 mptcp_sched_ext_excludes(u16 bit)
{
	return bit & MPTCP_SCHED_RP_KINDS ? MPTCP_SCHED_RP_KINDS : bit;
}

/* The bit of the extension whose name has @len characters at @word; 0: none. */
static u16 mptcp_sched_ext_bit(const char *word, size_t len)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(mptcp_sched_ext_names); i++) {
		if (strlen(mptcp_sched_ext_names[i]) == len &&
		    !strncmp(mptcp_sched_ext_names[i], word, len))
			return BIT(i);
	}

	return 0;
}

/**
 * mptcp_sched_parse - read the name of a scheduler with its extensions
 * @name: "base", "base+ext", "base+ext+ext", ...
 * @parsed: the parts
 *
 * Return: 0, or -EINVAL: the base is empty or too long, an extension is not
 * known, comes twice, or excludes another one.
 */
int mptcp_sched_parse(const char *name, struct mptcp_sched_name *parsed)
{
	size_t len = strcspn(name, "+");

	if (!len || len >= sizeof(parsed->base))
		return -EINVAL;
	memcpy(parsed->base, name, len);
	parsed->base[len] = 0;
	parsed->ext = 0;

	for (name += len; *name; name += len) {
		u16 bit;

		name++;
		len = strcspn(name, "+");
		bit = mptcp_sched_ext_bit(name, len);
		if (!bit || parsed->ext & mptcp_sched_ext_excludes(bit))
			return -EINVAL;
		parsed->ext |= bit;
	}

	return 0;
}
EXPORT_SYMBOL_GPL(mptcp_sched_parse);

/* Write @base with the extensions @ext to @buf of MPTCP_SCHED_FULL_MAX bytes, in which all that may
 * stand together have room.
 */
void mptcp_sched_print(char *buf, const char *base, u16 ext)
{
	size_t used = strscpy(buf, base, MPTCP_SCHED_NAME_MAX);
	int i;

	for (i = 0; i < ARRAY_SIZE(mptcp_sched_ext_names); i++)
		if (ext & BIT(i))
			used += scnprintf(buf + used, MPTCP_SCHED_FULL_MAX - used, "+%s",
					  mptcp_sched_ext_names[i]);
}
EXPORT_SYMBOL_GPL(mptcp_sched_print);

/* For available_sched_extensions. */
void mptcp_sched_list_extensions(char *buf, size_t len)
{
	int i;

	buf[0] = 0;
	for (i = 0; i < ARRAY_SIZE(mptcp_sched_ext_names); i++)
		mptcp_sched_list_add(buf, len, mptcp_sched_ext_names[i]);
}
