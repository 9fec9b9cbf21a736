// SPDX-License-Identifier: GPL-2.0 OR MIT
/* mptcpctl: choose and watch the packet schedulers and congestion controls of MPTCP. See
 * mptcpctl(8).
 */

#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mptcpctl.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "list", cmd_list }, { "get", cmd_get }, { "set", cmd_set },
	{ "run", cmd_run }, { "show", cmd_show }, { "metrics", cmd_metrics },
	{ "advise", cmd_advise }, { "path", cmd_path },
	{ "load", cmd_load }, { "unload", cmd_unload },
};

static const char help[] =
	"usage: mptcpctl COMMAND ...\n"
	"\n"
	"  list [--json]                schedulers and congestion controls, who may use them,\n"
	"                               extensions, tunables\n"
	"  get [--json]                 the default scheduler of this network namespace\n"
	"  set NAME                     change it\n"
	"  set NAME --param K=V         change a tunable of scheduler or extension NAME\n"
	"  set [NAME] [--congestion C] --pid PID [--fd N]\n"
	"                               change connections of a running program\n"
	"  set [NAME] [--congestion C] [--local ADDR:PORT] [--peer ADDR:PORT]\n"
	"                               the same, by address\n"
	"  run [--scheduler S] [--congestion C] -- PROGRAM [ARG]...\n"
	"                               run a program over MPTCP\n"
	"  show [--pid PID] [--json]    MPTCP connections and their subflows\n"
	"  advise [--pid PID] [--json]  which receive buffer connections need, and which they have\n"
	"  path [--json]                what network interfaces cost and may carry\n"
	"  path IFNAME [--price N] [--weight N] [--budget BYTES/PERIOD] [--used BYTES]\n"
	"                               change it\n"
	"  metrics                      the same in sum, per scheduler and local address, for Prometheus\n"
	"  load FILE                    a scheduler in BPF, from an object file\n"
	"  unload NAME                  take it away again\n"
	"\n"
	"\"mptcpctl COMMAND --help\" and the manual page mptcpctl(8) say more.\n";

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

bool parse_number(const char *text, const char *what, int min, int *value)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*end || end == text || n < min || n > INT_MAX) {
		complain("%s takes a number from %d on, not '%s'", what, min, text);
		return false;
	}
	*value = n;
	return true;
}

/* For commands that know --help only, and --json, unless @json is NULL; false: the command is
 * done, with @status.
 */
bool no_arguments(int argc, char **argv, const char *help, bool *json, int *status)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{}
	};
	int opt;

	while ((opt = getopt_long(argc, argv, "hj", options, NULL)) == 'j' && json)
		*json = true;
	if (opt == 'h') {
		fputs(help, stdout);
		*status = 0;
		return false;
	}
	*status = EXIT_USAGE;
	if (opt == 'j')
		complain("%s takes no --json", argv[0]);
	if (opt == -1 && optind == argc)
		return true;
	if (opt == -1)
		complain("%s takes no arguments, not '%s'", argv[0], argv[optind]);
	fputs(help, stderr);
	return false;
}

/* For commands that look at connections; false: the command is done, with @status. */
bool read_query(int argc, char **argv, const char *help, struct query *query, int *status)
{
	static const struct option options[] = {
		{ "pid", required_argument, NULL, 'p' },
		{ "rates", no_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	int opt;

	*status = EXIT_USAGE;
	while ((opt = getopt_long(argc, argv, "p:rjh", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			if (!parse_number(optarg, "--pid", 1, &query->pid))
				return false;
			break;
		case 'r':
			query->rates = true;
			break;
		case 'j':
			query->json = true;
			break;
		case 'h':
			fputs(help, stdout);
			*status = 0;
			return false;
		default:
			fputs(help, stderr);
			return false;
		}
	}
	if (query->rates && !query->takes_rates) {
		complain("%s takes no --rates", argv[0]);
		return false;
	}
	if (optind == argc)
		return true;
	complain("%s takes no argument '%s'", argv[0], argv[optind]);
	return false;
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc < 2) {
		fputs(help, stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		printf("mptcpctl %s, this kernel %s the scheduler patches\n", VERSION,
		       kernel_is_patched() ? "has" : "lacks");
		return 0;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		fputs(help, stdout);
		return 0;
	}
	for (i = 0; i < COMMANDS; i++) {
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	}
	complain("unknown command '%s'", argv[1]);
	fputs(help, stderr);
	return EXIT_USAGE;
}
