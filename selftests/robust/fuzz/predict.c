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

/* The extensions of a composed name as bits, or -1; @name loses them. */
static int cut_extensions(char *name)
{
	char *word, *next = strchr(name, '+');
	int found = 0;

	while (next) {
		*next = 0;
		word = next + 1;
		next = strchr(word, '+');
		if (next)
			*next = 0;
		if (!strcmp(word, "rp") && !(found & 1))
			found |= 1;
		else if (!strcmp(word, "bm") && !(found & 2))
			found |= 2;
		else if (!strcmp(word, "rs") && !(found & 4))
			found |= 4;
		else
			return -1;
	}
	return found;
}

int predict_sched(const uint8_t *at, int room, int len, bool admin, char *shown)
{
	int n = len < NAME_MAX_ ? len : NAME_MAX_, ext;
	char name[NAME_MAX_ + 1] = "", full[32];
	unsigned int i;

	if (len < 0)
		return -EINVAL;
	if (room < n)
		return -EFAULT;
	memcpy(name, at, n);
	if (strlen(name) >= NAME_MAX_)
		return -EINVAL;
	ext = cut_extensions(name);
	if (ext < 0 || !*name)
		return -EINVAL;
	snprintf(full, sizeof(full), "%s%s%s%s", name, ext & 1 ? "+rp" : "",
		 ext & 2 ? "+bm" : "", ext & 4 ? "+rs" : "");
	if (strlen(full) >= NAME_MAX_)
		return -EINVAL;
	for (i = 0; i < n_bases && strcmp(bases[i], name); i++)
		;
	if (i == n_bases)
		return -ENOENT;
	if (!admin && !has_word(allowed_sched, name))
		return -EPERM;
	memset(shown, 0, NAME_MAX_);
	memcpy(shown, full, strlen(full));
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
