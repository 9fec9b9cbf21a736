// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Extensions of schedulers, "minrtt+rp+bm": which there are, and what is wrong with a
 * name that has them.
 */

#include <stdio.h>
#include <string.h>
#include "mptcpctl.h"

#define EXTENSIONS_MAX 256

static const struct {
	const char *name, *does;
} descriptions[] = {
	{ "rp", "sends again what holds the peer up, and penalizes the subflow that owes it" },
	{ "bm", "no more in flight than lambda percent of what fits the path (bufferbloat)" },
	{ "rs", "what a silent path owes goes out on another one" },
	{ "r", "as rp, but penalizes nobody (to compare)" },
	{ "rp0", "as rp, but sets cwnd and ssthresh to half of cwnd (to compare)" },
	{ "rp1", "as rp, but halves cwnd and, after slow start, ssthresh (to compare)" },
	{ "ew", "as rp, and what is lost goes out elsewhere before the peer is held up" },
	{ "price", "uses the cheapest paths until they are full, or fail (see: mptcpctl path)" },
};

static bool read_extensions(char *buf, size_t len)
{
	return read_sysctl("available_sched_extensions", buf, len);
}

bool is_extension(const char *name)
{
	char known[EXTENSIONS_MAX];

	return read_extensions(known, sizeof(known)) && has_word(known, name);
}

static const char *description(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(descriptions) / sizeof(descriptions[0]); i++) {
		if (!strcmp(descriptions[i].name, name))
			return descriptions[i].does;
	}
	return "-";
}

static void print_extension(const char *name, bool json, bool first)
{
	char prefix[EXTENSIONS_MAX + 8], tunables[TUNABLES_MAX] = "";

	snprintf(prefix, sizeof(prefix), "sched_%s_", name);
	read_tunables(SYSCTLS, prefix, tunables);
	if (!json) {
		printf("%-16s %-17s %s\n", name, *tunables ? tunables : "-", description(name));
		return;
	}
	printf("%s\n  {\"name\": ", first ? "" : ",");
	json_string(name);
	printf(", \"tunables\": ");
	json_tunables(tunables);
	printf("}");
}

void list_extensions(bool json)
{
	char known[EXTENSIONS_MAX] = "", *name, *rest = known;
	bool first = true;

	if (!read_extensions(known, sizeof(known)) && !json)
		return;
	if (json)
		printf(",\n \"extensions\": [");
	else
		printf("\n%-16s %-17s %s\n", "EXTENSION", "TUNABLES",
		       "WHAT IT DOES (minrtt+rp: minrtt with rp)");
	for (; (name = strsep(&rest, " ")); first &= !*name) {
		if (*name)
			print_extension(name, json, first);
	}
	if (json)
		printf("]");
}

static void explain_unknown(const char *part, const char *known, char *text, size_t len)
{
	size_t used;

	if (*part)
		used = snprintf(text, len, "unknown extension '%s'; known are ", part);
	else
		used = snprintf(text, len, "a '+' has no extension behind it; known are ");
	for (; *known && used < len; known++)
		used += snprintf(text + used, len - used, "%s%c", *known == ' ' ? "," : "",
				 *known);
}

/* Those that send again what holds the window up, each in its way */
#define AGAIN "rp rp0 rp1 r"

/* What is wrong with @parts, "rp+bm+...", which it takes apart? False: nothing. */
static bool explain_parts(char *parts, const char *known, char *text, size_t len)
{
	char seen[EXTENSIONS_MAX + 1] = "", *part, *again = NULL;
	size_t used = 0;

	while ((part = strsep(&parts, "+"))) {
		if (!has_word(known, part)) {
			explain_unknown(part, known, text, len);
			return true;
		}
		if (has_word(seen, part)) {
			snprintf(text, len, "extension '%s' comes twice", part);
			return true;
		}
		if (has_word(AGAIN, part)) {
			if (again) {
				snprintf(text, len, "only one of " AGAIN " at a time, not '%s' and '%s'",
					 again, part);
				return true;
			}
			again = part;
		}
		/* no more than all that are known */
		used += snprintf(seen + used, sizeof(seen) - used, " %s", part);
	}
	return false;
}

/* The kernel calls @name invalid: is it for its extensions? False: not that we see. */
bool explain_extensions(const char *name, char *text, size_t len)
{
	char known[EXTENSIONS_MAX], copy[EXTENSIONS_MAX], *parts = copy;

	if (!strchr(name, '+') || !read_extensions(known, sizeof(known)))
		return false;
	snprintf(copy, sizeof(copy), "%s", name);
	if (!*strsep(&parts, "+")) {
		snprintf(text, len, "there is no scheduler before the '+'");
		return true;
	}
	return explain_parts(parts, known, text, len);
}
