// SPDX-License-Identifier: GPL-2.0
/* Sets and reads socket options with values, lengths and pointers that are drawn. A call
 * gives an error that the option has; with a model, the one that is predicted, and what
 * was set is read back. Nothing is written outside what the caller gave.
 */
#include "fuzz.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

/* Fill @at with something for option @i; returns the length of what makes sense. */
static int some_value(struct fuzzer *f, int i, uint8_t *at, int room)
{
	static const int numbers[] = { 0, 1, 2, 4, 100, 65535, 65536, -1, INT32_MAX, INT32_MIN };
	char name[48] = "";
	int number = numbers[below(f, ARRAY_SIZE(numbers))], len = options[i].size, n;
	const void *from = name;

	memset(f->zone, 0xa5, ZONE_SIZE);
	if (i == SCHED || i == CONG) {
		if (i == SCHED)
			some_name(f, name, sizeof(name));
		else
			some_cong(f, name, sizeof(name));
		len = strlen(name);
		n = len + 1;
	} else {
		for (n = 0; n < (int)sizeof(name); n++)
			name[n] = one_in(f, 3) ? draw(f) : 0;
		if (!one_in(f, 4))
			from = &number;
		n = from == &number ? (int)sizeof(number) : (int)sizeof(name);
	}
	/* or close() would wait as long as it says */
	if (options[i].optname == SO_LINGER && options[i].level == SOL_SOCKET) {
		memcpy(name, (int[]){ below(f, 2), below(f, 2) }, 2 * sizeof(int));
		from = name;
		n = 2 * sizeof(int);
	}
	if (room)
		memcpy(at, from, n < room ? n : room);
	return len;
}

/* Set option @i of @t; with a model of it, or without if @t->sched is not known. */
void set_option(struct fuzzer *f, int i, struct target *t, bool model)
{
	const struct option *o = &options[i];
	int room, len, err, want = -1;
	struct target then = *t;
	uint8_t *at = place(f, 48, &room);

	len = some_value(f, i, at, room);
	if (one_in(f, 3))
		len = some_length(f, o->size);
	/* an unknown name costs a program that looks for its module */
	net_admin(f, one_in(f, i == CONG || i == SCHED ? 8 : 2));
	if (model && i == SCHED)
		want = -predict_sched(at, room, len, f->admin, then.sched);
	else if (model && i == CONG)
		want = -predict_cong(at, room, len, f->admin, then.cong);
	else if (model && i == WEIGHT)
		want = -predict_weight(at, room, len, &then.weight);
	if (model && !t->mptcp && o->level == SOL_MPTCP)
		want = len < 0 ? EINVAL : ENOPROTOOPT;

	err = setsockopt(t->fd, o->level, o->optname, at, len) ? errno : 0;
	count(f, i, err, o->set_errors);
	if (want >= 0 && want != err)
		wrong(ERROR, "set %s, length %d of %d: %d (%s), not %d (%s)", o->name, len, room,
		      err, strerrorname_np(err), want, strerrorname_np(want));
	if (!err)
		*t = then;
}

/* Headers of options that say more than the buffer: sizes, and where more goes. */
static void some_header(struct fuzzer *f, const struct option *o, uint8_t *at, int room)
{
	static const uint32_t sizes[] = { 0, 1, 16, 40, 100, 240, 300, 4096, INT32_MAX,
					  UINT32_MAX };
	uint32_t words[16];
	uint64_t where;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = sizes[below(f, ARRAY_SIZE(sizes))];
	if (one_in(f, 2) && (o->optname == MPTCP_TCPINFO || o->optname == MPTCP_SUBFLOW_ADDRS)) {
		words[0] = 16;
		memset(&words[1], 0, 2 * sizeof(words[1]));
	}
	if (o->optname == MPTCP_FULL_INFO) {
		if (one_in(f, 2))
			memset(words, 0, 5 * sizeof(words[0]));
		words[5] = below(f, 6);
		words[1] = below(f, 300);
		words[3] = below(f, 300);
		/* the arrays lie in the last 4 KB */
		where = (uintptr_t)f->zone + (one_in(f, 8) ? ZONE_SIZE : ZONE_SIZE - 2048);
		memcpy(&words[6], &where, sizeof(where));
		where = (uintptr_t)f->zone + (one_in(f, 8) ? ZONE_SIZE : ZONE_SIZE - 4096);
		memcpy(&words[8], &where, sizeof(where));
	}
	if (o->optname == TCP_ZEROCOPY_RECEIVE && o->level == IPPROTO_TCP) {
		where = (uintptr_t)f->zone + ZONE_SIZE - 4096;
		memset(words, 0, sizeof(words));
		memcpy(&words[6], &where, sizeof(where));
		words[8] = 4096;
	}
	if (room)
		memcpy(at, words, (int)sizeof(words) < room ? (int)sizeof(words) : room);
}

/* Nothing but the @len bytes at @at, and what a header gave away, may have changed. */
void check_zone(struct fuzzer *f, const struct option *o, const uint8_t *at, int len)
{
	int from = at - f->zone, n, i;
	bool more = (o->level == SOL_MPTCP && o->optname == MPTCP_FULL_INFO) ||
		    (o->level == IPPROTO_TCP && o->optname == TCP_ZEROCOPY_RECEIVE);

	n = more ? ZONE_SIZE - 4096 : ZONE_SIZE;
	for (i = 0; i < n; i++) {
		if (f->zone[i] != f->before[i] && (i < from || i - from >= len)) {
			wrong(ZONE, "get %s, length %d: byte %d is written", o->name, len,
			      i - from);
			return;
		}
	}
}

/* What the options that the model knows must be. */
static void check_value(int i, const struct target *t, const uint8_t *at, int len, int got)
{
	const void *want = i == SCHED ? (const void *)t->sched :
			   i == CONG  ? (const void *)t->cong :
					&t->weight;
	int n = len < options[i].size ? len : options[i].size;

	if (i > CONG)
		return;
	if (got != n)
		wrong(VALUE, "get %s, length %d: %d bytes", options[i].name, len, got);
	else if (memcmp(at, want, n))
		wrong(VALUE, "get %s: \"%.*s\", not \"%.*s\" (weight %d)", options[i].name, n, at,
		      n, (const char *)want, t->weight);
}

void get_option(struct fuzzer *f, int i, struct target *t, bool model)
{
	const struct option *o = &options[i];
	int room, asked, err, want = -1, *lenp;
	bool bad_length = one_in(f, 16);
	socklen_t len;
	uint8_t *at = place(f, o->size, &room);

	memset(f->zone, 0xa5, ZONE_SIZE);
	some_header(f, o, at, room);
	memcpy(f->before, f->zone, ZONE_SIZE);
	asked = some_length(f, o->size);
	len = asked;
	lenp = bad_length ? (int *)(f->zone + ZONE_SIZE) : (int *)&len;
	if (i <= CONG)
		want = bad_length || (asked >= 0 && room < (asked < o->size ? asked : o->size)) ?
			       EFAULT :
		       asked < 0 ? EINVAL :
				   0;

	err = getsockopt(t->fd, o->level, o->optname, at, (socklen_t *)lenp) ? errno : 0;
	count(f, OPTIONS + i, err, o->get_errors);
	if (model && t->mptcp && want >= 0 && want != err)
		wrong(ERROR, "get %s, length %d of %d: %d (%s), not %d (%s)", o->name, asked, room,
		      err, strerrorname_np(err), want, strerrorname_np(want));
	if (asked < 0 && !bad_length) {
		if (!err || memcmp(f->before, f->zone, ZONE_SIZE))
			wrong(NEGATIVE, "get %s, length %d", o->name, asked);
		return;
	}
	check_zone(f, o, room ? at : f->zone, room ? asked : 0);
	if (!err && (int)len > asked)
		wrong(ZONE, "get %s, length %d: says %d", o->name, asked, (int)len);
	if (!err && model && t->mptcp && !bad_length)
		check_value(i, t, at, asked, len);
}

void read_options(struct target *t)
{
	socklen_t len = sizeof(t->cong);

	if (getsockopt(t->fd, IPPROTO_TCP, TCP_CONGESTION, t->cong, &len))
		die("TCP_CONGESTION");
	if (!t->mptcp)
		return;
	len = sizeof(t->sched);
	if (getsockopt(t->fd, SOL_MPTCP, MPTCP_SCHEDULER, t->sched, &len))
		die("MPTCP_SCHEDULER");
	len = sizeof(t->weight);
	if (getsockopt(t->fd, SOL_MPTCP, MPTCP_CONG_WEIGHT, &t->weight, &len))
		die("MPTCP_CONG_WEIGHT");
}
