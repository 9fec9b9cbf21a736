#!/bin/bash
# SPDX-License-Identifier: MIT
# Which lines and branches of net/mptcp KUnit, the kselftests and the short robustness tests run: gcov in the User-Mode guest.
# usage: check-coverage.sh [TEST...]	(default: as check.sh quick); NOBUILD=1: the kernel and what was counted as they are
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

[ $# -gt 0 ] || set -- quick
counts=$build/check/coverage/gcov
status=0
if [ -z "${NOBUILD:-}" ]; then
	"$top/tools/kernel/build.sh" coverage
	rm -rf -- "$counts"
	KIND=coverage "$top/tools/kernel/check.sh" "$@" >"$build/check-coverage.log" || status=$?
	cat -- "$build/check-coverage.log"
fi
/usr/bin/python3 "$top/tools/kernel/coverage.py" "$top" "$build/coverage" "$(source_tree patched)" "$counts"
tail -n 1 "$build/check-coverage.log"
exit $status
