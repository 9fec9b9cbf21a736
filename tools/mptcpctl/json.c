// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Values as JSON. */

#include <stdio.h>
#include <string.h>
#include "mptcpctl.h"

/* How many bytes the character has that begins here; 0: it is none of UTF-8. */
static size_t utf8_length(const char *text, size_t len)
{
	const unsigned char *byte = (const unsigned char *)text;
	size_t size = *byte < 0xe0 ? 2 : *byte < 0xf0 ? 3 : 4, i;

	if (*byte >= 32 && *byte < 127)
		return 1;
	if (*byte < 0xc2 || *byte > 0xf4 || size > len)
		return 0;
	for (i = 1; i < size; i++)
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
	/* longer than need be, half of a pair, or behind the last one */
	if ((*byte == 0xe0 && byte[1] < 0xa0) || (*byte == 0xed && byte[1] > 0x9f) ||
	    (*byte == 0xf0 && byte[1] < 0x90) || (*byte == 0xf4 && byte[1] > 0x8f))
		return 0;
	return size;
}

static void print_characters(const char *text, size_t len)
{
	size_t size;

	putchar('"');
	for (; len; text += size, len -= size) {
		size = utf8_length(text, len);
		if (!size)
			printf("\\u%04x", (unsigned char)*text);
		else
			printf("%s%.*s", strchr("\"\\", *text) ? "\\" : "", (int)size, text);
		size = size ?: 1;
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
