#!/bin/bash
# SPDX-License-Identifier: MIT
# What README says must work: its C example compiles, its targets and files exist. TAP output.
set -euo pipefail
cd "$(dirname "$0")/../../.."

# shellcheck source=tap.sh
. tools/kernel/tests/tap.sh

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
tally
