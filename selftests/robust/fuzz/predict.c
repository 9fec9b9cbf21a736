// SPDX-License-Identifier: GPL-2.0
/* What setting an option must give: a negative error, or 0 and what is read back. */
#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool has_word(const char *list, const char *word)
{
	size_t len = strlen(word);
	const char *at;

	for (at = list; len && (at = strstr(at, word)); at++) {
		if ((at == list || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	}
	return false;
}

/* The bit of the extension @word, or 0. */
static int extension(const char *word)
{
	unsigned int i;

	for (i = 0; i < EXTENSIONS; i++) {
		if (!strcmp(extensions[i], word))
			return 1 << i;
	}
	return 0;
}

/* The extensions of a composed name as bits, or -1; @name loses them. */
static int cut_extensions(char *name)
{
	char *word, *next = strchr(name, '+');
	int found = 0, bit;

	while (next) {
		*next = 0;
		word = next + 1;
		next = strchr(word, '+');
		if (next)
			*next = 0;
		bit = extension(word);
		if (!bit || found & (bit & RP_KINDS ? RP_KINDS : bit))
			return -1;
		found |= bit;
	}
	return found;
}

static void compose(char *full, const char *base, int found)
{
	size_t used = snprintf(full, FULL_MAX, "%s", base);
	unsigned int i;

	for (i = 0; i < EXTENSIONS; i++) {
		if (found & 1 << i)
			used += snprintf(full + used, FULL_MAX - used, "+%s", extensions[i]);
	}
}

int predict_sched(const uint8_t *at, int room, int len, bool admin, char *shown)
{
	int n = len < FULL_MAX ? len : FULL_MAX, found;
	char name[FULL_MAX + 1] = "", full[FULL_MAX] = "";
	unsigned int i;

	if (len < 0)
		return -EINVAL;
	if (room < n)
		return -EFAULT;
	memcpy(name, at, n);
	if (strlen(name) >= FULL_MAX)
		return -EINVAL;
	found = cut_extensions(name);
	if (found < 0 || !*name || strlen(name) >= NAME_MAX_)
		return -EINVAL;
	for (i = 0; i < n_bases && strcmp(bases[i], name); i++)
		;
	if (i == n_bases)
		return -ENOENT;
	if (!admin && !has_word(allowed_sched, name))
		return -EPERM;
	compose(full, name, found);
	memcpy(shown, full, sizeof(full));
	return 0;
}

int predict_cong(const uint8_t *at, int room, int len, bool admin, char *shown)
{
	char name[NAME_MAX_] = "";
	int n;

	if (len < 1)
		return -EINVAL;
	for (n = 0; n < NAME_MAX_ - 1 && n < len; n++) {
		if (n >= room)
			return -EFAULT;
		name[n] = at[n];
		if (!name[n])
			break;
	}
	if (!has_word(known_cong, name))
		return -ENOENT;
	if (strcmp(shown, name) && !admin && !has_word(allowed_cong, name))
		return -EPERM;
	memcpy(shown, name, sizeof(name));
	return 0;
}

int predict_weight(const uint8_t *at, int room, int len, int *weight)
{
	int n;

	if (len < (int)sizeof(n))
		return -EINVAL;
	if (room < (int)sizeof(n))
		return -EFAULT;
	memcpy(&n, at, sizeof(n));
	if (n < 0 || n > 65535)
		return -EINVAL;
	*weight = n;
	return 0;
}
