#!/bin/bash
# SPDX-License-Identifier: MIT
# What the texts say must work: README's C example compiles, targets exist, links lead somewhere, and so must help
# fit a terminal. TAP output.
set -euo pipefail
cd "$(dirname "$0")/../../.."

# shellcheck source=../lib.sh
. tools/kernel/lib.sh
# shellcheck source=tap.sh
. tools/kernel/tests/tap.sh

sed -n '/^```c$/,/^```$/p' README.md | grep -v '^```' >"$work/example.c"
check "the C example compiles" gcc -Wall -Wextra -Werror -Itools/mptcpctl -c -o "$work/example.o" "$work/example.c"
header=tools/mptcpctl/mptcp_sched.h
check "so does the header in C++" g++ -x c++ -Wall -Wextra -Werror -fsyntax-only $header
check "and with musl, without headers of the kernel" musl-gcc -x c -Wall -Wextra -Werror -fsyntax-only $header

# ours NAME: lines that our patches add to the kernel's interface
ours() { git -C "$(source_tree patched)" diff base HEAD -- "include/uapi/linux/$1.h" | sed -n 's/^+//p'; }
sed -n '/^## Socket options$/,/^## /p' Documentation/interfaces.md | tr '\n' ' ' >"$work/numbers"
while read -r name number; do
	check "$name is among the options, by its number" grep -Eq "\b$number \[?$name\b" "$work/numbers"
	check "$name is in the header" grep -qE "^#define $name $number( |$)" $header
done < <(ours mptcp | sed -nE 's/^#define (\w+)\s+([45][0-9])\b.*/\1 \2/p')
while read -r struct; do
	check "struct $struct is in the header" grep -q "^struct $struct {" $header
done < <(ours mptcp | sed -nE 's/^struct (\w+) \{/\1/p')
while read -r target; do
	check "make $target" grep -q "^$target:" Makefile
done < <(grep -ohE '\bmake [a-z][a-z-]+' README.md Documentation/*.md Documentation/research/*.md | cut -d' ' -f2 | sort -u |
	grep -vxE 'and|in|it|menuconfig|the|sees')
# fits COMMAND...: what it says of its use has no line of more than 80 columns
fits() {
	COLUMNS=80 "$@" >"$work/said" 2>&1 || true
	grep -q "usage: " "$work/said" && ! grep -E '.{81}' "$work/said"
}
for name in source build deps vm check-parts programs; do
	check "use of $name.sh" fits "tools/kernel/$name.sh"
done
check "use of try.sh" fits tools/bpf/try.sh
mapfile -t python < <(git grep -l '^import argparse' -- 'tools/*.py' ':!*/src/*' ':!*/tests/*')
for name in tools/kernel/{boot-uml,boot-qemu,check-series.sh} tools/deb/{packages,image}.sh "${python[@]}"; do
	check "use of ${name##*/}" fits "$name" --help
done
check "use of mplab" fits tools/mplab/mplab --help
while read -r name; do
	check "use of mplab $name" fits tools/mplab/mplab "$name" --help
done < <(COLUMNS=80 tools/mplab/mplab --help | sed -nE 's/^    ([a-z]+) .*/\1/p')
check "each link leads somewhere" tools/kernel/tests/links.py
tally
