#!/bin/bash
# SPDX-License-Identifier: MIT
# Several checks of the Makefile, one after the other; one that fails does not keep the rest from
# running. At the end, what each came to and how long it took, and the sum.
# usage: check-parts.sh TARGET...
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

[ $# -gt 0 ] || die "usage: check-parts.sh TARGET..."
logs=$build/check-parts
passed=0 failed=0 skipped=0 table=()
mkdir -p "$logs"

# clock SECONDS
clock() { printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }

# part TARGET: run it and add up its closing line; one that ends without it is a failure.
part() {
	local start=$SECONDS status=0 good bad not
	make -C "$top" --no-print-directory "$1" 2>&1 | tee "$logs/$1.log" || status=$?
	read -r good bad not < <(read_closing "$logs/$1.log") || { good=0 bad=1 not=0; }
	[ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1
	passed=$((passed + good))
	failed=$((failed + bad))
	skipped=$((skipped + not))
	table+=("$(printf '%-16s %5d passed %4d failed %4d skipped %12s' "$1" "$good" "$bad" "$not" \
		"$(clock $((SECONDS - start)))")")
}

for target; do
	part "$target"
done
printf '\n'
printf '%s\n' "${table[@]}" "in all $(clock $SECONDS)"
closing "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
