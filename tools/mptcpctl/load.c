// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Schedulers in BPF: load, unload.
 *
 * A loaded scheduler is a BPF link, pinned as /sys/fs/bpf/mptcp/NAME: it stays when we end,
 * and goes when that file does. The library that reads object files is opened when it is
 * needed, so that mptcpctl runs where it is missing.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include "mptcpctl.h"
#include "load.h"

#define BPFFS "/sys/fs/bpf"
#define PINS BPFFS "/mptcp"
#define PIN_MAX (sizeof(PINS) + MPTCP_SCHED_NAME_MAX + 1)
#define BPFFS_MAGIC 0xcafe4a11
#define LISTED_MAX 4096

/* The argument of a command that takes just one, @what; NULL: the user was told. */
static const char *argument(int argc, char **argv, const char *what)
{
	if (next_choice(argc, argv) == -1 && optind == argc - 1)
		return argv[optind];
	complain("%s takes the %s", argv[0], what);
	usage_error(argv[0]);
	return NULL;
}

static void pin_path(char *path, const char *name)
{
	snprintf(path, PIN_MAX, PINS "/%s", name);
}

static bool is_listed(const char *name)
{
	char list[LISTED_MAX];

	return read_sysctl("available_schedulers", list, sizeof(list)) && has_word(list, name);
}

static bool is_mounted(void)
{
	struct statfs fs;

	return !statfs(BPFFS, &fs) && (unsigned int)fs.f_type == BPFFS_MAGIC;
}

/* Would what we mount stay? Not in a mount namespace that goes with us. */
static bool mounts_stay(void)
{
	struct stat ours, theirs;

	return stat("/proc/self/ns/mnt", &ours) || stat("/proc/1/ns/mnt", &theirs) ||
	       ours.st_ino == theirs.st_ino;
}

static bool mount_bpffs(void)
{
	if (!mounts_stay()) {
		complain("no BPF file system on " BPFFS ", and one mounted in this namespace would not last (\"ip netns exec\" makes one): load the scheduler outside, it is there for all network namespaces");
		return false;
	}
	if (!mount("bpf", BPFFS, "bpf", 0, "mode=0700"))
		return true;
	complain("cannot mount the BPF file system on " BPFFS ": %s", strerror(errno));
	return false;
}

/* A place for pins; false: there is none, and the user was told why. */
static bool make_place(void)
{
	if (!is_mounted() && !mount_bpffs())
		return false;
	if (mkdir(PINS, 0700) && errno != EEXIST) {
		complain("cannot make " PINS ": %s", strerror(errno));
		return false;
	}
	return true;
}

/* Can this kernel, for this user? Says so where not. */
static bool can_load(void)
{
	if (!kernel_has_mptcp())
		return false;
	if (geteuid()) {
		complain("only root may load schedulers: it takes CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN");
		return false;
	}
	if (!access("/sys/kernel/btf/vmlinux", R_OK))
		return true;
	complain("this kernel cannot run schedulers in BPF (no /sys/kernel/btf/vmlinux): boot one with CONFIG_MPTCP_SCHED_BPF=y and CONFIG_DEBUG_INFO_BTF=y, for x86 or arm64; a User-Mode kernel cannot. \"make check-bpf\" builds one and tries it in QEMU");
	return false;
}

int keep_loaded(const char *name, int (*pin)(int fd, const char *path), int fd)
{
	char path[PIN_MAX];

	if (!make_place())
		return 1;
	pin_path(path, name);
	if (!pin(fd, path)) {
		printf("loaded: %s\n", name);
		return 0;
	}
	if (errno == EPERM)
		return complain("cannot pin %s: the name of a scheduler must have no '.'", path);
	return complain("cannot pin %s: %s", path, strerror(errno));
}

int cmd_load(int argc, char **argv)
{
	const char *file = argument(argc, argv, "object file to load");

	if (!file)
		return EXIT_USAGE;
	if (access(file, R_OK))
		return complain("%s: %s", file, strerror(errno));
	return can_load() ? load_object(file) : 1;
}

/* The kernel takes a moment; false: somebody else holds it, too. */
static bool wait_until_gone(const char *name)
{
	int i;

	for (i = 0; i < 100 && is_listed(name); i++)
		usleep(100 * 1000);
	return i < 100;
}

static int explain_not_loaded(const char *name)
{
	if (is_listed(name) && !is_mounted())
		return complain("no BPF file system on " BPFFS " here, where \"mptcpctl load\" keeps '%s': unload it outside of \"ip netns exec\"",
				name);
	if (is_listed(name))
		return complain("'%s' is not one that \"mptcpctl load\" has loaded: modules are removed with rmmod, others by who loaded them",
				name);
	return complain("%s", scheduler_error(ENOENT, name));
}

int cmd_unload(int argc, char **argv)
{
	char path[PIN_MAX], current[64] = "";
	const char *name = argument(argc, argv, "name of the scheduler to unload");

	if (!name)
		return EXIT_USAGE;
	if (!*name || strlen(name) >= MPTCP_SCHED_NAME_MAX || strchr(name, '/'))
		return complain("%s", scheduler_error(EINVAL, name));
	if (geteuid())
		return complain("only root may unload schedulers");
	pin_path(path, name);
	if (unlink(path))
		return errno == ENOENT ? explain_not_loaded(name) :
		       complain("%s: %s", path, strerror(errno));
	if (!wait_until_gone(name))
		return complain("'%s' stays: another program holds it, too (bpftool link)", name);
	read_sysctl("scheduler", current, sizeof(current));
	current[strcspn(current, "+")] = 0;
	if (!strcmp(current, name))
		complain("new connections still get '%s', as it is the default here: change that with \"mptcpctl set NAME\"",
			 name);
	return 0;
}
