# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # what source.sh sets
# Part of source.sh: a series for a Linux version that has none yet, or whose series no longer applies.
#
# What applies as it is stays common. What git can merge, as long as the tree of the nearest version is there, becomes
# a patch of this version. At the first that it cannot, the tree waits with "git am" under way; the next
# call goes on behind it. These files in the tree's .git say how far it came:
#	port        names of the patches that are settled, one a line
#	port-waits  the one at which it stopped, and the commit before it
#	port-try    the commit before the one that is being applied: if that is interrupted, it goes back

# nearest VERSION: the newest with a series that is not newer; else the one of patches/series.
nearest() {
	local have found=$base_version
	while read -r have; do
		[ "$(printf '%s\n' "$have" "$1" | sort -V | tail -n 1)" != "$1" ] || found=$have
	done < <(all_versions)
	echo "$found"
}

# begin_series VERSION: that of the nearest, a group after the other.
begin_series() {
	local near
	near=$(nearest "$1")
	mkdir -p "$patches/$1"
	{
		echo "# For Linux $1, in the order in which they apply; begun from the series for Linux $near."
		names_in "$(series_of "$near")" | while read -r name; do
			[ "$(group_of "$name")" = "${group:-}" ] || echo
			group=$(group_of "$name")
			echo "$name"
		done
	} >"$patches/$1/series"
	say "began patches/$1/series, from the one for Linux $near"
}

# begin_tree: Linux as it came, and all trees to merge from.
begin_tree() {
	find_source
	if [ "$(cat "$tree/.git/origin" 2>/dev/null)" != "$origin" ]; then
		unpack
	elif [ ! -f "$tree/.git/port" ] && loses_edits; then
		die "$tree has edits that patches/ lacks: keep them with 'make patches-refresh', or drop them with FORCE=1"
	fi
	[ -f "$tree/.git/port" ] || { tree_git checkout -q -f -B patches base && : >"$tree/.git/port"; }
	others | sed 's|$|/.git/objects|' >"$tree/.git/objects/info/alternates"
}

# others: the trees of all versions but this one. Those of the pattern that are not there are no failure.
others() {
	{ find "$top"/build/{,*/}linux "$build"/{,*/}linux -maxdepth 0 -type d 2>/dev/null || true; } | sort -u |
		grep -vxF "$tree" || true
}

# with_its_origin NAME: the file of that patch, or the same made anew from its commit in another version's tree: git
# merges with what it changed there, which it finds by the numbers in the patch. Those in patches/ may be of another
# release of that version.
with_its_origin() {
	local other commit made=$tree/.git/port-patch
	while read -r other; do
		commit=$(git -C "$other" log --notes=patches --format='%H %N' base..HEAD | awk -v name="$1" '$2 == name { print $1 }')
		[ -n "$commit" ] || continue
		git -C "$other" format-patch -q -1 --full-index --stdout "$commit" >"$made"
		echo "$made"
		return
	done < <(others)
	say "git cannot merge $1 without a tree that has it:" \
		"'make source$([[ $1 != [0-9]* ]] || echo " KSRC=, of Linux ${1%%/*},")' first makes it"
	echo "$patches/$1"
}

# leave_out NAME WHY
leave_out() { sed -i "s|^$1\\b.*|# $(plain_name "$1"): $2|" "$series"; }

# settle: what became of the patch at which the last call stopped.
settle() {
	local name before
	[ -f "$tree/.git/port-waits" ] || return 0
	read -r name before <"$tree/.git/port-waits"
	! tree_git diff "$before" HEAD | grep -q '^+<<<<<<< ' ||
		die "$name was committed with conflict markers: mend it in $tree, 'git commit --amend'"
	if [ "$(tree_git rev-parse HEAD)" = "$before" ]; then
		leave_out "$name" "left out"
		say "$name was skipped: ${series#"$top/"} leaves it out; write there why"
	else
		note_patch "$name" HEAD
		echo "$name" >>"$tree/.git/port"
	fi
	rm -- "$tree/.git/port-waits"
}

# try NAME
try() {
	local said
	tree_git rev-parse HEAD >"$tree/.git/port-try"
	if ! tree_git am -q --keep-cr "$patches/$1" >/dev/null 2>&1; then
		tree_git am --abort 2>/dev/null || true
		if has_already "$1"; then
			leave_out "$1" "left out, in this Linux already"
			rm -- "$tree/.git/port-try"
			say "left out: this Linux has $1 already"
			return
		fi
		echo "$1 $(tree_git rev-parse HEAD)" >"$tree/.git/port-waits"
		rm -- "$tree/.git/port-try"
		if ! said=$(tree_git am -q -3 --keep-cr "$(with_its_origin "$1")" 2>&1); then
			printf '%s\n' "$said" >&2
			die "$1 does not apply to Linux $(linux_version "$tree").
  cd $tree
  git status                   # names what to mend; if it names nothing:
  git am --show-current-patch=diff | git apply --reject
  git add FILE... && git am --continue
  git am --skip                # instead, if this Linux has the change, or does not need it
Then call 'make port' again. What was settled is kept in that tree only, until the last patch is."
		fi
		say "merged: $1"
	fi
	note_patch "$1" HEAD
	echo "$1" >>"$tree/.git/port"
	rm -f -- "$tree/.git/port-waits" "$tree/.git/port-try"
}

# go_back: to before the patch in the midst of which the last call was interrupted.
go_back() {
	[ -f "$tree/.git/port-try" ] || return 0
	tree_git am --abort 2>/dev/null || true
	tree_git reset -q --hard "$(cat "$tree/.git/port-try")"
	rm -- "$tree/.git/port-try"
}

# end_port: the tree stands on its own, and patches/ has what it has.
end_port() {
	tree_git repack -a -d -q
	rm -f -- "$tree/.git/objects/info/alternates" "$tree/.git/port"
	scratch=$(mktemp -d)
	trap 'rm -rf -- "$scratch"' EXIT
	read_history
	write_replacements
	mark_patched
	say "applied $(series_names | wc -l) patches, $(series_names | grep -c "^$series_version/" || true) of them" \
		"for Linux $series_version only; 'make run KSRC=$KSRC' builds and boots it"
}

port() {
	local name version
	[ -n "${KSRC:-}" ] || die "name the Linux to port to: make port KSRC=, a tree or tarball"
	version=$(ksrc_version)
	[ -n "$version" ] || die "$KSRC: neither a kernel source nor a tarball named linux-VERSION"
	[ "$version" != "$base_version" ] || die "patches/series is for Linux $version; 'make source' applies it." \
		"What to do if it does not apply is in Documentation/development.md, \"Another Linux\""
	find_source
	if [ ! -f "$patches/$version/series" ]; then
		begin_series "$version"
		# what lib.sh finds depends on it, also the folder that the Makefile asked for before
		[ "${BUILD:-}" != "$top/build" ] || unset BUILD
		exec "$0" port
	fi
	go_back
	[ ! -d "$tree/.git/rebase-apply" ] || die "a patch waits in $tree: 'git am --continue' or '--skip' there first"
	begin_tree
	settle
	while read -r -u 3 name; do
		grep -qxF -- "$name" "$tree/.git/port" || try "$name"
	done 3< <(series_names)
	end_port
}
