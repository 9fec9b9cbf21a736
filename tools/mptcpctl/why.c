// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What limited connections in a second, in the states that the kernel counts, and what to do
 * about the one that lasted longest.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "missing.h"

static const char *const remedies[LIMITS] = {
	[MPTCP_LIMIT_IDLE] = "the application has no more data to send",
	[MPTCP_LIMIT_RWND] = "the peer's window is full",
	[MPTCP_LIMIT_CWND] = "the paths are full: add paths, or capacity",
	[MPTCP_LIMIT_DARK] = "no path answers: look at links, addresses and routes",
};

struct survey {
	bool json;
	int shown, unknown;
	struct connection *buf;
};

/* Of at most so many, which only MPTCP has; 0: not known */
static unsigned int subflows_most(const struct connection *c)
{
	return c->state == CONN_MPTCP ? c->info.subflows_max + 1 : 0;
}

static void print_remedy(const struct mptcp_socket *sk, const struct connection *c,
			 unsigned int limit)
{
	bool fixed = has_fixed_buffer(sk->fd, SOCK_SNDBUF_LOCK);

	if (limit == MPTCP_LIMIT_SNDBUF) {
		printf("    the send buffer is full%s\n", fixed ?
		       ", and the program has set it: a larger SO_SNDBUF" :
		       ": raise the last number of net.ipv4.tcp_wmem");
	} else if (limit == MPTCP_LIMIT_SCHED) {
		printf("    the scheduler %s waits for a better path, on purpose\n",
		       *c->scheduler ? c->scheduler : "?");
	} else if (limit == MPTCP_LIMIT_LOSS) {
		printf("    packets are lost, %.0f %% is sent again: look at links, queues and policers\n",
		       sent_again(c));
	} else {
		printf("    %s\n", remedies[limit]);
	}
	if (limit == MPTCP_LIMIT_RWND)
		print_window_advice(sk->fd, c);
	else if (limit == MPTCP_LIMIT_SNDBUF && !fixed)
		print_sndbuf_advice(sk->fd, c);
}

static void print_missing_text(const char *endpoint, enum missing why, unsigned int most, void *arg)
{
	static const char *const texts[] = {
		[MISSING_LIMITS] = NULL,
		[MISSING_ADDRESS] = "no interface, or another one, has this address",
		[MISSING_LINK] = "the link is down, or has no carrier",
		[MISSING_ROUTE] = "no route leads to the peer from there: \"mptcpctl doctor\" has the command",
		[MISSING_UNANSWERED] = "its SYN is not answered: the path is dark, or something drops joins",
		[MISSING_REFUSED] = "nothing is wrong here; the peer refuses it, or something on the\n"
			"    way drops joins, or the endpoint came later: \"mptcpctl doctor PEER\" tries it",
	};

	(void)arg;
	if (why == MISSING_LIMITS && !most)
		printf("    no subflow from %s: none has more than %d beside its first\n", endpoint,
		       LIMIT_MOST);
	else if (why == MISSING_LIMITS)
		printf("    no subflow from %s: the limits allow no more, for new connections:\n"
		       "    ip mptcp limits set subflow %u\n", endpoint, most);
	else
		printf("    no subflow from %s: %s\n", endpoint, texts[why]);
}

static void print_why_text(const struct mptcp_socket *sk, const struct connection *c)
{
	struct limit_order order = order_limits(c->whole.limits);
	char local[ADDRESS_MAX], peer[ADDRESS_MAX];
	unsigned int i, most = subflows_most(c);

	format_address(&c->addrs.local, local, sizeof(local));
	format_address(&c->addrs.remote, peer, sizeof(peer));
	printf("%s[%d] fd %d  %s -> %s  ", sk->name, sk->pid, sk->their_fd, local, peer);
	if (most)
		printf("%u of at most %u subflows\n", c->subflows, most);
	else
		printf("fell back to TCP\n");
	printf("   ");
	for (i = 0; i < LIMITS && (!i || c->whole.limits[order.of[i]]); i++)
		printf(" %s %.0f %%%s", limit_names[order.of[i]],
		       share_of_limit(&order, c->whole.limits, order.of[i]),
		       i + 1 < LIMITS && c->whole.limits[order.of[i + 1]] ? "," : "\n");
	print_remedy(sk, c, order.of[0]);
	if (!most)
		printf("    plain TCP, over one path: the peer has no MPTCP, or something on the way\n"
		       "    removes it: ask \"mptcpctl doctor\" where the connection began\n");
	find_missing(c, print_missing_text, NULL);
}

static void print_missing_json(const char *endpoint, enum missing why, unsigned int most, void *arg)
{
	bool *any = arg;

	(void)most;
	printf("%s{\"endpoint\": ", *any ? ", " : "");
	json_string(endpoint);
	printf(", \"why\": \"%s\"}", missing_names[why]);
	*any = true;
}

static void print_why_json(const struct mptcp_socket *sk, const struct connection *c)
{
	struct limit_order order = order_limits(c->whole.limits);
	unsigned int i, most = subflows_most(c);
	char peer[ADDRESS_MAX];
	bool any = false;

	format_address(&c->addrs.remote, peer, sizeof(peer));
	printf("{\"pid\": %d, \"fd\": %d, \"peer\": ", sk->pid, sk->their_fd);
	json_string(peer);
	printf(", \"fallback\": %s, \"subflows\": %u, \"subflows_most\": ", json_bool(!most),
	       c->subflows);
	printf(most ? "%u" : "null", most);
	printf(", \"scheduler\": ");
	json_string(c->scheduler);
	printf(", \"first\": \"%s\"", limit_names[order.of[0]]);
	for (i = 0; i < LIMITS; i++)
		printf(", \"%s\": %.1f", limit_names[i],
		       share_of_limit(&order, c->whole.limits, i));
	printf(", \"sent_again\": %.1f, \"missing\": [", sent_again(c));
	find_missing(c, print_missing_json, &any);
	printf("]}");
}

static bool visit(const struct mptcp_socket *sk, void *arg)
{
	struct survey *survey = arg;
	struct connection *c = survey->buf;

	read_connection(sk->fd, c);
	read_rates(c);
	if (!is_connection(c))
		return true;
	survey->unknown += !c->limits_known;
	if (!c->limits_known || !c->whole.known)
		return true;
	blame_losses(c);
	if (survey->json) {
		printf("%s", survey->shown ? ",\n " : "[");
		print_why_json(sk, c);
	} else {
		print_why_text(sk, c);
	}
	survey->shown++;
	return true;
}

static int why_all(pid_t pid, bool json)
{
	struct survey survey = { .json = json, .buf = malloc(sizeof(*survey.buf)) };
	bool done;

	if (!survey.buf)
		return complain("%s", strerror(ENOMEM));
	done = watch_rates(pid) && walk_sockets(pid, visit, &survey);
	free(survey.buf);
	if (!done)
		return 1;
	if (survey.unknown && !survey.shown)
		return complain("%s", limits_unknown());
	if (json)
		printf("%s]\n", survey.shown ? "" : "[");
	else if (!survey.shown)
		printf("no MPTCP connections\n");
	return 0;
}

int cmd_why(int argc, char **argv)
{
	struct query query = {};

	if (!read_query(argc, argv, &query))
		return EXIT_USAGE;
	return why_all(query.pid, query.json);
}
