#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests of source.sh on a toy kernel tree: no network, no compiler. TAP output.
set -euo pipefail

here=$(cd -- "$(dirname -- "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
top=$work/project tree=$work/project/build/linux
export KSRC=$work/linux
tests=0 failures=0

# check WHAT STATUS PATTERN COMMAND...
check() {
	local what=$1 want=$2 pattern=$3 status=0
	shift 3
	"$@" >"$work/out" 2>&1 || status=$?
	tests=$((tests + 1))
	if [ "$status" = "$want" ] && { [ -z "$pattern" ] || grep -Eq -- "$pattern" "$work/out"; }; then
		echo "ok $tests $what"
	else
		failures=$((failures + 1))
		echo "not ok $tests $what"
		sed 's/^/# /' "$work/out"
	fi
}

toy_kernel() {
	local dir
	for dir in arch/um arch/x86/um include net/mptcp tools/testing/selftests/net \
		Documentation/networking; do
		mkdir -p "$KSRC/$dir"
		seq 1 40 >"$KSRC/$dir/file.c"
	done
	printf 'VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 200\n' >"$KSRC/Makefile"
}

toy_project() {
	mkdir -p "$top/tools/kernel" "$top/patches" "$top/net/mptcp" "$top/selftests"
	cp "$here/source.sh" "$here/lib.sh" "$top/tools/kernel/"
	echo new >"$top/net/mptcp/sched_new.c"
	cat >"$top/patches/0001-first.patch" <<-'PATCH'
	From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
	From: A <a@localhost>
	Date: Sat, 21 Nov 2026 00:00:00 +0000
	Subject: [PATCH] net: first

	Why it is needed.
	---
	 net/mptcp/file.c | 2 +-

	diff --git a/net/mptcp/file.c b/net/mptcp/file.c
	--- a/net/mptcp/file.c
	+++ b/net/mptcp/file.c
	@@ -8,5 +8,5 @@
	 8
	 9
	-10
	+ten
	 11
	 12
	PATCH
	echo 0001-first.patch >"$top/patches/series"
}

source_sh() { "$top/tools/kernel/source.sh" "$@"; }
has() { grep -qx "$1" "$tree/net/mptcp/$2"; }

toy_kernel
toy_project
check "the tree is unpacked and patched" 0 "applied 1 patches" source_sh prepare
check "the patch is in" 0 "" has ten file.c
check "new files are laid over" 0 "" has new sched_new.c
touch -d '1 hour ago' "$tree/net/mptcp/file.c"
check "a second time there is nothing to do" 0 "" source_sh prepare
check "and no file is touched" 0 "" test "$tree/net/mptcp/file.c" -ot "$top/patches/series"

echo more >"$top/net/mptcp/sched_more.c"
rm "$top/net/mptcp/sched_new.c"
check "files that come and go" 0 "" source_sh prepare
check "come" 0 "" has more sched_more.c
check "and go" 1 "" test -e "$tree/net/mptcp/sched_new.c"

sed -i 's/^+ten/+zehn/' "$top/patches/0001-first.patch"
check "a changed patch is applied again" 0 "applied 1 patches" source_sh prepare
check "the change is in" 0 "" has zehn file.c

sed -i 's/^11$/eleven/' "$tree/net/mptcp/file.c"
check "an edit in the tree survives" 0 "" source_sh prepare
check "it is there" 0 "" has eleven file.c
sed -i 's/^+zehn/+dix/' "$top/patches/0001-first.patch"
check "edits on both sides: nothing is lost" 1 "patches-refresh.*FORCE=1" source_sh prepare
check "it is still there" 0 "" has eleven file.c
check "refresh writes it into the patch that touches the file" 0 "wrote 1 patches" source_sh refresh
check "the patch has it" 0 "" grep -q '^+eleven' "$top"/patches/0001-*.patch
check "and its message" 0 "" grep -q '^Why it is needed.' "$top"/patches/0001-*.patch
check "nothing to do afterwards" 0 "" source_sh prepare

sed -i 's/^5$/five/' "$tree/include/file.c"
check "an edit that no patch claims is named" 1 "include/file.c is edited but no patch" source_sh refresh
git -C "$tree" -c user.name=a -c user.email=a@b commit -qam "include: second"
check "as a commit it becomes a patch" 0 "wrote 2 patches" source_sh refresh
check "in the series" 0 "" grep -q '^0002-include-second.patch$' "$top/patches/series"

sed -i 's/^-10$/-other/' "$top"/patches/0001-*.patch
check "a patch that does not apply stops with file and line" 1 "net/mptcp/file.c:[0-9]+" source_sh prepare
check "and the patch's name" 1 "0001-.*.patch does not apply to 6.12.200" source_sh prepare

printf 'VERSION = 6\nPATCHLEVEL = 11\nSUBLEVEL = 1\n' >"$KSRC/Makefile"
touch "$KSRC"
check "another kernel version is refused" 1 "is Linux 6.11.1; the patches are for 6.12.y" \
	env BUILD="$work/other" "$top/tools/kernel/source.sh" prepare
check "no source at all" 1 "no kernel source at" env KSRC=/nonexistent "$top/tools/kernel/source.sh" prepare

echo "1..$tests"
[ $failures = 0 ]
