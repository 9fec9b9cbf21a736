#!/bin/bash
# SPDX-License-Identifier: MIT
# Build a kernel out of tree, from tinyconfig plus the fragments in config/.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

usage() {
	cat <<-'USAGE'
	usage: build.sh KIND [TARGET]...
	  uml        build/uml/linux, the test bed (User-Mode Linux)
	  x86        build/x86, for QEMU and real machines
	  upstream   build/upstream/linux, uml with what Linux's own selftests use
	  debug      build/debug/linux, uml with lockdep, KASAN, kmemleak and friends
	  coverage   build/coverage/linux, uml that counts which lines of net/mptcp run
	  locks      build/locks, x86 with lockdep and slab debugging
	  races      build/races, x86 with KCSAN
	  uninit     build/uninit, x86 with KMSAN, by clang
	  bpf        build/bpf, x86 with BPF and its type information
	  without-X  build/without-X/linux, uml without an option of ours, such as
	             coding or olia
	VARIANT=stock  build Linux as it came, in build/stock/KIND
	TARGET         make targets (default: the kernel and its modules)
	USAGE
}

# leave_out NAME: a fragment that has the option MPTCP_EXT_NAME off, or that of a scheduler or congestion control.
leave_out() {
	local symbol fragment=$build/without-$1/without.config
	symbol=$(sed -nE "s/^config (MPTCP_(EXT|SCHED|CONG)_${1^^})$/\1/p" "$top"/net/mptcp/*/Kconfig)
	[ -n "$symbol" ] || die "net/mptcp has no option called ${1^^}: what can be left out is" \
		"$(sed -nE 's/^config MPTCP_(EXT|SCHED|CONG)_([A-Z_]+)$/\2/p' "$top"/net/mptcp/*/Kconfig | tr '[:upper:]\n' '[:lower:] ')"
	mkdir -p "${fragment%/*}"
	printf '# CONFIG_%s is not set\n' "$symbol" >"$fragment"
	printf '%s\n' "$fragment"
}

set_kind() {
	local config=$top/tools/kernel/config
	arch=um image=linux fragments=("$config/common.config" "$config/uml.config")
	case $1 in
	uml) ;;
	upstream) fragments+=("$config/upstream.config" "$config/trace.config") ;;
	debug) fragments+=("$config/debug.config" "$config/memory.config" "$config/trace.config") ;;
	coverage) fragments+=("$config/coverage.config" "$config/trace.config") ;;
	x86 | locks | races | uninit | bpf) arch=x86_64 image=bzImage
		fragments=("$config/common.config" "$config/x86.config" "$config/trace.config") ;;&
	locks) fragments+=("$config/debug.config" "$config/locks.config") ;;
	races) fragments+=("$config/races.config") ;;
	uninit) fragments+=("$config/uninit.config") ;;
	bpf) fragments+=("$config/bpf.config") ;;
	x86) ;;
	without-*) fragments+=("$(leave_out "${1#*-}")") ;;
	*) usage >&2; exit 2 ;;
	esac
}

# What the kernel calls itself is an input of its random numbers, and says nothing of when it was built.
kmake() {
	make -s -C "$tree" O="$out" ARCH="$arch" CC="$cc" LOCALVERSION="$suffix" \
		KBUILD_BUILD_VERSION=1 KBUILD_BUILD_TIMESTAMP=1970-01-01 \
		KBUILD_BUILD_USER=mptcp KBUILD_BUILD_HOST=mptcp ${V:+V="$V"} -j"$(nproc)" \
		${instrument[@]+"${instrument[@]}"} "$@"
}

# objects_of FOLDER...: the names that kbuild gives what is made of what is in them and in folders below.
objects_of() { find -L "$@" -name '*.c' -printf '%P\n' | sed 's/c$/o/'; }

# instrumented: what has gcc count in net/mptcp ("coverage"), or watch there and in TCP below it ("races"), and
# nowhere else: all of an emulated kernel watched is several times slower. Kbuild goes by names below the folder of
# a Makefile: x86 has a pm.o, which runs before there is a kernel. The codec of coding shares nothing, and takes
# minutes.
instrumented() {
	local net=$tree/net
	case $kind in
	coverage)
		objects_of "$net/mptcp" | sed 's/.*/GCOV_PROFILE_&=y/'
		echo "CFLAGS_gcc_base.o=-include $top/tools/kernel/config/gcov.h"
		;;
	races)
		echo KCSAN_SANITIZE=n
		{ objects_of "$net/mptcp"; objects_of "$net"/ipv[46] | grep -E '^(tcp|inet)';
			printf '%s.o\n' sock skbuff stream; } |
			sed '/^pm.o$/d; /^ext\/coding\/codec.o$/d; s/.*/KCSAN_SANITIZE_&=y/'
		;;
	esac
}

# The configuration is made anew when a fragment, the source's version or its options changed.
configure() {
	local stamp kconfigs
	# our folders are not in every tree
	mapfile -t kconfigs < <(find -L "$tree/net/mptcp" -name 'Kconfig*' | sort)
	stamp=$(cat -- "${fragments[@]}" "$tree/Makefile" "${kconfigs[@]}" "$tree/net/sched/Kconfig" |
		sha256sum)
	[ "$(cat "$out/.fragments" 2>/dev/null)" != "$stamp" ] || return 0
	# interrupted, it is not whole
	rm -f -- "$out/.fragments"
	kmake tinyconfig
	(cd "$out" && "$tree/scripts/kconfig/merge_config.sh" -m -O . .config "${fragments[@]}" >/dev/null)
	kmake olddefconfig
	printf '%s\n' "$stamp" >"$out/.fragments"
}

# What depmod and modprobe want, in a place of its own below the build directory.
install_modules() {
	rm -rf -- "$out/modules"
	kmake INSTALL_MOD_PATH="$out/modules" DEPMOD=/sbin/depmod modules_install
}

# parts: of the test bed's kernel, for mplab: what it is made of. Nothing of others.
parts() {
	[ "$kind $variant $series_version" != "uml patched $base_version" ] || "$top/tools/mplab/src/mplab/lab/parts.py" "$tree"
}

[ $# -gt 0 ] || { usage >&2; exit 2; }
kind=$1
shift
set_kind "$kind"
variant=${VARIANT:-patched}
tree=$(source_tree "$variant")
out=$(dirname -- "$tree")/$kind
suffix=-mptcp
[ "$variant" = patched ] || suffix=
cc=gcc
[ "$kind" != uninit ] || cc=clang
if command -v ccache >/dev/null; then
	cc="ccache $cc"
	export CCACHE_DIR=${CCACHE_DIR:-$build/ccache}
fi

[ -e "$out/vmlinux" ] || [ -e "$out/linux" ] ||
	say "$kind: the first build takes minutes; after an edit, seconds"
# two at once lose a part of the configuration, or an object
alone "$out/.lock"
rm -f -- "$out/parts.json"
mapfile -t instrument < <(instrumented)
configure
if [ $# -gt 0 ]; then
	kmake "$@"
else
	made_of=$(parts)
	kmake "$image" modules
	install_modules
	# not if a source changed meanwhile
	[ -z "$made_of" ] || [ "$(parts)" != "$made_of" ] || printf '%s\n' "$made_of" >"$out/parts.json"
fi
