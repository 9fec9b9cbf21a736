// SPDX-License-Identifier: GPL-2.0
/* Counts calls by their kind and error, and what was wrong; the report of both. */
#include "fuzz.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const char * const wrong_names[] = { "error", "value", "zone",
					    "negative", "bytes", "stuck" };
static atomic_int wrongs[WRONGS];

static const char * const call_names[] = { "send", "recv", "poll", "ioctl", "splice", "sendfile",
					   "accept", "connect", "bind", "listen", "shutdown",
					   "getname", "netlink", "with a fault", "sysctl" };

/* Calls by kind and error: options set, options read, the others. */
static atomic_uint seen[2 * OPTIONS + CALLS][ERRNOS];

void wrong(enum wrong kind, const char *format, ...)
{
	char text[256], *c;
	va_list args;

	if (atomic_fetch_add(&wrongs[kind], 1) >= 10)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	for (c = text; *c; c++) {
		if (*c < ' ' || *c > '~')
			*c = '?';
	}
	printf("# %s %s: %s\n", __func__, wrong_names[kind], text);
}

static void kind_name(int kind, char *name, size_t len)
{
	if (kind >= (int)(2 * OPTIONS))
		snprintf(name, len, "%s", call_names[kind - 2 * OPTIONS]);
	else
		snprintf(name, len, "%s %s", kind < (int)OPTIONS ? "set" : "get",
			 options[kind % OPTIONS].name);
}

/* Is @err in @list, which ends with 0? */
static bool is_one_of(int err, const int *list)
{
	while (*list && *list != err)
		list++;
	return *list == err;
}

/* A call of this kind ended with @err, or 0. */
void count(struct fuzzer *f, int kind, int err, const int *allowed)
{
	char name[64];

	f->calls++;
	atomic_fetch_add(&seen[kind][err < ERRNOS ? err : ERRNOS - 1], 1);
	if (is_one_of(err, allowed))
		return;
	kind_name(kind, name, sizeof(name));
	wrong(ERROR, "%s: %s", name, strerrorname_np(err));
}

/* The same for calls that say, at any time, what became of the connection. */
void count_call(struct fuzzer *f, enum call which, int err, const int *allowed)
{
	static const int fates[] = { ECONNRESET, ECONNREFUSED, ECONNABORTED, ETIMEDOUT,
				     EHOSTUNREACH, EPIPE, ENOTCONN, 0 };

	count(f, 2 * OPTIONS + which, err, is_one_of(err, fates) ? fates : allowed);
}

/* Calls of kinds @from to @to as one line. */
static void report_kinds(unsigned int from, unsigned int to, const char *name)
{
	unsigned int kind, err;
	bool any = false;

	for (err = 0; err < ERRNOS; err++) {
		unsigned int n = 0;

		for (kind = from; kind <= to; kind++)
			n += seen[kind][err];
		if (!n)
			continue;
		if (!any)
			printf("# %s:", name);
		any = true;
		printf(" %u %s", n, err ? strerrorname_np(err) : "ok");
	}
	if (any)
		putchar('\n');
}

void report_calls(void)
{
	unsigned int kind;
	char name[64];

	for (kind = 0; kind < ARRAY_SIZE(seen); kind++) {
		if (kind < 2 * OPTIONS && kind % OPTIONS >= NAMED)
			continue;
		kind_name(kind, name, sizeof(name));
		report_kinds(kind, kind, name);
	}
	report_kinds(NAMED, OPTIONS - 1, "set other options");
	report_kinds(OPTIONS + NAMED, 2 * OPTIONS - 1, "get other options");
}

/* How many things were wrong, by kind. */
void report_wrongs(void)
{
	int i;

	for (i = 0; i < WRONGS; i++)
		printf("%s=%d\n", wrong_names[i], wrongs[i]);
}
