# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # what source.sh and refresh.sh set
# Part of source.sh: "refresh" for a version with a series of its own, which names common patches, other versions',
# and its own in patches/VERSION. A commit that is not what its patch gives becomes one of these, and so does a new
# one. One that another version's patch gives as well is not kept twice.

# name_in_series OLD NEW: in this version's.
name_in_series() { sed -i "s,^$1\\b,$2," "$series"; }

# next_number GROUP: one that no version has.
next_number() {
	find "$patches" -path "*/$1/[0-9]*.patch" -printf '%f\n' | sort -n | tail -n 1 |
		awk -F - '{ n = $1 } END { printf "%04d", n + 1 }'
}

# add_to_series I NAME: behind the patch of the commit before it.
add_to_series() {
	local last
	[ "$1" -gt 0 ] || die "a new patch cannot be the first: 'git rebase -i base' puts its commit behind another one"
	last=${labels[$1 - 1]}
	sed -i "\\,^$last\\b,a $2" "$series"
}

# named_elsewhere NAME: the versions whose series name that patch, too.
named_elsewhere() {
	local file
	for file in "$patches"/*/series; do
		[ "$file" = "$series" ] || ! grep -qF -- "$1" "$file" || basename "$(dirname "$file")"
	done | paste -sd ' '
}

# text FILE: the patch's subject and message, whoever wrote it and when.
text() { mail "$1" | grep -v '^Date: '; }

# same_elsewhere I: the name of another version's patch, or of the common one, that gives the same commit.
same_elsewhere() {
	local plain file
	plain=$(plain_name "${labels[$1]}")
	for file in "$patches/${plain%%-*}"-*.patch "$patches"/*/"${plain%%-*}"-*.patch; do
		[[ -f $file && $file != "$patches/$series_version/"* ]] || continue
		! gives "$file" "${commits[$1]}" || { echo "${file#"$patches/"}"; return; }
	done
	return 1
}

# write_own I: the commit as a patch of this version, in the place of the one that its series names.
write_own() {
	local fresh name others old=${labels[$1]} group
	fresh=$(tree_git format-patch -1 --zero-commit --no-signature --no-numbered -U"$(context_of "$patches/$old")" \
		-o "$scratch" "${commits[$1]}")
	if [[ $old == *.patch ]]; then
		! still_gives "$patches/$old" "${commits[$1]}" "$fresh" || return 0
		name=$series_version/$(plain_name "$old")
		name_in_series "$old" "$name"
		others=$(named_elsewhere "$name")
		say "changed: $name${others:+, of $others as well: try it there}"
	else
		group=${old%/}
		name=${fresh##*/}
		name=$series_version/$group/$(next_number "$group")-${name#*-}
		add_to_series "$1" "$name"
		say "new: $name"
	fi
	mkdir -p "$patches/${name%/*}"
	cp -- "$fresh" "$patches/$name"
	labels[$1]=$name
	note_patch "$name" "${commits[$1]}"
}

# share I: what another version's patch gives is not this one's alone. Its file goes, if no series names it. Where
# the messages differ, who wrote them decides.
share() {
	local old=${labels[$1]} other
	[[ $old == "$series_version/"* ]] || return 0
	other=$(same_elsewhere "$1") || return 0
	if [ "$(text "$patches/$old")" != "$(text "$patches/$other")" ]; then
		say "$old changes what $other does, and says it differently: one of them is enough"
		return
	fi
	name_in_series "$old" "$other"
	labels[$1]=$other
	note_patch "$other" "${commits[$1]}"
	[ -n "$(named_elsewhere "$old")" ] || rm -- "$patches/$old"
	say "$other instead of $old: it gives the same"
}

# drop_gone: what the series names, and the history lacks.
drop_gone() {
	local name
	while read -r name; do
		[[ " ${labels[*]} " != *" $name "* ]] || continue
		sed -i "\\,^$name\\b,d" "$series"
		[[ $name != "$series_version/"* || -n "$(named_elsewhere "$name")" ]] || rm -- "$patches/$name"
		say "gone: $name"
	done < <(series_names)
}

# write_replacements: of all commits.
write_replacements() {
	local i
	for i in "${!commits[@]}"; do
		write_own "$i"
		share "$i"
	done
}

refresh_version() {
	local i
	[ -z "$(tree_git status --porcelain --untracked-files=no)" ] ||
		die "commit what is edited in $tree first, with 'git commit --fixup=COMMIT' and 'git rebase -i --autosquash base'"
	forget_given_up
	read_history
	for i in "${!commits[@]}"; do
		! is_fixup "$i" || die "a fixup is not where it belongs: 'git rebase -i --autosquash base' in $tree first"
	done
	plan_groups
	sort_history
	write_replacements
	drop_gone
	mark_patched
}
