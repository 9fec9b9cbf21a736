#!/bin/bash
# SPDX-License-Identifier: MIT
# Check the patches one by one, not what all of them come to.
#
#   order   Applied one after the other, the tree builds after each patch. Those of "sched" and
#           "cong" only hook in what net/mptcp/ has, and that is there in its final state only:
#           these groups must apply patch by patch and build after the last.
#   fixes   Each of patches/fixes does its work alone, on Linux with patches/testbed: it applies
#           (upon those that its message names by "Depends-on: SUBJECT"), the kernel builds, and
#           the test that the message names by "Test: selftests/fixes/NAME.sh" fails without it and
#           passes with it. "Test: none (REASON)" says why there is none.
#   sent    After each patch of the series for the mailing list (send.sh), in their order, net/mptcp, net/ipv4 and net/ipv6
#           build.
#   newest  Which of the tests fail on Linux as it came, as a table; with KSRC= of the newest
#           version: which of the defects it still has.
#
# usage: check-series.sh [order] [fixes] [sent] [newest]	(default: order fixes sent)
#	PATCH=PART: of fixes, only the patch with PART in its name
#	KSRC=PATH: another kernel source; not for "order" unless there is a series for it
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=series.sh
. "$top/tools/kernel/series.sh"

# groups that build as a whole only
whole=(sched cong)

variant=series
[ -z "${KSRC:-}" ] || variant=other
tree=$(source_tree $variant)
out=${tree%/linux}/uml
logs=$build/check-series/$variant
passed=0 failed=0 skipped=0

# report RESULT NAME WHAT: a line for a patch. RESULT: ok, FAILED or skipped. started is when it began.
report() {
	case $1 in
	ok) passed=$((passed + 1)) ;;
	skipped) skipped=$((skipped + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
	printf '%-8s %-70s %3d s  %s\n' "$1" "$2" $((SECONDS - started)) "$3"
}

# prepare_tree: Linux with the test bed; what an earlier run left in the tree goes.
prepare_tree() {
	mkdir -p "$logs"
	FORCE=1 "$top/tools/kernel/source.sh" prepare $variant
	plain=$(tree_git rev-parse patches) begun=$plain
	version=$(linux_version "$tree")
	go_to "$plain"
	lay_stable
}

# lay_stable: what later releases have; fixes stand on it. This one may have some of it.
lay_stable() {
	local name
	while read -r name; do
		tree_git apply --reverse --check "$patches/$name" 2>/dev/null || apply "$name" || die "$why"
	done < <(series_names stable)
	plain=$(tree_git rev-parse HEAD)
}

# go_to COMMIT: without our files; only files that differ are written.
go_to() {
	find "$tree/net/mptcp" -maxdepth 1 -type l -delete
	rm -rf -- "$tree/.git/rebase-apply"
	tree_git checkout -q -f --detach "$1"
}

# apply NAME...: on top of what is there.
apply() {
	local name
	for name; do
		tree_git am -q --keep-cr "$patches/$name" >"$logs/apply.log" 2>&1 || {
			tree_git am --abort 2>/dev/null || true
			why="$name does not apply: $logs/apply.log"
			return 1
		}
	done
}

# build NAME [TARGET...]: sets log.
build() {
	log=$logs/${1//\//-}.build
	shift
	VARIANT=$variant "$top/tools/kernel/build.sh" uml "$@" >"$log" 2>&1 || { why="does not build: $log"; return 1; }
}

# builds NAME [TARGET...]: without a warning in what the patch made it build again.
builds() {
	local log
	build "$@" || return 1
	! grep -q 'warning:' "$log" || { why="builds with warnings: $log"; return 1; }
}

# is_within NAME: behind it the group is not whole yet.
is_within() {
	local group
	group=$(group_of "$1")
	[[ " ${whole[*]} " == *" $group "* ]] && [ "$(series_names "$group" | tail -n 1)" != "$1" ]
}

# in_order NAME: one step of "order".
in_order() {
	local started=$SECONDS
	if ! apply "$1"; then
		report FAILED "$1" "$why"
		return 1
	fi
	if is_within "$1"; then
		report ok "$1" "applies"
	elif builds "order-$1" linux modules; then
		report ok "$1" "applies, builds"
	else
		report FAILED "$1" "$why"
	fi
}

check_order() {
	local name log laid=''
	[ "${version%.*}" = "$series_version" ] || die "order: $KSRC is Linux $version; the patches are for $series_version.y"
	tree_git checkout -q -f --detach base
	build base linux modules || die "Linux $version $why"
	while read -r name; do
		case $(group_of "$name") in
		testbed | stable | fixes) ;;
		*) [ -n "$laid" ] || { lay_over; laid=1; } ;;
		esac
		in_order "$name" || { say "those behind it were not tried"; break; }
	done < <(series_names)
}

# run_test TEST STATE: in the guest; prints red, green, skipped, or broken when it came to no end.
# A test that makes the kernel complain or stop is red. What it said is in TEST-STATE.log.
run_test() {
	local name log dmesg status=0
	name=$(basename "$1" .sh)
	log=$logs/$name-$2.log dmesg=$logs/$name-$2.dmesg
	rm -f -- "$dmesg"
	timeout 600 "$top/tools/kernel/boot-uml" --kernel "$out" --dmesg "$dmesg" -- \
		env PATH="$logs/bin:$PATH" "$top/$1" >"$log" 2>&1 || status=$?
	if went_wrong "$log" "$log" "$dmesg"; then
		echo red
	elif [ "$status" = 4 ] || grep -q '^1\.\.0 # SKIP' "$log"; then
		echo skipped
	elif [ "$status" = 0 ] && grep '^ok' "$log" | grep -v '# SKIP' >/dev/null; then
		echo green
	else
		echo broken
	fi
}

build_tests() {
	local dir
	mkdir -p "$logs/bin"
	for dir in selftests selftests/robust selftests/fixes; do
		[ ! -f "$top/$dir/Makefile" ] || make -s -C "$top/$dir" OUTPUT="$logs/bin" all
	done
}

# run_plain TEST...: on Linux as it came, as many at a time as there are CPUs; sets plainly[TEST].
declare -A plainly=()
run_plain() {
	local test log
	go_to "$plain"
	build plain || die "Linux $version $why"
	for test; do
		while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-$(nproc)}" ]; do wait -n || true; done
		run_test "$test" plain >"$logs/$(basename "$test").plain" &
	done
	wait
	for test; do
		plainly[$test]=$(cat "$logs/$(basename "$test").plain")
	done
}

# expect COLOUR GOT WHEN TEST STATE
expect() {
	[ "$1" != "$2" ] || return 0
	why="$4 is $2 $3, not $1: $logs/$(basename "$4" .sh)-$5.log"
	return 1
}

# turns_green NAME TEST [NEEDED...]: red on Linux as it came, red with what the patch needs, green
# with the patch.
turns_green() {
	local name=$1 test=$2 state=${1//\//-}
	shift 2
	expect red "${plainly[$test]}" "on Linux $version" "$test" plain || return 1
	go_to "$plain" && apply "$@" || return 1
	if [ $# -gt 0 ]; then
		builds "needed-$state" || return 1
		expect red "$(run_test "$test" needed)" "without it" "$test" needed || return 1
	fi
	apply "$name" && builds "alone-$state" &&
		expect green "$(run_test "$test" fixed)" "with it" "$test" fixed
}

# builds_alone NAME [NEEDED...]
builds_alone() {
	local name=$1
	shift
	go_to "$plain" && apply "$@" "$name" && builds "alone-${name//\//-}"
}

# fix_alone NAME: one step of "fixes".
fix_alone() {
	local started=$SECONDS test needed=() upon
	test=$(patch_tag "$patches/$1" Test)
	needs "$1" >"$logs/needs" || { report FAILED "$1" "Depends-on: names no patch of fixes/ before it"; return; }
	mapfile -t needed <"$logs/needs"
	upon="builds ${needed[*]:+with }${needed[*]:-alone}"
	case $test in
	"none ("*")")
		if builds_alone "$1" "${needed[@]}"; then
			report skipped "$1" "$upon; test: $test"
		else
			report FAILED "$1" "$why"
		fi ;;
	selftests/fixes/*.sh)
		if [ ! -x "$top/$test" ]; then
			report FAILED "$1" "there is no $test"
		elif turns_green "$1" "$test" "${needed[@]}"; then
			report ok "$1" "$upon; $test: red without it, green with it"
		else
			report FAILED "$1" "$why"
		fi ;;
	*) report FAILED "$1" "its message names no test: \"Test: selftests/fixes/NAME.sh\"" ;;
	esac
}

check_fixes() {
	local name test tests=()
	build_tests
	for name in "${names[@]}"; do
		test=$(patch_tag "$patches/$name" Test)
		[ ! -x "$top/$test" ] || [ ! -f "$top/$test" ] || tests+=("$test")
	done
	run_plain "${tests[@]}"
	for name in "${names[@]}"; do
		fix_alone "$name"
	done
}

# make_sent: the series, in $logs/sent.
make_sent() {
	why="send.sh fails: $logs/sent.log"
	{ "$top/tools/kernel/source.sh" prepare && SEND=$logs/sent "$top/tools/kernel/send.sh"; } >"$logs/sent.log" 2>&1
}

# apply_sent FILE
apply_sent() {
	why="does not apply: $logs/apply.log"
	tree_git am -q "$1" >"$logs/apply.log" 2>&1 || { tree_git am --abort; return 1; }
}

check_sent() {
	local file name log started=$SECONDS
	make_sent || { report FAILED "what is sent" "$why"; return; }
	go_to "$plain"
	for file in "$logs"/sent/*/0*.patch; do
		name=${file#"$logs/sent/"} started=$SECONDS
		if [[ $name == */0000-* ]]; then continue; fi
		if apply_sent "$file" && builds "sent-$name" net/mptcp/ net/ipv4/ net/ipv6/; then
			report ok "$name" "applies, builds"
		else
			report FAILED "$name" "$why"
		fi
	done
}

# fix_for TEST: the patch whose message names it.
fix_for() {
	local name
	while read -r name; do
		[ "$(patch_tag "$patches/$name" Test)" != "$1" ] || echo "$name"
	done < <(series_names fixes)
}

# newest TEST: a line of the table.
newest() {
	local started=$SECONDS name applies='no patch names it' why
	name=$(fix_for "$1")
	if [ -n "$name" ]; then
		mapfile -t needed < <(needs "$name")
		go_to "$plain"
		if apply "${needed[@]}" "$name"; then applies=applies; else applies='does not apply'; fi
	fi
	printf '| `%s` | %s | %s |\n' "$(basename "$1" .sh)" "${plainly[$1]}" "$applies"
	case ${plainly[$1]} in
	red | green) passed=$((passed + 1)) ;;
	*) failed=$((failed + 1)) ;;
	esac
}

check_newest() {
	local test tests=() needed
	build_tests
	for test in "$top"/selftests/fixes/*.sh; do
		[ ! -x "$test" ] || tests+=("${test#"$top/"}")
	done
	run_plain "${tests[@]}"
	printf '| test | on Linux %s | our patch |\n|---|---|---|\n' "$version"
	for test in "${tests[@]}"; do
		newest "$test"
	done
}

if [ $# = 0 ]; then
	set -- order fixes sent
	[ -z "${PATCH:-}" ] || set -- fixes
fi
for part; do
	case $part in
	order | fixes | sent | newest) ;;
	*) die "usage: check-series.sh [order] [fixes] [sent] [newest]" ;;
	esac
done
mapfile -t names < <(series_names fixes)
[ -z "${PATCH:-}" ] || names=("$(match_patch "$PATCH" "${names[@]}")")
# another one would check commits out below this one
alone "$logs/.lock"
prepare_tree
# as "prepare" left it, so that it does not begin anew
trap 'go_to "$begun"' EXIT
for part; do
	"check_$part"
done
printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
