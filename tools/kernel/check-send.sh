#!/bin/bash
# SPDX-License-Identifier: MIT
# The tests that go to the mailing list beside the fixes, on the stock and on the patched kernel:
#
#   packetdrill  Each script of send/packetdrill, which plays a fix's case packet by packet, fails on Linux as it came
#                and passes on the patched kernel.
#   kselftest    So does each program of Linux's own tests with the patch of send/kselftest that is for it.
#   suite        The MPTCP scripts of packetdrill's own: what passes on Linux as it came passes patched. What fails or
#                is left out is named.
#
# packetdrill is the user's: SUITE= is a checkout of the one that speaks MPTCP, with gtests/net/mptcp. It is copied
# and built below build.
#
# usage: check-send.sh [NAME]...	(default: all; NAME: of a script or a patch, or "suite")
#	SUITE=DIR, KSRC=: which Linux, NOBUILD=1: the kernels as they are, JOBS=1: one guest at a time
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=series.sh
. "$top/tools/kernel/series.sh"

beside=$top/tools/kernel/send
logs=$build/check-send
net=$logs/gtests/net
passed=0 failed=0 skipped=0 number=0

# result RESULT WHAT [WHY]: a line of TAP. RESULT: ok, "not ok" or skip.
result() {
	local line=$1
	number=$((number + 1))
	case $1 in
	ok) passed=$((passed + 1)) ;;
	skip) skipped=$((skipped + 1)) line=ok ;;
	*) failed=$((failed + 1)) ;;
	esac
	printf '%s %d %s%s\n' "$line" "$number" "$2" "${3:+ # SKIP $3}"
}

# named KIND: what send/KIND has, without the ending, of what was asked for.
named() {
	local file name
	for file in "$beside/$1"/*; do
		[ -f "$file" ] || continue
		name=$(basename "$file")
		name=${name%.*}
		[ -z "$asked" ] || [[ " $asked " == *" $name "* ]] || continue
		echo "$name"
	done
}

# virtual_times: packetdrill waits for the next tick of times(), which reads a counter. In the guest's virtual time
# nothing moves that on but sleep.
virtual_times() {
	cat >"$logs/times.c" <<-'C'
		#include <stddef.h>
		#include <sys/times.h>
		#include <time.h>

		clock_t times(struct tms *buffer)
		{
			struct timespec now, step = { 0, 100000 };

			(void)buffer;
			nanosleep(&step, NULL);
			clock_gettime(CLOCK_MONOTONIC, &now);
			return now.tv_sec * 100 + now.tv_nsec / 10000000;
		}
	C
	gcc -O2 -Wall -shared -fPIC -o "$logs/times.so" "$logs/times.c"
}

# prepare_packetdrill: built, with our scripts among its own.
prepare_packetdrill() {
	[ -d "${SUITE:-}/gtests/net/mptcp" ] ||
		die "SUITE= names no checkout of packetdrill with gtests/net/mptcp: '${SUITE:-}'"
	mkdir -p "$net"
	cp -r -- "$SUITE/gtests/net/packetdrill" "$SUITE/gtests/net/common" "$SUITE/gtests/net/mptcp" "$net/"
	(cd "$net/packetdrill" && ./configure && make clean && make packetdrill) >"$logs/packetdrill.log" 2>&1 ||
		die "packetdrill does not build: $logs/packetdrill.log"
	mkdir "$net/mptcp/sent"
	cp -- "$beside/packetdrill"/*.pkt "$net/mptcp/sent/"
	virtual_times
}

# program_of NAME: which of Linux's own tests the patch is for.
program_of() {
	sed -nE 's,^\+\+\+ b/tools/testing/selftests/net/mptcp/([a-z_]+)\..*,\1,p' "$beside/kselftest/$1.patch" | head -n 1
}

# prepare_kselftest VARIANT NAME: the patched test, built, in VARIANT/NAME.out.
prepare_kselftest() {
	local tree dir=$logs/$1/$2.out headers=$logs/headers-$1
	tree=$(source_tree "$1")
	# UML exports no headers; user space wants the host's architecture anyway
	[ -d "$headers" ] || make -s -C "$tree" ARCH=x86_64 O="$headers" headers
	mkdir -p "$dir/tools/testing/selftests"
	cp -r -- "$tree/tools/testing/selftests/"{lib.mk,net,kselftest} "$dir/tools/testing/selftests/"
	patch -s -d "$dir" -p1 <"$beside/kselftest/$2.patch"
	make -s -C "$dir/tools/testing/selftests/net/mptcp" top_srcdir="$tree" OUTPUT=. \
		KHDR_INCLUDES="-isystem $headers/usr/include" "./$(program_of "$2")"
}

# fix_of NAME: the patch of this version whose test has that name; nothing if it has none.
fix_of() {
	local name
	while read -r name; do
		[ "$(patch_tag "$patches/$name" Test)" != "selftests/fixes/$1.sh" ] || echo "$name"
	done < <(series_names)
}

# guest VARIANT WHAT COMMAND...: leaves VARIANT/WHAT.log and .dmesg; the command may write to VARIANT/WHAT.out.
guest() {
	local out log=$logs/$1/$2
	out=$(dirname -- "$(source_tree "$1")")/upstream
	shift 2
	mkdir -p "$log.out"
	timeout 3600 "$top/tools/kernel/boot-uml" --kernel "$out" --rw "$log.out" --dmesg "$log.dmesg" -- "$@" \
		>"$log.log" 2>&1 || true
}

# drill VARIANT WHAT PATH: what is at PATH of gtests/net, over IPv4, IPv6 and one in the other. Its TAP lines are in
# VARIANT/WHAT.tap.
drill() {
	local log=$logs/$1/$2
	# shellcheck disable=SC2016 # the guest's shell is to read it
	guest "$1" "$2" env LD_PRELOAD="$logs/times.so" bash -c \
		'cd "$1" && packetdrill/run_all.py -S -v -l -t "$2" "$3"' - "$net" "$log.out" "$3"
	cat "$log.out"/*.tap 2>/dev/null | sed -nE 's,^((not )?ok) [0-9]+ .*/gtests/net/,\1 ,p' >"$log.tap" || true
}

# kselftest VARIANT NAME: the same of the program of Linux's own tests that a patch is for, which its script calls
# so; that wants iptables, too, for other cases.
kselftest() {
	local log=$logs/$1/$2
	prepare_kselftest "$1" "$2" >"$log.build" 2>&1 || die "it does not build: $log.build"
	# shellcheck disable=SC2016 # the guest's shell is to read it
	guest "$1" "$2" bash -c 'cd "$1" && for six in "" -6; do
		if "./$2" $six; then echo "ok $2 $six"; else echo "not ok $2 $six"; fi
	done' - "$log.out/tools/testing/selftests/net/mptcp" "$(program_of "$2")"
	grep -aE '^(not )?ok ' "$log.log" >"$log.tap" || true
}

# colour VARIANT WHAT: red, green, or broken when it came to no end. What makes the kernel complain is red.
colour() {
	local log=$logs/$1/$2
	if went_wrong "$log.tap" "$log.log" "$log.dmesg"; then
		echo red
	elif grep '^ok' "$log.tap" | grep -qv '# SKIP'; then
		echo green
	else
		echo broken
	fi
}

# run_all VARIANT
run_all() {
	local name
	mkdir -p "$logs/$1"
	for name in "${scripts[@]}"; do drill "$1" "$name" "mptcp/sent/$name.pkt"; done
	for name in "${tests[@]}"; do kselftest "$1" "$name"; done
	for name in "${parts[@]}"; do drill "$1" "suite-$name" "mptcp/$name"; done
}

# red_and_green NAME: the line of a script or a test.
red_and_green() {
	local fix before after
	fix=$(fix_of "$1")
	[ -n "$fix" ] || { result skip "$1" "its fix is not in this version"; return; }
	before=$(colour stock "$1") after=$(colour patched "$1")
	if [ "$before $after" = "red green" ]; then
		result ok "$1: red on stock, green patched"
	else
		result "not ok" "$1: $before on stock, $after patched, of $(plain_name "$fix"): $logs/*/$1.log"
	fi
}

# failing VARIANT PART: which scripts fail, over at least one of the protocols.
failing() { sed -nE 's/^not ok (.*) \(.*\)$/\1/p' "$logs/$1/suite-$2.tap" | sort -u; }

# single PART: what there is to say of single scripts.
single() {
	comm -12 <(failing stock "$1") <(failing patched "$1") | sed 's/$/ fails, on stock, too/'
	comm -23 <(failing stock "$1") <(failing patched "$1") | sed 's/$/ fails, on stock only/'
	comm -13 <(failing stock "$1") <(failing patched "$1") | sed 's/$/ fails, patched only/'
	find "$net/mptcp/$1" -name '*.skip' -printf "mptcp/$1/%P is left out by the suite\n"
}

# as_on_stock PART: the line of a folder of the suite, behind those of single scripts.
as_on_stock() {
	local stock=$logs/stock/suite-$1.tap patched=$logs/patched/suite-$1.tap worse
	single "$1" | sed 's/^/# /'
	worse=$(grep '^ok' "$stock" | grep -cvxFf "$patched" || true)
	if went_wrong /dev/null "$logs/patched/suite-$1.log" "$logs/patched/suite-$1.dmesg"; then
		result "not ok" "suite, $1: the kernel complains: $logs/patched/suite-$1.*"
	elif [ ! -s "$stock" ] || [ "$worse" != 0 ]; then
		result "not ok" "suite, $1: $worse of $(wc -l <"$stock") are worse than on stock: $logs/patched/suite-$1.log"
	else
		result ok "suite, $1: $(grep -c '^ok' "$patched" || true) of $(wc -l <"$patched") pass, none worse than on stock"
	fi
}

asked=$*
rm -rf -- "$logs"
prepare_packetdrill
[ -n "${NOBUILD:-}" ] || both_kernels upstream
mapfile -t scripts < <(named packetdrill)
mapfile -t tests < <(named kselftest)
parts=()
if [ -z "$asked" ] || [[ " $asked " == *" suite "* ]]; then
	mapfile -t parts < <(cd "$net/mptcp" && find . -mindepth 2 -name '*.pkt' -printf '%h\n' | sed 's,^\./,,' |
		grep -vx sent | sort -u)
fi
[ $((${#scripts[@]} + ${#tests[@]} + ${#parts[@]})) -gt 0 ] || die "there is nothing called $asked"
if [ "${JOBS:-$(nproc)}" -gt 1 ]; then
	run_all stock &
	run_all patched
	wait
else
	run_all stock
	run_all patched
fi
echo "TAP version 13"
echo "1..$((${#scripts[@]} + ${#tests[@]} + ${#parts[@]}))"
for name in "${scripts[@]}" "${tests[@]}"; do red_and_green "$name"; done
for name in "${parts[@]}"; do as_on_stock "$name"; done
closing "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
