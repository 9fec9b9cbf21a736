// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The kernel's counters of MPTCP, as nstat(8) has them. */

#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

#define PREFIX "MPTcpExt:"
#define SEPARATORS "\n "

/* The word of @values that stands where @names has @name; NULL: there is none. */
static const char *pick(char *names, char *values, const char *name)
{
	char *one, *value;

	while ((one = strsep(&names, SEPARATORS)) && (value = strsep(&values, SEPARATORS))) {
		if (!strcmp(one, name))
			return value;
	}
	return NULL;
}

/* False: this kernel lacks it. */
static bool find_counter(const char *name, unsigned long long *count)
{
	FILE *file = fopen("/proc/net/netstat", "re");
	char *line[2] = {};	/* names, then their values */
	const char *value = NULL;
	size_t size[2] = {};
	int seen = 0;

	while (file && seen < 2 && getline(&line[seen], &size[seen], file) > 0)
		seen += !strncmp(line[seen], PREFIX, strlen(PREFIX));
	if (seen == 2)
		value = pick(line[0], line[1], name);
	*count = value ? strtoull(value, NULL, 10) : 0;
	free(line[0]);
	free(line[1]);
	if (file)
		fclose(file);
	return value;
}

bool has_counter(const char *name)
{
	unsigned long long count;

	return find_counter(name, &count);
}

/* One that this kernel lacks is 0. */
unsigned long long read_counter(const char *name)
{
	unsigned long long count;

	find_counter(name, &count);
	return count;
}
