#!/bin/bash
# SPDX-License-Identifier: MIT
# The fixes as series that can be sent: a folder of build/send for each file in tools/kernel/send, with a cover letter,
# as "git format-patch" writes it. Such a file has the subject, a blank line, the text, and the names of the patches, as
# in patches/series, in their order; the series stand one on the other. What is policy or a feature is not among them.
#
# What is ours alone goes: the lines "Test:" and "Depends-on:" of messages. Each series is then applied to Linux as
# it came, by "git am", and each of its patches is looked at by checkpatch.
#
# A fix's test goes with it, under the name that "Test:" has: send/kselftest/NAME.patch as the patch that follows,
# and send/packetdrill/NAME.pkt into the folder "packetdrill" beside the patches, for packetdrill's own repository. The
# cover letter says which script reproduces what. "make check-send" shows that they fail without the fix.
#
# usage: send.sh	(KSRC=: for which Linux; the newest one that has a series is meant; SEND=: another folder than
#	build/send, which is written anew)
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=series.sh
. "$top/tools/kernel/series.sh"

tree=$(source_tree patched)
out=${SEND:-$build/send}
beside=$top/tools/kernel/send
bad=0

# shellcheck source=worktree.sh
. "$top/tools/kernel/worktree.sh"
make_worktree
rm -rf -- "$out"
mkdir -p "$out"

# What a file has: its subject, its text, in lines as mail has them, and its patches.
subject() { head -n 1 "$1"; }
text() { sed -e '1,2d' -e '/^[a-z]*\/[0-9]*$/d' "$1" | fmt -w 72; }
numbers() { grep -E '^[a-z]+/[0-9]+$' "$1"; }

# file_of NUMBER: the patch that this version has: patches/fixes/0003-what.patch, of "fixes/0003".
file_of() {
	local name
	while read -r name; do
		[[ $(plain_name "$name") != "$1"-* ]] || { echo "$patches/$name"; return; }
	done < <(names_in "$series")
	return 1
}

# am FILE: without what is ours alone; false if it does not apply.
am() {
	sed -E '/^(Test|Depends-on): /d' "$1" | work_git am -q -3 2>/dev/null || {
		work_git am --abort
		return 1
	}
}

# apply NUMBER: with what tests it; false if it does not apply.
apply() {
	local file test
	file=$(file_of "$1") || { say "$1 is not in this version: not needed there"; return; }
	! grep -q '^Fixes: none' "$file" || die "$1 is no fix: 'Fixes: none' says so"
	am "$file" || return 1
	test=$(basename "$(patch_tag "$file" Test)" .sh)
	[ ! -f "$beside/kselftest/$test.patch" ] || am "$beside/kselftest/$test.patch" || return 1
	[ -f "$beside/packetdrill/$test.pkt" ] || return 0
	scripts+=("$beside/packetdrill/$test.pkt")
	cases+="$(printf '  %s\n    %s' "$(patch_subject "$file")" "packetdrill/$test.pkt")"$'\n'
}

# reproducers: what there is to say of the scripts.
reproducers() {
	[ -z "$cases" ] || printf '\n\n%s\n\n%s' "In packetdrill's MPTCP suite each of these fails without its patch:" "$cases"
}

# objects COMMIT: those that net/mptcp is built from.
objects() { work_git show "$1:net/mptcp/Makefile" 2>/dev/null | grep -oE '[a-z0-9_/]+\.o\b' | sort -u; }

# without_source: those that are new, and whose source is a file of ours that no patch has.
without_source() {
	local object
	while read -r object; do
		[ -f "$work/net/mptcp/${object%.o}.c" ] || echo "$object"
	done < <(comm -13 <(objects "$from") <(objects HEAD))
}

# below COMMIT: what a series stands on that begins there.
below() {
	printf 'Based on Linux %s' "$(linux_version "$tree")"
	[ "$from" = "$(work_git rev-parse base)" ] || printf ' and what its later releases mend'
	[ "$1" = "$from" ] || printf ' and the series before this one'
	printf '.'
}

for list in "$top"/tools/kernel/send/*.txt; do
	name=$(basename "$list" .txt)
	begin=$(work_git rev-parse HEAD)
	scripts=() cases=''
	for number in $(numbers "$list"); do
		apply "$number" || { say "$name: $number does not apply here: it needs what is not sent"; bad=1; }
	done
	for object in $(without_source); do say "$name: no patch has the source of $object"; bad=1; done
	work_git branch -q -f "being-sent/$name" HEAD
	work_git config "branch.being-sent/$name.description" "$(subject "$list")"$'\n\n'"$(text "$list")$(reproducers)"$'\n\n'"$(below "$begin")"
	work_git checkout -q "being-sent/$name"
	work_git format-patch -q --zero-commit --no-signature --cover-letter --cover-from-description=subject \
		--subject-prefix='PATCH mptcp-net' -o "$out/$name" "$begin"
	work_git checkout -q --detach
	work_git branch -q -D "being-sent/$name"
	count=$(find "$out/$name" -name '0*.patch' ! -name '0000-*' | wc -l)
	[ "$count" -le 15 ] || { say "$name: $count patches: 15 are as many as a list takes"; bad=1; }
	if [ "${#scripts[@]}" -gt 0 ]; then
		mkdir "$out/$name/packetdrill"
		cp -- "${scripts[@]}" "$out/$name/packetdrill/"
	fi
	say "$name: $count patches and ${#scripts[@]} packetdrill scripts in ${out#"$top/"}/$name"
done

# The proof: they apply to Linux without what is ours, and checkpatch has nothing to say.
work_git checkout -q --detach "$from"
for name in "$out"/*/; do
	work_git am -q "$name"0*[1-9]*.patch || { say "$name does not apply to Linux without ours"; bad=1; break; }
	for file in "$name"0*[1-9]*.patch; do
		# what our patches are checked for, but that commits are not in this tree
		said=$("$tree/scripts/checkpatch.pl" --strict --no-tree --terse --quiet --no-summary --ignore UNKNOWN_COMMIT_ID "$file" 2>&1 || true)
		[ -z "$said" ] || { printf '%s\n' "$said"; bad=1; }
	done
done
[ "$bad" = 0 ]
