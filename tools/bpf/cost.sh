#!/bin/bash
# SPDX-License-Identifier: MIT
# What a scheduler in BPF costs beside the same compiled one: CPU time in the kernel for a transfer over two
# paths, in QEMU with a clock that counts instructions, so that neither the host's other work nor its CPU matters.
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../kernel/lib.sh
. "$here/../kernel/lib.sh"

bytes=400000000 rounds=3 out=$build/check/bpf/bin

# Ticks of 10 ms, system and interrupts: the kernel's, at both ends.
kernel_ticks() { awk '/^cpu / { print $4 + $7 + $8 }' /proc/stat; }

# sample SCHEDULER: ticks that a transfer takes.
sample() {
	local before
	scheduler "$1"
	serve
	before=$(kernel_ticks)
	begin -b $bytes
	complete
	[ "$(value server received) $(value server wrong)" = "$bytes 0" ] ||
		die "$1: the bytes did not arrive as they were sent"
	echo $(($(kernel_ticks) - before))
}

# compare COMPILED BPF: rounds in turn.
compare() {
	local round one two
	for round in $(seq $rounds); do
		one=$(sample "$1") two=$(sample "$2")
		awk -v round="$round" -v a="$1" -v b="$2" -v one="$one" -v two="$two" -v mb=$((bytes / 1000000)) 'BEGIN {
			printf "round %d: %s %.2f ms/MB, %s %.2f ms/MB: %.3f\n",
				round, a, one * 10 / mb, b, two * 10 / mb, two / one }'
	done
}

inside() {
	cd "$top/selftests"
	# shellcheck source=../../selftests/lib.sh
	. ./lib.sh
	need
	hosts 200mbit 2ms 200mbit 5ms
	"$top/tools/mptcpctl/mptcpctl" load "$out/minrtt.bpf.o" >/dev/null
	compare minrtt bpf_minrtt
}

if [ "${1:-}" = inside ]; then
	inside
else
	[ -e "$build/bpf/vmlinux" ] || die "there is no kernel with type information: run 'make check-bpf' once"
	make -s -C "$here" VMLINUX="$build/bpf/vmlinux" OUTPUT="$out" all
	make -s -C "$top/selftests" OUTPUT="$out" all
	make -s -C "$top/tools/mptcpctl"
	exec "$top/tools/kernel/boot-qemu" --kernel "$build/bpf" --accel icount -- env PATH="$out:$PATH" "$0" inside
fi
