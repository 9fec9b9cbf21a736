#!/bin/bash
# SPDX-License-Identifier: MIT
# KUnit and the kselftests in a guest, the tools' own tests. Each test's lines go to
# build/check/KIND/NAME.log.
# usage: check.sh [TEST... | all | kernel | quick | robust]
#	KIND=uml|debug|x86|...: which kernel; BOOT=: what boots it
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

kind=${KIND:-uml}
boot=${BOOT:-$top/tools/kernel/boot-uml}
kernel=$build/$kind
logs=$build/check/$kind
passed=0 failed=0
mkdir -p "$logs/bin"

# report NAME STATUS: count the "ok" and "not ok" lines of a (K)TAP log, nested ones
# included; a test that broke off without a failed line is one failure.
report() {
	local log=$logs/$1.log ok bad skipped
	ok=$(grep -E '^ *ok [0-9]+' "$log" | grep -Evc '# XFAIL' || true)
	bad=$(grep -Ec '^ *not ok [0-9]+' "$log" || true)
	skipped=$(grep -Ec '^ *ok [0-9]+.*# (SKIP|XFAIL)|^1\.\.0 # SKIP' "$log" || true)
	if [ "$2" != 0 ] && [ "$2" != 4 ] && [ "$bad" = 0 ]; then
		bad=1
		echo "not ok: $1 broke off with status $2" >>"$log"
	fi
	if [ $((ok + bad + skipped)) = 0 ]; then
		bad=1
		echo "not ok: $1 ran no test" >>"$log"
	fi
	passed=$((passed + ok)) failed=$((failed + bad))
	printf '%-28s %4d passed %4d failed %4d skipped or known to fail\n' "$1" "$ok" "$bad" "$skipped"
	[ "$bad" = 0 ] || grep -E -A4 'not ok' "$log" | sed 's/^/    /'
}

# functions: of net/mptcp.
functions() {
	find "$kernel/net/mptcp" -name '*.o' -exec nm {} + 2>/dev/null | awk '$2 ~ /[tTwW]/ { print $3 }' | sort -u
}

# relevant LOG: without the titles of data races (KCSAN) in which no function of net/mptcp takes
# part: Linux has some.
relevant() {
	awk -v names="$(functions)" 'BEGIN { split(names, list); for (n in list) ours[list[n]] }
		/BUG: KCSAN: .* in / {
			title = $0
			sub(/.* in /, "", title)
			split(title, places, " / ")
			for (n in places) sub(/[+ ].*/, "", places[n])
			if (!(places[1] in ours) && !(places[2] in ours)) next
		}
		{ print }' "$1" 2>/dev/null
}

# guest NAME COMMAND...: a test inside the guest; kernel complaints are failures, too.
guest() {
	local name=$1 status=0
	shift
	"$boot" --kernel "$kernel" --dmesg "$logs/$name.dmesg" -- "$@" \
		>"$logs/$name.log" 2>&1 || status=$?
	if grep -Eq "$complaints" <(relevant "$logs/$name.dmesg"); then
		echo "not ok 999 the kernel complained: see $name.dmesg" >>"$logs/$name.log"
	fi
	report "$name" "$status"
}

host() {
	local name=$1 status=0
	shift
	"$@" >"$logs/$name.log" 2>&1 || status=$?
	report "$name" "$status"
}

# Python's unittest, as TAP: one line per test.
unittests() {
	local out
	out=$(cd "$top/tools/mplab" && /usr/bin/python3 -m unittest discover -v -s tests 2>&1) || true
	printf '%s\n' "$out" | sed 's/^/# /'
	printf '%s\n' "$out" | awk '/ \.\.\. (ok|FAIL|ERROR|skipped)/ {
		n++; status = $0; sub(/.* \.\.\. /, "", status)
		print (status ~ /^(ok|skipped)/ ? "ok " : "not ok ") n " " $1 (status ~ /^skipped/ ? " # SKIP" : "") }
		/^(FAILED|ImportError|ModuleNotFoundError)/ { bad = 1 } END { exit bad }'
}

# The numbers that KUnit compares with are what the model gives.
model() {
	if "$top/tools/cong-model/cong_model.py" --check "$top/net/mptcp/cong_vectors.h"; then
		echo "ok 1 cong_vectors.h is what the model gives"
	else
		echo "not ok 1 cong_vectors.h is what the model gives"
	fi
}

kunit='modprobe -a mptcp_sched_test mptcp_cong_test mptcp_token_test mptcp_crypto_test && dmesg | sed "s/^\[[^]]*\] //" |
	grep -E "^ *(ok|not ok|#|KTAP|1\.\.)" | grep -v "^ok\|^not ok"'
make -s -C "$top/selftests" OUTPUT="$logs/bin" all
make -s -C "$top/selftests/robust" OUTPUT="$logs/bin" all

# selftest "NAME [ARG...]": its script.
selftest() {
	local dir
	for dir in "$top/selftests" "$top/selftests/robust"; do
		[ ! -x "$dir/${1%% *}.sh" ] || { echo "$dir/${1%% *}.sh"; return; }
	done
	die "there is no test '$1'"
}

run_test() {
	local script arguments
	case $1 in
	kunit) guest kunit bash -c "$kunit" ;;
	mptcpctl) guest mptcpctl "$top/tools/mptcpctl/test.sh" ;;
	mplab) host mplab unittests ;;
	model) host model model ;;
	accuracy | promises) host "$1" /usr/bin/python3 "$top/tools/mplab/tests/$1.py" "$kernel" ;;
	source | readme) host "$1" "$top/tools/kernel/tests/$1-test.sh" ;;
	*)
		script=$(selftest "$1")
		# a name may carry arguments: "middlebox quick"
		read -ra arguments <<<"$1"
		guest "${1// /-}" env PATH="$logs/bin:$PATH" KSFT_MACHINE_SLOW="${KSFT_MACHINE_SLOW:-}" \
			"$script" "${arguments[@]:1}"
		;;
	esac
}

# what runs on a real machine, too; what should break it and must not, in short and whole; the rest
kernel_tests=(kunit sysctl sockopt extensions modules rr minrtt rp bm redundant inorder backup subflows
	cong cong_churn fair observe)
robust_tests=(conformance middlebox faults fuzz security flood pm)
quick_tests=("${robust_tests[@]/%/ quick}")
tool_tests=(model mptcpctl mplab accuracy promises source readme)
case ${1:-all} in
all) set -- "${kernel_tests[@]}" "${quick_tests[@]}" "${tool_tests[@]}" ;;
kernel) set -- "${kernel_tests[@]}" ;;
quick) set -- "${kernel_tests[@]}" "${quick_tests[@]}" ;;
robust) set -- "${robust_tests[@]}" ;;
esac
for test in "$@"; do
	run_test "$test"
done

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
