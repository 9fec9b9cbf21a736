#!/bin/bash
# SPDX-License-Identifier: MIT
# Linux's own MPTCP selftests on the patched and on the unpatched kernel, side by side. What
# passes unpatched must pass patched; what fails unpatched is named. Some of these tests fail
# once in a while on any kernel: a difference counts when a second run confirms it.
# The transfers are repeated with each other scheduler as the default of all namespaces.
# SUITE=: a tree of a newer Linux, whose tests these kernels run as far as they can; what they skip is named.
# TESTS="diag mptcp_join ..." and SCHEDULERS="rr ..." choose; default: all of them.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=upstream.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/upstream.sh"
# shellcheck source=compare.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/compare.sh"

tests=${TESTS:-diag pm_netlink mptcp_sockopt userspace_pm simult_flows mptcp_connect mptcp_connect_mmap
	mptcp_connect_sendfile mptcp_connect_checksum mptcp_join}
mkdir -p "$logs"

# run VARIANT TEST [SCHEDULER]: into VARIANT/TEST.* or VARIANT/TEST.SCHEDULER.*
run() {
	local name=$2${3:+.$3} bin=''
	[ -z "${3:-}" ] || bin=$logs/$1/$(with_scheduler "$1" "$3"):
	boot_upstream "$1" "$logs/$1/$name" --rw "$logs/$1" -- \
		env PATH="$bin$PATH:/usr/sbin:/sbin" bash -c "cd $(printf %q "$logs/$1/mptcp") && bash ./$2.sh"
	say "$1 $2${3:+ $3}: $(lines "$1" "$name" passed | wc -l) ok," \
		"$(lines "$1" "$name" failed | wc -l) not ok," \
		"$(lines "$1" "$name" skipped | wc -l) skipped"
}

run_all() {
	local test
	for test in $tests; do
		run "$1" "$test"
	done
}

# The transfers, with each other scheduler as the default.
run_schedulers() {
	local scheduler
	for scheduler in $schedulers; do
		run patched mptcp_connect "$scheduler"
	done
}

# twice TEST [SCHEDULER]: a difference must show a second time.
twice() { [ -z "$(worse "$@")" ] || run patched "$@"; }

both_kernels upstream
schedulers=${SCHEDULERS-$(schedulers_of "$(upstream_kernel patched)" | sed 's/\<default //')}
for variant in stock patched; do
	build_tests $variant
done
{ run_all stock; [ -z "$schedulers" ] || run_schedulers; } &
run_all patched
wait

printf '\n%-24s %12s %12s\n' test stock patched
for test in $tests; do
	twice "$test"
	row "$test"
done
for scheduler in $schedulers; do
	twice mptcp_connect "$scheduler"
	row mptcp_connect "$scheduler"
done
closing "$same" "$different" "$skipped"
[ "$different" = 0 ]
