// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Change tunables. A scheduler's are module parameters and act on all its connections; those
 * of extensions and of coupled congestion controls are sysctls of the network namespace.
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "mptcpctl.h"

/* The kernel does not tell the ranges. */
static const struct {
	const char *name;
	int min, max;
} ranges[] = {
	{ "sched_bm_lambda", 100, 10000 },
	{ "sched_price_wait", 0, 60000 },
	{ "ewlia_weight", 1, WEIGHT_MAX },
	{ "ewlia_exponent", 1, 2 },
};

static int complain_value(const char *sysctl, const char *assignment)
{
	size_t i;

	for (i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
		if (!strcmp(ranges[i].name, sysctl))
			return complain("%s: must be a number from %d to %d", assignment,
					ranges[i].min, ranges[i].max);
	}
	return complain("%s: %s", assignment, strerror(EINVAL));
}

/* @assignment is "key=value" with a key of @len characters; @what it is a tunable of. */
static int set_sysctl_param(const char *prefix, const char *what, const char *name,
			    const char *assignment, int len)
{
	char sysctl[128];
	int error;

	snprintf(sysctl, sizeof(sysctl), "%s%s_%.*s", prefix, name, len, assignment);
	error = write_sysctl(sysctl, assignment + len + 1);
	switch (error) {
	case 0:
		return 0;
	case ENOENT:
		return complain("%s '%s' has no tunable '%.*s'; see: mptcpctl list", what, name,
				len, assignment);
	case EINVAL:
	case ERANGE:
		return complain_value(sysctl, assignment);
	case EACCES:
		return complain("%s: only root may change it", assignment);
	default:
		return complain("%s: %s", assignment, strerror(error));
	}
}

static int set_congestion_param(const char *name, const char *assignment, int len)
{
	if (!kernel_has_coupled())
		return complain("%s", congestion_error(ENOENT, name));
	return set_sysctl_param("", "congestion control", name, assignment, len);
}

/* The kernel loads what is named for a connection. False: the user was told why not. */
static bool load_scheduler(const char *name)
{
	int fd = open_mptcp(), error;

	if (fd < 0)
		return false;
	error = set_scheduler(fd, name);
	close(fd);
	return !error || !complain("%s", scheduler_error(error, name));
}

static int set_module_param(const char *scheduler, const char *assignment, int len)
{
	char path[PATH_MAX];
	int error;

	if (!load_scheduler(scheduler))
		return 1;
	snprintf(path, sizeof(path), "/sys/module/mptcp_sched_%s/parameters/%.*s", scheduler, len,
		 assignment);
	error = write_file(path, assignment + len + 1);
	if (error == ENOENT)
		return complain("scheduler '%s' has no tunable '%.*s'; see: mptcpctl list",
				scheduler, len, assignment);
	if (error == EINVAL || error == ERANGE)
		return complain("%s: the kernel does not take that; what it takes: modinfo -p mptcp_sched_%s",
				assignment, scheduler);
	if (error)
		return complain("%s: %s", assignment, error == EACCES ? "only root may change it" :
				strerror(error));
	return 0;
}

int set_param(const char *name, const char *assignment)
{
	size_t len = strcspn(assignment, "=");

	/* nothing is what writing an empty value would do; of two the kernel takes the first one */
	if (!len || !assignment[len] || !assignment[len + 1] || strpbrk(assignment, "/ \t\n")) {
		complain("--param takes NAME=VALUE, not '%s'", assignment);
		return EXIT_USAGE;
	}
	if (!*name || strlen(name) >= MPTCP_SCHED_NAME_MAX || strchr(name, '/'))
		return complain("%s", scheduler_error(EINVAL, name));
	if (strchr(name, '+'))
		return complain("'%s' has no tunables of its own: name the scheduler or the extension alone",
				name);
	if (is_extension(name))
		return set_sysctl_param("sched_", "extension", name, assignment, len);
	if (is_coupled(name))
		return set_congestion_param(name, assignment, len);
	return set_module_param(name, assignment, len);
}
