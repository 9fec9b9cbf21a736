// SPDX-License-Identifier: GPL-2.0 OR MIT
/* mptcpctl: choose and watch the packet schedulers of MPTCP. See mptcpctl(8). */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include "mptcpctl.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} commands[] = {
	{ "list", cmd_list, "list                       schedulers, who may use them, their tunables" },
	{ "get", cmd_get, "get                        the default scheduler of this network namespace" },
	{ "set", cmd_set, "set NAME [--param K=V]     change the default, or a tunable of NAME\n"
			  "  set NAME --pid PID [--fd N]\n"
			  "  set NAME [--local A:P] [--peer A:P]\n"
			  "                             change connections of running programs" },
	{ "run", cmd_run, "run [--scheduler S] [--congestion C] -- PROGRAM [ARG]...\n"
			  "                             run a program over MPTCP" },
	{ "show", cmd_show, "show [--pid PID] [--json]  MPTCP connections and their subflows" },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

int complain(const char *format, ...)
{
	va_list args;

	fputs("mptcpctl: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	return 1;
}

static void usage(FILE *out)
{
	size_t i;

	fputs("usage: mptcpctl COMMAND ...\n\n", out);
	for (i = 0; i < COMMANDS; i++)
		fprintf(out, "  %s\n", commands[i].help);
	fputs("\nThe manual page mptcpctl(8) says more.\n", out);
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		usage(stdout);
		return 0;
	}
	for (i = 0; i < COMMANDS; i++) {
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	}
	complain("unknown command '%s'", argv[1]);
	usage(stderr);
	return EXIT_USAGE;
}
