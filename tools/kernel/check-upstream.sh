#!/bin/bash
# SPDX-License-Identifier: MIT
# Linux's own MPTCP selftests on the patched and on the unpatched kernel, side by side. What
# passes unpatched must pass patched; what fails unpatched is named. Some of these tests fail
# once in a while on any kernel: a difference counts when a second run confirms it.
# TESTS="diag mptcp_join ..." chooses; default: all of them.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

tests=${TESTS:-diag pm_netlink mptcp_sockopt userspace_pm simult_flows mptcp_connect mptcp_join}
logs=$build/check-upstream
mkdir -p "$logs"

# The tests of a variant's tree, built for it, below $logs/VARIANT.
build_tests() {
	local tree
	tree=$(source_tree "$1")
	VARIANT=$1 "$top/tools/kernel/build.sh" upstream
	# UML exports no headers; user space wants the host's architecture anyway
	make -s -C "$tree" ARCH=x86_64 O="$logs/headers-$1" headers
	mkdir -p "$logs/$1"
	cp -r "$tree/tools/testing/selftests/net/." "$logs/$1/" 2>/dev/null || true
	cp -r "$tree/tools/testing/selftests/kselftest" "$logs/" 2>/dev/null || true
	make -s -C "$tree/tools/testing/selftests/net/mptcp" OUTPUT="$logs/$1/mptcp" \
		KHDR_INCLUDES="-isystem $logs/headers-$1/usr/include" all
}

# run VARIANT TEST: in a fresh guest; its TAP lines, without times, in VARIANT/TEST.tap
run() {
	local out log=$logs/$1/$2
	out=$(dirname -- "$(source_tree "$1")")/upstream
	"$top/tools/kernel/boot-uml" --kernel "$out" --mem 2G --rw "$logs/$1" --dmesg "$log.dmesg" -- \
		bash -c "cd $(printf %q "$logs/$1/mptcp") && ./$2.sh" >"$log.log" 2>&1 || true
	grep -aE '^(# )?(not )?ok [0-9]+' "$log.log" |
		sed -E 's/^# //; s/ *# time=.*//; s/ *\(duration.*//' >"$log.tap" || true
	say "$1 $2: $(grep -c '^ok' "$log.tap" || true) ok," \
		"$(grep -c '^not ok' "$log.tap" || true) not ok"
}

run_all() {
	local test
	for test in $tests; do
		run "$1" "$test"
	done
}

# worse TEST: lines that pass unpatched and do not pass patched
worse() {
	grep '^ok' "$logs/stock/$1.tap" | grep -vxFf "$logs/patched/$1.tap" || true
}

for variant in stock patched; do
	"$top/tools/kernel/source.sh" prepare $variant
	build_tests $variant
done
run_all stock &
run_all patched
wait

same=0 different=0
for test in $tests; do
	[ -z "$(worse "$test")" ] || run patched "$test"
done
printf '\n%-16s %12s %12s\n' test stock patched
for test in $tests; do
	for variant in stock patched; do
		total=$(wc -l <"$logs/$variant/$test.tap")
		ok=$(grep -c '^ok' "$logs/$variant/$test.tap" || true)
		declare "$variant=$ok/$total"
	done
	# shellcheck disable=SC2154 # set by declare
	printf '%-16s %12s %12s' "$test" "$stock" "$patched"
	if [ -s "$logs/stock/$test.tap" ] && [ -z "$(worse "$test")" ]; then
		same=$((same + 1))
		echo "  as unpatched"
	else
		different=$((different + 1))
		echo "  WORSE"
		worse "$test" | sed 's/^ok/    fails patched:/'
	fi
	grep -h '^not ok' "$logs/stock/$test.tap" | sed 's/^not ok/    failed unpatched:/' || true
done
printf '%d passed, %d failed\n' "$same" "$different"
[ "$different" = 0 ]
