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
	uint64_t sent, again, received, blocked;
	uint64_t limits[LIMITS];
};

static struct reading *readings;
static size_t count;
static bool no_memory;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static struct reading whole_of(const struct connection *c)
{
	struct reading reading = {
		.addrs = c->addrs, .netns = c->netns, .whole = true, .when = now(),
		.sent = c->info.bytes_sent, .received = c->info.bytes_received,
		.blocked = c->counters[SCHED_WND_BLOCKED],
	};

	memcpy(reading.limits, c->limits.us, sizeof(reading.limits));
	return reading;
}

static struct reading subflow_of(const struct connection *c, unsigned int i)
{
	return (struct reading){
		.addrs = c->subflow[i].addrs, .netns = c->netns, .when = now(),
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
	struct reading *larger = realloc(readings, (count + 1) * sizeof(*readings));

	if (!larger) {
		no_memory = true;
		return;
	}
	readings = larger;
	readings[count++] = reading;
}

static bool watch(const struct mptcp_socket *sk, void *buf)
{
	struct connection *c = buf;
	unsigned int i;

	read_connection(sk->fd, c);
	keep(whole_of(c));
	for (i = 0; i < c->subflows; i++)
		keep(subflow_of(c, i));
	return true;
}

/* Read what there is, and wait for a second. False: the user was told why not. */
bool watch_rates(pid_t pid)
{
	struct connection *buf = malloc(sizeof(*buf));
	bool done = buf && walk_sockets(pid, watch, buf);

	free(buf);
	if (!buf || no_memory)
		return !complain("%s", strerror(ENOMEM));
	qsort(readings, count, sizeof(*readings), compare);
	if (done && count)
		sleep(1);
	return done;
}

static struct rate rate_since(struct reading late)
{
	const struct reading *early = count ?
		bsearch(&late, readings, count, sizeof(late), compare) : NULL;
	struct rate rate;
	double spent;
	unsigned int i;

	if (!early)
		return (struct rate){};
	spent = late.when - early->when;
	rate = (struct rate){
		.known = true,
		.sent = 8 * (late.sent - early->sent) / spent,
		.again = 8 * (late.again - early->again) / spent,
		.received = 8 * (late.received - early->received) / spent,
		.blocked = late.blocked - early->blocked,
	};
	for (i = 0; i < LIMITS; i++)
		rate.limits[i] = late.limits[i] - early->limits[i];
	return rate;
}

/* Since watch_rates(); of what began later they are not known. */
void read_rates(struct connection *c)
{
	unsigned int i;

	c->whole = rate_since(whole_of(c));
	for (i = 0; i < c->subflows; i++)
		c->rate[i] = rate_since(subflow_of(c, i));
}
