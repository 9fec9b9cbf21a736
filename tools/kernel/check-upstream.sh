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
# shellcheck source=compare.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/compare.sh"

tests=${TESTS:-diag pm_netlink mptcp_sockopt userspace_pm simult_flows mptcp_connect mptcp_connect_mmap
	mptcp_connect_sendfile mptcp_connect_checksum mptcp_join}
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
	say "$1 $2${3:+ $3}: $(lines "$1" "$2${3:+.$3}" passed | wc -l) ok," \
		"$(lines "$1" "$2${3:+.$3}" failed | wc -l) not ok," \
		"$(lines "$1" "$2${3:+.$3}" skipped | wc -l) skipped"
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

# twice TEST [SCHEDULER]: a difference must show a second time.
twice() { [ -z "$(worse "$@")" ] || run patched "$@"; }

both_kernels upstream
schedulers=${SCHEDULERS-$(schedulers_of "$build/upstream" | sed 's/\<default //')}
for variant in stock patched; do
	build_tests $variant
done
{ run_all stock; [ -z "$schedulers" ] || run_schedulers; } &
run_all patched
wait

printf '\n%-24s %12s %12s\n' test stock patched
for test in $tests; do
	twice "$test"
	row "$test"
done
for scheduler in $schedulers; do
	twice mptcp_connect "$scheduler"
	row mptcp_connect "$scheduler"
done
closing "$same" "$different" "$skipped"
[ "$different" = 0 ]
