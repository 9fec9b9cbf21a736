// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Values as JSON. */

#include <stdio.h>
#include <string.h>
#include "mptcpctl.h"

static void print_characters(const char *text, size_t len)
{
	putchar('"');
	for (; len; text++, len--) {
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text);
		else if ((unsigned char)*text < 32 || (unsigned char)*text > 126)
			printf("\\u%04x", (unsigned char)*text);
		else
			putchar(*text);
	}
	putchar('"');
}

/* A program chooses its own name: quote what JSON would trip over. NULL: null. */
void json_string(const char *text)
{
	if (text)
		print_characters(text, strlen(text));
	else
		printf("null");
}

/* "segments=1 ignore_cwnd=N", as an object of strings */
void json_tunables(const char *tunables)
{
	const char *separator = "{";

	for (; *tunables; separator = ", ") {
		size_t name = strcspn(tunables, "="), value = strcspn(tunables + name, " ");

		printf("%s", separator);
		print_characters(tunables, name);
		printf(": ");
		print_characters(tunables + name + 1, value ? value - 1 : 0);
		tunables += name + value;
		tunables += strspn(tunables, " ");
	}
	printf("%s}", *separator == '{' ? "{" : "");
}

const char *json_bool(bool value)
{
	return value ? "true" : "false";
}
