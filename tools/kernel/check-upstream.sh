#!/bin/bash
# SPDX-License-Identifier: MIT
# Linux's own MPTCP selftests on the patched and on the unpatched kernel, side by side. What
# passes unpatched must pass patched; what fails unpatched is named. Some of these tests fail
# once in a while on any kernel: a difference counts when a second run confirms it.
# The transfers are repeated with each other scheduler as the default of all namespaces.
# TESTS="diag mptcp_join ..." and SCHEDULERS="rr ..." choose; default: all of them.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

tests=${TESTS:-diag pm_netlink mptcp_sockopt userspace_pm simult_flows mptcp_connect mptcp_connect_mmap
	mptcp_connect_sendfile mptcp_connect_checksum mptcp_join}
schedulers=${SCHEDULERS-rr minrtt minrtt+rp+bm redundant inorder}
logs=$build/check-upstream
mkdir -p "$logs"

# The tests of a variant's tree, below $logs/VARIANT.
build_tests() {
	local tree
	tree=$(source_tree "$1")
	# UML exports no headers; user space wants the host's architecture anyway
	make -s -C "$tree" ARCH=x86_64 O="$logs/headers-$1" headers
	mkdir -p "$logs/$1"
	cp -r "$tree/tools/testing/selftests/net/." "$logs/$1/" 2>/dev/null || true
	cp -r "$tree/tools/testing/selftests/kselftest" "$logs/" 2>/dev/null || true
	make -s -C "$tree/tools/testing/selftests/net/mptcp" OUTPUT="$logs/$1/mptcp" \
		KHDR_INCLUDES="-isystem $logs/headers-$1/usr/include" all
}

# with_scheduler NAME: a directory whose "ip netns add" makes NAME the new namespace's default.
with_scheduler() {
	local dir=$logs/bin-$1
	mkdir -p "$dir"
	cat >"$dir/ip" <<-IP
		#!/bin/sh
		$(command -v ip || echo /sbin/ip) "\$@" || exit
		[ "\$1 \$2" != "netns add" ] || $(command -v ip || echo /sbin/ip) netns exec "\$3" sysctl -qw net.mptcp.scheduler="$1"
	IP
	chmod +x "$dir/ip"
	echo "$dir"
}

# run VARIANT TEST [SCHEDULER]: in a fresh guest; its TAP lines, without times, in
# VARIANT/TEST.tap or VARIANT/TEST.SCHEDULER.tap. "ok ... # IGNORE" has failed, and is forgiven.
run() {
	local out log=$logs/$1/$2${3:+.$3} bin=''
	out=$(dirname -- "$(source_tree "$1")")/upstream
	[ -z "${3:-}" ] || bin=$(with_scheduler "$3"):
	"$top/tools/kernel/boot-uml" --kernel "$out" --mem 2G --rw "$logs/$1" --dmesg "$log.dmesg" -- \
		env PATH="$bin$PATH:/usr/sbin:/sbin" bash -c "cd $(printf %q "$logs/$1/mptcp") && bash ./$2.sh" \
		>"$log.log" 2>&1 || true
	grep -aE '^(# )?(not )?ok [0-9]+' "$log.log" |
		sed -E 's/^# //; s/^ok (.*[^ ]) *# IGNORE.*/not ok \1/; s/ *# time=.*//; s/ *\(duration.*//' >"$log.tap" || true
	say "$1 $2${3:+ $3}: $(grep -c '^ok' "$log.tap" || true) ok," \
		"$(grep -c '^not ok' "$log.tap" || true) not ok"
}

run_all() {
	local test
	for test in $tests; do
		run "$1" "$test"
	done
}

# The transfers, with each other scheduler as the default.
run_schedulers() {
	local scheduler
	for scheduler in $schedulers; do
		run patched mptcp_connect "$scheduler"
	done
}

# worse TEST [SCHEDULER]: lines that pass unpatched and do not pass patched
worse() {
	grep '^ok' "$logs/stock/$1.tap" | grep -vxFf "$logs/patched/$1${2:+.$2}.tap" || true
}

# count VARIANT NAME: "passed/all"
count() {
	echo "$(grep -c '^ok' "$logs/$1/$2.tap" || true)/$(wc -l <"$logs/$1/$2.tap")"
}

same=0 different=0
# row TEST [SCHEDULER]: of the table; a difference must show twice.
row() {
	local name=$1${2:+.$2}
	[ -z "$(worse "$@")" ] || run patched "$@"
	printf '%-24s %12s %12s' "$1${2:+, $2}" "$(count stock "$1")" "$(count patched "$name")"
	if grep -Eq "$complaints" "$logs/patched/$name.dmesg"; then
		different=$((different + 1))
		echo "  the kernel complained: see patched/$name.dmesg"
	elif [ -s "$logs/stock/$1.tap" ] && [ -z "$(worse "$@")" ]; then
		same=$((same + 1))
		echo "  as unpatched"
	else
		different=$((different + 1))
		echo "  WORSE"
		worse "$@" | sed 's/^ok/    fails patched:/'
	fi
	[ $# -gt 1 ] || grep -h '^not ok' "$logs/stock/$1.tap" | sed 's/^not ok/    failed unpatched:/' || true
}

both_kernels upstream
for variant in stock patched; do
	build_tests $variant
done
{ run_all stock; [ -z "$schedulers" ] || run_schedulers; } &
run_all patched
wait

printf '\n%-24s %12s %12s\n' test stock patched
for test in $tests; do
	row "$test"
done
for scheduler in $schedulers; do
	row mptcp_connect "$scheduler"
done
printf '%d passed, %d failed\n' "$same" "$different"
[ "$different" = 0 ]
