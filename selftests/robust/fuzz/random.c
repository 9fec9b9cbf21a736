// SPDX-License-Identifier: GPL-2.0
/* What a thread draws: numbers, addresses, lengths, names. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

uint64_t draw(struct fuzzer *f)
{
	uint64_t z = f->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

unsigned int below(struct fuzzer *f, unsigned int n)
{
	return draw(f) % n;
}

bool one_in(struct fuzzer *f, unsigned int n)
{
	return !below(f, n);
}

/* An address for @size bytes, and how many there are before memory ends. */
uint8_t *place(struct fuzzer *f, int size, int *room)
{
	static const uintptr_t bad[] = { 0, 1, 0xffff888000000000, 0x8000000000000000,
					 UINTPTR_MAX - 3 };
	int at;

	if (one_in(f, 12)) {
		*room = 0;
		return one_in(f, 2) ? f->zone + ZONE_SIZE :
				      (uint8_t *)bad[below(f, ARRAY_SIZE(bad))];
	}
	if (one_in(f, 6))
		at = ZONE_SIZE - 1 - below(f, size + 1);
	else
		at = 64 + below(f, 1024);
	*room = ZONE_SIZE - at;
	return f->zone + at;
}

int some_length(struct fuzzer *f, int size)
{
	static const int lengths[] = { 0, 1, 2, 3, 15, 16, 17, 64, 4096, 1 << 20, INT32_MAX, -1,
				       INT32_MIN };

	if (one_in(f, 3))
		return lengths[below(f, ARRAY_SIZE(lengths))];
	if (one_in(f, 3))
		return size - 1 + below(f, 3);
	return one_in(f, 4) ? (int)below(f, 2 * size) : size;
}

void some_name(struct fuzzer *f, char *name, size_t len)
{
	static const char * const odd[] = {
		"", "+", "rr+", "+rp", "rr+rp+rp", "RR", " rr", "rr ", "rr\n", "..", "%s%n%x",
		"rr+rp+bm+rp+bm+rp", "rr+rs+bm", "rr+rs+rs",
		"r\303\251", "\357\275\222\357\275\222", "rr+r\314\201p",
		"aaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaa", "redundant+rp+bm", "bm",
		"redundant+ew+price+rs+bm+rp", "aaaaaaaaaaaaaaa+bm+rs+price+ew+rp1",
		"aaaaaaaaaaaaaaaa+rp", "rr+rp+bm+rs+price+ew+rp+bm+rs+price+ew",
		"mptcp_sched_rr", "../../rr", "rr,minrtt", "rr minrtt", "rr+BM", "default+rpbm",
		"rr+rp+r", "rr+rp0+rp1" };
	size_t i, used;

	switch (below(f, 6)) {
	case 0:
		snprintf(name, len, "%s", odd[below(f, ARRAY_SIZE(odd))]);
		break;
	case 1:
		for (i = 0; i < len - 1; i++)
			name[i] = draw(f);
		name[len - 1] = 0;
		break;
	default:
		used = snprintf(name, len, "%s", bases[below(f, n_bases)]);
		for (i = below(f, 6); i > 1 && used < len; i--)
			used += snprintf(name + used, len - used, "+%s",
					 extensions[below(f, EXTENSIONS)]);
	}
}

/* One word of a list, or as some_name(). */
void some_cong(struct fuzzer *f, char *name, size_t len)
{
	unsigned int n = below(f, 12);
	const char *word = known_cong;

	if (one_in(f, 4)) {
		some_name(f, name, len);
		return;
	}
	while (n-- && strchr(word, ' '))
		word = strchr(word, ' ') + 1;
	snprintf(name, len, "%.*s", (int)strcspn(word, " "), word);
}
