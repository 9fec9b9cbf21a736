// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What mptcpctl doctor has found: a line each, with the commands that mend it below; or an array
 * of objects.
 */

#include <stdarg.h>
#include "doctor.h"

static void say_finding(struct report *r, bool ok, const char *text)
{
	if (r->json) {
		printf("%s{\"ok\": %s, \"text\": ", r->findings ? "]},\n " : "[", json_bool(ok));
		json_string(text);
		printf(", \"commands\": [");
	} else {
		printf("%s %s\n", ok ? "ok" : "! ", text);
	}
	r->findings++;
	r->commands = 0;
	r->wrong |= !ok;
}

void say_ok(struct report *r, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	say_finding(r, true, text);
}

void say_wrong(struct report *r, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	say_finding(r, false, text);
}

void say_command(struct report *r, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (r->json) {
		printf("%s", r->commands++ ? ", " : "");
		json_string(text);
	} else {
		printf("     %s\n", text);
	}
}

void end_report(struct report *r)
{
	if (r->json)
		printf("%s]\n", r->findings ? "]}" : "[");
}
