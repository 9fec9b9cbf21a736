#!/bin/bash
# SPDX-License-Identifier: MIT
# The tests of check-test.sh, as many at a time as there are CPUs: a User-Mode guest has one, and
# its clock does not care how fast it runs. Each test's lines go to build/check/KIND/NAME.log.
# usage: check.sh [all | soon | kernel | kselftests | quick | robust | fixes] [TEST...]
#	KIND=uml|debug|x86|...: which kernel; BOOT=: what boots it; JOBS=: tests at a time
#	KEEP=yes: a test that passed from the same sources does not run again
#	SEED=: what User-Mode guests draw their random numbers from: 1, and another one each time for "robust"
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

logs=$build/check/${KIND:-uml}
jobs=${JOBS:-$(nproc)}
keep=${KEEP:-}
unset KEEP # of this call, not of those in a test

# What runs on a real machine, too; what should break it and must not, in short and whole; a test for
# each defect of Linux that is mended; the rest.
# The longest first, so that none is left alone at the end; "accuracy" when "packages", which compiles, is done.
kernel_tests=(kunit pairs cong papers replay subflows bm redundant rp rescue timers price inorder backup cong_churn limits extensions control early coding sockopt options refused low_overhead stateless_join app_key sysctl
	modules first_path rejoin why rr minrtt observe steering)
# takes long, and measures rates only: nothing that a debug kernel would see
rate_tests=(fair)
robust_tests=(faults middlebox conformance segments fuzz attack control-wire coding-wire pm flood security)
quick_tests=("${robust_tests[@]/%/ quick}")
mapfile -t fixes_tests < <(find "$top/selftests/fixes" -name '*.sh' -perm /u+x -printf '%f\n' | sed 's/\.sh$//' | sort)
tool_tests=(mptcpctl applications model doctor examples programs mplab digits promises spread source refresh port send sent alone check-series readme fixes-table counts install whole accuracy)
# made of the first series only; it is also the one that check-bpf builds and boots
if [ "$series_version" = "$base_version" ]; then tool_tests=(packages "${tool_tests[@]}"); else tool_tests+=(bpf-builds); fi
# those kernels that OpenWrt has
if grep -q "\"$series_version\":" "$top/tools/openwrt/openwrt.py"; then tool_tests+=(openwrt); fi
# ready in five minutes on two cores
soon_tests=(kunit pairs redundant rescue inorder limits backup sockopt refused low_overhead stateless_join app_key sysctl
	modules first_path rr minrtt observe "conformance quick" "${fixes_tests[@]}" mptcpctl doctor model readme fixes-table sent alone counts whole)
case ${1:-all} in
soon) tests=("${soon_tests[@]}") ;;
all) tests=("${tool_tests[@]}" "${rate_tests[@]}" "${kernel_tests[@]}" "${quick_tests[@]}" "${fixes_tests[@]}") ;;
kernel) tests=("${rate_tests[@]}" "${kernel_tests[@]}") ;;
kselftests) tests=("${kernel_tests[@]}") ;;
quick) tests=("${kernel_tests[@]}" "${quick_tests[@]}" "${fixes_tests[@]}") ;;
robust) tests=("${robust_tests[@]}") SEED=${SEED:-$RANDOM} ;;
fixes) tests=("${fixes_tests[@]}") ;;
*) tests=("$1") ;;
esac
export SEED=${SEED:-1}
set -- "${tests[@]}" "${@:2}"
# a path, as patches name it, will do
set -- "${@##*/}"
set -- "${@%.sh}"

# known TEST
known() {
	[[ " kunit ${tool_tests[*]} " == *" $1 "* ]] || selftest_script "${1%% *}" >/dev/null ||
		die "there is no test '$1'; there are ${tool_tests[*]} ${rate_tests[*]} ${kernel_tests[*]} ${robust_tests[*]}" \
			"${fixes_tests[*]}, and all, soon, kernel, kselftests, quick, robust, fixes: sets of them"
}

# shared PATHS: the kernel's sources, and what tests there are about or may use: all but the tests' scripts.
shared() {
	{ kernel_files; files "$1"; } | while IFS= read -r -d '' file; do
		[[ $file == selftests/*.sh && -x $top/$file ]] || printf '%s\0' "$file"
	done
}

# sources_of TEST: a digest of its sources. Those of the folders use what is in each other's.
sources_of() {
	local script shared=$all
	script=$(selftest_script "${1%% *}") || { echo "$all-$([ "$1" = kunit ] || echo "$tools")"; return; }
	[[ $script == */selftests/*/* ]] || shared=$above
	echo "$shared-$(printf '%s\0' "$script" | digest)"
}

# is_kept TEST: it passed from these sources, and did not only skip itself.
is_kept() {
	local good bad from
	[ -n "$keep" ] && read -r good bad _ _ from 2>/dev/null <"$logs/${1// /-}.result" &&
		[ "$good" != 0 ] && [ "$bad $from" = "0 $(sources_of "$1")" ]
}

# sum: of what the tests left, and the names of those that failed; one that left nothing failed.
sum() {
	local test
	local passed=0 failed=0 skipped=0 good bad not names=()
	for test; do
		read -r good bad not _ < <(cat "$logs/${test// /-}.result" 2>/dev/null || echo 0 1 0)
		passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + not))
		[ "$bad" = 0 ] || names+=("$test ($bad)")
	done
	[ ${#names[@]} = 0 ] || printf 'failed: %s\n' "$(printf '%s, ' "${names[@]}" | sed 's/, $//')"
	closing $passed $failed $skipped
	[ $failed = 0 ]
}

# costs TEST...: what each part took, added up, although several run at a time.
costs() {
	local test part seconds
	local -A spent=()
	for test; do
		case " ${tool_tests[*]} | ${fixes_tests[*]} | ${robust_tests[*]} " in
		*" ${test%% *} "*"|"*"|"*) part=tools ;;
		*"|"*" ${test%% *} "*"|"*) part=fixes ;;
		*"|"*"|"*" ${test%% *} "*) part=robustness ;;
		*) part=kselftests ;;
		esac
		read -r _ _ _ seconds _ < <(cat "$logs/${test// /-}.result" 2>/dev/null) || true
		spent[$part]=$((${spent[$part]:-0} + ${seconds:-0}))
	done
	for part in "${!spent[@]}"; do
		printf '# %-12s %3d min %02d s\n' "$part" $((spent[$part] / 60)) $((spent[$part] % 60))
	done | sort
}

mkdir -p "$logs/bin"
linux=$(linux_version "$(source_tree patched)" 2>/dev/null) || true
todo=() all=$linux-$(shared selftests | digest) above=$linux-$(shared ':(glob)selftests/*' | digest)
tools=$(files tools | digest)
for test; do
	known "$test"
	! is_kept "$test" || { say "$test passed already"; continue; }
	rm -f -- "$logs/${test// /-}.result"
	sources_of "$test" >"$logs/${test// /-}.sources"
	todo+=("$test")
done
make -s -C "$top/selftests" OUTPUT="$logs/bin" all
make -s -C "$top/selftests/robust" OUTPUT="$logs/bin" all
make -s -C "$top/selftests/fixes" OUTPUT="$logs/bin" all
[ ${#todo[@]} = 0 ] || killable xargs -0 -n 1 -P "$jobs" -- "$top/tools/kernel/check-test.sh" \
	< <(printf '%s\0' "${todo[@]}") || true
costs "$@"
sum "$@"
