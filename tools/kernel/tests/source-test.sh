#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests of "source.sh prepare" on a toy kernel tree: no network, no compiler. TAP output.
set -euo pipefail
# shellcheck source=toy.sh
. "$(dirname -- "$0")/toy.sh"

applied() { tree_git log --format=%s base..HEAD | paste -sd ,; }

toy_kernel
toy_project
check "the tree is unpacked and patched" 0 "applied 5 patches" source_sh prepare
check "in order" 0 "^net: build,net: hook,net: second,net: first,um: boot$" applied
check "the patches are in" 0 "" has ten net/mptcp/file.c
check "new files are laid over" 0 "" has new net/mptcp/sched_new.c
check "the project's options, too" 0 "" has options net/mptcp/Kconfig.ours
touch -d '1 hour ago' "$tree/net/mptcp/file.c"
check "a second time there is nothing to do" 0 "" source_sh prepare
check "and no file is touched" 0 "" test "$tree/net/mptcp/file.c" -ot "$top/patches/series"
echo "# a remark" >>"$top/patches/series"
check "a remark in the series is no reason, either" 0 "" source_sh prepare
check "no file is touched for it" 0 "" test "$tree/net/mptcp/file.c" -ot "$top/net/mptcp/sched_new.c"

# One patch, onto Linux as it came with the test bed's patches or without.
git init -q "$top" 2>/dev/null
git -C "$top" -c user.name=a -c user.email=a@b commit -q --allow-empty -m first
check "all of it in one patch" 0 "wrote $top/build/mptcp-6.12.200.patch" source_sh single
for with in "patch -s -p1 -i" "git apply" "git -c user.name=a -c user.email=a@b am -q"; do
	rm -rf -- "$work/plain"
	cp -a "$KSRC" "$work/plain"
	git -C "$work/plain" init -q
	git -C "$work/plain" add -A
	git -C "$work/plain" -c user.name=a -c user.email=a@b commit -qm plain
	# shellcheck disable=SC2086 # words
	check "$with takes it" 0 "" env -C "$work/plain" $with "$top/build/mptcp-6.12.200.patch"
	check "it has the patches" 0 "" diff "$tree/include/file.c" "$work/plain/include/file.c"
	check "and the new files" 0 "" diff "$top/net/mptcp/sched_new.c" "$work/plain/net/mptcp/sched_new.c"
	check "but nothing of the test bed" 1 "" grep boots "$work/plain/arch/um/file.c"
done
touch "$top/net/mptcp/sched_new.c.orig"
check "and what an editor leaves is not ours" 0 "wrote" source_sh single
check "in it" 1 "" grep -q orig "$top/build/mptcp-6.12.200.patch"
replace 11 eleven net/mptcp/file.c
check "edits that it would lack are named" 1 "has edits that patches/ lacks" source_sh single
FORCE=1 source_sh prepare >/dev/null
rm -rf -- "$top/.git"
check "not of a folder that git cannot read" 1 "does not list the files" source_sh single
check "nothing is written over" 0 "" grep -q sched_new "$top/build/mptcp-6.12.200.patch"

echo more >"$top/net/mptcp/sched_more.c"
rm "$top/net/mptcp/sched_new.c"
check "files that come and go" 0 "" source_sh prepare
check "come" 0 "" has more net/mptcp/sched_more.c
check "and go" 1 "" test -e "$tree/net/mptcp/sched_new.c"

sed -i 's/^+ten/+zehn/' "$top/patches/fixes/0001-net-first.patch"
check "a changed patch is applied again" 0 "applied 5 patches" source_sh prepare
check "the change is in" 0 "" has zehn net/mptcp/file.c

replace 11 eleven net/mptcp/file.c
check "an edit in the tree survives" 0 "" source_sh prepare
check "it is there" 0 "" has eleven net/mptcp/file.c
sed -i 's/^+zehn/+dix/' "$top/patches/fixes/0001-net-first.patch"
check "edits on both sides: nothing is lost" 1 "patches-refresh FORCE=1.*source FORCE=1" source_sh prepare
check "it is still there" 0 "" has eleven net/mptcp/file.c
check "unless told so" 0 "applied 5 patches" env FORCE=1 "$top/tools/kernel/source.sh" prepare
check "then the patch is what counts" 0 "" has dix net/mptcp/file.c
check "and the edit is gone" 1 "" has eleven net/mptcp/file.c
replace 11 eleven net/mptcp/file.c
check "so it is if only the tree changed" 0 "applied 5 patches" env FORCE=1 "$top/tools/kernel/source.sh" prepare
check "the edit is gone again" 1 "" has eleven net/mptcp/file.c
# the source changes below its top, where its own time does not show it
replace 11 eleven net/mptcp/file.c
sed -i 's/^40$/forty/' "$KSRC/net/mptcp/file.c"
check "another source: an edit in the tree is not lost" 1 "another source.*patches-refresh.*FORCE=1" source_sh prepare
check "it is still there" 0 "" has eleven net/mptcp/file.c
check "unless told so" 0 "applied 5 patches" env FORCE=1 "$top/tools/kernel/source.sh" prepare
check "then the tree is of the other source" 0 "" has forty net/mptcp/file.c
sed -i 's/^forty$/40/' "$KSRC/net/mptcp/file.c"
check "as it was: without an edit nobody has to be asked" 0 "unpacking" source_sh prepare
replace 11 eleven net/mptcp/file.c
mkdir "$work/bin"
# shellcheck disable=SC2016 # for that shell
printf '#!/bin/sh\ncase "$*" in *0002-net-second*) kill -KILL $PPID ;; esac\nexec %s "$@"\n' "$(command -v git)" >"$work/bin/git"
chmod +x "$work/bin/git"
check "killed meanwhile" 137 "" env PATH="$work/bin:$PATH" FORCE=1 "$top/tools/kernel/source.sh" prepare
check "nothing is given up" 1 "stopped at a patch.* lacks " env FORCE=1 "$top/tools/kernel/source.sh" refresh
check "and it begins anew" 0 "applied 5 patches" source_sh prepare
tree_git checkout -q -b other
check "another branch is none of ours" 1 "not on its branch 'patches'" source_sh refresh
tree_git checkout -q patches
tree_git branch -q -D other
echo new >"$tree/net/mptcp/foo.c"
check "a new file that no patch would have" 1 "new files net/mptcp/foo.c: 'git add'" source_sh refresh
touch -d '1 hour' "$KSRC/net/mptcp/file.c"
check "is not unpacked over" 1 "has new files, net/mptcp/foo.c" source_sh prepare
check "nor cleaned" 1 "linux has new files" source_sh spare
rm "$tree/net/mptcp/foo.c"
replace 11 eleven net/mptcp/file.c
tree_git stash -q
check "nor is a stash" 1 "has a stash" source_sh prepare
tree_git stash drop -q
tree_git switch -q -c mine
replace 11 eleven net/mptcp/file.c
tree_git commit -qam mine
tree_git switch -q patches
check "nor another branch" 1 "has commits on other branches" source_sh prepare
tree_git branch -q -D mine
check "without them nothing is lost" 0 "" source_sh spare
echo 1 >"$tree/kernel.c"
check "an edit of what no patch takes is named before it is" 1 "edits of what no patch takes, kernel.c" source_sh spare
rm "$tree/kernel.c"
echo /tags >"$tree/.gitignore"
touch "$tree/tags" "$tree/kernel.c~"
check "but not what editors and builds leave" 0 "" source_sh spare
rm "$tree/.gitignore" "$tree/tags"
check "and it is unpacked" 0 "applied 5 patches" source_sh prepare
check "without an edit, force touches nothing" 0 "" env FORCE=1 "$top/tools/kernel/source.sh" prepare
cp "$work/out" "$work/said"
check "so that make has nothing to do" 1 "" grep applied "$work/said"

sed -i 's/^-10$/-other/' "$top/patches/fixes/0001-net-first.patch"
check "a patch that does not apply stops with file and line" 1 "net/mptcp/file.c:[0-9]+" source_sh prepare
check "and the patch's name" 1 "fixes/0001-net-first.patch does not apply to 6.12.200" source_sh prepare
check "what is not applied is not given up" 1 "stopped at a patch.* lacks fixes/0001" \
	env FORCE=1 "$top/tools/kernel/source.sh" refresh
check "it is still there" 0 "" test -f "$top/patches/sched/0002-net-build.patch"
check "nor while a patch waits" 128 "does not apply|patch failed" tree_git am "$top/patches/fixes/0001-net-first.patch"
check "which is said" 1 "a patch or a rebase waits in" env FORCE=1 "$top/tools/kernel/source.sh" refresh
tree_git am --abort
replace 10 dix net/mptcp/file.c
tree_git commit -qam "net: first"
for name in fixes/0002-net-second sched/0001-net-hook sched/0002-net-build; do
	check "what is behind it, by hand" 0 "" tree_git am -q "$top/patches/$name.patch"
done
check "becomes patches" 0 "changed: fixes/0001-net-first.patch" env FORCE=1 "$top/tools/kernel/source.sh" refresh
check "none of which is gone" 0 "5" sh -c "grep -c '^[a-z]' '$top/patches/series'"
check "mended, it applies" 0 "" source_sh prepare

# a later stable release that took a fix
sed -i 's/^10$/dix/' "$KSRC/net/mptcp/file.c"
toy_version 6 12 201
check "a patch that Linux has is left out" 0 "left out: Linux 6.12.201 has fixes/0001-net-first.patch already" \
	source_sh prepare
check "the others are applied" 0 "^net: build,net: hook,net: second,um: boot$" applied
check "it is not taken for one that was given up" 1 "6.12.201 had these patches already: fixes/0001" source_sh refresh
sed -i 's/^dix$/10/' "$KSRC/net/mptcp/file.c"
sed -i 's/^10$/boots/' "$KSRC/arch/um/file.c"
touch -d 2001-01-01 "$KSRC/Documentation/networking/file.c"
toy_version 6 12 202
check "a patch of the test bed that Linux has" 0 "has testbed/0001-um-boot.patch already" source_sh prepare
check "sources have the time of now: what was built is older" 0 file.c \
	find "$tree/Documentation/networking" -name file.c -newermt 2010-01-01

# what others have patched
tried() { printf '%s\t%s\t%s\n' "$1" "$(tree_git rev-parse base:net/mptcp)" file.c >"$top/tools/kernel/tried.tsv"; }
tried 6.12.202
touch -d '2 hours' "$KSRC/net/mptcp/file.c"
check "of a release that was tried, nothing is said" 1 "" bash -c '"$0" prepare | grep warning' "$top/tools/kernel/source.sh"
echo more >>"$KSRC/net/mptcp/file.c"
check "of another net/mptcp it is" 0 "is not that of Linux 6.12.202 as released" source_sh prepare
tried 6.12.117
echo >"$KSRC/net/mptcp/other.c"
check "of a release that was not, if it has more" 0 "has what Linux 6.12.117 has not: other.c" source_sh prepare
rm "$KSRC/net/mptcp/other.c" "$top/tools/kernel/tried.tsv"
sed -i '$d' "$KSRC/net/mptcp/file.c"
check "and nothing of what is not known" 1 "" bash -c '"$0" prepare | grep warning' "$top/tools/kernel/source.sh"
git init -q "$top"
check "one patch of the rest" 0 "" source_sh single
rm -rf -- "$top/.git"
check "has the first fix" 0 "" grep -qx +dix "$top/build/mptcp-6.12.202.patch"
sed -i 's/^boots$/10/' "$KSRC/arch/um/file.c"
toy_version 6 12 200
check "of the release before all are" 0 "applied 5 patches" source_sh prepare

# series_is SED-SCRIPT: the series with that change
series_is() { sed -i.good "$1" "$top/patches/series"; }
series_was() { mv "$top/patches/series.good" "$top/patches/series"; }
series_is '1i sched/0001-net-hook.patch'
check "groups out of order" 1 "testbed/0001-um-boot.patch comes after a later group" source_sh prepare
series_was
series_is 's,^sched/0001,other/0001,'
check "an unknown group" 1 "other/0001-net-hook.patch is in none of the groups" source_sh prepare
series_was
series_is 's,^sched/0001-net,sched/0001-missing,'
check "a patch that is missing" 1 "names sched/0001-missing-hook.patch, which is not there" source_sh prepare
series_was
series_is '/^sched.0002/d'
check "a patch that was forgotten" 1 "sched/0002-net-build.patch is not named" source_sh prepare
series_was

tree=$top/build/stock/linux
check "unpatched, there is the test bed only" 0 "applied 1 patches" source_sh prepare stock
check "it is in" 0 "" has boots arch/um/file.c
check "nothing else is" 1 "" has dix net/mptcp/file.c
check "no file of ours" 1 "" test -e "$tree/net/mptcp/sched_more.c"
check "no options of ours" 1 "" test -e "$tree/net/mptcp/Kconfig.ours"
check "but those of the test bed" 0 "" has link net/sched/sch_new.c
toy_version 7 3 4
check "unpatched, it may be another version" 0 "unpacking.*" source_sh prepare stock
check "it is" 0 "" has "VERSION = 7" Makefile
replace 10 other arch/um/file.c
sed -i 's/^10$/other/' "$KSRC/arch/um/file.c"
toy_version 7 3 5
check "which may do without the test bed's patches" 0 "testbed/0001-um-boot.patch does not apply to Linux 7.3.5" \
	source_sh prepare stock
toy_version 6 11 1
check "another version is not patched" 1 "is Linux 6.11.1; the patches are for 6.12.y" \
	env BUILD="$work/other" "$top/tools/kernel/source.sh" prepare
check "no source at all" 1 "no kernel source at" env KSRC=/nonexistent "$top/tools/kernel/source.sh" prepare

sed -i 's/^other$/10/' "$KSRC/arch/um/file.c"
toy_version 6 12 200
# from_tarball: prepare, of the source as it is, in a name that tells nothing; and what that leaves.
from_tarball() {
	local status=0
	rm -rf -- "$work/other"
	[ -e "$work/linux.tar.xz" ] || tar -C "$work" -cJf "$work/linux.tar.xz" linux
	KSRC=$work/linux.tar.xz BUILD=$work/other source_sh prepare || status=$?
	(cd "$work/other" && echo "there is: $(echo *)")
	return $status
}
check "a tarball whose name has no version" 0 "^there is: linux$" from_tarball
truncate -s -64 "$work/linux.tar.xz"
check "one that is cut short leaves nothing" 2 "^there is: \*$" from_tarball
rm -- "$work/linux.tar.xz"
toy_version 6 11 1
check "one of another version" 1 "is Linux 6.11.1; the patches are for 6.12.y" from_tarball
cp "$work/out" "$work/said"
check "is not unpacked before that is known" 1 "" grep unpacking "$work/said"
check "and leaves nothing" 0 "^there is: \*$" cat "$work/said"
rm -- "$work/linux.tar.xz" "$KSRC/Makefile"
check "one without a Makefile at its top" 1 "no Makefile at its top" from_tarball
rm -- "$work/linux.tar.xz"

toy_version 6 12 200
toy_series
tree=$top/build/linux
check "a second series is none of the first" 0 "" source_sh prepare
toy_version 7 3 4
tree=$top/build/7.3/linux
check "its version has its own" 0 "applied 4 patches" source_sh prepare
check "with what only it has" 0 "^net: hook,net: second,net: first,um: boot$" applied
check "and what all have" 0 "" has dix net/mptcp/file.c
check "in a folder of its own" 0 "/build/7.3$" source_sh build
check "a tarball of it, whose name does not tell" 1 "is Linux 7.3.4: name it linux-7.3.4.tar.xz" from_tarball
echo none/0001-x.patch >>"$top/patches/7.3/series"
check "its series is checked, too" 1 "patches/7.3/series: none/0001-x.patch is in none" source_sh prepare
toy_version 6 11 1
check "versions that have one are named" 1 "the patches are for 6.12.y, 7.3.y" \
	env BUILD="$work/other" "$top/tools/kernel/source.sh" prepare
finish
