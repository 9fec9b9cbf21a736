# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by tests of single tools: TAP output, and a directory that goes away at the end.

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
tests=0 failures=0

# check WHAT COMMAND...: what a failed command said follows its line. Of a function each command counts: bash
# ignores "set -e" in what "if" looks at.
check() {
	local what=$1 status
	shift
	tests=$((tests + 1))
	set +e
	(set -e; "$@") >"$work/log" 2>&1
	status=$?
	set -e
	if [ $status = 0 ]; then
		echo "ok $tests $what"
	else
		failures=$((failures + 1))
		echo "not ok $tests $what"
		tail -n 40 "$work/log" | sed 's/^/# /'
	fi
}

# tally: the last lines; false if a test failed.
tally() {
	echo "1..$tests"
	echo "# $((tests - failures)) passed, $failures failed, 0 skipped"
	[ $failures = 0 ]
}
