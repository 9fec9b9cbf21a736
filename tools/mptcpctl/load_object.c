// SPDX-License-Identifier: GPL-2.0 OR MIT
/* The object file of schedulers in BPF, by libbpf: from 1.0 on, which Debian 12 has more of. */

#include <ctype.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mptcpctl.h"
#include "load.h"

#define OPS "mptcp_sched_ops"
#define VALUE "bpf_struct_ops_" OPS
#define SECTION ".struct_ops"
/* of enum bpf_attach_type, and a flag for maps: newer than some headers */
#define ATTACH_STRUCT_OPS 44
#define MAP_FLAG_LINK 0x2000

/* The library's functions. */
static struct {
	typeof(bpf_object__open_mem) *bpf_object__open_mem;
	typeof(bpf_object__load) *bpf_object__load;
	typeof(bpf_object__close) *bpf_object__close;
	typeof(bpf_object__next_map) *bpf_object__next_map;
	typeof(bpf_object__next_program) *bpf_object__next_program;
	typeof(bpf_object__btf) *bpf_object__btf;
	typeof(bpf_program__section_name) *bpf_program__section_name;
	typeof(bpf_program__set_flags) *bpf_program__set_flags;
	typeof(bpf_map__type) *bpf_map__type;
	typeof(bpf_map__name) *bpf_map__name;
	typeof(bpf_map__fd) *bpf_map__fd;
	typeof(bpf_map__value_size) *bpf_map__value_size;
	typeof(bpf_map__set_map_flags) *bpf_map__set_map_flags;
	typeof(bpf_map__map_flags) *bpf_map__map_flags;
	typeof(bpf_map__attach_struct_ops) *bpf_map__attach_struct_ops;
	typeof(bpf_map_lookup_elem) *bpf_map_lookup_elem;
	typeof(bpf_link__fd) *bpf_link__fd;
	typeof(bpf_link_create) *bpf_link_create;
	typeof(bpf_obj_pin) *bpf_obj_pin;
	typeof(btf__load_vmlinux_btf) *btf__load_vmlinux_btf;
	typeof(btf__find_by_name_kind) *btf__find_by_name_kind;
	typeof(btf__type_by_id) *btf__type_by_id;
	typeof(btf__name_by_offset) *btf__name_by_offset;
	typeof(btf__free) *btf__free;
	typeof(libbpf_set_print) *libbpf_set_print;
} lib;

#define FUNCTION(name) { #name, &lib.name }

static const struct {
	const char *name;
	void *place;
} functions[] = {
	FUNCTION(bpf_object__open_mem),
	FUNCTION(bpf_object__load),
	FUNCTION(bpf_object__close),
	FUNCTION(bpf_object__next_map),
	FUNCTION(bpf_object__next_program),
	FUNCTION(bpf_object__btf),
	FUNCTION(bpf_program__section_name),
	FUNCTION(bpf_program__set_flags),
	FUNCTION(bpf_map__type),
	FUNCTION(bpf_map__name),
	FUNCTION(bpf_map__fd),
	FUNCTION(bpf_map__value_size),
	FUNCTION(bpf_map__set_map_flags),
	FUNCTION(bpf_map__map_flags),
	FUNCTION(bpf_map__attach_struct_ops),
	FUNCTION(bpf_map_lookup_elem),
	FUNCTION(bpf_link__fd),
	FUNCTION(bpf_link_create),
	FUNCTION(bpf_obj_pin),
	FUNCTION(btf__load_vmlinux_btf),
	FUNCTION(btf__find_by_name_kind),
	FUNCTION(btf__type_by_id),
	FUNCTION(btf__name_by_offset),
	FUNCTION(btf__free),
	FUNCTION(libbpf_set_print),
};

static bool open_library(void)
{
	void *function, *handle = dlopen("libbpf.so.1", RTLD_NOW);
	size_t i;

	if (!handle) {
		complain("load takes libbpf: install libbpf1 (%s)", dlerror());
		return false;
	}
	for (i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		function = dlsym(handle, functions[i].name);
		if (!function) {
			complain("this libbpf has no %s: install 1.0 or newer", functions[i].name);
			return false;
		}
		memcpy(functions[i].place, &function, sizeof(function));
	}
	return true;
}

/* Only what is wrong, among it the verifier's words. */
static int print_warnings(enum libbpf_print_level level, const char *format, va_list args)
{
	return level == LIBBPF_WARN ? vfprintf(stderr, format, args) : 0;
}

/* Where member @name of the struct @type is, in bytes; -1: it has none. */
static long member_offset(const struct btf *btf, const char *type, const char *name)
{
	const struct btf_type *t;
	const struct btf_member *m;
	__s32 id = lib.btf__find_by_name_kind(btf, type, BTF_KIND_STRUCT);
	unsigned int i;

	if (id < 0)
		return -1;
	t = lib.btf__type_by_id(btf, id);
	m = btf_members(t);
	for (i = 0; i < btf_vlen(t); i++) {
		if (!strcmp(lib.btf__name_by_offset(btf, m[i].name_off), name))
			return btf_member_bit_offset(t, i) / 8;
	}
	return -1;
}

/* Where the kernel has the scheduler's name in the value of its map; -1: nowhere, and the
 * user was told.
 */
static long find_name(void)
{
	struct btf *btf = lib.btf__load_vmlinux_btf();
	long data, name;

	if (!btf) {
		complain("cannot read the kernel's types: %s", strerror(errno));
		return -1;
	}
	data = member_offset(btf, VALUE, "data");
	name = member_offset(btf, OPS, "name");
	lib.btf__free(btf);
	if (data >= 0 && name >= 0)
		return data + name;
	complain("this kernel cannot run schedulers in BPF: boot one with CONFIG_MPTCP_SCHED_BPF=y (\"make check-bpf\" builds one)");
	return -1;
}

/* The name of the type of the variable that @info is about. */
static const char *variable_type(const struct btf *btf, const struct btf_var_secinfo *info)
{
	const struct btf_type *variable = lib.btf__type_by_id(btf, info->type);

	return lib.btf__name_by_offset(btf, lib.btf__type_by_id(btf, variable->type)->name_off);
}

/* How many schedulers has @object? 0 also if it has anything else of their kind, as
 * congestion controls of TCP.
 */
static unsigned int count_schedulers(const struct bpf_object *object)
{
	const struct btf *btf = lib.bpf_object__btf(object);
	const struct btf_var_secinfo *info;
	const struct btf_type *section;
	unsigned int i;
	__s32 id;

	id = btf ? lib.btf__find_by_name_kind(btf, SECTION, BTF_KIND_DATASEC) : -1;
	if (id < 0)
		return 0;
	section = lib.btf__type_by_id(btf, id);
	info = btf_var_secinfos(section);
	for (i = 0; i < btf_vlen(section); i++) {
		if (strcmp(variable_type(btf, &info[i]), OPS))
			return 0;
	}
	return i;
}

/* The next map after @map that is a scheduler, NULL: there is none */
static struct bpf_map *next_scheduler(struct bpf_object *object, struct bpf_map *map)
{
	do {
		map = lib.bpf_object__next_map(object, map);
	} while (map && lib.bpf_map__type(map) != BPF_MAP_TYPE_STRUCT_OPS);
	return map;
}

/* The kernel shall give us a link for each scheduler, so that closing takes it away. */
static void want_links(struct bpf_object *object)
{
	struct bpf_map *map = NULL;

	while ((map = next_scheduler(object, map)))
		lib.bpf_map__set_map_flags(map, lib.bpf_map__map_flags(map) | MAP_FLAG_LINK);
}

/* A link for the scheduler in @map, or -1. Before 1.2 libbpf fills the map in, no more. */
static int link_scheduler(struct bpf_map *map)
{
	struct bpf_link *link = lib.bpf_map__attach_struct_ops(map);
	int fd = link ? lib.bpf_link__fd(link) : -1;

	if (fd == lib.bpf_map__fd(map))
		fd = lib.bpf_link_create(fd, 0, ATTACH_STRUCT_OPS, NULL);
	return fd;
}

static int explain_refusal(const char *map, int error)
{
	if (error == EEXIST)
		return complain("%s: there is a scheduler of this name already: unload that, or give this one another .name",
				map);
	if (error == EPERM)
		return complain("%s: not permitted: it takes CAP_NET_ADMIN", map);
	if (error == ENOSPC)
		return complain("%s: the kernel has as many schedulers in BPF as it takes: unload some",
				map);
	if (error == EINVAL)
		return complain("%s: a scheduler needs .get_send, and a .name of 1 to 15 letters, digits and '_'",
				map);
	return complain("%s: the kernel did not take the scheduler: %s", map, strerror(error));
}

static int keep_scheduler(struct bpf_map *map, long name_at, int fd)
{
	char *value = calloc(1, lib.bpf_map__value_size(map) + 1);
	int zero = 0, status;

	if (!value)
		status = complain("%s", strerror(errno));
	else if (lib.bpf_map_lookup_elem(lib.bpf_map__fd(map), &zero, value))
		status = complain("%s: cannot read it back: %s", lib.bpf_map__name(map),
				  strerror(errno));
	else
		status = keep_loaded(value + name_at, lib.bpf_obj_pin, fd);
	free(value);
	return status;
}

/* A file is loaded as a whole: the kernel takes @map and all behind it, then they are kept. Links
 * that are not kept end with us.
 */
static int load_scheduler(struct bpf_object *object, struct bpf_map *map, long name_at)
{
	struct bpf_map *next = next_scheduler(object, map);
	int fd = link_scheduler(map);

	if (fd < 0)
		return explain_refusal(lib.bpf_map__name(map), errno);
	if (next && load_scheduler(object, next, name_at))
		return 1;
	return keep_scheduler(map, name_at, fd);
}

static int load_schedulers(struct bpf_object *object, const char *file)
{
	long name_at = find_name();
	struct bpf_map *first;

	if (name_at < 0)
		return 1;
	want_links(object);
	if (lib.bpf_object__load(object)) {
		if (errno == EPERM)
			return complain("%s: not permitted: it takes CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN",
					file);
		return complain("%s: the kernel refused it (%s); why stands above", file,
				strerror(errno));
	}
	first = next_scheduler(object, NULL);
	return first ? load_scheduler(object, first, name_at) : 0;
}

/* The bytes of @file, which may be changed, and are to be unmapped; NULL: it cannot be read. */
static char *map_file(const char *file, size_t *size)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	void *bytes = MAP_FAILED;
	struct stat info;

	if (fd >= 0 && !fstat(fd, &info)) {
		*size = info.st_size;
		errno = ENOEXEC;
		if (S_ISREG(info.st_mode) && *size)
			bytes = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	}
	if (fd >= 0)
		close(fd);
	return bytes == MAP_FAILED ? NULL : bytes;
}

/* Before 1.2 libbpf does not know these sections. We ask for links in any case, and for
 * what may sleep below: call them as it knows them, in the tables of names of ELF and BTF.
 */
#define MAY_SLEEP "struct_ops/\1"

static const struct {
	const char *from, *to;
	size_t size;	/* to its end, for both */
} renamed[] = {
	{ ".struct_ops.link", ".struct_ops\0\0\0\0\0", sizeof(".struct_ops.link") },
	{ "struct_ops.s", MAY_SLEEP, sizeof("struct_ops.s") },
	{ "struct_ops.s/", MAY_SLEEP "/", sizeof("struct_ops.s/") - 1 },
};

static void rename_sections(char *bytes, size_t size)
{
	const char *end = bytes + size;
	char *at;
	size_t i;

	for (i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++) {
		at = bytes;
		while ((at = memmem(at, end - at, renamed[i].from, renamed[i].size)))
			memcpy(at, renamed[i].to, renamed[i].size);
	}
}

static void let_sleep(const struct bpf_object *object)
{
	struct bpf_program *program = NULL;

	while ((program = lib.bpf_object__next_program(object, program))) {
		if (!strncmp(lib.bpf_program__section_name(program), MAY_SLEEP, strlen(MAY_SLEEP)))
			lib.bpf_program__set_flags(program, BPF_F_SLEEPABLE);
	}
}

/* Maps are called after the object, and that after the file: "bandit.bpf.o" has "bandit.bss". */
static const char *object_name(const char *file, char *name, size_t len)
{
	const char *base = strrchr(file, '/');
	char *c;

	snprintf(name, len, "%s", base ? base + 1 : file);
	name[strcspn(name, ".")] = 0;
	for (c = name; *c; c++)
		if (!isalnum((unsigned char)*c))
			*c = '_';
	return name;
}

static int load_bytes(const char *file, char *bytes, size_t size)
{
	char name[64];
	DECLARE_LIBBPF_OPTS(bpf_object_open_opts, options,
			    .object_name = object_name(file, name, sizeof(name)));
	struct bpf_object *object;
	int status;

	rename_sections(bytes, size);
	object = lib.bpf_object__open_mem(bytes, size, &options);
	if (!object)
		return complain("%s is no object file of BPF programs: compile one with \"make -C tools/bpf\"",
				file);
	let_sleep(object);
	if (count_schedulers(object))
		status = load_schedulers(object, file);
	else
		status = complain("%s has no schedulers, or not only: they are struct %s in SEC(\"%s\")",
				  file, OPS, SECTION);
	lib.bpf_object__close(object);
	return status;
}

int load_object(const char *file)
{
	char *bytes;
	size_t size;
	int status;

	if (!open_library())
		return 1;
	lib.libbpf_set_print(print_warnings);
	bytes = map_file(file, &size);
	if (!bytes)
		return complain("cannot read %s: %s", file, strerror(errno));
	status = load_bytes(file, bytes, size);
	munmap(bytes, size);
	return status;
}
