# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the tests of source.sh: a toy kernel, a toy project with patches, TAP output.

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
top=$work/project tree=$work/project/build/linux
export KSRC=$work/linux
unset PATCH GROUP FORCE BUILD
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

finish() {
	echo "1..$tests"
	[ "$failures" = 0 ]
}

toy_kernel() {
	local dir
	for dir in arch/um arch/x86/um include net/mptcp net/sched tools/testing/selftests/net \
		Documentation/networking; do
		mkdir -p "$KSRC/$dir"
		seq 1 40 >"$KSRC/$dir/file.c"
	done
	toy_version 6 12 200
}

# toy_version VERSION PATCHLEVEL SUBLEVEL: of the toy kernel.
toy_version() {
	printf 'VERSION = %s\nPATCHLEVEL = %s\nSUBLEVEL = %s\n' "$@" >"$KSRC/Makefile"
	# the time is what shows that it is another source: no two within a second
	touch -d "2026-01-01 + $1$2$3 seconds" "$KSRC"
}

# toy_patch NAME FILE LINE TEXT SUBJECT: puts TEXT in place of the line, whose text is its number.
toy_patch() {
	mkdir -p "$(dirname "$top/patches/$1")"
	cat >"$top/patches/$1" <<-PATCH
	From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001
	From: A <a@localhost>
	Date: Sat, 21 Nov 2026 00:00:00 +0000
	Subject: [PATCH] $5

	Why it is needed.
	---
	 $2 | 2 +-

	diff --git a/$2 b/$2
	--- a/$2
	+++ b/$2
	@@ -$(($3 - 2)),5 +$(($3 - 2)),5 @@
	 $(($3 - 2))
	 $(($3 - 1))
	-$3
	+$4
	 $(($3 + 1))
	 $(($3 + 2))
	PATCH
}

toy_project() {
	mkdir -p "$top/tools/kernel" "$top/net/mptcp" "$top/net/sched" "$top/selftests"
	cp "$here"/*.sh "$top/tools/kernel/"
	echo new >"$top/net/mptcp/sched_new.c"
	echo options >"$top/Kconfig"
	echo link >"$top/net/sched/sch_new.c"
	toy_patch testbed/0001-um-boot.patch arch/um/file.c 10 boots "um: boot"
	toy_patch fixes/0001-net-first.patch net/mptcp/file.c 10 ten "net: first"
	toy_patch fixes/0002-net-second.patch net/mptcp/file.c 30 thirty "net: second"
	toy_patch sched/0001-net-hook.patch include/file.c 10 hook "net: hook"
	toy_patch sched/0002-net-build.patch net/mptcp/file.c 20 twenty "net: build"
	cat >"$top/patches/series" <<-'SERIES'
	# The test bed.
	testbed/0001-um-boot.patch

	# Fixes.
	fixes/0001-net-first.patch
	# this one waits for the first
	fixes/0002-net-second.patch # and is short

	# Schedulers.
	sched/0001-net-hook.patch
	sched/0002-net-build.patch
	# The end.
	SERIES
}

# toy_series: patches for another version of the toy kernel: the first as it is, one of its own.
toy_series() {
	mkdir -p "$top/patches/7.3"
	toy_patch 7.3/fixes/0002-net-second.patch net/mptcp/file.c 31 thirty "net: second"
	cat >"$top/patches/7.3/series" <<-'SERIES'
	testbed/0001-um-boot.patch
	fixes/0001-net-first.patch
	# differs
	7.3/fixes/0002-net-second.patch
	sched/0001-net-hook.patch
	# sched/0002: is there
	SERIES
}

source_sh() { "$top/tools/kernel/source.sh" "$@"; }
# has TEXT FILE: the line is in that file of the tree.
has() { grep -qx "$1" "$tree/$2"; }
# replace LINE TEXT FILE: in the tree.
replace() { sed -i "s/^$1\$/$2/" "$tree/$3"; }
tree_git() { git -C "$tree" -c user.name=a -c user.email=a@b "$@"; }
