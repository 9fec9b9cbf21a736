// SPDX-License-Identifier: GPL-2.0 OR MIT
/* mptcpctl: choose and watch the packet schedulers and congestion controls of MPTCP. See
 * mptcpctl(8).
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mptcpctl.h"

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
	long long n = strtoll(text, &end, 10);

	if (*end || end == text || n < min || n > INT_MAX) {
		complain("%s takes a number from %d on, not '%s'", what, min, text);
		return false;
	}
	*value = n;
	return true;
}

/* What a command that shows something is asked for; false: its arguments are wrong, and it said
 * so.
 */
bool read_query(int argc, char **argv, struct query *query)
{
	int opt;

	while ((opt = next_choice(argc, argv)) != -1) {
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
		}
	}
	if (optind == argc)
		return true;
	complain("%s takes no argument '%s'", argv[0], argv[optind]);
	usage_error(argv[0]);
	return false;
}

int cmd_version(int argc, char **argv)
{
	struct query query = {};

	if (!read_query(argc, argv, &query))
		return EXIT_USAGE;
	printf("mptcpctl %s, this kernel %s the scheduler patches\n", VERSION,
	       kernel_is_patched() ? "has" : "lacks");
	return 0;
}

/* A reader would take what was written, on a disk that is full, for the whole. */
int finish_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	complain("standard output: %s", strerror(errno));
	return status ? status : 1;
}

/* Whoever closed one of the first three would find our words in what is opened next: in another
 * program's connection, with --pid. Nothing can be read from these, nor written.
 */
static void take_standard_places(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_PATH | O_CLOEXEC);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	take_standard_places();
	if (argc < 2) {
		print_commands(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_commands(stdout);
		return finish_output(0);
	}
	return finish_output(run_command(argc - 1, argv + 1));
}
