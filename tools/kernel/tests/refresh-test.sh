#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests of "source.sh refresh" on a toy kernel tree: no network, no compiler. TAP output.
set -euo pipefail
# shellcheck source=toy.sh
. "$(dirname -- "$0")/toy.sh"

refresh() { env "$@" "$top/tools/kernel/source.sh" refresh; }
# answering ANSWER: refresh on a terminal, on which that is typed.
answering() { printf '%s\n' "$1" | script -qec "$top/tools/kernel/source.sh refresh" /dev/null; }
# begin: from the start, and remember patches/.
begin() {
	rm -rf -- "$top"
	toy_project
	source_sh prepare >/dev/null
	remember
}
remember() { rm -rf -- "$work/before"; cp -a -- "$top/patches" "$work/before"; }
same() { diff -r "$work/before" "$top/patches"; }
# differ: names of the patches that are not as they were
differ() {
	diff -rq "$work/before" "$top/patches" | grep -oE '[a-z]+/[0-9][^ ]*|[a-z]+: [0-9].*|series' |
		sort -u | paste -sd ' ' || true
}
# patch_has LINE GROUP/NUMBER
patch_has() { cat "$top/patches/$2"-*.patch | grep -x -- "$1" >/dev/null; }
series_is() { diff "$top/patches/series" -; }
commit() { tree_git commit -qam "$1"; }
# commit_behind SUBJECT NEW LINE TEXT FILE: a new commit in the midst of the history
commit_behind() {
	tree_git checkout -q --detach "$(tree_git log --format=%H --grep="$1" patches)"
	replace "$3" "$4" "$5"
	commit "$2"
	tree_git rebase -q --onto HEAD HEAD^ patches
}

toy_kernel
begin
check "nothing was edited" 0 "wrote 5 patches" refresh
echo draft >"$top/patches/fixes/0099-draft.patch"
check "a draft that no series names is not lost" 1 "no series names fixes/0099-draft.patch" refresh
rm "$top/patches/fixes/0099-draft.patch"
mkdir "$tree/drivers"
echo edited >"$tree/drivers/tun.c"
check "an edit that no patch takes is told" 0 "warning: .* edits of drivers/tun.c" refresh
rm -r -- "$tree/drivers"
check "nothing changes, not even the series' remarks" 0 "" same
check "nor what patches/ holds besides" 0 "" refresh

# Which patch an edit belongs to.
replace 11 eleven include/file.c
check "one patch touches the file" 0 "changed: sched/0001-net-hook.patch" refresh
check "it has the edit" 0 "" patch_has +eleven sched/0001
check "and its message" 0 "" patch_has "Why it is needed." sched/0001
check "and two lines around it, as before" 0 "^ 8$" sed -n '/^@@/,$p' "$top"/patches/sched/0001-*.patch
check "but no third one" 1 "" patch_has " 7" sched/0001
check "all others are as they were" 0 "^sched/0001-net-hook.patch$" differ
check "there is nothing to do afterwards" 0 "" source_sh prepare
check "and nothing to write" 0 "wrote 5 patches" refresh
begin
replace 11 eleven net/mptcp/file.c
check "several patches touch the file: they are named" 1 "fixes/0002-net-second.patch" refresh
check "and the command" 1 "make patches-refresh PATCH=fixes/0001'" refresh
check "patches/ is as it was" 0 "" same
check "the edit, too" 0 "" test "$(tree_git diff --name-only)" = net/mptcp/file.c
check "told of none" 1 "PATCH=third: no patch has that" refresh PATCH=third
check "told of several" 1 "more than one patch: *" refresh PATCH=fixes
check "told which" 0 "changed: fixes/0001-net-first.patch" refresh PATCH=fixes/net-fi
check "that has it" 0 "" patch_has +eleven fixes/0001
check "it alone, though others moved and touch the same file" 0 "^fixes/0001-net-first.patch$" differ
begin
replace 11 eleven net/mptcp/file.c
check "asked which" 0 "1\) fixes/0001.*" answering 2
check "it is the second one that was offered" 0 "^fixes/0002-net-second.patch$" differ
begin
replace 5 five net/mptcp/file.c
replace 5 five include/file.c
check "asked for one, the other is clear" 0 "wrote 5" answering 3
check "each goes where it belongs" 0 "^sched/0001-net-hook.patch sched/0002-net-build.patch$" differ
begin
replace 5 five Documentation/networking/file.c
check "a file that no patch touches" 1 "Documentation/networking/file.c is edited but no patch" refresh
check "goes where it is told" 0 "changed: fixes/0002" refresh PATCH=second
begin
replace 11 eleven net/mptcp/file.c
replace 5 five include/file.c
check "asked for two: none of these, and one" 0 "changed: sched/0001" answering "$(printf '4\n1')"
check "what goes nowhere stays an edit" 0 "" test "$(tree_git diff --name-only)" = net/mptcp/file.c
check "with its text" 0 "" has eleven net/mptcp/file.c
check "none, told for all" 0 "wrote 5 patches" refresh PATCH=none
check "it is still there" 0 "" test "$(tree_git diff --name-only)" = net/mptcp/file.c
replace 5 five Documentation/networking/file.c
check "also what no patch touches" 0 "wrote 5 patches" refresh PATCH=none
replace 35 between arch/um/file.c
tree_git commit -q -m "net: new" arch/um/file.c
check "a commit moves past it" 0 "new: fixes/0003-net-new.patch" refresh PATCH=none GROUP=fixes
check "and it is there" 0 "" has eleven net/mptcp/file.c
begin
replace 11 eleven net/mptcp/file.c
commit "fixup! net: second"
check "what was committed as a fixup needs no question" 0 "changed: fixes/0002" refresh
check "it is in" 0 "" patch_has +eleven fixes/0002

# Where a new commit goes.
begin
replace 5 five include/file.c
commit "include: new"
check "a new commit: the groups are named" 1 "GROUP=fixes.*testbed stable fixes fallback sched cong sockopt handshake join control timers early coding first rejoin limits" refresh
check "and nothing is written" 0 "" same
check "a group that there is not" 1 "GROUP=fix: there are" refresh GROUP=fix
check "told the last group in use" 0 "new: sched/0003-include-new.patch" refresh GROUP=sched
check "it stands at its end" 0 "" series_is <<-'SERIES'
# The test bed.
testbed/0001-um-boot.patch

# Fixes.
fixes/0001-net-first.patch
# this one waits for the first
fixes/0002-net-second.patch # and is short

# Schedulers.
sched/0001-net-hook.patch
sched/0002-net-build.patch
sched/0003-include-new.patch
# The end.
SERIES
check "all others are as they were" 0 "^sched: 0003-include-new.patch series$" differ
begin
replace 5 five include/file.c
commit "include: new"
check "asked" 0 "wrote 6 patches" answering 4
check "an empty group gets its first" 0 "" test -e "$top/patches/fallback/0001-include-new.patch"
begin
replace 5 five arch/um/file.c
commit "um: new"
check "an earlier group: it is moved there, and that is said" 0 "moving \"um: new\" to the end of fixes" \
	refresh GROUP=fixes
check "its place is the end of that group" 0 "" series_is <<-'SERIES'
# The test bed.
testbed/0001-um-boot.patch

# Fixes.
fixes/0001-net-first.patch
# this one waits for the first
fixes/0002-net-second.patch # and is short
fixes/0003-um-new.patch

# Schedulers.
sched/0001-net-hook.patch
sched/0002-net-build.patch
# The end.
SERIES
check "in the history, too" 0 "^um: boot,net: first,net: second,um: new,net: hook,net: build$" \
	bash -c "git -C '$tree' log --reverse --format=%s base..HEAD | paste -sd ,"
check "all others are as they were" 0 "^fixes: 0003-um-new.patch series$" differ
begin
replace 20 zwanzig net/mptcp/file.c
replace twenty zwanzig net/mptcp/file.c
commit "net: on top"
check "a conflict on the way stops with git's message" 1 "CONFLICT .*net/mptcp/file.c" refresh GROUP=fixes
check "patches/ is as it was" 0 "" same
check "a rebase that goes on is not disturbed" 1 "a rebase is going on.*--continue" refresh
tree_git rebase --abort
check "given up, it is asked again" 1 "new commit: say which group" refresh
check "nothing is lost" 0 "" has zwanzig net/mptcp/file.c
check "what to do is said" 1 "git rebase --continue.*patches-refresh.*--abort" refresh GROUP=fixes
tree_git checkout -q --theirs net/mptcp/file.c
tree_git add net/mptcp/file.c
GIT_EDITOR=: tree_git rebase --continue >/dev/null 2>&1 || {
	tree_git checkout -q --theirs net/mptcp/file.c
	tree_git add net/mptcp/file.c
	GIT_EDITOR=: tree_git rebase --continue >/dev/null 2>&1 || true
}
check "solved, it goes on without asking again" 0 "new: fixes/0003-net-on-top.patch" refresh

begin
commit_behind "net: first" "net: between" 35 between arch/um/file.c
check "in the midst of a group it stays there, unasked" 0 "new: fixes/0002-net-between.patch" refresh
cp "$work/out" "$work/said"
check "those behind get other numbers" 0 "fixes/0002-net-second.patch is now fixes/0003-net-second.patch" \
	cat "$work/said"
check "and keep their text" 0 "" cmp "$work/before/fixes/0002-net-second.patch" "$top/patches/fixes/0003-net-second.patch"
check "and remarks" 0 "" series_is <<-'SERIES'
# The test bed.
testbed/0001-um-boot.patch

# Fixes.
fixes/0001-net-first.patch
fixes/0002-net-between.patch
# this one waits for the first
fixes/0003-net-second.patch # and is short

# Schedulers.
sched/0001-net-hook.patch
sched/0002-net-build.patch
# The end.
SERIES
begin
commit_behind "net: second" "net: between" 35 between arch/um/file.c
check "between two groups it is asked" 1 "new commit: say which group" refresh
check "and stays there when that fits" 0 "new: sched/0001-net-between.patch" refresh GROUP=sched
check "above the first of a group is what belongs to the group" 0 "sched/0001-net-between.patch" \
	grep -A1 "# Schedulers" "$top/patches/series"

begin
commit_behind "um: boot" "net: early" 35 early arch/um/file.c
check "a later group: it is moved to its end, too" 0 "new: sched/0003-net-early.patch" refresh GROUP=sched

# Patches that go, move, change their names.
begin
tree_git rebase -q --onto "$(tree_git log --format=%H --grep='net: first')^" \
	"$(tree_git log --format=%H --grep='net: first')" patches
check "a commit that is gone takes its patch along" 0 "gone: fixes/0001-net-first.patch" refresh
check "not the remarks" 0 "" series_is <<-'SERIES'
# The test bed.
testbed/0001-um-boot.patch

# Fixes.
# this one waits for the first
fixes/0002-net-second.patch # and is short

# Schedulers.
sched/0001-net-hook.patch
sched/0002-net-build.patch
# The end.
SERIES
begin
tree_git commit -q --amend -m "net: last"
check "a commit with another subject is still that patch" 0 "sched/0002-net-build.patch is now sched/0002-net-last.patch" \
	refresh
begin
tree_git reset -q --soft HEAD^
tree_git commit -qm "net: build"
check "one that was committed anew is known by its subject" 0 "wrote 5 patches" refresh
begin
GIT_SEQUENCE_EDITOR="sed -i -e '2{h;d}' -e '4G'" tree_git rebase -q -i base
check "a patch that left its group is no guess" 1 "fixes/0001-net-first.patch now stands behind sched/0001" \
	refresh
check "nothing is written" 0 "" same

# Both sides.
begin
replace 11 eleven include/file.c
sed -i 's/^+ten/+zehn/' "$top/patches/fixes/0001-net-first.patch"
remember
check "what was edited in patches/ is not overwritten" 1 "patches/ changed.*FORCE=1" refresh
check "it is there" 0 "" same
check "unless told so" 0 "changed: sched/0001" refresh FORCE=1
check "the tree counts" 1 "" patch_has +zehn fixes/0001

# When something fails, on the way or at the end.
begin
replace 11 eleven include/file.c
sed -i 's/^write_series() {/&\n\treturn 1/' "$top/tools/kernel/refresh.sh"
check "a failure at the very end" 1 "" refresh
check "leaves patches/ as it was" 0 "" same
check "and nothing beside it" 1 "" test -e "$top/patches.new"
cp "$here/refresh.sh" "$top/tools/kernel/"
check "the next time it succeeds" 0 "changed: sched/0001" refresh
check "with the edit" 0 "" patch_has +eleven sched/0001
begin
replace 10 zehn net/mptcp/file.c
replace ten zehn net/mptcp/file.c
check "an edit that does not fit its patch stops with git's message" 1 "CONFLICT.*net/mptcp/file.c" \
	refresh PATCH=testbed
check "patches/ is as it was" 0 "" same
tree_git rebase --abort
check "the edit is not lost" 0 "" has zehn net/mptcp/file.c
check "given up, it is an edit again, for another patch" 0 "changed: fixes/0001-net-first.patch" \
	refresh PATCH=fixes/net-fi
check "and in that one" 0 "" patch_has +zehn fixes/0001
check "no other" 0 "^fixes/0001-net-first.patch$" differ
begin
replace 10 zehn net/mptcp/file.c
replace ten zehn net/mptcp/file.c
check "one that is solved" 1 "CONFLICT" refresh PATCH=testbed
tree_git checkout -q --theirs net/mptcp/file.c
tree_git add net/mptcp/file.c
solved=0
for _ in 1 2 3 4; do
	GIT_EDITOR=: tree_git rebase --continue >/dev/null 2>&1 || {
		tree_git checkout -q --theirs net/mptcp/file.c && tree_git add net/mptcp/file.c
	}
	[ -e "$tree/.git/rebase-merge" ] || { solved=1; break; }
done
check "it is" 0 "" test $solved = 1
check "goes on where it was" 0 "wrote 5 patches" refresh
check "with the edit in its patch" 0 "" grep -q zehn "$(echo "$top"/patches/testbed/0001-*.patch)"

begin
toy_series
remember
replace 15 fifteen net/mptcp/file.c
commit "net: fourth"
check "the first series leaves those of others alone" 0 "new: fixes/0003" refresh GROUP=fixes
check "but for that one" 0 "^fixes: 0003-net-fourth.patch series$" differ
sed -i s,7.3/fixes/0002,fixes/0002, "$top/patches/7.3/series"
commit_behind "net: first" "net: between" 35 between arch/um/file.c
check "a number that changes" 0 "fixes/0002-net-second.patch is now fixes/0003" refresh
check "changes in the other series, too" 0 "" grep -qx fixes/0003-net-second.patch "$top/patches/7.3/series"
toy_version 7 3 4
tree=$top/build/7.3/linux
rm -rf -- "$top"
toy_project
toy_series
source_sh prepare >/dev/null
remember
check "of another version nothing was edited" 0 "" refresh
check "nothing changes" 0 "" same
replace 12 twelve include/file.c
check "an edit there has to be a commit" 1 "commit what is edited" refresh
tree_git commit -qa --amend --no-edit
check "which then replaces the patch that all have" 0 "changed: 7.3/sched/0001-net-hook.patch" refresh
check "for that version" 0 "" grep -qx 7.3/sched/0001-net-hook.patch "$top/patches/7.3/series"
check "with the edit" 0 "" patch_has +twelve 7.3/sched/0001
check "and two lines around it, too" 1 "" patch_has " 7" 7.3/sched/0001
check "the other one stays" 0 "" cmp "$work/before/sched/0001-net-hook.patch" "$top/patches/sched/0001-net-hook.patch"
replace twelve 12 include/file.c
tree_git commit -qa --amend --no-edit
check "what the common patch gives again is not kept twice" 0 \
	"sched/0001-net-hook.patch instead of 7.3/sched/0001-net-hook.patch" refresh
check "its file is gone" 1 "" test -e "$top/patches/7.3/sched/0001-net-hook.patch"
check "the series names the common one" 0 "" grep -qx sched/0001-net-hook.patch "$top/patches/7.3/series"
replace 20 zwanzig net/mptcp/file.c
commit "net: third"
check "of a new commit the group is asked" 1 "new commit: say which group" refresh
check "told, it becomes a patch of that version, moved to its group" 0 \
	"new: 7.3/fixes/0003-net-third.patch" refresh GROUP=fixes
check "behind the one before it" 0 "^7.3/fixes/0003" grep -A 1 "^7.3/fixes/0002" "$top/patches/7.3/series"
rm "$tree/.git/patches-hash"
check "and it applies" 0 "applied 5 patches" source_sh prepare

# Of several versions.
mkdir "$top/patches/7.4"
cp "$top/patches/7.3/series" "$top/patches/7.4/"
replace zwanzig twenty net/mptcp/file.c
commit "fixup! net: third"
check "a fixup has to be where it belongs" 1 "autosquash base" refresh
GIT_SEQUENCE_EDITOR=: tree_git rebase -q -i --autosquash base
check "a patch that another version has, too: that is said" 0 "changed: 7.3/fixes/0003.*of 7.4 as well" refresh
tree_git commit -q --allow-empty -m none && tree_git reset -q --hard HEAD~2
check "a commit that is gone takes its patch from the series" 0 "^source.sh: gone: sched/0001-net-hook.patch" refresh
check "the common one stays" 0 "" test -e "$top/patches/sched/0001-net-hook.patch"
tree_git reset -q --hard HEAD~1
check "a patch that is this version's" 0 "gone: 7.3/fixes/0003-net-third.patch" refresh
check "and another one's stays" 0 "" test -e "$top/patches/7.3/fixes/0003-net-third.patch"
rm -r "$top/patches/7.4"
tree_git commit -q --amend -m "net: second, as here"
cp "$top/patches/7.3/fixes/0002-net-second.patch" "$top/patches/fixes/"
check "the same with another message is named, and stays" 0 "says it differently" refresh
check "as it is" 0 "" grep -q "as here" "$top/patches/7.3/fixes/0002-net-second.patch"
finish
