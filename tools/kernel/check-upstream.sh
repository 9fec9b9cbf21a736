#!/bin/bash
# SPDX-License-Identifier: MIT
# Linux's own MPTCP selftests on the patched and on the unpatched kernel, side by side, and
# the differences (there must be none).
# TESTS="connect join ..." chooses; default: all of them. LIST: extra arguments for join.
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

# run VARIANT: each test in a fresh guest; its TAP lines, without times, in VARIANT/TEST.tap
run() {
	local out test
	out=$(dirname -- "$(source_tree "$1")")/upstream
	for test in $tests; do
		"$top/tools/kernel/boot-uml" --kernel "$out" --mem 2G --rw "$logs/$1" --dmesg "$logs/$1/$test.dmesg" -- \
			bash -c "cd $(printf %q "$logs/$1/mptcp") && ./$test.sh ${LIST:-}" \
			>"$logs/$1/$test.log" 2>&1 || true
		grep -aE '^(# )?(not )?ok [0-9]+' "$logs/$1/$test.log" |
			sed -E 's/^# //; s/ *# time=.*//; s/ *\(duration.*//' >"$logs/$1/$test.tap" || true
		say "$1 $test: $(grep -c '^ok' "$logs/$1/$test.tap" || true) ok," \
			"$(grep -c '^not ok' "$logs/$1/$test.tap" || true) not ok"
	done
}

for variant in stock patched; do
	"$top/tools/kernel/source.sh" prepare $variant
	build_tests $variant
done
run stock &
run patched
wait

same=0 different=0
printf '\n%-16s %12s %12s\n' test stock patched
for test in $tests; do
	for variant in stock patched; do
		total=$(wc -l <"$logs/$variant/$test.tap")
		ok=$(grep -c '^ok' "$logs/$variant/$test.tap" || true)
		declare "$variant=$ok/$total"
	done
	# shellcheck disable=SC2154 # set by declare
	printf '%-16s %12s %12s' "$test" "$stock" "$patched"
	if [ -s "$logs/stock/$test.tap" ] && diff -q "$logs/stock/$test.tap" "$logs/patched/$test.tap" >/dev/null; then
		same=$((same + 1))
		echo "  same"
	else
		different=$((different + 1))
		echo "  DIFFERENT"
		diff "$logs/stock/$test.tap" "$logs/patched/$test.tap" | sed 's/^/    /' || true
	fi
	grep -h '^not ok' "$logs/stock/$test.tap" | sed 's/^/    fails unpatched: /' || true
done
printf '%d passed, %d failed\n' "$same" "$different"
[ "$different" = 0 ]
