// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What connections and their subflows carry now: what the kernel counted for each of them is read
 * twice, a second apart.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "mptcpctl.h"

/* What one counted at an instant. A subflow has the addresses of no other in its namespace; a
 * connection's are those with which it began, and so its first subflow's, too.
 */
struct reading {
	struct mptcpctl_addrs addrs;
	ino_t netns;
	bool whole;		/* a connection */
	double when;		/* s */
	uint64_t sent, acked, again, received, blocked;
	uint64_t limits[LIMITS];
};

static struct readings {
	struct reading *one;
	size_t count, room;
} early, late;		/* what is compared with, and what will be */

static bool no_memory;

/* Of a clock that only goes on */
double seconds_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static struct reading whole_of(const struct connection *c)
{
	struct reading reading = {
		.addrs = c->addrs, .netns = c->netns, .whole = true, .when = seconds_now(),
		.sent = c->info.bytes_sent, .acked = c->info.bytes_acked,
		.received = c->info.bytes_received,
		.blocked = c->counters[SCHED_WND_BLOCKED],
	};

	memcpy(reading.limits, c->limits.us, sizeof(reading.limits));
	return reading;
}

static struct reading subflow_of(const struct connection *c, unsigned int i)
{
	return (struct reading){
		.addrs = c->subflow[i].addrs, .netns = c->netns, .when = seconds_now(),
		.sent = c->tcp[i].tcpi_bytes_sent, .again = c->tcp[i].tcpi_bytes_retrans,
		.received = c->tcp[i].tcpi_bytes_received,
	};
}

/* An order for the search among thousands. */
static int compare(const void *a, const void *b)
{
	const struct reading *one = a, *other = b;

	if (one->whole != other->whole)
		return one->whole - other->whole;
	if (one->netns != other->netns)
		return one->netns < other->netns ? -1 : 1;
	return memcmp(&one->addrs, &other->addrs, sizeof(one->addrs));
}

static void keep(struct reading reading)
{
	if (make_room((void **)&late.one, late.count, &late.room, 1, sizeof(*late.one)))
		late.one[late.count++] = reading;
	else
		no_memory = true;
}

/* For turn_rates() */
void keep_rates(const struct connection *c)
{
	unsigned int i;

	keep(whole_of(c));
	for (i = 0; i < c->subflows; i++)
		keep(subflow_of(c, i));
}

/* From now on rates are since what was kept. False: the user was told that memory is short. */
bool turn_rates(void)
{
	struct readings spare = early;

	if (no_memory)
		return !complain("%s", strerror(ENOMEM));
	early = late;
	late = spare;
	late.count = 0;
	if (early.count)
		qsort(early.one, early.count, sizeof(*early.one), compare);
	return true;
}

static bool watch(const struct mptcp_socket *sk, void *buf)
{
	read_connection(sk->fd, buf);
	keep_rates(buf);
	return true;
}

/* Read what there is, and wait for a second. False: the user was told why not. */
bool watch_rates(pid_t pid)
{
	struct connection *buf = malloc(sizeof(*buf));
	int unreadable = 0;
	bool done = buf && look_at_sockets(pid, watch, buf, &unreadable);

	free(buf);
	if (!buf)
		return !complain("%s", strerror(ENOMEM));
	/* else the second walk says it */
	if (!done)
		tell_unreadable(unreadable);
	if (!turn_rates())
		return false;
	if (done && early.count)
		sleep(1);
	return done;
}

/* The addresses may be another one's, which began meanwhile: it counted less. */
static bool goes_on(const struct reading *from, const struct reading *to)
{
	return to->sent >= from->sent && to->acked >= from->acked && to->again >= from->again &&
	       to->received >= from->received;
}

static struct rate rate_since(struct reading now)
{
	const struct reading *then = early.count ?
		bsearch(&now, early.one, early.count, sizeof(now), compare) : NULL;
	struct rate rate;
	double spent;
	unsigned int i;

	if (!then || !goes_on(then, &now))
		return (struct rate){};
	spent = now.when - then->when;
	rate = (struct rate){
		.known = true,
		.sent = 8 * (now.sent - then->sent) / spent,
		.acked = 8 * (now.acked - then->acked) / spent,
		.again = 8 * (now.again - then->again) / spent,
		.received = 8 * (now.received - then->received) / spent,
		.blocked = now.blocked - then->blocked,
	};
	for (i = 0; i < LIMITS; i++)
		rate.limits[i] = now.limits[i] - then->limits[i];
	return rate;
}

/* Since turn_rates(); of what began later they are not known. */
void read_rates(struct connection *c)
{
	unsigned int i;

	c->whole = rate_since(whole_of(c));
	for (i = 0; i < c->subflows; i++)
		c->rate[i] = rate_since(subflow_of(c, i));
}
