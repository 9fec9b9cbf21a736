#!/bin/bash
# SPDX-License-Identifier: MIT
# The x86 kernel in QEMU on two CPUs: a shell with a network, or the kselftests; the same under a kernel that looks
# for data races (races); those that make CPUs meet under one that looks for wrong locking (locks); some under
# one that looks for what is read before it is written (uninit); those of schedulers in BPF (bpf).
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

boot=$top/tools/kernel/boot-qemu
kind=${2:-x86}

# Options, payloads and packets of all kinds: several times slower than anything else, and a value that nobody wrote
# needs no bad luck to be seen. Not KUnit: emulated, it computes until RCU complains.
uninit_tests=(options control coding early low_overhead stateless_join app_key sockopt refused "conformance quick")

check() {
	local tests=(kernel)
	if [ "$kind" = bpf ]; then
		tests=(bpf)
		make -s -C "$top/tools/mptcpctl"
		make -s -C "$top/tools/bpf" VMLINUX="$build/bpf/vmlinux" OUTPUT="$build/check/bpf/bin" BUILD="$build" \
			all ${FOREIGN:+foreign FOREIGN="$(realpath -- "$FOREIGN")"}
		[ -n "${FOREIGN:-}" ] || rm -rf "$build/check/bpf/bin/foreign"
	elif [ "$kind" != x86 ]; then
		tests=(kunit pairs sockopt modules redundant inorder cong_churn "fuzz quick" "faults quick")
		[ "$kind" != races ] || tests=(kselftests "fuzz quick" "faults quick")
		[ "$kind" != uninit ] || tests=("${uninit_tests[@]}")
		# even with KVM
		export KSFT_MACHINE_SLOW=yes
	fi
	# a guest has both CPUs, and one that is emulated seldom uses more than one of the host's
	JOBS=${JOBS:-1} BOOT=$boot KIND=$kind "$top/tools/kernel/check.sh" "${tests[@]}"
}

case ${1:-} in
shell | check) "$top/tools/kernel/build.sh" "$kind" ;;
*) die "usage: vm.sh shell | check [x86|locks|races|uninit|bpf]" ;;
esac
[ "$1" = check ] || exec "$top/tools/mplab/mplab" shell --qemu
check
