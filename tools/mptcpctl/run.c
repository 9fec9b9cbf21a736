// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Run a program over MPTCP, by means of a preloaded library. */

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "mptcpctl.h"

struct wish {
	const char *scheduler;	/* NULL: the default */
	const char *congestion;	/* NULL: the default */
	int weight;		/* -1: the default */
	bool tell;
};

static bool try_options(int fd, const struct wish *wish)
{
	int error = wish->scheduler ? set_scheduler(fd, wish->scheduler) : 0;

	if (error) {
		complain("--scheduler: %s", scheduler_error(error, wish->scheduler));
		return false;
	}
	error = wish->congestion ? try_congestion(wish->congestion) : 0;
	if (error) {
		complain("--congestion: %s", congestion_error(error, wish->congestion));
		return false;
	}
	error = wish->weight < 0 ? 0 : set_weight(fd, wish->weight);
	if (error)
		complain("--weight: %s", weight_error(error));
	return !error;
}

/* -1: there is none, and the user was told why. */
int open_mptcp(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_MPTCP);
	int error = errno;

	if (fd < 0 && kernel_has_mptcp())
		complain("no MPTCP socket: %s%s", strerror(error), error == ENOPROTOOPT ?
			 "; MPTCP is off here: sysctl net.mptcp.enabled=1" : "");
	return fd;
}

/* Say now what would fail silently inside the program. */
static bool try_wish(const struct wish *wish)
{
	int fd = open_mptcp();
	bool fine;

	if (fd < 0)
		return false;
	fine = try_options(fd, wish);
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

static int execute(const char *library, const struct wish *wish, char **argv)
{
	char weight[16] = "";
	int error;

	if (wish->weight >= 0)
		snprintf(weight, sizeof(weight), "%d", wish->weight);
	preload(library);
	setenv("MPTCPCTL_SCHEDULER", wish->scheduler ? wish->scheduler : "", 1);
	setenv("MPTCPCTL_CONGESTION", wish->congestion ? wish->congestion : "", 1);
	setenv("MPTCPCTL_WEIGHT", weight, 1);
	setenv("MPTCPCTL_TELL", wish->tell ? "1" : "", 1);
	execvp(argv[0], argv);
	error = errno;
	complain("%s: %s", argv[0], strerror(error));
	return error == ENOENT ? 127 : 126;
}

int cmd_run(int argc, char **argv)
{
	struct wish wish = { .weight = -1, .tell = isatty(STDERR_FILENO) };
	char library[PATH_MAX + 32];
	int opt;

	while ((opt = next_choice(argc, argv)) != -1) {
		switch (opt) {
		case 's':
			wish.scheduler = optarg;
			break;
		case 'c':
			wish.congestion = optarg;
			break;
		case 'w':
			if (!parse_weight(optarg, &wish.weight))
				return EXIT_USAGE;
			break;
		case 't':
			wish.tell = true;
			break;
		case 'q':
			wish.tell = false;
			break;
		}
	}
	if (optind == argc) {
		complain("run: which program?");
		return usage_error(argv[0]);
	}
	if (!try_wish(&wish))
		return EXIT_USAGE;
	if (!find_library(library, sizeof(library)))
		return EXIT_USAGE;
	return execute(library, &wish, argv + optind);
}
