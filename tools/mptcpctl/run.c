// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Run a program over MPTCP, by means of a preloaded library. */

#include <errno.h>
#include <getopt.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mptcpctl.h"

static const char help[] =
	"usage: mptcpctl run [--scheduler S] [--congestion C] -- PROGRAM [ARG]...\n"
	"Runs PROGRAM, unmodified: its TCP sockets become MPTCP sockets.\n"
	"  -s, --scheduler S    packet scheduler of its connections, with its extensions, if any:\n"
	"                       minrtt+rp (see: mptcpctl list)\n"
	"  -c, --congestion C   congestion control of its connections\n"
	"Statically linked and set-user-ID programs stay with TCP. The exit status is the\n"
	"program's; 127 if it was not found, 126 if it cannot be run, 2 if it was not tried.\n";

static bool try_scheduler(const char *name)
{
	int fd = socket(AF_INET, SOCK_STREAM, IPPROTO_MPTCP);
	int error = errno;
	bool fine = false;

	if (fd < 0) {
		if (kernel_has_mptcp())
			complain("no MPTCP socket: %s%s", strerror(error), error == ENOPROTOOPT ?
				 "; MPTCP is off here: sysctl net.mptcp.enabled=1" : "");
		return false;
	}
	if (name && setsockopt(fd, SOL_MPTCP, MPTCP_SCHEDULER, name, strlen(name)))
		complain("--scheduler: %s", scheduler_error(errno, name));
	else
		fine = true;
	close(fd);
	return fine;
}

/* On a TCP socket: an MPTCP socket without subflows takes any name. */
static bool try_congestion(const char *name)
{
	int fd;
	bool fine = true;

	if (!name)
		return true;
	fd = socket(AF_INET, SOCK_STREAM, IPPROTO_TCP);
	if (fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, strlen(name))) {
		complain("--congestion: the kernel does not take '%s' (%s); see: sysctl net.ipv4.tcp_available_congestion_control",
			 name, strerror(errno));
		fine = false;
	}
	if (fd >= 0)
		close(fd);
	return fine;
}

/* Beside the program in a build tree, else where "make install" puts it. */
static bool find_library(char *path, size_t len)
{
	static const char *const places[] = { "", "../lib/mptcpctl/" };
	char self[PATH_MAX], *dir;
	size_t i;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0) {
		complain("/proc/self/exe: %s", strerror(errno));
		return false;
	}
	self[n] = 0;
	dir = dirname(self);
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, len, "%s/%slibmptcpctl.so", dir, places[i]);
		if (access(path, R_OK))
			continue;
		if (!strpbrk(path, " :"))
			return true;
		complain("%s cannot be preloaded: move it to a path without spaces and colons",
			 path);
		return false;
	}
	complain("libmptcpctl.so is neither in %s nor in %s/../lib/mptcpctl: make, or make install",
		 dir, dir);
	return false;
}

static void preload(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char *value;

	if (others && *others && asprintf(&value, "%s %s", library, others) > 0)
		setenv("LD_PRELOAD", value, 1);
	else
		setenv("LD_PRELOAD", library, 1);
}

static int execute(const char *library, const char *scheduler, const char *congestion, char **argv)
{
	int error;

	preload(library);
	setenv("MPTCPCTL_SCHEDULER", scheduler ? scheduler : "", 1);
	setenv("MPTCPCTL_CONGESTION", congestion ? congestion : "", 1);
	execvp(argv[0], argv);
	error = errno;
	complain("%s: %s", argv[0], strerror(error));
	return error == ENOENT ? 127 : 126;
}

int cmd_run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "scheduler", required_argument, NULL, 's' },
		{ "congestion", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{}
	};
	const char *scheduler = NULL, *congestion = NULL;
	char library[PATH_MAX + 32];
	int opt;

	while ((opt = getopt_long(argc, argv, "+s:c:h", options, NULL)) != -1) {
		switch (opt) {
		case 's':
			scheduler = optarg;
			break;
		case 'c':
			congestion = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		default:
			fputs(help, stderr);
			return EXIT_USAGE;
		}
	}
	if (optind == argc) {
		complain("run: which program?");
		fputs(help, stderr);
		return EXIT_USAGE;
	}
	/* say now what would fail silently inside the program */
	if (!try_scheduler(scheduler) || !try_congestion(congestion))
		return EXIT_USAGE;
	if (!find_library(library, sizeof(library)))
		return EXIT_USAGE;
	return execute(library, scheduler, congestion, argv + optind);
}
