# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the scripts in this directory: where things are, and how to fail.

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
build=${BUILD:-$top/build}
# shellcheck disable=SC2034 # for those who source this
base_version=6.12

die() { printf '%s: error: %s\n' "${0##*/}" "$*" >&2; exit 1; }
say() { printf '%s: %s\n' "${0##*/}" "$*"; }

# The source tree of a variant: "patched" (ours) or "stock" (Linux as it came).
source_tree() {
	case $1 in
	patched) printf '%s/linux\n' "$build" ;;
	stock) printf '%s/stock/linux\n' "$build" ;;
	*) die "unknown variant '$1' (patched or stock)" ;;
	esac
}

# both_kernels KIND: build them, of the patched and of the unpatched tree.
both_kernels() {
	local variant
	for variant in stock patched; do
		"$top/tools/kernel/source.sh" prepare $variant
		VARIANT=$variant "$top/tools/kernel/build.sh" "$1"
	done
}

# selftest_script NAME: where it is; false if there is none.
selftest_script() {
	local dir
	for dir in "$top/selftests" "$top/selftests/robust"; do
		[ ! -x "$dir/$1.sh" ] || { echo "$dir/$1.sh"; return; }
	done
	return 1
}

# In a guest's log: what a test must not cause.
# shellcheck disable=SC2034 # for those who source this
complaints='WARNING:|BUG:|Oops|possible recursive locking|Call Trace|KASAN|UBSAN|KCSAN:|ODEBUG|unreferenced object'
