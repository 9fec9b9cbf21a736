#!/bin/bash
# SPDX-License-Identifier: MIT
# One test, for check.sh: in a guest (KUnit, kselftests) or on the host (the tools' own). Its
# lines go to build/check/KIND/NAME.log; what it came to, in one line, to the output, and to
# NAME.result as "PASSED FAILED SKIPPED SECONDS SOURCES", the last from NAME.sources, where check.sh put it.
# usage: check-test.sh TEST
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

kind=${KIND:-uml}
boot=${BOOT:-$top/tools/kernel/boot-uml}
kernel=$build/$kind
logs=$build/check/$kind
test=$1
# a name may carry arguments: "middlebox quick"
name=${test// /-}
log=$logs/$name.log
status=0
# seconds, of a guest: none takes half as long, but for one that a defect keeps from ending
limit=2700

# judge: a test that broke off without a failed line, or ran nothing and does not say why, has failed.
judge() {
	local ok bad skipped
	read -r ok bad skipped < <(tap_counts "$log")
	# 4 is for those that skip themselves
	if [ "$status" = 4 ] && [ "$skipped" != 0 ]; then
		status=0
	fi
	if [ "$status" != 0 ] && [ "$bad" = 0 ]; then
		echo "not ok: $test broke off with status $status" >>"$log"
	elif [ $((ok + bad + skipped)) = 0 ]; then
		echo "not ok: $test ran no test" >>"$log"
	fi
}

# report: count.
report() {
	local ok bad skipped
	judge
	read -r ok bad skipped < <(tap_counts "$log")
	echo "$ok $bad $skipped $SECONDS $(cat "$logs/$name.sources" 2>/dev/null)" >"$logs/$name.result"
	# in one piece: others report at the same time
	printf '%s\n' "$(printf '%-20s %4d passed %4d failed %4d skipped %5d s\n' "$name" "$ok" "$bad" "$skipped" $SECONDS
		[ "$bad" = 0 ] || { grep -E -A4 'not ok' "$log"; again; } | sed 's/^/    /')"
}

# again: the command for this test, with what it was called with.
again() {
	local name words=()
	for name in KSRC BUILD KIND BOOT KSFT_MACHINE_SLOW SEED; do
		[ -z "${!name:-}" ] || words+=("$name=${!name}")
	done
	echo "again: ${words[*]} tools/kernel/check.sh '$test'"
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

# Of a kernel that counts which lines run: the command, then into the folder $0 what was counted.
# shellcheck disable=SC2016 # for the guest
counting='"$@"; status=$?; mount -t debugfs none /sys/kernel/debug 2>/dev/null
	find /sys/kernel/debug/gcov -path "*/net/mptcp/*.gcda" | while read -r file; do
		name=${file##*/net/mptcp/}
		cat "$file" >"$0/${name//\//#}"
	done; exit $status'

# In a User-Mode guest what failed fails again, in any clone: it draws the same numbers, and knows the tree by a
# path of the same length. QEMU's clock is the machine's.
tree=$top bin=$logs/bin same=()
if [[ $boot == */boot-uml ]]; then
	tree=/mnt/tree bin=/mnt/bin
	same=(--seed "${SEED:-1}" --bind "$top" "$tree" --bind "$logs/bin" "$bin")
fi

# what a kernel needs that keeps two bytes more of each byte
memory=()
[ "$kind" != uninit ] || memory=(--mem 4G)

# guest COMMAND...: inside the guest; kernel complaints are failures, too.
guest() {
	local counted=()
	rm -f -- "$logs/$name.dmesg"
	if [ "$kind" = coverage ]; then
		mkdir -p "$logs/gcov/$name"
		counted=(--rw "$logs/gcov/$name")
		set -- bash -c "$counting" "$logs/gcov/$name" "$@"
	fi
	timeout --foreground --kill-after 10 "$limit" "$boot" --kernel "$kernel" ${same[@]+"${same[@]}"} \
		${memory[@]+"${memory[@]}"} ${counted[@]+"${counted[@]}"} --dmesg "$logs/$name.dmesg" -- \
		env PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" HOME="${HOME:-/root}" "$@" >"$log" 2>&1 || status=$?
	[ "$status" != 124 ] || echo "not ok 998 the guest did not end within $limit s" >>"$log"
	if grep -Eq "$complaints" <(relevant "$logs/$name.dmesg"); then
		echo "not ok 999 the kernel complained: see $name.dmesg" >>"$log"
	fi
}

host() { "$@" >"$log" 2>&1 || status=$?; }

# Python's unittest, as TAP: one line per test.
unittests() {
	local out
	out=$(cd "$top/tools/mplab" && /usr/bin/python3 -m unittest discover -v -s tests 2>&1) || true
	printf '%s\n' "$out" | sed 's/^/# /'
	printf '%s\n' "$out" | awk '/ \.\.\. (ok|FAIL|ERROR|skipped)/ {
		n++; status = $0; sub(/.* \.\.\. /, "", status)
		print (status ~ /^(ok|skipped)/ ? "ok " : "not ok ") n " " $1 (status ~ /^skipped/ ? " # SKIP " status : "") }
		/^(FAILED|ImportError|ModuleNotFoundError)/ { bad = 1 } END { exit bad }'
}

# succeeds WHAT COMMAND...: a test of one line.
succeeds() {
	if "${@:2}"; then echo "ok 1 $1"; else echo "not ok 1 $1"; fi
}

# The numbers that KUnit compares with are what the model gives.
model() { succeeds "cong/vectors.h is what the model gives" "$top/tools/cong-model/cong_model.py" --check "$top/net/mptcp/cong/vectors.h"; }

# User-Mode Linux has no schedulers in BPF: are there any on this Linux?
bpf_builds() { succeeds "net/mptcp builds with schedulers in BPF" "$top/tools/kernel/build.sh" bpf net/mptcp/; }

# The fixes as those need them who take some of them. Toys have the scripts' own tests.
sent() { SEND=$logs/send succeeds "the fixes are series that apply to Linux as it came" "$top/tools/kernel/send.sh"; }

# All that this kernel has, and these it must have; loading them runs them.
# shellcheck disable=SC2016 # for the guest
kunit='modprobe -a mptcp_sched_test mptcp_cong_test mptcp_token_test mptcp_crypto_test "$@" && dmesg | sed "s/^\[[^]]*\] //" |
	grep -E "^ *(ok|not ok|#|KTAP|1\.\.)" | grep -v "^ok\|^not ok"'
kunit_modules() { find "$kernel/modules" -name 'mptcp_*_test.ko' -printf '%f\n' | sed 's/\.ko$//' | sort; }

selftest() {
	local script arguments
	read -ra arguments <<<"$test"
	script=$(selftest_script "${arguments[0]}") || die "there is no test '$test'"
	guest env PATH="$bin:$PATH" KSFT_MACHINE_SLOW="${KSFT_MACHINE_SLOW:-}" \
		"$tree${script#"$top"}" "${arguments[@]:1}"
}

case $test in
kunit)
	mapfile -t modules < <(kunit_modules)
	guest bash -c "$kunit" kunit ${modules[@]+"${modules[@]}"}
	;;
mptcpctl) guest "$tree/tools/mptcpctl/test.sh" ;;
doctor) guest "$tree/tools/mptcpctl/doctor-test.sh" ;;
examples)
	mkdir -p "$build/examples"
	make -s -C "$top/tools/examples" BUILD="$build/examples" >"$log" 2>&1 || die "tools/examples does not build: see $log"
	guest "$tree/tools/examples/test.sh" "$build/examples"
	;;
programs)
	mkdir -p "$build/programs"
	rm -f -- "$build/programs/serve"
	# without Go, or with an old one, what is about Go is skipped
	! command -v go >/dev/null || (cd "$top/tools/kernel/tests/serve" &&
		GOTOOLCHAIN=local go build -buildvcs=false -o "$build/programs/serve" . >"$log" 2>&1) || true
	guest "$tree/tools/kernel/tests/programs-test.sh" "$build/programs"
	;;
mplab) host unittests ;;
model) host model ;;
bpf-builds) host bpf_builds ;;
sent) host sent ;;
alone) host "$top/tools/kernel/check-alone.sh" ;;
accuracy | applications | digits | promises | spread)
	host /usr/bin/python3 "$top/tools/mplab/tests/$test.py" "$kernel"
	;;
source | refresh | port | send | check-series | readme | fixes-table | counts | install | whole | openwrt | packages) host "$top/tools/kernel/tests/$test-test.sh" ;;
*) selftest ;;
esac
report
