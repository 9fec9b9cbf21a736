// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What top shows, for a terminal of 80 columns or more: a line for a connection, then one for each
 * of its subflows. On a screen as much as fits, else all, and nothing is cut.
 */

#include <ifaddrs.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "top.h"

#define FIGURES 47	/* columns behind the name */
#define NAME_LEAST 33
#define LINE_MAX_LEN 512

#define HOME "\033[H"
#define REVERSE "\033[7m"
#define PLAIN "\033[m"
#define END_OF_LINE "\033[K"
#define REST "\033[J"

struct page {
	bool screen;
	unsigned int lines;	/* that are left; those that are no screen's have no end */
	unsigned int columns;
	int name;		/* its width */
	struct ifaddrs *addresses;
};

/* False: the screen is full. */
static bool put_line(struct page *page, const char *style, const char *text)
{
	if (page->screen && !page->lines)
		return false;
	page->lines -= page->screen;
	if (!page->screen)
		printf("%s\n", text);
	else
		printf("%s%.*s%s" END_OF_LINE "\n", style, (int)page->columns, text, PLAIN);
	return true;
}

/* 512, 9.8k, 15.6M: three digits, as there is room for six characters */
static const char *short_number(double value, char *buf, size_t len)
{
	static const char units[] = " kMGTPE";
	const char *unit = units;

	while (value >= 999.5 && unit[1]) {
		value /= 1000;
		unit++;
	}
	if (*unit == ' ')
		snprintf(buf, len, "%.0f", value);
	else
		snprintf(buf, len, "%.*f%c", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value,
			 *unit);
	return buf;
}

static const char *rate_text(const struct rate *rate, double value, char *buf, size_t len)
{
	if (rate->known)
		return short_number(value, buf, len);
	snprintf(buf, len, "-");
	return buf;
}

static const char *interface_name(const struct page *page, const struct sockaddr_storage *address)
{
	struct sockaddr_storage plain;
	const struct ifaddrs *one;

	plain_address(address, &plain);
	for (one = page->addresses; one; one = one->ifa_next) {
		if (one->ifa_addr && same_host((const void *)one->ifa_addr, &plain))
			return one->ifa_name;
	}
	return NULL;
}

/* "curl[305] 203.0.113.1:80": where there is no room for all, the peer matters more. */
static void name_row(const struct page *page, const struct top_row *row, char *buf, size_t len)
{
	char peer[ADDRESS_MAX], program[64];
	int room = LINE_MAX_LEN;

	format_address(&row->addrs.remote, peer, sizeof(peer));
	snprintf(program, sizeof(program), "%s[%d]", row->comm, row->pid);
	printable(program);
	if (page->screen)
		room = page->name - (int)strlen(peer) - 1;
	snprintf(buf, len, "%.*s %s", room > 0 ? room : 0, program, peer);
}

/* Do all of its subflows have this end in common? */
static bool share_end(const struct top *top, const struct top_row *row, bool peers)
{
	const struct top_subflow *first = &top->subflows[row->first];
	unsigned int i;

	for (i = 1; i < row->subflows; i++) {
		const struct mptcpctl_addrs *addrs = &first[i].addrs;

		if (!same_host(peers ? &addrs->remote : &addrs->local,
			       peers ? &first->addrs.remote : &first->addrs.local))
			return false;
	}
	return true;
}

/* What tells a subflow from the others: where it leaves, "dsl 10.1.0.142"; on a server with one
 * address where it leads to, "> 198.51.100.7"; or both.
 */
static void name_subflow(const struct page *page, const struct top *top, const struct top_row *row,
			 const struct top_subflow *subflow, char *buf, size_t len)
{
	bool one_peer = share_end(top, row, true), one_local = share_end(top, row, false);
	char local[ADDRESS_MAX], peer[ADDRESS_MAX];
	const char *device = NULL;

	format_host(&subflow->addrs.local, local, sizeof(local));
	format_host(&subflow->addrs.remote, peer, sizeof(peer));
	if (!row->foreign)
		device = interface_name(page, &subflow->addrs.local);
	if (one_peer)
		snprintf(buf, len, "  %s%s%s", device ? device : "", device ? " " : "", local);
	else if (one_local)
		snprintf(buf, len, "  > %s", peer);
	else
		snprintf(buf, len, "  %s > %s", local, peer);
}

static void limit_text(const struct top_row *row, char *buf, size_t len)
{
	if (row->limit < 0)
		snprintf(buf, len, "-");
	else if (row->share < 0)
		snprintf(buf, len, "%s", limit_names[row->limit]);
	else
		snprintf(buf, len, "%s %.0f%%", limit_names[row->limit], row->share);
}

/* Of a subflow it is its state, or how much it sends again. */
static void trouble_text(const struct top_subflow *subflow, char *buf, size_t len)
{
	double again = subflow->rate.sent ? 100 * subflow->rate.again / subflow->rate.sent : 0;
	struct tcp_info tcp = { .tcpi_state = subflow->state };

	*buf = 0;
	if (!tcp_is_established(&tcp))
		snprintf(buf, len, "%s", tcp_state_name(subflow->state));
	else if (again >= 1)
		snprintf(buf, len, "again %.0f%%", again);
}

static bool put_row(struct page *page, const struct top_row *row)
{
	char text[LINE_MAX_LEN], name[LINE_MAX_LEN / 2], limit[32];
	char out[16], in[16], queue[16] = "-";

	name_row(page, row, name, sizeof(name));
	if (row->queue >= 0)
		short_number(row->queue, queue, sizeof(queue));
	limit_text(row, limit, sizeof(limit));
	snprintf(text, sizeof(text), "%-*.*s %6s %6s %-13.13s %6s %s", page->name,
		 page->screen ? page->name : -1, name,
		 rate_text(&row->rate, row->rate.acked, out, sizeof(out)),
		 rate_text(&row->rate, row->rate.received, in, sizeof(in)),
		 row->fallback ? "plain TCP" : row->scheduler, queue, limit);
	return put_line(page, "", text);
}

static bool put_subflow(struct page *page, const struct top *top, const struct top_row *row,
			const struct top_subflow *subflow)
{
	char text[LINE_MAX_LEN], name[LINE_MAX_LEN / 2], trouble[32];
	char out[16], in[16], queue[16];

	name_subflow(page, top, row, subflow, name, sizeof(name));
	short_number(subflow->queue, queue, sizeof(queue));
	trouble_text(subflow, trouble, sizeof(trouble));
	snprintf(text, sizeof(text), "%-*.*s %6s %6s %7.1f %5u %6s%s%s", page->name,
		 page->screen ? page->name : -1, name,
		 rate_text(&subflow->rate, subflow->rate.sent, out, sizeof(out)),
		 rate_text(&subflow->rate, subflow->rate.received, in, sizeof(in)),
		 subflow->rtt / 1000.0, subflow->cwnd, queue, *trouble ? " " : "", trouble);
	return put_line(page, "", text);
}

static void put_head(struct page *page, const struct top *top)
{
	char text[LINE_MAX_LEN], clock[16] = "", out[16], in[16];
	double acked = 0, received = 0;
	time_t seconds = time(NULL);
	struct tm tm;
	size_t i;

	for (i = 0; i < top->count; i++) {
		acked += top->rows[i].rate.acked;
		received += top->rows[i].rate.received;
	}
	if (localtime_r(&seconds, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	snprintf(text, sizeof(text), "%s  %zu connection%s, %zu subflow%s  out %s in %s%s", clock,
		 top->count, top->count == 1 ? "" : "s", top->subflow_count,
		 top->subflow_count == 1 ? "" : "s", short_number(acked, out, sizeof(out)),
		 short_number(received, in, sizeof(in)), page->screen ? "  q quits" : "");
	put_line(page, "", text);
	snprintf(text, sizeof(text), "%-*s %6s %6s %7s %5s %6s %-11s", page->name,
		 "CONNECTION, SUBFLOWS (bit/s)", "OUT", "IN", "RTT ms", "CWND", "QUEUE", "LIMIT");
	/* nothing follows the last word on a line */
	if (!page->screen)
		text[strlen(text) - strlen("LIMIT      ") + strlen("LIMIT")] = 0;
	put_line(page, REVERSE, text);
}

static void put_none(struct page *page)
{
	put_line(page, "", "no MPTCP connections; \"mptcpctl run -- PROGRAM\" makes some,");
	put_line(page, "", "\"mptcpctl doctor\" says what this machine lacks.");
}

/* The last line of a screen says what did not fit, and what may not be seen. A line break there
 * would scroll.
 */
static void put_foot(const struct page *page, const struct top *top, size_t shown)
{
	char text[LINE_MAX_LEN], more[64] = "", unseen[64] = "";

	if (shown < top->count)
		snprintf(more, sizeof(more), "%zu more connection%s  ", top->count - shown,
			 top->count - shown == 1 ? "" : "s");
	if (top->unreadable)
		snprintf(unseen, sizeof(unseen), "%d process%s not readable: run as root",
			 top->unreadable, top->unreadable == 1 ? "" : "es");
	snprintf(text, sizeof(text), "%s%s", more, unseen);
	printf(REST "%.*s", (int)page->columns, text);
}

/* The number of connections that were shown whole */
static size_t put_rows(struct page *page, const struct top *top)
{
	unsigned int k;
	size_t i;

	for (i = 0; i < top->count; i++) {
		const struct top_row *row = &top->rows[i];

		if (!put_row(page, row))
			return i;
		for (k = 0; k < row->subflows; k++) {
			if (!put_subflow(page, top, row, &top->subflows[row->first + k]))
				return i;
		}
	}
	return i;
}

void print_top(const struct top *top, unsigned int lines, unsigned int columns)
{
	struct page page = {
		/* the last one is the foot's */
		.screen = lines, .lines = lines - 1, .columns = columns,
		.name = (int)columns - FIGURES > NAME_LEAST ? (int)columns - FIGURES : NAME_LEAST,
	};
	size_t shown;

	if (getifaddrs(&page.addresses))
		page.addresses = NULL;
	if (page.screen)
		printf(HOME);
	put_head(&page, top);
	if (!top->count)
		put_none(&page);
	shown = put_rows(&page, top);
	if (page.screen)
		put_foot(&page, top, shown);
	freeifaddrs(page.addresses);
}
