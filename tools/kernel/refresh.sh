# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # what source.sh sets
# Part of source.sh: turn what was edited and committed in the tree into patches.
#
# First all questions are answered, then the tree's history is put in order, and only then
# patches/ is written, beside the old one, and takes its place.

# What stands in the tree, oldest first: commits, and of each its label. That is the name of its
# patch ("fixes/0003-what.patch"), or its group alone ("fixes/"), or nothing yet.
commits=() labels=()

# read_history: a commit without a note may be a known patch that was committed anew: by its subject.
read_history() {
	local i subject name
	mapfile -t commits < <(tree_git rev-list --reverse base..HEAD)
	labels=()
	for i in "${!commits[@]}"; do
		labels[i]=$(tree_git notes --ref=patches show "${commits[i]}" 2>/dev/null | head -n 1 || true)
		! is_claimed "$i" || labels[i]=$(group_of "${labels[i]}")/
	done
	for i in "${!commits[@]}"; do
		[ -z "${labels[i]}" ] || continue
		subject=$(tree_git log -1 --format=%s "${commits[i]}")
		while read -r name; do
			[[ " ${labels[*]} " == *" $name "* ]] || [ "$(patch_subject "$patches/$name")" != "$subject" ] ||
				labels[i]=$name
		done < <(series_names)
	done
}

# is_claimed I: an earlier commit is the same patch, that is, it was split.
is_claimed() { [[ ${labels[$1]} == *.patch && " ${labels[*]:0:$1} " == *" ${labels[$1]} "* ]]; }

is_fixup() { [[ $(tree_git log -1 --format=%s "${commits[$1]}") =~ ^(fixup|squash|amend)\!\  ]]; }

# name_of I: what to call a commit when asking: a new one has no number.
name_of() {
	case ${labels[$1]} in
	*.patch) echo "${labels[$1]}" ;;
	*) echo "${labels[$1]%/}/$(tree_git log -1 --format=%f "${commits[$1]}")" ;;
	esac
}

# ask QUESTION CHOICE...: sets answer.
ask() {
	local PS3="$1 "
	shift
	select answer in "$@"; do
		[ -z "$answer" ] || return 0
	done
	die "no answer: nothing was changed"
}

can_ask() { [ -t 0 ] && [ -t 2 ]; }

# plan_edits: sets owner[FILE] to the commit to which an edit belongs that is not committed. Of none, it stays.
declare -A owner=()
none="none of these: it stays an edit"
plan_edits() {
	local file i names=() touching open='' answer
	[ "${PATCH:-}" != none ] || return 0
	for i in "${!commits[@]}"; do
		is_fixup "$i" || names[i]=$(name_of "$i")
	done
	while read -r -u 3 file; do
		if [ -n "${PATCH:-}" ]; then
			answer=$(match_patch "$PATCH" "${names[@]}")
		else
			mapfile -t touching < <(names_touching "$file")
			case ${#touching[@]} in
			0) die "$file is edited but no patch touches it: name one with PATCH=, leave all that is edited" \
				"alone with PATCH=none, or commit it in $tree with a message of its own, then refresh" ;;
			1) answer=${touching[0]} ;;
			*) if can_ask; then
				ask "Which patch does the edit of $file belong to?" "${touching[@]}" "$none"
			else
				open+=$(printf '\n  %s:' "$file"; printf '\n    %s' "${touching[@]}")
				continue
			fi ;;
			esac
		fi
		for i in "${!names[@]}"; do
			[ "${names[i]}" != "$answer" ] || owner[$file]=${commits[i]}
		done
	done 3< <(tree_git diff --name-only HEAD)
	[ -z "$open" ] || die "several patches touch what is edited; say which one it is for," \
		"as in 'make patches-refresh PATCH=${touching[0]%%-*}', or PATCH=none:$open"
}

# names_touching FILE: of the patches that change it; uses names of plan_edits.
names_touching() {
	local i
	for i in "${!names[@]}"; do
		tree_git diff-tree -r --no-commit-id --name-only "${commits[i]}" -- "$1" | grep . >/dev/null || continue
		echo "${names[i]}"
	done
}

# neighbours I: sets before and after to the groups of the nearest patches that have one already.
neighbours() {
	local label
	before=${groups[0]} after=''
	for label in "${labels[@]:0:$1}"; do
		[[ $label != *.patch ]] || before=$(group_of "$label")
	done
	for label in "${labels[@]:$1 + 1}"; do
		[[ $label != *.patch ]] || { after=$(group_of "$label"); break; }
	done
}

# plan_groups: give a group to each new commit. In the midst of a group it is that one.
plan_groups() {
	local i before after
	for i in "${!commits[@]}"; do
		if [[ ${labels[i]} == *.patch ]] || is_fixup "$i"; then continue; fi
		neighbours "$i"
		if [ "$before" = "$after" ]; then
			labels[i]=$before/
		else
			choose_group "$i"
		fi
		note_patch "${labels[i]}" "${commits[i]}"
	done
}

# choose_group I: told, or decided in a run that was broken off, or asked.
choose_group() {
	local subject answer=${GROUP:-${labels[$1]%/}}
	subject=$(tree_git log -1 --format=%s "${commits[$1]}")
	if [ -z "$answer" ]; then
		can_ask || die "\"$subject\" is a new commit: say which group its patch belongs to, as in" \
			"'make patches-refresh GROUP=fixes' (there are ${groups[*]})"
		ask "Which group does the new patch \"$subject\" belong to?" "${groups[@]}"
	fi
	group_number "$answer" >/dev/null || die "GROUP=$answer: there are ${groups[*]}"
	labels[$1]=$answer/
}

# rebase EDITOR WHAT [OPTION...]
rebase() {
	local editor=$1 what=$2
	shift 2
	tree_git rev-parse HEAD >"$tree/.git/refresh-from"
	GIT_EDITOR=: GIT_SEQUENCE_EDITOR=$editor tree_git rebase -q -i --autostash "$@" base ||
		die "git could not $what: see above. In $tree, mend the files that 'git status' names," \
			"'git add' them, 'git rebase --continue', and then 'make patches-refresh' again;" \
			"or 'git rebase --abort' and 'make patches-refresh' with another PATCH= or GROUP=. patches/ is as it was"
	rm -f -- "$tree/.git/refresh-"{from,edits}
}

# forget_given_up: the last refresh ended in a rebase that was aborted: what it committed are edits again,
# and which groups new commits belong to is asked again.
forget_given_up() {
	local git=$tree/.git i
	if [ -f "$git/refresh-from" ] && [ "$(tree_git rev-parse HEAD)" = "$(cat "$git/refresh-from")" ]; then
		[ ! -f "$git/refresh-edits" ] || tree_git reset -q "$(cat "$git/refresh-edits")"
		read_history
		for i in "${!commits[@]}"; do
			[[ ${labels[i]} != */ ]] || tree_git notes --ref=patches remove "${commits[i]}" 2>/dev/null || true
		done
	fi
	rm -f -- "$git/refresh-"{from,edits}
}

# fold_edits: into the commits to which they belong, and those that others left as "fixup! ...".
fold_edits() {
	local file i folded=
	tree_git rev-parse HEAD >"$tree/.git/refresh-edits"
	for file in "${!owner[@]}"; do
		tree_git add -f -- "$file"
		tree_git commit -q -m "fixup! ${owner[$file]}" -- "$file"
	done
	read_history
	for i in "${!commits[@]}"; do
		! is_fixup "$i" || folded=1
	done
	[ -z "$folded" ] || rebase : "put the edit into its patch" --autosquash
}

# is_misplaced I: the commit does not stand where its group is.
is_misplaced() {
	local number before after
	neighbours "$1"
	number=$(group_number "$(group_of "${labels[$1]}")")
	[ "$number" -lt "$(group_number "$before")" ] ||
		{ [ -n "$after" ] && [ "$number" -gt "$(group_number "$after")" ]; }
}

# check_order: those that are patches already must stand one group after the other.
check_order() {
	local label last=''
	for label in "${labels[@]}"; do
		[[ $label == *.patch ]] || continue
		[ -z "$last" ] || [ "$(group_number "$(group_of "$label")")" -ge "$(group_number "$(group_of "$last")")" ] ||
			die "in the history $label now stands behind $last, though its group comes first:" \
				"move one of them back"
		last=$label
	done
}

# sort_history: one group after the other. Only new commits may move, to the end of their group.
sort_history() {
	local i moves moved=''
	read_history
	check_order
	: >"$scratch/sort"
	for i in "${!commits[@]}"; do
		moves=0
		if [[ ${labels[i]} != *.patch ]] && is_misplaced "$i"; then
			moves=1 moved=1
			say "moving \"$(tree_git log -1 --format=%s "${commits[i]}")\" to the end of ${labels[i]%/}"
		fi
		echo "$(group_number "$(group_of "${labels[i]}")") $moves pick ${commits[i]}" >>"$scratch/sort"
	done
	[ -n "$moved" ] || return 0
	sort -s -n -k 1,1 -k 2,2 "$scratch/sort" | cut -d' ' -f3- >"$scratch/todo"
	rebase "cp '$scratch/todo'" "move the new commit into its group"
	read_history
}

# mail FILE: author, subject and message of a patch, however they are written.
mail() { git mailinfo "$scratch/message" /dev/null <"$1" && cat "$scratch/message"; }

# gives FILE COMMIT: the patch, applied in front of the commit, gives what that gives.
gives() {
	local -x GIT_INDEX_FILE=$scratch/index
	tree_git read-tree "$2^"
	tree_git apply --cached "$1" 2>/dev/null || return 1
	[ "$(tree_git write-tree)" = "$(tree_git rev-parse "$2^{tree}")" ]
}

# still_gives FILE COMMIT FRESH: the old patch gives the same commit as the fresh one.
still_gives() { [ "$(mail "$1")" = "$(mail "$3")" ] && gives "$1" "$2"; }

# context_of FILE: the lines around what the patch changes: 3, or fewer if all versions shall take it, which have no
# more in common ("git format-patch -U2").
context_of() {
	[ -f "$1" ] || { echo 3; return; }
	awk '/^@@/ { n = 0; leads = 1; next }
		/^[-+]/ { leads = 0 }
		leads && /^ / && ++n > most { most = n }
		END { print most && most < 3 ? most : 3 }' "$1"
}

# write_patch I NUMBER: in $new; sets name. One that did not change stays as it is, byte for byte.
write_patch() {
	local old=${labels[$1]} fresh group=${labels[$1]%%/*}
	mkdir -p "$new/$group"
	fresh=$(tree_git format-patch -1 --zero-commit --no-signature --no-numbered --start-number "$2" \
		-U"$(context_of "$patches/$old")" -o "$new/$group" "${commits[$1]}")
	name=$group/${fresh##*/}
	[ -f "$patches/$old" ] || { say "new: $name"; return 0; }
	if still_gives "$patches/$old" "${commits[$1]}" "$fresh"; then
		rm -- "$fresh"
		name=$group/$(printf %04d "$2")-${old#*/*-}
		cp -p -- "$patches/$old" "$new/$name"
	else
		say "changed: $name"
	fi
	[ "$name" != "$old" ] || return 0
	say "$old is now $name"
	# other versions may have it, too
	find "$new" -mindepth 2 -name series -exec sed -i "s,^$old\\b,$name," {} +
}

# write_series: from "NEW OLD" lines. What stands above the first patch of a group belongs to the
# group, what stands above another one to that patch or, when that is gone, to the next.
write_series() {
	awk '
	function group_of(name) { sub("/.*", "", name); return name }
	FILENAME == ARGV[1] { now[++n] = $1; was[n] = $2; stays[$2]; next }
	/^[ \t]*(#|$)/ { above = above $0 "\n"; next }
	!($1 in stays) { next }
	{
		group = group_of($1)
		if (group in head) lead[$1] = above; else head[group] = above
		above = ""
		behind[$1] = substr($0, index($0, $1) + length($1))
	}
	END {
		for (i = 1; i <= n; i++) {
			group = group_of(now[i])
			if (!(group in seen)) printf "%s", head[group]
			seen[group]
			printf "%s%s%s\n", lead[was[i]], now[i], behind[was[i]]
		}
		printf "%s", above
	}' "$1" "$patches/series"
}

# write_patches: the whole of patches/ anew, then in place of the old one.
write_patches() {
	local new=$patches.new i name group number
	local -A count=()
	rm -rf -- "$new" "$patches.old"
	cp -a -- "$patches" "$new"
	find "$new" -mindepth 2 -maxdepth 2 -name '*.patch' -delete
	for i in "${!commits[@]}"; do
		group=${labels[i]%%/*} number=${labels[i]#*/}
		# each keeps its number, if those before it leave it that: texts and other series name it
		number=$((10#0${number%%-*})) count[$group]=$((${count[$group]:-0} + 1))
		[ "$number" -lt "${count[$group]}" ] || count[$group]=$number
		write_patch "$i" "${count[$group]}"
		echo "$name ${labels[i]:--}" >>"$scratch/order"
		note_patch "$name" "${commits[i]}"
	done
	write_series "$scratch/order" >"$new/series"
	while read -r name; do
		[[ " ${labels[*]} " == *" $name "* ]] || say "gone: $name"
	done < <(series_names)
	mv -- "$patches" "$patches.old"
	mv -- "$new" "$patches"
	rm -rf -- "$patches.old"
}

# refuse_half: where "make source" stopped, the patches behind would be taken for given up.
refuse_half() {
	local name
	[ ! -f "$tree/.git/patches-hash" ] || return 0
	read_history
	while read -r name; do
		[[ " ${labels[*]} " == *" $name "* ]] || die "'make source' stopped at a patch, and $tree lacks $name." \
			"Mend the patch and 'make source' again, or put in there what is missing, with 'git am'"
	done < <(series_names | grep -vxFf <(cat "$tree/.git/left-out" 2>/dev/null))
}

warn_outside() {
	local found
	found=$(edits_outside)
	[ -z "$found" ] || say "warning: no patch has the edits of $found:" \
		"those of ${tracked[*]} are kept (tracked= in tools/kernel/source.sh)"
}

# refuse_unnamed: the folders are written anew, and a patch that no series names would be gone.
refuse_unnamed() {
	local lone
	lone=$(cd "$patches" && comm -23 <(find [a-z]*/ -name '*.patch' | sort) <(names_in ./series ./*/series | sort) | paste -sd ' ')
	[ -z "$lone" ] || die "no series names $lone, in patches/: name them in patches/series, or keep them elsewhere"
}

refresh() {
	[ -d "$tree/.git" ] || die "no tree at $tree: run 'make source' first"
	[ ! -d "$tree/.git/rebase-merge" ] || die "a rebase is going on in $tree:" \
		"end it there, with 'git rebase --continue' or '--abort', and refresh again"
	[ ! -d "$tree/.git/rebase-apply" ] || die "a patch or a rebase waits in $tree:" \
		"end that there, as 'git status' says, and refresh again"
	[ ! -f "$tree/.git/port" ] || die "a port is under way in $tree: 'make port' goes on with it"
	[ "$(tree_git symbolic-ref -q --short HEAD)" = patches ] ||
		die "$tree is not on its branch 'patches': 'git switch patches' there first"
	[ "${PATCH:-}" = none ] || [ -z "$(new_files)" ] ||
		die "no patch has the new files $(new_files | paste -sd ' '): 'git add' them in $tree, or remove them"
	refuse_half
	warn_outside
	[ -n "${FORCE:-}" ] || [ "$(cat "$tree/.git/patches-hash" 2>/dev/null)" = "$(patches_hash)" ] ||
		die "patches/ changed since it was applied: 'make patches-refresh FORCE=1' overwrites that" \
			"with what is in $tree, 'make source' applies it"
	[ ! -s "$tree/.git/left-out" ] || die "$(linux_version "$tree") had these patches already:" \
		"$(paste -sd ' ' "$tree/.git/left-out"); take an older $series_version with KSRC=, or they would be gone"
	scratch=$(mktemp -d)
	trap 'rm -rf -- "$scratch" "$patches.new"' EXIT
	if [ "$series_version" != "$base_version" ]; then
		refresh_version
		return
	fi
	refuse_unnamed
	forget_given_up
	read_history
	plan_edits
	plan_groups
	fold_edits
	sort_history
	: >"$scratch/order"
	write_patches
	mark_patched
	say "wrote $(series_names | wc -l) patches"
}
