// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What top shows, as a JSON array of an object per connection. */

#include "top.h"

static void print_addresses(const struct mptcpctl_addrs *addrs)
{
	char text[ADDRESS_MAX];

	format_address(&addrs->local, text, sizeof(text));
	printf("\"local\": ");
	json_string(text);
	format_address(&addrs->remote, text, sizeof(text));
	printf(", \"peer\": ");
	json_string(text);
}

/* Of what began meanwhile they are not known. */
static void print_bps(const char *name, bool known, double rate)
{
	if (known)
		printf(", \"%s\": %.0f", name, rate);
	else
		printf(", \"%s\": null", name);
}

static void print_subflow(const struct top_subflow *subflow)
{
	printf("{\"id\": %u, ", subflow->id);
	print_addresses(&subflow->addrs);
	printf(", \"state\": \"%s\"", tcp_state_name(subflow->state));
	print_bps("sent_bps", subflow->rate.known, subflow->rate.sent);
	print_bps("again_bps", subflow->rate.known, subflow->rate.again);
	print_bps("received_bps", subflow->rate.known, subflow->rate.received);
	printf(", \"rtt_us\": %u, \"cwnd\": %u, \"queue_bytes\": %u}", subflow->rtt,
	       subflow->cwnd, subflow->queue);
}

static void print_row(const struct top *top, const struct top_row *row)
{
	unsigned int i;

	printf("{\"pid\": %d, \"comm\": ", row->pid);
	json_string(row->comm);
	printf(", \"fd\": %d, ", row->fd);
	print_addresses(&row->addrs);
	printf(", \"fallback\": %s, \"scheduler\": ", json_bool(row->fallback));
	json_string(*row->scheduler ? row->scheduler : NULL);
	print_bps("acked_bps", row->rate.known, row->rate.acked);
	print_bps("received_bps", row->rate.known, row->rate.received);
	printf(row->queue < 0 ? ", \"queue_bytes\": null" : ", \"queue_bytes\": %d", row->queue);
	printf(", \"limit\": ");
	json_string(row->limit < 0 ? NULL : limit_names[row->limit]);
	printf(row->share < 0 ? ", \"limit_percent\": null" : ", \"limit_percent\": %.1f",
	       row->share);
	printf(", \"subflows\": [");
	for (i = 0; i < row->subflows; i++) {
		printf("%s", i ? ", " : "");
		print_subflow(&top->subflows[row->first + i]);
	}
	printf("]}");
}

void print_top_json(const struct top *top)
{
	size_t i;

	printf("[");
	for (i = 0; i < top->count; i++) {
		printf("%s", i ? ",\n " : "");
		print_row(top, &top->rows[i]);
	}
	printf("]\n");
}
