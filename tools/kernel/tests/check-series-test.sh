#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests of check-series.sh on a toy kernel tree: what builds and boots it are toys, too. TAP output.
set -euo pipefail
# shellcheck source=toy.sh
. "$(dirname -- "$0")/toy.sh"

series() { env "$@" "$top/tools/kernel/check-series.sh"; }
part() { "$top/tools/kernel/check-series.sh" "$1"; }

# A kernel with BROKEN in it does not build, one with WARNING builds with a warning.
toy_build() {
	cat >"$top/tools/kernel/build.sh" <<-'BUILD'
	#!/bin/bash
	. "$(dirname "$0")/lib.sh"
	tree=$(source_tree "$VARIANT")
	out=${tree%/linux}/uml
	rm -rf "$out"
	mkdir -p "$out"
	cp -r "$tree/net" "$tree/include" "$out"
	! grep -r BROKEN "$out" || exit 1
	! grep -rq WARNING "$out" || echo "file.c: warning: WARNING"
	BUILD
}

# boot-uml --kernel DIR --dmesg FILE -- COMMAND: there, in place of a guest.
toy_boot() {
	cat >"$top/tools/kernel/boot-uml" <<-'BOOT'
	#!/bin/bash
	cd "$2" || exit
	: >"$4"
	shift 5
	exec "$@"
	BOOT
}

# toy_test NAME FILE TEXT: green when the kernel has that line in the file.
toy_test() {
	cat >"$top/selftests/fixes/$1.sh" <<-TEST
	#!/bin/bash
	if grep -qx "$3" "$2"; then echo "ok 1 it is there"; else echo "not ok 1 it is missing"; fi
	TEST
	chmod +x "$top/selftests/fixes/$1.sh"
}

# tag NAME LINE: in the message of the patch.
tag() { sed -i "s,^Why it is needed.\$,&\n\n$2," "$top/patches/$1"; }

begin() {
	rm -rf -- "$top"
	toy_project
	sed -i "s,/usr/src/linux-source-.base_version.tar.xz,$default," "$top/tools/kernel/lib.sh"
	mkdir -p "$top/selftests/fixes"
	toy_build
	toy_boot
	chmod +x "$top/tools/kernel/boot-uml" "$top/tools/kernel/build.sh"
	toy_test first net/mptcp/file.c ten
	toy_test second net/mptcp/file.c thirty
	tag fixes/0001-net-first.patch "Test: selftests/fixes/first.sh"
	tag fixes/0002-net-second.patch "Test: selftests/fixes/second.sh"
	mkdir "$top/tools/kernel/send"
	printf '%s\n' "net: mended" "" "Two." "" fixes/0001 fixes/0002 >"$top/tools/kernel/send/1-all.txt"
}
# instead SCRIPT: of the test of the second fix
instead() { printf '#!/bin/bash\n%s\n' "$1" >"$top/selftests/fixes/second.sh"; }

toy_kernel
mkdir "$KSRC/scripts"
printf '#!/bin/sh\n' >"$KSRC/scripts/checkpatch.pl"
chmod +x "$KSRC/scripts/checkpatch.pl"
# in place of what Debian has: with KSRC= the check uses another tree
default=$KSRC
unset KSRC
begin
check "all is well" 0 "^9 passed, 0 failed, 0 skipped" series
cp "$work/out" "$work/said"
check "the groups that build alone" 0 "^ok +fixes/0002.*applies, builds" cat "$work/said"
check "the groups that build as a whole" 0 "^ok +sched/0001.*applies$" cat "$work/said"
check "at their end" 0 "^ok +sched/0002.*applies, builds$" cat "$work/said"
check "a fix" 0 "^ok +fixes/0001.*builds alone; .*first.sh: red without it, green with it" cat "$work/said"
check "one of them" 0 "^1 passed, 0 failed" series PATCH=second
check "which there is not" 1 "PATCH=third: no patch" series PATCH=third
check "the tree is left as Linux with the test bed" 1 "" grep -qx ten "$top/build/series/linux/net/mptcp/file.c"

# As they are sent.
begin
sed -i 's/^+thirty/+BROKEN/' "$top/patches/fixes/0002-net-second.patch"
check "a patch of a series to send that does not build" 1 "^FAILED +1-all/0002.*does not build" part sent

# In order.
begin
sed -i 's/^+thirty/+BROKEN/' "$top/patches/fixes/0002-net-second.patch"
check "a patch that does not build" 1 "^FAILED +fixes/0002.*does not build" part order
sed -i 's/^+BROKEN/+WARNING/' "$top/patches/fixes/0002-net-second.patch"
check "one that builds with warnings" 1 "^FAILED +fixes/0002.*builds with warnings" part order
begin
sed -i 's/^-30/-31/' "$top/patches/fixes/0002-net-second.patch"
check "one that does not apply" 1 "^FAILED +fixes/0002.*does not apply" part order
check "those behind it are not tried" 1 "not tried" part order
begin
sed -i 's/^+hook/+BROKEN/' "$top/patches/sched/0001-net-hook.patch"
check "a group that does not build in the end" 1 "^FAILED +sched/0002.*does not build" part order

# Alone.
begin
sed -i 's/^+thirty/+BROKEN/' "$top/patches/fixes/0002-net-second.patch"
check "a fix that does not build alone" 1 "^FAILED +fixes/0002.*does not build" part fixes
begin
sed -i 's/^ 28/ ten/; s/^+thirty/+30th/' "$top/patches/fixes/0002-net-second.patch"
check "one that does not apply alone" 1 "^FAILED +fixes/0002.*does not apply" part fixes
begin
toy_test second net/mptcp/file.c fifty
check "a test that stays red" 1 "^FAILED +fixes/0002.*second.sh is red with it, not green" part fixes
toy_test second net/mptcp/file.c 5
check "one that is green without the fix" 1 "^FAILED +fixes/0002.*is green on Linux 6.12.200, not red" part fixes
instead 'echo "1..0 # SKIP no such tool"; exit 4'
check "one that is skipped" 1 "^FAILED +fixes/0002.*is skipped on Linux 6.12.200, not red" part fixes
instead 'echo "ok 1 # SKIP no such tool"'
check "one that skips all it has" 1 "^FAILED +fixes/0002.*is broken on Linux" part fixes
instead 'no-such-command; exit 1'
check "one that breaks off" 1 "^FAILED +fixes/0002.*is broken on Linux" part fixes
instead 'grep -qx thirty net/mptcp/file.c || { echo "Kernel panic"; rm -f ../../check-series/series/*.dmesg; exit 125; }
echo "ok 1 it lives"'
check "one that ends the kernel is red" 0 "^ok +fixes/0002" part fixes
rm "$top/selftests/fixes/second.sh"
check "one that is not there" 1 "^FAILED +fixes/0002.*there is no selftests/fixes/second.sh" part fixes
begin
sed -i '/^Test: /d' "$top/patches/fixes/0002-net-second.patch"
check "a fix without a test" 1 "^FAILED +fixes/0002.*names no test" part fixes
tag fixes/0002-net-second.patch "Test: none (it needs two CPUs)"
check "unless it says why" 0 "^skipped +fixes/0002.*builds alone; test: none .it needs two CPUs" part fixes
check "that counts as skipped" 0 "^1 passed, 0 failed, 1 skipped" part fixes
sed -i 's/^+thirty/+BROKEN/' "$top/patches/fixes/0002-net-second.patch"
check "but must build" 1 "^FAILED +fixes/0002.*does not build" part fixes

# A fix that needs another one.
begin
sed -i 's/^ 28/ ten/; s/^-30/-11/; s/^ 29//; s/^ 3[12]$//' "$top/patches/fixes/0002-net-second.patch"
toy_patch fixes/0002-net-second.patch net/mptcp/file.c 11 thirty "net: second"
sed -i 's/^ 10$/ ten/' "$top/patches/fixes/0002-net-second.patch"
tag fixes/0002-net-second.patch "Test: selftests/fixes/second.sh"
check "a fix that needs another and does not say so" 1 "^FAILED +fixes/0002.*does not apply" part fixes
tag fixes/0002-net-second.patch "Depends-on: net: first"
check "when it does, that is applied first" 0 "^ok +fixes/0002.*builds with fixes/0001-net-first.patch;" part fixes
toy_test second net/mptcp/file.c ten
check "and may not be what turns the test green" 1 "^FAILED +fixes/0002.*is green without it, not red" part fixes
sed -i 's/^Depends-on.*/Depends-on: net: build/' "$top/patches/fixes/0002-net-second.patch"
check "what it needs must be a fix before it" 1 "^FAILED +fixes/0002.*Depends-on: names no patch" part fixes

# On a newer version.
begin
cp -r "$default" "$work/newer"
KSRC=$work/newer toy_version 7 3 4
sed -i 's/^10$/ten/' "$work/newer/net/mptcp/file.c"
newest() { KSRC=$work/newer part "$1"; }
check "the table" 0 "on Linux 7.3.4" newest newest
cp "$work/out" "$work/said"
check "what is mended there" 0 "^.*first.* green .* does not apply" cat "$work/said"
check "what is not" 0 "^.*second.* red .* applies" cat "$work/said"
check "the fixes can be tried there" 1 "first.sh is green on Linux 7.3.4, not red" newest fixes
check "one still is one" 1 "^ok +fixes/0002" newest fixes
check "the order cannot" 1 "is Linux 7.3.4; the patches are for 6.12.y" newest order
finish
