# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # top and tree, which those who source this set
# Shared by those who handle patches: their groups, their order, what their messages say, and git
# in the tree to which they are applied.

patches=$top/patches
series=$(series_of "$series_version")
# In the order in which they apply. Linux as it came gets the first one, too: with it, it boots
# in the test bed as ours does.
groups=(testbed stable fixes fallback sched cong sockopt handshake join control timers early coding first rejoin limits)

# git in $tree, whatever the user's own configuration says.
tree_git() {
	GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null git -C "$tree" \
		-c user.name=patches -c user.email=patches@localhost -c gc.auto=0 "$@"
}

# lay FOLDER: our files in it over those of the tree. Symlinks, so that an edit at either end is the
# same edit and make sees its time.
lay() {
	local dir=$tree/$1 file
	find "$dir" -maxdepth 1 -type l -delete
	for file in "$top/$1"/*; do
		[ ! -e "$dir/${file##*/}" ] || die "$1/${file##*/} exists in Linux already"
		ln -s "$(realpath --relative-to="$dir" "$file")" "$dir/${file##*/}"
	done
}

lay_over() {
	lay net/mptcp
	ln -s "$(realpath --relative-to="$tree/net/mptcp" "$top/Kconfig")" "$tree/net/mptcp/Kconfig.ours"
	find "$tree/tools/testing/selftests/net" -maxdepth 1 -type l -delete
	ln -s "$top/selftests" "$tree/tools/testing/selftests/net/mptcp_sched"
}

# note_patch NAME COMMIT: the commit is that patch's. A rebase takes the note along.
note_patch() { tree_git notes --ref=patches add -f -m "$1" "$2" 2>/dev/null; }

# all_versions: for which there are patches, the oldest first.
all_versions() {
	{ echo "$base_version"; find "$patches" -path '*/*/series' -printf '%P\n' | sed -n 's,/series$,,p'; } | sort -V
}

# plain_name NAME: without the version that has it so: "fixes/0001-what.patch" of "7.3/fixes/0001-what.patch".
plain_name() { echo "${1#[0-9]*.[0-9]*/}"; }

# series_names [GROUP]: the patches, in order: "GROUP/0001-what-it-does.patch", or "7.3/GROUP/..." if not all
# versions have it so.
series_names() {
	names_in "$series" | awk -v group="${1:-}" '{
		name = $0
		sub(/^[0-9]+\.[0-9]+\//, "", name)
		if (group == "" || index(name, group "/") == 1) print }'
}

# group_of NAME
group_of() {
	local name
	name=$(plain_name "$1")
	echo "${name%%/*}"
}

# group_number GROUP: its place in the order, from 0; false if there is no such group.
group_number() {
	local number
	for number in "${!groups[@]}"; do
		[ "${groups[number]}" != "$1" ] || { echo "$number"; return; }
	done
	return 1
}

# check_series: the groups are in order, and the folders hold what "series" names. What they hold beyond that
# is another version's.
check_series() {
	local name number last=0 names file=${series#"$top/"}
	names=$(find "$patches" -name series | while read -r name; do names_in "$name"; done)
	while read -r name; do
		number=$(group_number "$(group_of "$name")") ||
			die "$file: $name is in none of the groups ${groups[*]}"
		[ "$number" -ge "$last" ] || die "$file: $name comes after a later group's:" \
			"the order is ${groups[*]}"
		last=$number
		[ -f "$patches/$name" ] || die "$file names $name, which is not there"
	done < <(series_names)
	# not by "| grep -q", which leaves before the other end has written all
	(cd "$patches" && find . -name '*.patch' -printf '%P\n') | while read -r name; do
		grep -qxF -- "$name" <<<"$names" || die "patches/$name is not named in a series"
	done
}

# Of a patch in a file: the first line of its message; what the message says after "NAME: ".
patch_subject() { git mailinfo /dev/null /dev/null <"$1" | sed -n 's/^Subject: //p'; }
patch_tag() { sed -n -e '/^---$/q' -e "s/^$2: *//p" "$1"; }

# needs NAME: the patches of fixes/ on which it depends, in the order of the series.
needs() {
	local needed
	needed=$(needed "$1") || return 1
	series_names fixes | grep -xF -- "$needed" || [ -z "$needed" ]
}

# needed NAME: the same in any order. Each names some by "Depends-on: SUBJECT", and these others.
needed() {
	local subject name
	while read -r subject; do
		name=$(fix_before "$1" "$subject") || return 1
		echo "$name"
		needed "$name" || return 1
	done < <(patch_tag "$patches/$1" Depends-on)
}

# fix_before NAME SUBJECT: the patch of fixes/ in front of NAME that has the subject.
fix_before() {
	local name
	while read -r name; do
		[ "$name" != "$1" ] || return 1
		[ "$(patch_subject "$patches/$name")" != "$2" ] || { echo "$name"; return; }
	done < <(series_names fixes)
	return 1
}

# match_patch PART NAME...: the one whose name has PART in it, as in "fixes/0003-mptcp-what.patch".
# "fixes/what" does, too: what a folder holds begins with a number that no one remembers.
match_patch() {
	local part=$1 name found=()
	shift
	for name; do
		# shellcheck disable=SC2053 # a pattern
		[[ $name != *${part/\//\/*}* ]] || found+=("$name")
	done
	[ ${#found[@]} -gt 0 ] || die "PATCH=$part: no patch has that in its name"
	[ ${#found[@]} = 1 ] || die "PATCH=$part is in the name of more than one patch:" \
		"$(printf '\n  %s' "${found[@]}")"
	echo "${found[0]}"
}
