#!/bin/bash
# SPDX-License-Identifier: MIT
# Does each of patches/fixes apply to Linux without the others, but for those that its message names by "Depends-on:
# SUBJECT"? Whoever takes one out of the series needs to know. TAP output; nothing is built: see check-series.sh.
#
# usage: check-alone.sh	(KSRC=: for which Linux)
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=series.sh
. "$top/tools/kernel/series.sh"

tree=$(source_tree patched)
# shellcheck source=worktree.sh
. "$top/tools/kernel/worktree.sh"

# apply NAME...: on Linux as it came.
apply() {
	local name
	work_git checkout -q -f --detach "$from"
	for name; do
		work_git am -q --keep-cr "$patches/$name" || { work_git am --abort; return 1; }
	done
}

# alone_or_not NAME: what there is to say, if it does not.
alone_or_not() {
	local needed
	needed=$(needs "$1") || { echo "Depends-on: names no patch of fixes/ before it"; return 1; }
	# shellcheck disable=SC2086 # names
	apply $needed "$1" 2>&1
}

make_worktree
count=0 bad=0
while read -r name; do
	count=$((count + 1))
	if said=$(alone_or_not "$name"); then
		echo "ok $count $name applies alone, or with what it depends on"
	else
		bad=$((bad + 1))
		printf 'not ok %d %s applies alone, or with what it depends on\n' $count "$name"
		printf '# %s\n' "${said//$'\n'/$'\n# '}"
	fi
done < <(series_names fixes)
echo "1..$count"
[ "$bad" = 0 ]
