# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # top and build, which those who source this have
# For check-upstream.sh and check-seeds.sh: Linux's own MPTCP selftests of a variant's tree ("stock" or "patched"), or of
# the tree that SUITE= names, built in $logs/VARIANT, in a guest of that variant's kernel.

# what another tree's tests came to is not what this one's do
logs=$build/check-upstream${SUITE:+-suite}

# build_tests VARIANT
build_tests() {
	local tree
	tree=${SUITE:-$(source_tree "$1")}
	[ -d "$tree/tools/testing/selftests/net/mptcp" ] ||
		die "SUITE=$tree: no tree of Linux, which has tools/testing/selftests/net/mptcp"
	# UML exports no headers; user space wants the host's architecture anyway
	make -s -C "$tree" ARCH=x86_64 O="$logs/headers-$1" headers
	mkdir -p "$logs/$1"
	cp -r "$tree/tools/testing/selftests/net/." "$logs/$1/" 2>/dev/null || true
	cp -r "$tree/tools/testing/selftests/kselftest" "$logs/" 2>/dev/null || true
	make -s -C "$tree/tools/testing/selftests/net/mptcp" OUTPUT="$logs/$1/mptcp" \
		KHDR_INCLUDES="-isystem $logs/headers-$1/usr/include" all
}

# upstream_kernel VARIANT: where it is.
upstream_kernel() { echo "$(dirname -- "$(source_tree "$1")")/upstream"; }

# with_scheduler VARIANT NAME: a folder in $logs/VARIANT whose "ip netns add" makes NAME the new namespace's scheduler.
with_scheduler() {
	local ip
	ip=$(command -v ip || echo /sbin/ip)
	mkdir -p "$logs/$1/bin-$2"
	cat >"$logs/$1/bin-$2/ip" <<-IP
		#!/bin/sh
		$ip "\$@" || exit
		[ "\$1 \$2" != "netns add" ] || $ip netns exec "\$3" sysctl -qw net.mptcp.scheduler="$2"
	IP
	chmod +x "$logs/$1/bin-$2/ip"
	echo "bin-$2"
}

# boot_upstream VARIANT LOG [OPTION...] -- SCRIPT [ARG...]: all that it prints goes to LOG.log, and its TAP lines
# without times to LOG.tap. "ok ... # IGNORE" has failed, and is forgiven.
boot_upstream() {
	local variant=$1 log=$2 options=() status=0
	shift 2
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	"$top/tools/kernel/boot-uml" --kernel "$(upstream_kernel "$variant")" --mem 2G --dmesg "$log.dmesg" \
		${options[@]+"${options[@]}"} -- "$@" >"$log.log" 2>&1 || status=$?
	# interrupted or ended from outside: what it came to is not known
	[[ ! $status =~ ^(129|130|143)$ ]] || exit "$status"
	grep -aE '^(# )?(not )?ok [0-9]+' "$log.log" |
		sed -E 's/^# //; s/^ok (.*[^ ]) *# IGNORE.*/not ok \1/; s/ *# time=.*//; s/ *\(duration.*//' >"$log.tap" || true
}
