#!/bin/bash
# SPDX-License-Identifier: MIT
# kselftests that are installed out of a kernel tree, each collection alone, bring along all that they use.
# TAP output.
set -euo pipefail

# shellcheck source=../lib.sh
. "$(cd -- "$(dirname -- "$0")/.." && pwd)/lib.sh"
# shellcheck source=tap.sh
. "$top/tools/kernel/tests/tap.sh"

# kernel_tree: what is needed of one, with our files in it and not only links to them
kernel_tree() {
	local linux tests=tools/testing/selftests
	linux=$(source_tree patched)
	mkdir -p "$work/linux/$tests/net" "$work/linux/scripts"
	cp -r "$linux/$tests"/{Makefile,lib.mk,kselftest,kselftest*,run_kselftest.sh,gen_kselftest_tar.sh,arch} \
		"$work/linux/$tests" 2>/dev/null || true
	cp "$linux/scripts/subarch.include" "$work/linux/scripts"
	cp -r "$top/selftests" "$work/linux/$tests/net/mptcp_sched"
}

# install_alone NAME: one of net/mptcp_sched, into $work/NAME
install_alone() {
	make -s -C "$work/linux/tools/testing/selftests" O="$work/out" TARGETS="net/mptcp_sched${1:+/$1}" \
		INSTALL_PATH="$work/${1:-all}" FORCE_TARGETS=1 install
}

# sources SCRIPT: all shell scripts that it reads
sources() { (cd "$(dirname "$1")" && sed -nE 's/^\. (\S+)$/\1/p' "${1##*/}" | xargs -r ls); }

# imports FOLDER MODULE...: with the path that robust/lib.sh and fixes/lib.sh give
imports() {
	local path
	path=$(sed -nE 's/^.*PYTHONPATH=(\S+).*$/\1/p' "$1/lib.sh" | head -n 1)
	(cd "$1" && PYTHONPATH=$path /usr/bin/python3 -B -c "import $(paste -sd , <<<"${*:2}" | tr ' ' ,)")
}

check "a kernel tree" kernel_tree
for name in '' robust fixes; do
	check "${name:-schedulers} installed" install_alone "$name"
	for script in "$work/${name:-all}/net/mptcp_sched/$name"/*.sh; do
		check "${name:-schedulers}: ${script##*/} has what it reads" sources "$script"
	done
done
check "robust: what is spoken by hand" imports "$work/robust/net/mptcp_sched/robust" \
	"$(sed -nE 's/^spoken_by_hand (\S+) .*/\1/p' "$top"/selftests/robust/*.sh | xargs)"
check "fixes: what is made by hand" imports "$work/fixes/net/mptcp_sched/fixes" hand
tally
