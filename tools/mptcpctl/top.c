// SPDX-License-Identifier: GPL-2.0 OR MIT
/* A live view: once a second what each connection carries, over which subflows, and what limits it;
 * those that carry most come first.
 *
 * The sockets themselves are asked, as "why" does: sock_diag(7) knows neither scheduler nor limits,
 * tells only administrators which subflows are a connection's, and knows one network namespace.
 * That is a dozen system calls for a connection, and nothing is formatted but what is shown.
 */

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "top.h"

#define PERIOD 1.0	/* s */

struct request {
	struct query query;
	int times;		/* 0: until it is ended */
	bool screen;
};

struct collector {
	struct top *top;
	struct connection *buf;
};

static int read_queue(int fd)
{
	int bytes;

	return ioctl(fd, SIOCOUTQNSD, &bytes) ? -1 : bytes;
}

/* What lasted longest since the last look; on the first one, what it waits for now. */
static void find_limit(struct top_row *row, const struct connection *c)
{
	struct limit_order order = order_limits(c->whole.limits);

	row->limit = -1;
	row->share = -1;
	if (!c->limits_known)
		return;
	row->limit = c->limits.state < LIMITS ? (int)c->limits.state : -1;
	if (!c->whole.known)
		return;
	row->limit = order.of[0];
	row->share = share_of_limit(&order, c->whole.limits, order.of[0]);
}

static void copy_subflow(struct top_subflow *to, const struct connection *c, unsigned int i)
{
	to->addrs = c->subflow[i].addrs;
	to->rate = c->rate[i];
	to->id = c->subflow[i].id;
	to->state = c->tcp[i].tcpi_state;
	to->rtt = c->tcp[i].tcpi_rtt;
	to->cwnd = c->tcp[i].tcpi_snd_cwnd;
	to->queue = c->tcp[i].tcpi_notsent_bytes;
}

static void add_row(struct top *top, const struct mptcp_socket *sk, const struct connection *c)
{
	struct top_row *row = &top->rows[top->count++];
	unsigned int i;

	memset(row, 0, sizeof(*row));
	row->pid = sk->pid;
	row->fd = sk->their_fd;
	memcpy(row->comm, sk->comm, sizeof(row->comm));
	row->addrs = c->addrs;
	row->foreign = c->netns;
	row->fallback = c->state == CONN_FALLBACK;
	memcpy(row->scheduler, c->scheduler, sizeof(row->scheduler));
	row->rate = c->whole;
	row->queue = read_queue(sk->fd);
	find_limit(row, c);
	row->first = top->subflow_count;
	row->subflows = c->subflows;
	for (i = 0; i < c->subflows; i++)
		copy_subflow(&top->subflows[top->subflow_count++], c, i);
}

static bool collect(const struct mptcp_socket *sk, void *arg)
{
	struct collector *collector = arg;
	struct connection *c = collector->buf;
	struct top *top = collector->top;

	read_connection(sk->fd, c);
	if (!is_connection(c))
		return true;
	keep_rates(c);
	read_rates(c);
	blame_losses(c);
	if (!make_room((void **)&top->rows, top->count, &top->room, 1, sizeof(*top->rows)) ||
	    !make_room((void **)&top->subflows, top->subflow_count, &top->subflow_room,
		       c->subflows, sizeof(*top->subflows)))
		top->failed = true;
	else
		add_row(top, sk, c);
	return true;
}

/* Those that carry most come first, and what carries as much stays where it was. */
static int compare_rows(const void *a, const void *b)
{
	const struct top_row *one = a, *other = b;
	double x = one->rate.acked + one->rate.received;
	double y = other->rate.acked + other->rate.received;

	if (x != y)
		return x > y ? -1 : 1;
	if (one->pid != other->pid)
		return one->pid < other->pid ? -1 : 1;
	return one->fd - other->fd;
}

/* False: the user was told why not. */
static bool refresh(struct collector *collector, pid_t pid)
{
	struct top *top = collector->top;

	top->count = 0;
	top->subflow_count = 0;
	if (!look_at_sockets(pid, collect, collector, &top->unreadable))
		return false;
	if (top->failed)
		return !complain("%s", strerror(ENOMEM));
	if (top->count)
		qsort(top->rows, top->count, sizeof(*top->rows), compare_rows);
	return turn_rates();
}

/* Rates take two looks, so the first one is of none, unless a screen waits for it. */
static int print_times(struct collector *collector, const struct request *request)
{
	int i;

	for (i = 0; i <= request->times; i++) {
		if (!refresh(collector, request->query.pid))
			break;
		if (i && request->query.json)
			print_top_json(collector->top);
		else if (i)
			print_top(collector->top, 0, 0);
		fflush(stdout);
		if (i < request->times)
			usleep(PERIOD * 1e6);
	}
	tell_unreadable(collector->top->unreadable);
	return i <= request->times;
}

static int run_screen(struct collector *collector, pid_t pid)
{
	unsigned int lines, columns;
	double next = seconds_now();
	bool done = true;

	if (!open_screen())
		return complain("the terminal cannot be set: %s; --once prints lines",
				strerror(errno));
	do {
		done = refresh(collector, pid);
		if (!done)
			break;
		screen_size(&lines, &columns);
		print_top(collector->top, lines, columns);
		next += PERIOD;
		/* after a stop it does not catch up */
		if (next < seconds_now())
			next = seconds_now() + PERIOD;
	} while (wait_on_screen(next));
	close_screen();
	/* what was said of it went with the screen: say it once more */
	if (!done && !refresh(collector, pid))
		tell_unreadable(collector->top->unreadable);
	return !done;
}

static int top_all(const struct request *request)
{
	struct top top = {};
	struct collector collector = { .top = &top, .buf = malloc(sizeof(*collector.buf)) };
	int status;

	if (!collector.buf)
		return complain("%s", strerror(ENOMEM));
	status = request->screen ? run_screen(&collector, request->query.pid) :
				   print_times(&collector, request);
	free(collector.buf);
	free(top.rows);
	free(top.subflows);
	return status;
}

int cmd_top(int argc, char **argv)
{
	struct request request = {};
	int opt;

	while ((opt = next_choice(argc, argv)) != -1) {
		switch (opt) {
		case 'p':
			if (!parse_number(optarg, "--pid", 1, &request.query.pid))
				return EXIT_USAGE;
			break;
		case 'n':
			if (!parse_number(optarg, "--times", 1, &request.times))
				return EXIT_USAGE;
			break;
		case 'o':
			request.times = 1;
			break;
		case 'j':
			request.query.json = true;
			break;
		}
	}
	if (optind < argc) {
		complain("%s takes no argument '%s'", argv[0], argv[optind]);
		return usage_error(argv[0]);
	}
	request.screen = !request.times && !request.query.json && is_screen();
	if (!request.screen && !request.times)
		request.times = 1;
	return top_all(&request);
}
