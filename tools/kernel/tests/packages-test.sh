#!/bin/bash
# SPDX-License-Identifier: MIT
# What "make deb" makes of a configuration as small as can be: packages that hold the kernel, all of
# our modules and mptcpctl; and what it says where it cannot. TAP output.
set -euo pipefail

# shellcheck source=../lib.sh
. "$(cd -- "$(dirname -- "$0")/.." && pwd)/lib.sh"
# shellcheck source=tap.sh
. "$top/tools/kernel/tests/tap.sh"
export DEB=$build/check/deb

packages() { "$top/tools/deb/packages.sh" >"$work/said" 2>&1 || { cat "$work/said"; return 1; }; }

# refuses WHAT-IT-SAYS: with a nonzero status.
refuses() {
	! packages && grep -q -- "$1" "$work/said"
}

# holds PACKAGE PATTERN...: files of it
holds() {
	local package=$1 pattern files
	shift
	files=$(dpkg-deb -c "$DEB"/amd64/"$package"*.deb)
	for pattern; do
		grep -Eq -- "$pattern" <<<"$files" || { echo "no $pattern in $package"; return 1; }
	done
}

# The modules that net/mptcp can be built as; tests of theirs are none of a user's.
our_modules() {
	awk '$1 == "config" { name = $2 } $1 == "tristate" && name ~ /^MPTCP_(SCHED|CONG)_[A-Z]+$/ { print tolower(name) ".ko" }' \
		"$top"/net/mptcp/*/Kconfig
}

# What makes a kernel with modules, and what ours.config needs to have its wishes.
tiny() {
	local fragments=("$top/tools/kernel/config/common.config" "$top/tools/kernel/config/x86.config")
	grep -hv -e MPTCP -e INET_DIAG "${fragments[@]}" >"$work/fragment"
	make -s -C "$build/linux" O="$work/tiny" ARCH=x86_64 tinyconfig
	(cd "$work/tiny" && "$build/linux/scripts/kconfig/merge_config.sh" -m -O . .config "$work/fragment")
	cp "$work/tiny/.config" "$work/tiny.config"
}

check "a configuration that is not there is refused" env CONFIG="$work/none" bash -c "$(declare -f refuses packages)
	top=$top work=$work; refuses 'no such file'"
check "so is an architecture that nobody tried" env ARCH=vax bash -c "$(declare -f refuses packages)
	top=$top work=$work; refuses 'are known here'"
check "a small configuration" tiny
export CONFIG=$work/tiny.config
check "packages of it" packages
check "the kernel and its configuration" holds linux-image 'boot/vmlinuz-.*-mptcp$' 'boot/config-'
mapfile -t modules < <(our_modules)
check "all ${#modules[@]} modules" holds linux-image "${modules[@]/%/$}"
check "they are listed" grep -q "${modules[0]}" "$work/said"
check "the tool, its library, its header, its manual page" holds mptcpctl usr/bin/mptcpctl lib/mptcpctl/libmptcpctl.so \
	include/mptcp_sched.h man8/mptcpctl.8
sed -i '/^CONFIG_NET=y/d' "$CONFIG"
check "a configuration that cannot have MPTCP is refused, by name" refuses 'CONFIG_MPTCP=y'
tally
