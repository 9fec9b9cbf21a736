#!/bin/bash
# SPDX-License-Identifier: MIT
# Compile a scheduler in BPF and compare it with "default": each sends over two paths, on the kernel
# of "make check-bpf" in QEMU.
set -euo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=../kernel/lib.sh
. "$here/../kernel/lib.sh"

usage() {
	cat <<-'USAGE'
	usage: try.sh NAME [RATE1 DELAY1 RATE2 DELAY2]
	  NAME    of NAME.bpf.c in this directory
	  RATE    of a path, as tc writes it (default: 20mbit and 10mbit)
	  DELAY   in each direction (default: 10ms and 40ms)
	USAGE
	exit 2
}

bytes=20000000 out=$build/check/bpf/bin

outside() {
	[ -f "$here/$1.bpf.c" ] || die "there is no $here/$1.bpf.c: the first argument is NAME of NAME.bpf.c"
	[ -e "$build/bpf/vmlinux" ] || die "there is no kernel with type information: run 'make check-bpf' once"
	mkdir -p "$out"
	make -s -C "$here" VMLINUX="$build/bpf/vmlinux" OUTPUT="$out" "$out/$1.bpf.o"
	make -s -C "$top/selftests" OUTPUT="$out" all
	make -s -C "$top/tools/mptcpctl"
	exec "$top/tools/kernel/boot-qemu" --kernel "$build/bpf" -- env PATH="$out:$PATH" "$0" inside "$@"
}

# row SCHEDULER: what a transfer with it comes to.
row() {
	local one two ms
	one=$(tx_bytes 1) two=$(tx_bytes 2)
	scheduler "$1"
	serve
	ms=$(date +%s%N)
	begin -b $bytes
	complete
	ms=$((($(date +%s%N) - ms) / 1000000))
	one=$(($(tx_bytes 1) - one)) two=$(($(tx_bytes 2) - two))
	[ "$(value server received) $(value server wrong)" = "$bytes 0" ] || die "$1: the bytes did not arrive as they were sent"
	awk -v name="$1" -v bytes=$bytes -v ms=$ms -v one=$one -v two=$two 'BEGIN {
		printf "%-16s %7.2f %7.0f %% %5.0f %%\n", name, bytes * 8 / ms / 1000,
			100 * one / (one + two), 100 * two / (one + two) }'
}

inside() {
	local object=$1 loaded
	shift
	cd "$top/selftests"
	# shellcheck source=../../selftests/lib.sh
	. ./lib.sh
	need
	hosts "$@"
	loaded=$("$top/tools/mptcpctl/mptcpctl" load "$out/$object.bpf.o")
	printf '%-16s %7s %9s %7s\n' scheduler Mbit/s "path 1" "path 2"
	row default
	row "${loaded#loaded: }"
	[ "$(counter SchedBpfFailed)" = 0 ] || say "it sent nothing for a second, and was replaced: see dmesg"
}

[ $# -gt 0 ] || usage
if [ "$1" = inside ]; then
	shift
	inside "$@"
elif [ $# = 1 ]; then
	outside "$1" 20mbit 10ms 10mbit 40ms
elif [ $# = 5 ]; then
	outside "$@"
else
	usage
fi
