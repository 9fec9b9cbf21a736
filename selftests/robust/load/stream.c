// SPDX-License-Identifier: GPL-2.0
/* The bytes of a connection. */
#include "load.h"

#include <string.h>

/* The bytes at @offset of a stream: of no other place of it, of no other connection. */
const uint8_t *stream(const struct conn *conn, bool up, uint64_t offset, size_t len)
{
	static uint64_t words[CHUNK / 8 + 2];
	uint64_t key = mix(mix(conn->plan.seed + conn->plan.id) + up);
	uint64_t first = offset / 8, last = (offset + len) / 8;

	for (uint64_t i = first; i <= last; i++) {
		uint64_t x = (key + i) * 0x9e3779b97f4a7c15ULL;

		words[i - first] = x ^ x >> 29;
	}
	if (up && offset < sizeof(conn->plan)) {
		size_t head = sizeof(conn->plan) - offset;

		memcpy((uint8_t *)words + offset % 8, (uint8_t *)&conn->plan + offset,
		       head < len ? head : len);
	}
	return (uint8_t *)words + offset % 8;
}

static uint64_t differ(const uint8_t *a, const uint8_t *b, size_t len)
{
	uint64_t wrong = 0;

	if (!memcmp(a, b, len))
		return 0;
	for (size_t i = 0; i < len; i++)
		wrong += a[i] != b[i];
	return wrong;
}

void verify(const struct conn *conn, const uint8_t *buf, size_t len)
{
	if (conn->received + len > to_receive(conn))
		stats.wrong += len;
	else
		stats.wrong += differ(buf, stream(conn, conn->server, conn->received, len), len);
}
