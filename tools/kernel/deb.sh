#!/bin/bash
# SPDX-License-Identifier: MIT
# Debian packages of the patched kernel, for real machines, in build/deb.
# CONFIG= names the configuration; default: the running kernel's, or the newest in /boot.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

find_config() {
	local candidate
	for candidate in "${CONFIG:-}" "/boot/config-$(uname -r)" /boot/config-*; do
		[ -n "$candidate" ] || continue
		if [ -f "$candidate" ]; then
			realpath -- "$candidate"
			return
		fi
		[ "$candidate" != "${CONFIG:-}" ] || die "CONFIG=$candidate: no such file"
	done
	if [ -r /proc/config.gz ]; then
		mkdir -p "$build/deb"
		zcat /proc/config.gz >"$build/deb/running.config"
		echo "$build/deb/running.config"
		return
	fi
	die "no kernel configuration in /boot: name one with CONFIG=, e.g. CONFIG=build/x86/.config"
}

config=$(find_config)
tree=$(source_tree patched)
out=$build/deb/kernel
mkdir -p "$out"
say "configuration: $config"
cp -- "$config" "$out/.config"
# Our schedulers as modules; no keys and no debug information that only the vendor has use for.
"$tree/scripts/config" --file "$out/.config" \
	--enable MPTCP --enable MPTCP_IPV6 --module MPTCP_SCHED_MINRTT --module MPTCP_SCHED_RR \
	--set-str SYSTEM_TRUSTED_KEYS "" --set-str SYSTEM_REVOCATION_KEYS "" \
	--disable DEBUG_INFO_BTF --disable DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT --enable DEBUG_INFO_NONE
cc=gcc
if command -v ccache >/dev/null; then
	cc="ccache gcc"
	export CCACHE_DIR=${CCACHE_DIR:-$build/ccache}
fi
kmake() {
	make -s -C "$tree" O="$out" ARCH=x86_64 CC="$cc" LOCALVERSION=-mptcp -j"$(nproc)" "$@"
}
kmake olddefconfig
rm -f -- "$build"/deb/*.deb
kmake KDEB_PKGVERSION="$(kmake kernelversion)-1mptcp" bindeb-pkg
say "packages:"
for package in "$build"/deb/*.deb; do
	printf '  %s\n' "$package"
	dpkg-deb -c "$package" | grep -E 'vmlinuz|mptcp_sched|/config-' | sed 's/^/    /' || true
done
