#!/bin/bash
# SPDX-License-Identifier: MIT
# What README says must work: its C example compiles, its targets and files exist. TAP output.
set -euo pipefail
cd "$(dirname "$0")/../../.."

work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
tests=0 failures=0

check() {
	local what=$1
	shift
	tests=$((tests + 1))
	if "$@" >"$work/out" 2>&1; then
		echo "ok $tests $what"
	else
		failures=$((failures + 1))
		echo "not ok $tests $what"
		sed 's/^/# /' "$work/out"
	fi
}

sed -n '/^```c$/,/^```$/p' README.md | grep -v '^```' >"$work/example.c"
check "the C example compiles" gcc -Wall -Wextra -Werror -Itools/mptcpctl -c -o "$work/example.o" "$work/example.c"
check "so does the header in C++" g++ -x c++ -Wall -Wextra -Werror -fsyntax-only tools/mptcpctl/mptcp_sched.h
while read -r target; do
	check "make $target" grep -q "^$target:" Makefile
done < <(grep -ohE '\bmake [a-z][a-z-]+' README.md Documentation/*.md | cut -d' ' -f2 | sort -u |
	grep -vxE 'and|in|it|menuconfig|the|sees')
while read -r file; do
	check "$file exists" test -e "$file"
done < <(grep -oE '\]\(([A-Za-z./-]+)\)' README.md | tr -d '])(' | sort -u)
echo "1..$tests"
[ $failures = 0 ]
