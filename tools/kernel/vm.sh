#!/bin/bash
# SPDX-License-Identifier: MIT
# The x86 kernel in QEMU on two CPUs: a shell, or the kselftests.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

boot=$top/tools/kernel/boot-qemu
"$top/tools/kernel/build.sh" x86

shell() {
	exec "$boot" --tty -- bash -c 'echo "The patched kernel: $(uname -a)"
		echo "Your files are there; what you write is gone afterwards. Leave with exit."
		exec bash -i'
}

check() {
	BOOT=$boot KIND=x86 "$top/tools/kernel/check.sh" kernel
}

case ${1:-} in
shell) shell ;;
check) check ;;
*) die "usage: vm.sh shell|check" ;;
esac
