// SPDX-License-Identifier: GPL-2.0 OR MIT
/* What mptcpctl doctor checks of TCP's settings: several uplinks together need larger windows than
 * one, as what a slow one owes holds up what the others bring.
 */

#include <stdlib.h>
#include "doctor.h"

/* Bytes. Linux gives more than that to itself on any machine with 64 MB. */
#define LEAST_BUFFER (256 << 10)

static const struct setting {
	const char *name, *harm;
} settings[] = {
	{ "tcp_window_scaling", "windows end at 64 KB" },
	{ "tcp_moderate_rcvbuf", "receive buffers stay as small as they begin" },
	{ "tcp_sack", "after a loss much is sent again that has arrived" },
};

/* With what Linux has by itself */
static const struct buffer {
	const char *name, *usual;
} buffers[] = {
	{ "tcp_rmem", "4096 131072 6291456" },
	{ "tcp_wmem", "4096 16384 4194304" },
};

static bool read_setting(const char *name, char *value, size_t len)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/%s", name);
	return read_file(path, value, len);
}

static void check_setting(struct machine *m, const struct setting *setting)
{
	char value[16];

	if (!read_setting(setting->name, value, sizeof(value)) || atoi(value))
		return;
	say_wrong(&m->report, "net.ipv4.%s is 0: %s", setting->name, setting->harm);
	say_command(&m->report, "sysctl net.ipv4.%s=1", setting->name);
}

static void check_buffer(struct machine *m, const struct buffer *buffer)
{
	unsigned long long most;
	char value[96];

	if (!read_setting(buffer->name, value, sizeof(value)) ||
	    sscanf(value, "%*u %*u %llu", &most) != 1 || most >= LEAST_BUFFER)
		return;
	say_wrong(&m->report, "net.ipv4.%s: %llu KB at most are too little for several uplinks",
		  buffer->name, most / 1000);
	say_command(&m->report, "sysctl net.ipv4.%s=\"%s\"", buffer->name, buffer->usual);
}

void check_settings(struct machine *m)
{
	size_t i;

	for (i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		check_setting(m, &settings[i]);
	for (i = 0; i < sizeof(buffers) / sizeof(buffers[0]); i++)
		check_buffer(m, &buffers[i]);
}
