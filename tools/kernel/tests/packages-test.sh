#!/bin/bash
# SPDX-License-Identifier: MIT
# What "make deb" makes of a configuration as small as can be: packages that hold the kernel, all of
# our modules and mptcpctl; what it says where it cannot; and what is another Linux's. TAP output.
set -euo pipefail

# shellcheck source=../lib.sh
. "$(cd -- "$(dirname -- "$0")/.." && pwd)/lib.sh"
# shellcheck source=tap.sh
. "$top/tools/kernel/tests/tap.sh"
export DEB=$build/check/deb

packages() { umask 077; "$top/tools/deb/packages.sh" >"$work/said" 2>&1 || { cat "$work/said"; return 1; }; }

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

# versions: the same of both, and a later build's is newer than that of a day ago and than one without a date.
versions() {
	local package version former
	version=$(dpkg-deb -f "$DEB"/amd64/mptcpctl_*.deb Version)
	for package in "$DEB"/amd64/*.deb; do
		[ "$(dpkg-deb -f "$package" Version)" = "$version" ] || { echo "$package is not $version"; return 1; }
	done
	for former in "${version%mptcp*}mptcp" "${version%mptcp*}mptcp$(date -u -d yesterday +%Y%m%d%H%M)"; do
		dpkg --compare-versions "$version" gt "$former" || { echo "$version is not above $former"; return 1; }
	done
}

# modes: of what mptcpctl installs, by a private umask in a folder with the setgid bit
modes() {
	local wrong
	wrong=$(dpkg-deb -c "$DEB"/amd64/mptcpctl_*.deb | grep -Ev '^(drwxr-xr-x|-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx) ') || true
	[ -z "$wrong" ] || { echo "$wrong"; return 1; }
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

# A Linux for which there is another series, and Debian's configurations of both.
another() {
	mkdir -p "$work/linux" "$work/copy" "$work/src"/linux-config-{6.12,6.18}
	printf '%s\n' 'VERSION = 6' 'PATCHLEVEL = 18' 'SUBLEVEL = 99' >"$work/linux/Makefile"
	echo CONFIG_NET=y | xz | tee "$work/src/linux-config-6.12/config.amd64_none_amd64.xz" \
		>"$work/src/linux-config-6.18/config.amd64_none_amd64.xz"
	(cd "$top" && cp -r --parents tools/kernel/lib.sh tools/deb patches/series patches/*/series "$work/copy")
	sed -i "s,/usr/src/,$work/src/," "$work/copy/tools/deb/packages.sh"
}

# small ARCHITECTURE KERNEL'S-NAME: has all that its fragments ask for; no compiler is asked.
small() {
	local part arch=$1 tree=$build/linux out=$work/small.$1 here=$top/tools/deb
	local parts=("$here/small.config" "$here/small-$arch.config" "$here/ours.config")
	eval "$(sed -n '/^known() /p; /^heed() {/,/^}/p' "$here/packages.sh")"
	make -s -C "$tree" O="$out" ARCH="$2" CC=gcc defconfig
	(cd "$out" && "$tree/scripts/kconfig/merge_config.sh" -m -O . .config "${parts[@]}" >/dev/null)
	make -s -C "$tree" O="$out" ARCH="$2" CC=gcc olddefconfig
	for part in "${parts[@]}"; do heed "$part" || return 1; done
}

# checks FOLDER VARIABLE...: "make check-deb" takes the packages from there
checks() {
	unset MAKEFLAGS BUILD DEB
	make -n -C "$top" check-deb "${@:2}" | grep "/check.py .* $1 "
}

# configured_as VERSION: by that configuration of Debian
configured_as() {
	CONFIG=debian ARCH=amd64 "$work/copy/tools/deb/packages.sh" >"$work/said" 2>&1 || true
	cat "$work/said"
	grep -q "configuration: debian ($work/src/linux-config-$1/" "$work/said"
}

# wanted VARIABLE...: what "make deb" would install on a bare machine. Nothing is installed.
wanted() {
	mkdir -p "$work/bin"
	printf '#!/bin/sh\n[ "$2" = linux-config-%s ]\n' "${known:-}" >"$work/bin/apt-cache"
	for name in dpkg-query apt-get; do printf '#!/bin/sh\n' >"$work/bin/$name"; done
	printf '#!/bin/sh\n[ "$1" = -n ] || echo "$@" >>%q\n' "$work/asked" >"$work/bin/sudo"
	chmod +x "$work"/bin/*
	env PATH="$work/bin:$PATH" "$@" "$top/tools/kernel/deps.sh" "${job:-deb}" 2>&1
}

# installs VERSION KNOWN: "make deb" wants its configuration, where apt knows that one only.
installs() {
	known=$2 wanted CONFIG=debian | grep -w "linux-config-$1"
}

# pahole_for JOB VARIABLE...: BTF is made with it.
pahole_for() {
	job=$1 wanted "${@:2}" | grep -w pahole
}

# Through sudo, which clears the environment, apt asks nothing, either.
asks_nothing() {
	printf '#!/bin/sh\necho 1000\n' >"$work/bin/id"
	wanted CONFIG=small
	grep '^env DEBIAN_FRONTEND=noninteractive apt-get install ' "$work/asked"
	! grep -v '^env DEBIAN_FRONTEND=noninteractive apt-get ' "$work/asked"
}

# Which is quick to build, and has no BTF.
no_pahole_for_small() {
	local job
	for job in deb check-deb; do
		wanted CONFIG=small >"$work/said"
		grep -w debhelper "$work/said" && ! grep -w pahole "$work/said" || return 1
	done
}

check "another Linux" another
check "check-deb takes the packages that it made" checks build/deb/amd64
check "wherever" checks "$work/deb/amd64" "DEB=$work/deb"
check "of another Linux, too" checks "$top/build/6.18/deb/amd64" "KSRC=$work/linux"
check "configured as Debian's" configured_as 6.12
check "whose configuration is installed first" installs 6.12 6.12
export KSRC=$work/linux
check "another Linux as Debian's of its version" configured_as 6.18
check "if there is one" installs 6.18 6.18
rm -r "$work/src/linux-config-6.18"
check "and else as this one" configured_as 6.12
check "whose is installed then" installs 6.12 6.12
unset KSRC
check "pahole for any configuration" pahole_for deb CONFIG=running
check "for that of check-deb, too" pahole_for check-deb CONFIG="$work/some.config"
check "but for the small one" no_pahole_for_small
check "apt asks nothing through sudo" asks_nothing
check "a configuration that is not there is refused" env CONFIG="$work/none" bash -c "$(declare -f refuses packages)
	top=$top work=$work; refuses 'no such file'"
check "so is an architecture that nobody tried" env ARCH=vax bash -c "$(declare -f refuses packages)
	top=$top work=$work; refuses 'are known here'"
check "CONFIG=small has all that it asks for" small amd64 x86_64
check "on arm64, too" small arm64 arm64
check "a configuration as small as can be" tiny
export CONFIG=$work/tiny.config
mkdir -p "$DEB"
chmod g+s "$DEB"
check "packages of it" packages
check "the kernel and its configuration" holds linux-image 'boot/vmlinuz-.*-mptcp$' 'boot/config-'
check "which anybody may read" modes
check "a version that goes up with each build" versions
mapfile -t modules < <(our_modules)
check "all ${#modules[@]} modules" holds linux-image "${modules[@]/%/$}"
check "they are listed" grep -q "${modules[0]}" "$work/said"
check "the tool, its library, its header, its manual page" holds mptcpctl usr/bin/mptcpctl lib/mptcpctl/libmptcpctl.so \
	include/mptcp_sched.h man8/mptcpctl.8
sed -i '/^CONFIG_NET=y/d' "$CONFIG"
check "a configuration that cannot have MPTCP is refused, by name" refuses 'CONFIG_MPTCP=y'
tally
