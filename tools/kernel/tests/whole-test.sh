#!/bin/bash
# SPDX-License-Identifier: MIT
# What "make check-whole" keeps, runs again and calls stale, in a toy project with a pretended make; which tests
# check.sh and vm.sh run. TAP output.
set -euo pipefail

here=$(cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=tap.sh
. "$here/tests/tap.sh"
unset ONLY BUILD KSRC
top=$work/project
mkdir -p "$top/tools/kernel" "$top/net" "$top/patches" "$top/selftests" "$top/Documentation" "$work/bin"
cp "$here"/*.sh "$top/tools/kernel/"
# no release, but for KSRC=: reading one out of a tarball takes a second, each time
sed -i "s,^default_source=.*,default_source=$work/none," "$top/tools/kernel/lib.sh"
printf '%s\n' text '<!-- checks -->' old '<!-- /checks -->' '<!-- kernels -->' old '<!-- /kernels -->' end >"$top/Documentation/testing.md"
for file in net/a.c selftests/a.sh; do echo 1 >"$top/$file"; done
cat >"$work/a.patch" <<-'PATCH'
	Subject: [PATCH] a: b

	Why.
	diff --git a/x b/x
	index 1..2
	--- a/x
	+++ b/x
	@@ -1,2 +1,2 @@
	 0
	-1
	+2
PATCH
mkdir "$top/patches/fixes"
for name in fixes/0001-a-b.patch fixes/0002-a-b.patch; do
	cp "$work/a.patch" "$top/patches/$name"
	echo "$name" >>"$top/patches/series"
done
echo /build >"$top/.gitignore"

# make -C TOP --no-print-directory TARGET: notes that it ran; what it comes to is in $work/says-TARGET, if that is there.
cat >"$work/bin/make" <<-MAKE
	#!/bin/bash
	target=\${!#}
	echo "\$target" >>'$work/ran'
	echo "\$target \${KEEP:-}\${QUICK:+ in short}" >>'$work/kept'
	[ ! -x '$work/meanwhile' ] || '$work/meanwhile'
	target+=\${KSRC:+-of-another}
	if [ -e '$work/says-'"\$target" ]; then cat '$work/says-'"\$target"; else echo "5 passed, 0 failed, 1 skipped"; fi
MAKE
chmod +x "$work/bin/make"

commit() { git -C "$top" add -A && git -C "$top" -c user.name=a -c user.email=a@b commit -qm "$1"; }
parts() { PATH="$work/bin:$PATH" "$top/tools/kernel/check-parts.sh" "$@" >"$work/out" 2>&1; }
# ran COUNT: so many targets did since the last call.
ran() {
	local count=0
	[ ! -e "$work/ran" ] || count=$(wc -l <"$work/ran")
	rm -f -- "$work/ran"
	[ "$count" = "$1" ] || { echo "$count ran"; cat "$work/out"; return 1; }
}
row() { grep -F "| \`$1\` |" "$top/Documentation/testing.md"; }
# says TARGET REGEX: its row in the text
says() { row "$1" | grep -Eq "$2" || { row "$1"; return 1; }; }
all=12

git init -q "$top"
commit first
head=$(git -C "$top" rev-parse --short=12 HEAD)
parts table
check "before all, each is not run" says check-robust 'not run'
check "the text around the table stays" test "$(sed -n '1p;$p' "$top/Documentation/testing.md" | xargs)" = "text end"
check "whole: all run" parts whole
check "each once" ran $all
check "a row has commit, counts and minutes" says check-robust "\| $head \| 5 \| 0 \| 1 \| [01] \|  \|"
check "table-is-written: yes" parts table-is-written
commit results
check "again" parts whole
check "nothing runs again" ran 0
check "ONLY: one that is known" env ONLY=check-robust PATH="$work/bin:$PATH" "$top/tools/kernel/check-parts.sh" whole
check "runs again, with all its tests" bash -c 'tail -n 1 "$0" | grep -qx "check-robust "' "$work/kept"
check "once" ran 1
QUICK=1 ONLY=check-robust parts whole
check "what is kept was not run in short" bash -c '! grep "in short" "$0"' "$work/kept"
rm -f -- "$work/ran"
check "ONLY: an unknown one is refused" bash -c '! ONLY=check-nothing "$0" whole' "$top/tools/kernel/check-parts.sh"

echo 2 >"$top/Documentation/other.md"
commit text
parts table
check "after a commit to other files it is not stale" says check-robust "\| $head .*\|  \|\$"
ONLY=check-robust parts whole
check "and a row names the last commit that changed what is checked" says check-robust "\| $head .*\|  \|\$"
for file in net/a.c patches/series selftests/a.sh; do
	cp "$top/$file" "$work/before"
	sed -i '$d' "$top/$file"
	parts table
	[[ $file == selftests/* ]] && state="tests changed since" || state=stale
	check "after an edit of $file it says $state" says check-robust "\| $state \|\$"
	[[ $file != selftests/* ]] || check "not of a check with other tests" says check-interop '\|  \|$'
	cp "$work/before" "$top/$file"
done
# patch NAME EDIT: the last of the series, with that edit.
patch() {
	rm -f -- "$top"/patches/fixes/0002-*
	sed "$2" "$work/a.patch" >"$top/patches/fixes/$1"
	printf '%s\n' fixes/0001-a-b.patch "fixes/$1" >"$top/patches/series"
	parts table
}
patch 0002-a-b.patch 's/^+2/+3/'
check "with another change in a patch it says stale" says check-robust '\| stale \|$'
patch 0002-c-d.patch 's/a: b/c: d/; s/Why/& not/; s/1[.][.]2/1..3/; s/-1,2/-5,2/; s/^ 0/ 4/'
check "another subject, name, message, place or context is no other source" says check-robust '\|  \|$'
patch 0002-a-b.patch ''
mkdir -p "$top/patches/9.9/fixes"
cp "$work/a.patch" "$top/patches/9.9/fixes/0003-a-b.patch"
echo 9.9/fixes/0003-a-b.patch >"$top/patches/9.9/series"
parts table
check "nor is what is for another Linux" says check-robust '\|  \|$'
rm -f -- "$work/ran"
echo 3 >"$top/net/a.c"
check "a text whose table is old" bash -c '! "$0" table-is-written' "$top/tools/kernel/check-parts.sh"

echo "2 passed, 1 failed, 0 skipped" >"$work/says-check-bpf"
echo "nothing" >"$work/says-check-deb"
check "whole fails if one does" bash -c '! "$@"' - env PATH="$work/bin:$PATH" "$top/tools/kernel/check-parts.sh" whole
check "with other sources all run" ran $all
check "with edits, the commit says so" says check-robust '[0-9a-f]{12}\+'
check "what failed" says check-bpf '\| 2 \| 1 \| 0 \|'
check "one without a closing line failed" says check-deb '\| 0 \| 1 \| 0 \|'
rm -f -- "$work"/says-*
rm -f -- "$work/kept"
check "again" parts whole
check "only those that failed run" ran 2
check "and are told to keep which of their tests passed" grep -qx 'check-bpf yes' "$work/kept"
check "and are good now" says check-bpf '\| 5 \| 0 \| 1 \|'

printf '#!/bin/sh\necho "$$" >>%q\n' "$top/net/a.c" >"$work/meanwhile"
chmod +x "$work/meanwhile"
cp "$top/Documentation/evidence/checks.tsv" "$work/before"
check "sources that change meanwhile" env ONLY=check-robust PATH="$work/bin:$PATH" "$top/tools/kernel/check-parts.sh" whole
check "nothing is kept of it" cmp "$work/before" "$top/Documentation/evidence/checks.tsv"

rm -f -- "$work/meanwhile" "$work/ran"
# A Linux of another version, with a series of two patches.
mkdir "$work/linux"
printf '%s\n' 'VERSION = 9' 'PATCHLEVEL = 9' 'SUBLEVEL = 7' >"$work/linux/Makefile"
printf '%s\n' '# two' fixes/0001-a-b.patch 9.9/fixes/0003-a-b.patch >"$top/patches/9.9/series"
kernel() { grep -E "^\| $1(\.[0-9]+)? \|" "$top/Documentation/testing.md" | grep -Eq "$2"; }
parts table
check "kernels: one that was not checked" kernel 9.9 '\| 2 \| .*\| not run \|$'
printf '%s\n' 'failed: b (2)' '7 passed, 2 failed, 0 skipped' >"$work/says-check-of-another"
check "kernels fails if one does" bash -c '! "$@"' - env PATH="$work/bin:$PATH" "$top/tools/kernel/check-parts.sh" kernels "$work/linux"
check "both ran" ran 2
check "what failed there" kernel 9.9 '\| 2 \| [0-9a-f+]+ \| 7 \| 2 \| 0 \| [01] \| b \(2\) \|  \|$'
check "and none of the first" kernel 6.12 '\| 5 \| 0 \| 1 \| [01] \|  \|  \|$'
rm -f -- "$work"/says-*
check "again" parts kernels "$work/linux"
check "only what failed runs" ran 1
sed -i 's/= 7/= 8/' "$work/linux/Makefile"
check "another release of that Linux" parts kernels "$work/linux"
check "is checked" ran 1
check "and is good now" kernel 9.9 '\| 5 \| 0 \| 1 \| [01] \|  \|  \|$'
cp "$top/Documentation/evidence/checks.tsv" "$work/before"
check "a name with an error in it" bash -c '! "$@"' - \
	env PATH="$work/bin:$PATH" "$top/tools/kernel/check-parts.sh" kernels "$work/linux-9.9.8x.tar.xz"
check "is no reason to forget what passed" cmp "$work/before" "$top/Documentation/evidence/checks.tsv"
sed -i 's/^+2/+3/' "$top/patches/9.9/fixes/0003-a-b.patch"
parts table
check "what is for another Linux makes its row stale" kernel 9.9 '\| stale \|$'
check "and not that of the first" kernel 6.12 '\|  \|  \|$'

# check.sh, in which each test is pretended to take and to come to what it says
cp "$here/lib.sh" "$here/check.sh" "$top/tools/kernel/"
cat >"$top/tools/kernel/check-test.sh" <<-'TEST'
	#!/bin/bash
	echo "$1" >>"$RAN"
	bad=0
	[ "$1" != "$BAD" ] || bad=1
	echo "1 $bad 0 1 $(cat "$BUILD/check/uml/$1.sources")" >"$BUILD/check/uml/$1.result"
TEST
chmod +x "$top/tools/kernel/check-test.sh"
# tests KEEP BAD TEST...: those that ran
tests() {
	rm -f -- "$work/tests"
	PATH="$work/bin:$PATH" BUILD=$work/build RAN=$work/tests KEEP=$1 BAD=$2 "$top/tools/kernel/check.sh" "${@:3}" >"$work/out" 2>&1 || true
	sort "$work/tests" 2>/dev/null | xargs
}
mkdir -p "$work/build/check/uml" "$top/selftests/fixes"
for file in selftests/b.sh selftests/lib.sh; do echo 1 >"$top/$file"; done
chmod +x "$top"/selftests/[ab].sh
check "tests: all run" test "$(tests yes a a b model kunit)" = "a b kunit model"
check "with KEEP what failed" test "$(tests yes '' a b model kunit)" = a
check "and none of what passed" test "$(tests yes '' a b model kunit)" = ""
tests '' b b model >/dev/null
check "what fails is named" grep -qx 'failed: b (1)' "$work/out"
tests yes '' a b model kunit >/dev/null
check "which is counted" grep -qx '4 passed, 0 failed, 0 skipped' "$work/out"
echo 2 >"$top/selftests/b.sh"
check "of a script that changed that test" test "$(tests yes '' a b model kunit)" = b
echo 2 >"$top/tools/kernel/a.py"
check "of tools that did, theirs" test "$(tests yes '' a b model kunit)" = model
for file in selftests/lib.sh patches/series; do
	sed -i '$d' "$top/$file"
	check "of $file, all" test "$(tests yes '' a b model kunit)" = "a b kunit model"
done
check "and all without KEEP" test "$(tests '' '' a b model kunit)" = "a b kunit model"
echo 1 >"$top/selftests/fixes/c.sh"
chmod +x "$top/selftests/fixes/c.sh"
check "a group, and a test behind it" test "$(tests '' '' fixes a)" = "a c"
echo 3 >"$top/selftests/fixes/lib.sh"
check "of a folder's library, what is in folders" test "$(tests yes '' a b c model)" = "c model"

# ended SIGNAL: check.sh gets it while its first test runs. Neither that nor a second one is there afterwards.
ended() {
	local checking test
	rm -f -- "$work/pids"
	PATH="$work/bin:$PATH" BUILD=$work/build PIDS=$work/pids JOBS=1 env --default-signal=INT "$top/tools/kernel/check.sh" a b >/dev/null 2>&1 &
	checking=$!
	for _ in {1..100}; do
		[ ! -s "$work/pids" ] || break
		sleep 0.1
	done
	kill "-$1" "$checking"
	! wait "$checking" || return 1
	mapfile -t test <"$work/pids"
	# nobody may have asked yet how it ended
	[ ${#test[@]} = 1 ] && [[ $(ps -o stat= -p "${test[0]}") != [!Z]* ]]
}
mv "$top/tools/kernel/check-test.sh" "$work"
cat >"$top/tools/kernel/check-test.sh" <<-'TEST'
	#!/bin/bash
	echo $$ >>"$PIDS"
	timeout 20 sleep 20
TEST
chmod +x "$top/tools/kernel/check-test.sh"
for signal in TERM INT; do check "who ends a check with $signal ends its tests" ended $signal; done
mv "$work/check-test.sh" "$top/tools/kernel"

# vm.sh, with a kernel and a check that are pretended
for name in build check; do
	printf '#!/bin/sh\necho %s "$@"\n' $name >"$top/tools/kernel/$name.sh"
	chmod +x "$top/tools/kernel/$name.sh"
done
# in_vm ARG...: what is built and checked
in_vm() { BUILD=$work/build "$top/tools/kernel/vm.sh" "$@" 2>&1 | xargs; }
check "in QEMU: a kernel, then its tests" grep -q '^build locks check kunit ' <<<"$(in_vm check locks)"
check "under KMSAN no KUnit" grep -q '^build uninit check options ' <<<"$(in_vm check uninit)"
check "nothing is built to say what is wrong" grep -q '^vm.sh: error: usage:' <<<"$(in_vm nothing)"
tally
