#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests of "source.sh port" on toy kernel trees: no network, no compiler. TAP output.
set -euo pipefail
# shellcheck source=toy.sh
. "$(dirname -- "$0")/toy.sh"

series_is() { diff <(sed '/^#/d; /^$/d' "$top/patches/$1/series") -; }
# edit LINE TEXT: of the file that most patches change, in the next kernel
edit() { sed -i "s/^$1\$/$2/" "$KSRC/net/mptcp/file.c"; }

toy_kernel
toy_project
check "the first version is patched" 0 "applied 5 patches" source_sh prepare
# the files' identities, with which git merges, are not in these patches: they are those of the tree
check "the version of patches/series is none to port to" 1 "patches/series is for Linux 6.12" source_sh port
check "nor is none" 1 "name the Linux to port to" env -u KSRC "$top/tools/kernel/source.sh" port
check "nor a folder without a kernel" 1 "neither a kernel source" env KSRC="$work" "$top/tools/kernel/source.sh" port
check "nor a tarball that is not there" 1 "no kernel source at" \
	env KSRC="$work/linux-6.17.tar.xz" "$top/tools/kernel/source.sh" port
check "for which no series is begun" 1 "" test -e "$top/patches/6.17"

# one patch applies, one's surroundings changed, one's own line did
mv "$KSRC" "$work/linux-6.12"
KSRC=$work/linux-6.18
cp -a "$work/linux-6.12" "$KSRC"
toy_version 6 18 3
edit 8 eight
edit 30 dreissig
tree=$top/build/6.18/linux
# the Makefile asked for the folder before there was a series
check "a series is begun" 1 "began patches/6.18/series, from the one for Linux 6.12" env BUILD="$top/build" "$top/tools/kernel/source.sh" port
cp "$work/out" "$work/said"
check "what can be merged with the tree of the nearest is" 0 "merged: fixes/0001-net-first.patch" cat "$work/said"
check "what cannot is named" 0 "fixes/0002-net-second.patch does not apply to Linux 6.18.3" cat "$work/said"
check "and what to do" 0 "git add FILE... && git am --continue" cat "$work/said"
check "it waits there" 0 "" test -d "$tree/.git/rebase-apply"
check "and another call does not disturb it" 1 "a patch waits in" source_sh port
tree_git add net/mptcp/file.c
check "added as it is" 0 "" tree_git am --continue
check "it is told from a mended one" 1 "fixes/0002-net-second.patch was committed with conflict markers" source_sh port
sed -i '/^<<<<<<</d; /^=======/d; /^>>>>>>>/d; /^dreissig$/d' "$tree/net/mptcp/file.c"
tree_git add net/mptcp/file.c
check "mended" 0 "" tree_git commit -q --amend --no-edit
check "what is settled is not thrown away" 1 "a port is under way in" source_sh prepare
check "nor taken for all there is" 1 "a port is under way in" env FORCE=1 "$top/tools/kernel/source.sh" refresh
mkdir "$work/bin"
# shellcheck disable=SC2016 # for that shell
printf '#!/bin/sh\ncase "$*" in *notes*0001-net-hook*) kill -KILL $PPID ;; esac\nexec %s "$@"\n' "$(command -v git)" >"$work/bin/git"
chmod +x "$work/bin/git"
check "killed behind a patch: no commit without its name" 137 "" env PATH="$work/bin:$PATH" "$top/tools/kernel/source.sh" port
check "it goes on, without unpacking" 0 "applied 5 patches, 2 of them for Linux 6.18 only" source_sh port
cp "$work/out" "$work/said"
check "not a second time" 1 "" grep unpacking "$work/said"
check "the series" 0 "" series_is 6.18 <<-'SERIES'
	testbed/0001-um-boot.patch
	6.18/fixes/0001-net-first.patch
	6.18/fixes/0002-net-second.patch
	sched/0001-net-hook.patch
	sched/0002-net-build.patch
SERIES
check "the first version's patches are as they were" 0 "" git -C "$top/build/linux" diff --quiet
rm -rf -- "$top/build"
check "it applies from patches/ alone" 0 "applied 5 patches" source_sh prepare
check "with what was mended" 0 "" has thirty net/mptcp/file.c

# from the nearest, whose patches are taken over as long as they apply
KSRC=$work/linux-7.3
cp -a "$work/linux-6.18" "$KSRC"
toy_version 7 3 1
edit 20 zwanzig
# which this one took
sed -i 's/^10$/hook/' "$KSRC/include/file.c"
tree=$top/build/7.3/linux
check "the next begins with the nearest" 1 "from the one for Linux 6.18" source_sh port
tree_git am --skip >/dev/null 2>&1
check "what is skipped is left out" 0 "sched/0002-net-build.patch was skipped: .* write there why" source_sh port
check "and said so" 0 "" grep -qx "# sched/0002-net-build.patch: left out" "$top/patches/7.3/series"
check "what this Linux has is left out, too" 0 "" \
	grep -qx "# sched/0001-net-hook.patch: left out, in this Linux already" "$top/patches/7.3/series"
check "what both have stands once" 0 "" series_is 7.3 <<-'SERIES'
	testbed/0001-um-boot.patch
	6.18/fixes/0001-net-first.patch
	6.18/fixes/0002-net-second.patch
SERIES
rm -rf -- "$top/build"
check "and applies" 0 "applied 3 patches" source_sh prepare
finish
