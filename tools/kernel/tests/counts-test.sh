#!/bin/bash
# SPDX-License-Identifier: MIT
# How checks are counted: what passed, failed and was skipped, from a test's log to the last line of
# all; and that what failed can be run again. Neither kernel nor compiler: the guest and make are pretended. TAP output.
set -euo pipefail

here=$(cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
# shellcheck source=../lib.sh
. "$here/lib.sh"
logs=$work/logs
tests=0 failures=0

# is WANT GOT WHAT
is() {
	tests=$((tests + 1))
	if [ "$1" = "$2" ]; then
		echo "ok $tests $3"
	else
		failures=$((failures + 1))
		echo "not ok $tests $3"
		printf '# want: %s\n# got:  %s\n' "$1" "$2"
	fi
}

# pretend NAME: a program, from standard input.
pretend() {
	{ echo '#!/bin/bash'; cat; } >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

# checked STATUS TAP...: the last line of check.sh, with a guest whose tests print these lines each
# and end with this status.
checked() {
	printf '%s\n' "$1" >"$work/status"
	shift
	printf '%s\n' "$@" >"$work/tap"
	{ env BUILD="$work/build" BOOT="$work/bin/boot" PATH="$work/bin:$PATH" JOBS=1 \
		"$here/check.sh" sysctl sockopt || true; } | tail -n 1
}

one_test() {
	is "4 passed, 0 failed, 0 skipped" "$(checked 0 'ok 1 a' 'ok 2 b' '1..2')" "what passes is counted"
	is "2 passed, 2 failed, 0 skipped" "$(checked 1 'ok 1 a' 'not ok 2 b' '1..2')" "so is what fails"
	is "2 passed, 0 failed, 4 skipped" "$(checked 0 'ok 1 a' 'ok 2 # SKIP b' 'ok 3 c # SKIP why' '1..3')" \
		"a skip is no pass"
	is "2 passed, 2 failed, 2 skipped" \
		"$(checked 0 '    ok 1 a' '    ok 2 b # SKIP why' '    not ok 3 c')" "the same in KTAP, nested"
	is "0 passed, 0 failed, 2 skipped" "$(checked 4 '1..0 # SKIP needs what is not there')" \
		"a script that skips itself is one skip"
	is "0 passed, 2 failed, 0 skipped" "$(checked 0 'nothing to see')" "one that ran nothing has failed"
	is "0 passed, 2 failed, 0 skipped" "$(checked 4 'nothing to see')" "also if it ends as one that skips"
	is "0 passed, 2 failed, 0 skipped" "$(checked 0 '1..0')" "or has an empty plan without a reason"
	is "2 passed, 2 failed, 0 skipped" "$(checked 1 'ok 1 a')" "one that breaks off has failed"
	is "2 passed, 2 failed, 0 skipped" "$(checked 4 'ok 1 a')" "whatever its status"
	is "2 passed, 0 failed, 2 skipped" "$(checked 0 '# not ok 1' 'ok 1 not ok' 'ok 2 # skip x' 'ok')" \
		"what only looks like it does not count"
}

# told [SEED]: what a User-Mode guest is told, which decides all that it draws.
told() {
	env -u KSRC BUILD="$work/build" BOOT="$work/bin/boot-uml" PATH="$work/bin:$PATH" ${1:+SEED="$1"} \
		"$here/check.sh" sysctl >"$work/checked" || true
	grep -o -e '--seed [0-9]*' -e '[^ ]*/sysctl.sh' "$work/build/check/uml/sysctl.log" | paste -sd ' '
}

again() {
	is "--seed 1 /mnt/tree/selftests/sysctl.sh" "$(told)" "a guest draws from 1, and knows the tree by one path"
	is "--seed 7 /mnt/tree/selftests/sysctl.sh" "$(told 7)" "or from another seed"
	is "again: BUILD=$work/build BOOT=$work/bin/boot-uml SEED=7 tools/kernel/check.sh 'sysctl'" "$(grep -o 'again: .*' "$work/checked")" \
		"a test that failed says how to run it again"
}

# The log of a target of the Makefile is what there is of that name.
several() {
	mkdir -p "$logs"
	echo "10 passed, 0 failed, 2 skipped" >"$logs/good"
	printf '%s\n' "1 passed, 9 failed, 9 skipped" "3 passed, 1 failed, 1 skipped" >"$logs/bad"
	echo "10 passed, 0 failed" >"$logs/old"
	is "13 passed, 1 failed, 3 skipped" "$(parts good bad)" "several checks are added up, by their last lines"
	is "10 passed, 1 failed, 2 skipped" "$(parts good old)" "one without its closing line has failed"
	is "10 passed, 1 failed, 2 skipped" "$(parts good none)" "so has one that cannot be made"
}

# parts TARGET...: the last line of check-parts.sh
parts() {
	{ env BUILD="$work/build" PATH="$work/bin:$PATH" LOGS="$logs" "$here/check-parts.sh" "$@" || true; } |
		tail -n 1
}

# compared STOCK PATCHED: of a test that printed this on both kernels: its row's end, and the counts.
compared() {
	local variant
	same=0 different=0 skipped=0
	for variant in stock patched; do
		mkdir -p "$logs/$variant"
		printf '%b\n' "$1" >"$logs/$variant/test.log"
		grep -E '^(not )?ok' "$logs/$variant/test.log" >"$logs/$variant/test.tap" || true
		: >"$logs/$variant/test.dmesg"
		shift
	done
	verdict test >"$work/verdict"
	echo "$(head -n 1 "$work/verdict" | xargs): $same $different $skipped, $(count patched test)"
}

upstream() {
	# shellcheck source=../compare.sh
	. "$here/compare.sh"
	is "as unpatched: 1 0 0, 1/2" "$(compared 'ok 1 a\nnot ok 2 b' 'ok 1 a\nnot ok 2 b')" \
		"upstream: the same on both"
	is "as unpatched: 1 0 0, 1/2" "$(compared 'ok 1 a\nok 2 b # SKIP' 'ok 1 a\nok 2 b # SKIP')" \
		"upstream: a skip is not among those that pass"
	is "WORSE: 0 1 0, 1/2" "$(compared 'ok 1 a\nok 2 b' 'ok 1 a\nok 2 b # SKIP')" \
		"upstream: what passes unpatched must not be skipped"
	is "as unpatched: 1 0 0, 2/2" "$(compared 'ok 1 a\nok 2 b # SKIP' 'ok 1 a\nok 2 b')" \
		"upstream: the other way round it may"
	is "skipped: 0 0 1, 0/0" "$(compared 'SKIP: no tool' 'SKIP: no tool')" "upstream: skipped as a whole"
	is "skipped: 0 0 1, 0/1" "$(compared 'ok 1 a # SKIP' 'ok 1 a # SKIP')" "upstream: or all of it"
	is "WORSE: 0 1 0, 0/0" "$(compared 'ok 1 a' 'SKIP: no tool')" "upstream: on the patched one only"
	is "WORSE: 0 1 0, 0/0" "$(compared 'killed' 'killed')" "upstream: nothing ran, for no reason"
}

mkdir "$work/bin"
pretend boot <<-BOOT
	cat '$work/tap'
	exit \$(cat '$work/status')
BOOT
pretend boot-uml <<-'BOOT'
	echo "not ok 1 $*"
BOOT
# "make ... TARGET" prints LOGS/TARGET; nothing else needs to be made
pretend make <<-'MAKE'
	[ -z "${LOGS:-}" ] || cat "$LOGS/${!#}"
MAKE
one_test
again
several
upstream

echo "1..$tests"
[ $failures = 0 ]
