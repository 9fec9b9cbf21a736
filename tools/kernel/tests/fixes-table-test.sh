#!/bin/bash
# SPDX-License-Identifier: MIT
# The table of defects, from patches and series of a toy project. TAP output.
set -euo pipefail

here=$(cd -- "$(dirname -- "$0")/.." && pwd)
# shellcheck source=tap.sh
. "$here/tests/tap.sh"
top=$work/project
page=$top/Documentation/upstream-fixes.md

# patch NAME SUBJECT TAG...
patch() {
	mkdir -p "$top/patches/${1%/*}"
	{
		printf 'Subject: [PATCH] %s\n\nWhy.\n\n' "$2"
		printf '%s\n' "${@:3}" --- 'Test: selftests/no-tag.sh'
	} >"$top/patches/$1"
}
commit='Fixes: 0123456789ab ("mptcp: a")'
begin() {
	rm -rf -- "$top"
	mkdir -p "$top/Documentation" "$top/patches/7.3" "$top/patches/6.18" "$top/selftests/fixes" "$top/selftests/robust"
	touch "$top"/selftests/{robust/a,two,fixes/one,fixes/other}.sh
	patch fixes/0001-one.patch $'mptcp: one\n that is long' "$commit" "Test: selftests/fixes/one.sh"
	patch fixes/0002-two.patch 'mptcp: pm: two' "$commit" "Test: none (selftests/two.sh has it)"
	patch fixes/0003-three.patch 'mptcp: three' "Fixes: none (policy)" "Test: none (not visible)"
	patch 7.3/fixes/0003-new.patch 'mptcp: new' "$commit" "Test: selftests/robust/a.sh"
	printf '%s\n' '# all' fixes/000{1-one,2-two,3-three}.patch >"$top/patches/series"
	printf '%s\n' 7.3/fixes/0003-new.patch 'fixes/0002-two.patch # as it is' >"$top/patches/6.18/series"
	printf '%s\n' fixes/0001-one.patch '# fixes/0002: it is there' "# 6.12's fixes/0003: it is gone" \
		7.3/fixes/0003-new.patch >"$top/patches/7.3/series"
	printf '%s\n' '# what' 'First things' 'fixes/0001|5.6|tried' 'fixes/0001|5.6|read in part|a half|fixes/other' \
		'Others' 'fixes/0002|5.6|tried' 'fixes/0003|5.7|read' '7.3/fixes/0003|5.6|read' |
		tr '|' '\t' >"$top/Documentation/upstream-fixes.tsv"
	printf '%s\n' before '<!-- fixes -->' old '<!-- /fixes -->' after >"$page"
}
# edit REGEX: of the .tsv
edit() { sed -i "$1" "$top/Documentation/upstream-fixes.tsv"; }
table() { "$here/fixes_table.py" "$1" "$top"; }
# has LINE
has() { grep -qxF -- "$1" "$page" || { cat "$page"; return 1; }; }
# refused MESSAGE: that is what it says, and the page stays.
refused() {
	cp "$page" "$work/before"
	! table write >"$work/said" 2>&1 || return 1
	cat "$work/said"
	grep -qF -- "$1" "$work/said" && cmp "$work/before" "$page"
}
is_wrong() { ! table check; }

begin
check "a page that is old" is_wrong
check "write" table write
check "the text around the table stays" test "$(sed -n '1p;$p' "$page" | xargs)" = "before after"
check "the old table is gone" bash -c '! grep -x old "$0"' "$page"
check "a page as it is to be" table check
check "a heading" has '| **First things** | | |'
check "subject, test, release, and that the newest Linux has it" \
	has '| [one that is long](../patches/fixes/0001-one.patch): `one` | 5.6 | **yes** |'
check "a second test of a patch, and a defect that is half there" \
	has '| [the same](../patches/fixes/0001-one.patch): `other` | 5.6 | in part: a half |'
check "one that the newest has not, but another, and a test elsewhere" \
	has '| [pm: two](../patches/fixes/0002-two.patch): `../two` | 5.6 | **no** (6.18: yes): it is there |'
check "one without a test, and another patch of that number in the newest" \
	has '| [three](../patches/fixes/0003-three.patch) | 5.7 | no: it is gone |'
check "that patch" has '| [new](../patches/7.3/fixes/0003-new.patch): `../robust/a` | 5.6 | yes |'
patch fixes/0003-three.patch 'mptcp: 3' "Fixes: none (policy)" "Test: none (not visible)"
check "a message that changed" is_wrong

begin
echo 6.18/fixes/0004-four.patch >>"$top/patches/6.18/series"
check "a fix of any version that has no line" refused "lacks 6.18/fixes/0004-four.patch"
begin
edit 's/^fixes.0002/fixes\/0005/'
check "a line without a patch" refused "fixes/0005: 0 patches"
begin
edit 's/fixes.other/fixes\/no/'
check "a test that is not there" refused "there is no selftests/fixes/no.sh"
begin
edit 's/^fixes.0002\t5.6/fixes\/0002\t5.8/'
check "two releases for one commit" refused "0123456789ab is in 5.8, or in 5.6?"
begin
edit 's/tried/seen/'
check "neither tried nor read" refused "neither tried nor read"
begin
sed -i '/it is there/d' "$top/patches/7.3/series"
check "left out of the newest, and nobody says why" refused "why?"
begin
edit 's/in part\ta half/in part\t/'
check "half there, and nobody says why" refused "why?"
tally
