#!/bin/bash
# SPDX-License-Identifier: MIT
# What "make openwrt" writes: the patches give our kernel, as OpenWrt applies them; each module has its
# package; mptcpctl builds from its own. TAP output.
set -euo pipefail

# shellcheck source=../lib.sh
. "$(cd -- "$(dirname -- "$0")/.." && pwd)/lib.sh"
# shellcheck source=tap.sh
. "$top/tools/kernel/tests/tap.sh"
out=$work/openwrt
patches=$out/target/linux/generic/pending-$series_version

# Linux as it came, those directories that patches may touch.
plain_linux() {
	mkdir "$work/linux"
	git -C "$build/linux" archive base | tar -x -C "$work/linux"
}

# As OpenWrt's own script does it, one after the other by name.
apply() {
	local patch
	for patch in "$patches"/*.patch; do
		patch -f -s -p1 --fuzz 0 --no-backup-if-mismatch -d "$work/linux" <"$patch" ||
			{ echo "in ${patch##*/}"; return 1; }
	done
}

# The other kernel's patches, in the order of its series.
other_kernel() {
	local other=$out/target/linux/generic/pending-6.18 names
	names=$(sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' -e '\,testbed/,d' "$top/patches/6.18/series")
	# "7.3/fixes/0009-what.patch" is "695-mptcp-012-fixes-what.patch"
	diff <(sed -E 's,^[0-9.]+/,,; s,/[0-9]+-,-,' <<<"$names") \
		<(find "$other" -name '*.patch' ! -name '*-new-files.patch' -printf '%f\n' | sort | sed -E 's,^695-mptcp-[0-9]+-,,')
	diff "$patches"/*-new-files.patch "$other"/*-new-files.patch
}

# Ours are links there; and what only the test bed has is not for routers.
same_as_ours() {
	local room
	for room in net/mptcp net/ipv4 include/net include/uapi; do
		diff -r "$build/linux/$room" "$work/linux/$room" || return 1
	done
}

# kmods VARIABLE: of each package, as make reads them with OpenWrt's own macros pretended.
kmods() {
	cat >"$work/pretend.mk" <<-'MAKE'
	NETWORK_SUPPORT_MENU := menu
	LINUX_DIR := linux
	AutoProbe = $(1)
	define KernelPackage
	$(eval $(KernelPackage/$(1)))
	$(info kmod-$(1) $($(WANT)))
	endef
	MAKE
	make -s --no-print-directory -f "$work/pretend.mk" -f "$out/package/kernel/linux/modules/mptcp.mk" \
		WANT="$1" -n none 2>/dev/null || true
}

modules_have_packages() {
	local built
	built=$(cat "$top"/net/mptcp/{sched,sched/research,cong}/Makefile | sed -n 's/^obj-.* += \(mptcp_[a-z_]*\)\.o$/\1/p' | grep -v _test)
	[ -n "$built" ]
	diff <(sort <<<"$built") <(kmods FILES | sed -n 's|.* linux/net/mptcp/\(.*\)\.ko$|\1|p' | sort)
	diff <(sort <<<"$built") <(kmods AUTOLOAD | awk '{ print $2 }' | sort)
}

symbols_exist() {
	local package symbol
	[ -n "$(kmods KCONFIG)" ]
	kmods KCONFIG | while read -r package symbol; do
		grep -qx "config ${symbol#CONFIG_}" "$top"/net/mptcp/*/Kconfig || { echo "$package: $symbol"; return 1; }
	done
}

needed_modules_are_packages() {
	local needed
	needed=$(kmods DEPENDS | grep -o '+kmod-[a-z-]*' | tr -d + | sort -u)
	[ "$needed" = kmod-mptcp-cong-lia ]
	kmods TITLE | grep -q "^$needed "
}

# OpenWrt's libc, with the kernel's headers of this system.
tool_builds() {
	mkdir "$work/headers"
	ln -s /usr/include/{linux,asm-generic} "/usr/include/$(gcc -print-multiarch)/asm" "$work/headers"
	make -s -C "$out/package/network/utils/mptcpctl/src" CFLAGS="-Os -pipe" CC="musl-gcc -idirafter $work/headers"
}

# It finds connections by the modules that "ss" uses, which are not in every image.
tool_has_diag() {
	local depends module
	depends=$(sed -n 's/^ *DEPENDS:=//p' "$out/package/network/utils/mptcpctl/Makefile")
	for module in kmod-inet-diag kmod-inet-mptcp-diag; do grep -qw -- "+$module" <<<"$depends" || return 1; done
}

# configure GOAL: our kernel, configured as OpenWrt's is: what has a package by that, the rest by its config file.
configure() {
	make -s -C "$build/linux" O="$work/build" ARCH=x86_64 CC=gcc "$1" </dev/null
}

# What the build would ask for without our answers; with them, nothing.
nothing_to_ask() {
	local config=$out/target/linux/generic/config-$series_version asked
	mkdir -p "$work/build"
	configure defconfig
	grep -v MPTCP "$work/build/.config" >"$work/openwrt.config"
	{ echo CONFIG_MPTCP=y; kmods KCONFIG | sed 's/.* \(.*\)/# \1 is not set/'; } >>"$work/openwrt.config"
	cp "$work/openwrt.config" "$work/build/.config"
	asked=$(configure listnewconfig)
	echo "$asked"
	grep -q 'MPTCP_EXT_' <<<"$asked"
	cat "$work/openwrt.config" "$config" >"$work/build/.config"
	# Linux has that itself, and OpenWrt an answer
	asked=$(configure listnewconfig | grep -v -e MPTCP_IPV6= || true)
	[ -z "$asked" ] || { echo "$asked"; return 1; }
}

# Every feature: a new one is not to be forgotten.
features_answered() {
	local feature config=$out/target/linux/generic/config-$series_version
	for feature in $(sed -n 's/^config //p' "$top/net/mptcp/ext/Kconfig") MPTCP_SCHED_BPF DEFAULT_MPTCP_SCHED_DEFAULT; do
		grep -x "CONFIG_$feature=y" "$config" || { echo "no $feature"; return 1; }
	done
	grep -x '# CONFIG_DEFAULT_MPTCP_SCHED_INORDER is not set' "$config"
}

# What OpenWrt's file says stays, and a second call leaves one block.
answers_once() {
	local config=$out/target/linux/generic/config-$series_version
	printf '%s\n' 'CONFIG_64BIT=y' '# CONFIG_MPTCP_EXT_CODING is not set' >"$config"
	"$top/tools/openwrt/openwrt.py" "$out"
	cp "$config" "$work/first"
	"$top/tools/openwrt/openwrt.py" "$out"
	diff "$work/first" "$config"
	[ "$(head -n 2 "$config")" = $'CONFIG_64BIT=y\n# CONFIG_MPTCP_EXT_CODING is not set' ]
	[ "$(grep -c MPTCP_EXT_CODING "$config")" = 1 ]
	[ "$(grep -c MPTCP_EXT_EARLY "$config")" = 1 ]
	[ "$(tail -n 1 "$config")" = "# MPTCP's patchset: end" ]
}

# What others have in their tree stays; what we left there is replaced.
again() {
	local tool=$out/package/network/utils/mptcpctl
	mkdir -p "$tool/patches"
	touch "$patches/680-theirs.patch" "$patches/695-mptcp-999-of-an-older-series.patch"
	touch "$tool/patches/001-theirs.patch" "$tool/src/of-an-older-version.c"
	"$top/tools/openwrt/openwrt.py" "$out"
	[ -e "$patches/680-theirs.patch" ] && [ ! -e "$patches/695-mptcp-999-of-an-older-series.patch" ] &&
		[ -e "$tool/patches/001-theirs.patch" ] && [ ! -e "$tool/src/of-an-older-version.c" ]
}

# Where a name is wrong, nothing is made.
wrong_name() {
	! "$top/tools/openwrt/openwrt.py" "$work/typo" 2>"$work/said" &&
		grep "typo is no source tree of OpenWrt: it has no target/linux/generic; name yours" "$work/said" &&
		[ ! -e "$work/typo" ]
}

# A file is where a folder is to be.
no_place() {
	mkdir -p "$work/odd/target/linux/generic"
	touch "$work/odd/package"
	! "$top/tools/openwrt/openwrt.py" "$work/odd" 2>"$work/said" &&
		grep -x "openwrt.py: error: $work/odd/package/kernel/linux/modules: Not a directory" "$work/said" &&
		[ "$(wc -l <"$work/said")" = 1 ]
}

# Without a name, in a copy of this tree.
no_name() {
	mkdir "$work/ours"
	(cd "$top" && cp -r --parents Makefile Kconfig net patches tools/kernel tools/mptcpctl tools/openwrt "$work/ours")
	make -s -C "$work/ours" openwrt
	diff -r -x 'config-*' -x mptcp.config "$out" "$work/ours/build/openwrt"
	diff "$out/target/linux/generic/config-6.18" "$work/ours/build/openwrt/target/linux/generic/mptcp.config"
}

mkdir -p "$out/target/linux/generic"
touch "$out/target/linux/generic/config-"{6.12,6.18}
check "it is written" "$top/tools/openwrt/openwrt.py" "$out"
check "without a name, into build/openwrt" no_name
check "there is Linux as it came" plain_linux
check "all patches apply to it" apply
check "and give our kernel" same_as_ours
check "the same for Linux 6.18" other_kernel
check "each module has a package" modules_have_packages
check "with a symbol of the kernel" symbols_exist
check "and the modules that it needs" needed_modules_are_packages
check "mptcpctl builds from its package, with musl" tool_builds
check "and brings what it shows connections with" tool_has_diag
check "the kernel's build asks nothing" nothing_to_ask
check "not for a feature, either" features_answered
check "the answers of OpenWrt's own file stay" answers_once
check "written again into the same tree" again
check "a tree that is not there" wrong_name
check "a tree that cannot be written" no_place
tally
