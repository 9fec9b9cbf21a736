// SPDX-License-Identifier: GPL-2.0
/* One thread: what comes back of each option is predicted, in each state of a socket, and
 * accepted sockets have what their listener has.
 */
#include "fuzz.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char * const bases[BASES] = { "default", "rr", "minrtt", "redundant", "inorder" };

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
		else
			return -1;
	}
	return found;
}

/* What setting a scheduler must give: a negative error, or @shown is what is read back. */
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
	snprintf(full, sizeof(full), "%s%s%s", name, ext & 1 ? "+rp" : "", ext & 2 ? "+bm" : "");
	if (strlen(full) >= NAME_MAX_)
		return -EINVAL;
	for (i = 0; i < BASES && strcmp(bases[i], name); i++)
		;
	if (i == BASES)
		return -ENOENT;
	if (!admin && !strcmp(name, "redundant"))
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

/* What the listener has, accepted sockets have. */
static void check_inherited(struct fuzzer *f)
{
	struct target listener = { .fd = listeners[0], .mptcp = true }, t;
	int i;

	read_options(&listener);
	for (i = 0; i < 8; i++)
		set_option(f, below(f, 3), &listener, true);
	make(f, &t, CONNECTED);
	swap(&t);
	read_options(&t);
	if (strcmp(t.sched, listener.sched) || t.weight != listener.weight ||
	    strcmp(t.cong, listener.cong))
		wrong(VALUE, "accepted: %s %d %s, the listener has %s %d %s", t.sched, t.weight,
		      t.cong, listener.sched, listener.weight, listener.cong);
	close_target(&t);
}

void run_model(struct fuzzer *f, long calls)
{
	struct target t;
	int state, n, i;

	while (f->calls < calls) {
		for (state = 0; state < STATES; state++) {
			make(f, &t, state);
			read_options(&t);
			for (n = 0; n < 60; n++) {
				i = one_in(f, 2) ? below(f, 3) : below(f, OPTIONS);
				if (one_in(f, 2))
					set_option(f, i, &t, true);
				else
					get_option(f, i, &t, true);
				if (one_in(f, 10))
					pause_us(below(f, 20000));
			}
			close_target(&t);
		}
		check_inherited(f);
	}
}
