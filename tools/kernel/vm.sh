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

# Emulated, a test takes 10 to 50 times longer, and timing means nothing: the short selection
# is what depends on neither.
check() {
	local selection=(sysctl sockopt modules observe backup subflows rr minrtt)
	"$boot" --dmesg "$build/x86/dmesg" -- true
	if [ "$(cut -d' ' -f2 "$build/x86/.accel")" = tcg ]; then
		selection=(sysctl modules observe)
		say "emulated CPUs: a short selection"
	fi
	BOOT=$boot KIND=x86 "$top/tools/kernel/check.sh" kunit "${selection[@]}"
}

case ${1:-} in
shell) shell ;;
check) check ;;
*) die "usage: vm.sh shell|check" ;;
esac
