#!/bin/bash
# SPDX-License-Identifier: MIT
# Keep the kernel source tree: unpack it, apply the series, lay our files of net/ over it,
# turn edits made in the tree back into patches (refresh.sh, replacements.sh), and begin a series
# for another version (port.sh).
#
# The tree is a small git repository (only the directories below are tracked): a tag
# "base" is Linux as it came, and each patch is one commit on top; a note says which. Edit
# there as kernel developers do, then "refresh".
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=series.sh
. "$top/tools/kernel/series.sh"
# shellcheck source=refresh.sh
. "$top/tools/kernel/refresh.sh"
# shellcheck source=replacements.sh
. "$top/tools/kernel/replacements.sh"
# shellcheck source=port.sh
. "$top/tools/kernel/port.sh"

tracked=(arch/um arch/x86/um include net tools/testing/selftests/net Documentation/networking)

usage() {
	cat <<-USAGE
	usage: source.sh prepare [VARIANT]   unpack and patch (incremental)
	         patched                     all of patches/series, or of
	                                     patches/VERSION/series (default)
	         stock                       Linux as it came, with patches/testbed
	         series, other               the same, for check-series.sh
	       source.sh refresh             write patches/ from the patched tree
	       source.sh port                a series for another version (port.sh)
	       source.sh single              all of it in one patch
	       source.sh spare               fail if a tree has what patches/ lacks
	       source.sh build               print where that and its builds are
	KSRC=PATH   a tree or tarball of $(versions), or of any
	            version if it is not to be patched (default: Debian's
	            linux-source-$base_version)
	PATCH=PART  refresh: what is not committed belongs to the patch with PART in its
	            name; none: it stays so
	GROUP=NAME  refresh: commits that are new become patches of that group
	FORCE=1     prepare: throw away edits in the tree that patches/ does not have
	            refresh: throw away edits in patches/ that the tree does not have
	USAGE
}

# versions: the same in words.
versions() { all_versions | sed 's/$/.y/' | paste -sd , | sed 's/,/, /g'; }

find_source() {
	ksrc=${KSRC:-$default_source}
	[ -e "$ksrc" ] || die "no kernel source at $ksrc: install linux-source-$base_version" \
		"or set KSRC= to a tree or tarball of $(versions)"
	ksrc=$(realpath -- "$ksrc")
	origin=$(stat -Lc '%n %s %Y' -- "$ksrc")
	[ ! -d "$ksrc" ] || origin=$(newest "$ksrc")
}

# newest DIR: how many sources are there, and when the last was written, so that an edit is seen.
newest() {
	find "$1" \( -name .git -o -path "$1/include/generated" \) -prune -o \
		\( -name '*.[chS]' -o -name 'Kconfig*' -o -name 'Makefile*' \) -printf '%T@\n' |
		awk -v name="$1" '$1 > last { last = $1 } END { printf "%s %d %s\n", name, NR, last }'
}

unpack() {
	local new=$tree.new
	rm -rf -- "$new"
	mkdir -p "$new"
	# it may be a gigabyte
	trap 'rm -rf -- "$tree.new"' EXIT
	take_makefile "$ksrc" "$new" || true
	check_version "$new"
	! loses_work || die "$tree was made of another source than $ksrc is now, and has $work:" \
		"keep them with 'make patches-refresh' and the source as it was, or a copy, or drop them with FORCE=1"
	say "unpacking $ksrc"
	# With the time of now: make goes by it, and a release is older than what was built of the one before.
	if [ -d "$ksrc" ]; then
		tar -C "$ksrc" --exclude=./.git --exclude='*.o' --exclude='*.ko' --exclude='*.mod' --exclude='*.mod.c' \
			--exclude='.*.cmd' --exclude=modules.order --exclude=built-in.a -cf - . |
			tar -C "$new" --no-same-owner -m -xf -
		# somebody built it
		rm -rf -- "$new/.config" "$new"/include/{config,generated} "$new"/arch/*/include/generated
	else
		tar -C "$new" --no-same-owner -m --strip-components=1 --exclude='*/Documentation/translations' -xf "$ksrc"
	fi
	# Debian's leaves out all that its packages do not have
	[ ! -f "$new/.gitignore" ] || sed -i '\,^/\*$,d' "$new/.gitignore"
	rm -rf -- "$tree"
	mv -- "$new" "$tree"
	trap - EXIT
	# without the hooks of the user's templates
	git init -q --template= "$tree"
	# only some folders are tracked
	git -C "$tree" config status.showUntrackedFiles no
	# a rebase takes along which patch a commit is
	git -C "$tree" config notes.rewriteRef refs/notes/patches
	tree_git add -f -- "${tracked[@]}"
	tree_git commit -q -m "Linux as it came"
	tree_git tag base
	warn_foreign
	printf '%s\n' "$origin" >"$tree/.git/origin"
}

# tried RELEASE: those of the same version that the patches were tried on: RELEASE, git's hash of net/mptcp, its files.
tried() { grep "^${1%.*}[.]" "$top/tools/kernel/tried.tsv" 2>/dev/null || true; }

# warn_foreign: if this is not the net/mptcp that Linux released, as in trees with patches of others.
warn_foreign() {
	local version release hash files more
	version=$(linux_version "$tree")
	# this release, or else the last
	IFS=$'\t' read -r release hash files < <(tried "$version" | awk -v is="$version" '
		{ found = $0 } $1 == is { exit } END { if (found) print found }') || return 0
	if [ "$version" = "$release" ]; then
		[ "$(tree_git rev-parse base:net/mptcp)" != "$hash" ] || return 0
		say "warning: net/mptcp of $ksrc is not that of Linux $version as released: nobody tried the patches on it"
		return
	fi
	more=$(comm -13 <(tr ' ' '\n' <<<"$files" | sort) <(tree_git ls-tree --name-only base:net/mptcp | sort) | paste -sd ' ')
	! tree_git grep -q struct_ops base -- net/mptcp/bpf.c || more+="${more:+ and }schedulers in BPF"
	[ -z "$more" ] || say "warning: net/mptcp of $ksrc has what Linux $release has not: $more. If that is not of" \
		"Linux $version, nobody tried the patches on it"
}

# Only what is to be patched must be the version that the patches are for.
check_version() {
	local version
	[ -f "$1/Makefile" ] || die "$ksrc holds no kernel source (no Makefile at its top)"
	version=$(linux_version "$1")
	[ "$variant" = patched ] && [ "${version%.*}" != "$series_version" ] || return 0
	! all_versions | grep -x "${version%.*}" >/dev/null ||
		die "$ksrc is Linux $version: name it linux-$version.tar.xz, as by its name it gets its series"
	die "$ksrc is Linux $version; the patches are for $(versions)." \
		"'make port KSRC=' begins a series for another version"
}

# The patches of a variant, in order. All but ours get only those to User-Mode Linux itself, so
# that the test bed measures both kernels alike.
variant_names() {
	if [ "$variant" = patched ]; then series_names; else series_names "${groups[0]}"; fi
}

patches_hash() {
	(cd "$patches" && variant_names && variant_names | xargs -r cat --) | sha256sum | cut -d' ' -f1
}

# What is in the tree beyond the patches that were last applied or refreshed.
tree_is_edited() {
	[ -n "$(tree_git status --porcelain --untracked-files=no)" ] ||
		[ "$(tree_git rev-parse HEAD)" != "$(cat "$tree/.git/patched-head")" ]
}

# drops_edits: there are some to throw away.
drops_edits() { [ -f "$tree/.git/patched-head" ] && tree_is_edited; }

# loses_edits: to apply anew would throw them away, and nobody asked for that.
loses_edits() { [ -z "${FORCE:-}" ] && drops_edits; }

# new_files: those that nobody has added to the tree. Ours are links.
new_files() {
	tree_git ls-files --others --exclude='*.rej' --exclude='*.orig' --exclude='*~' -- "${tracked[@]}" |
		while read -r file; do [ -L "$tree/$file" ] || echo "$file"; done
}

# edits_outside: of what no patch takes, as only some folders are tracked. Editors and builds leave files, too, which
# Linux has git ignore.
edits_outside() {
	local dir found ignored kept=(-path "$tree/.git")
	for dir in "${tracked[@]}"; do kept+=(-o -path "$tree/$dir"); done
	found=$(find "$tree" \( "${kept[@]}" \) -prune -o -type f -newer "$tree/.git/origin" ! -name '.*' ! -name '*~' \
		-printf '%P\n' | sort)
	[ -n "$found" ] || return 0
	ignored=$(tree_git check-ignore --no-index --stdin <<<"$found" | sort) || true
	comm -23 <(printf '%s\n' "$found") <(printf '%s\n' "$ignored") | sed -n 1,5p | paste -sd ' '
}

# loses_work: to remove the tree would throw away what patches/ lacks, $work, and nobody asked for that. What has no
# origin was not unpacked to its end.
loses_work() {
	local new
	work=
	[ -z "${FORCE:-}" ] && [ -f "$tree/.git/origin" ] || return 1
	! drops_edits || work="edits that patches/ lacks"
	[ ! -f "$tree/.git/port" ] || work="a port under way"
	[ -z "$(tree_git stash list)" ] || work="a stash"
	[ -z "$(tree_git rev-list -n 1 --branches --not HEAD 2>/dev/null)" ] || work="commits on other branches"
	new=$(new_files | sed -n 1,3p | paste -sd ' ')
	[ -z "$new" ] || work="new files, $new"
	new=$(edits_outside)
	[ -z "$new" ] || work="edits of what no patch takes, $new"
	[ -n "$work" ]
}

# spare: so that "make clean" loses nothing.
spare() {
	for tree in "$top"/build/{,*/}linux; do
		! loses_work || die "$tree has $work: keep it ('make patches-refresh', or a copy), or drop it with FORCE=1"
	done
}

mark_patched() {
	tree_git rev-parse HEAD >"$tree/.git/patched-head"
	patches_hash >"$tree/.git/patches-hash"
}

# has_already NAME: a newer Linux, or who built this tree, took it.
has_already() { tree_git apply --reverse --check "$patches/$1" 2>/dev/null; }

# apply NAME: as a commit with a note that names it. What the tree has already is left out.
apply() {
	local version said
	if said=$(tree_git am -q --keep-cr "$patches/$1" 2>&1); then
		note_patch "$1" HEAD
		return
	fi
	tree_git am --abort 2>/dev/null || true
	version=$(linux_version "$tree")
	if has_already "$1"; then
		say "left out: Linux $version has $1 already"
		echo "$1" >>"$tree/.git/left-out"
		return
	fi
	if [ "${version%.*}" != "$series_version" ]; then
		say "$1 does not apply to Linux $version, which has to do without"
		return
	fi
	tree_git rev-parse HEAD >"$tree/.git/patched-head"
	grep '^error: ' <<<"$said" >&2 || printf '%s\n' "$said" >&2
	die "patch $1 does not apply to $version: the file and line are named above. All were tried on" \
		"$(tried "$version" | cut -f1 | paste -sd ' '): take one of these ('apt list -a linux-source-$series_version', KSRC=)," \
		"or mend the patches: Documentation/development.md, \"Another Linux\""
}

apply_series() {
	local name
	if loses_edits; then
		die "$tree has edits that patches/ lacks, and patches/ changed too:" \
			"keep the tree's with 'make patches-refresh FORCE=1', or drop them with 'make source FORCE=1'"
	fi
	[ ! -f "$tree/.git/port" ] || [ -n "${FORCE:-}" ] ||
		die "a port is under way in $tree: 'make port' goes on with it, 'make source FORCE=1' throws it away"
	# interrupted, it is not whole
	rm -f -- "$tree/.git/patches-hash" "$tree/.git/patched-head"
	rm -rf -- "$tree/.git/rebase-apply" "$tree/.git/rebase-merge" "$tree/.git/left-out" \
		"$tree"/.git/port{,-try,-waits}
	tree_git checkout -q -f -B patches base
	while read -r name; do
		apply "$name"
	done < <(variant_names)
	mark_patched
	say "applied $(tree_git rev-list --count base..HEAD) patches"
}

prepare() {
	find_source
	check_series
	[ "$(cat "$tree/.git/origin" 2>/dev/null)" = "$origin" ] || unpack
	if [ "$(cat "$tree/.git/patches-hash" 2>/dev/null)" != "$(patches_hash)" ] ||
		{ [ -n "${FORCE:-}" ] && drops_edits; }; then
		apply_series
	fi
	lay net/sched # the test bed's, for all
	[ "$variant" != patched ] || lay_over
}

# single: all that is ours, but for the test bed, as one patch that "git am", "git apply" and "patch -p1" take.
single() {
	local out bed from whole file new
	! tree_is_edited || die "$tree has edits that patches/ lacks, and they would be left out:" \
		"keep them with 'make patches-refresh', or drop them with 'make source FORCE=1'"
	mapfile -d '' new < <(files net/mptcp | grep -zvE '(\.orig|\.rej|~)$')
	[ ${#new[@]} -gt 0 ] || die "git does not list the files of $top/net/mptcp: is it a clone, and yours?"
	local -x GIT_INDEX_FILE=$tree/.git/index-single
	bed=$(comm -23 <(series_names "${groups[0]}" | sort) <(sort "$tree/.git/left-out" 2>/dev/null) | wc -l)
	from=$({ echo base; tree_git rev-list --reverse base..HEAD; } | sed -n "$((bed + 1))p")
	tree_git read-tree HEAD
	for file in "${new[@]}"; do
		add_file "$file" "$file"
	done
	add_file Kconfig net/mptcp/Kconfig.ours
	whole=$(tree_git write-tree)
	rm -f -- "$GIT_INDEX_FILE"
	out=$build/mptcp-$(linux_version "$tree").patch
	{
		cat <<-MAIL
		From: $(tree_git log -1 --format='%an <%ae>')
		Date: $(tree_git log -1 --format=%aD)
		Subject: [PATCH] mptcp: schedulers, coupled congestion control, and mended defects

		$(($(tree_git rev-list --count base..HEAD) - bed)) patches for Linux $(linux_version "$tree") and the files of net/mptcp, in one.
		---

		MAIL
		tree_git diff --no-renames "$from" "$whole"
	} >"$out.new"
	mv -- "$out.new" "$out"
	say "wrote $out"
}

# add_file OURS THEIRS: to the index.
add_file() {
	local blob
	blob=$(tree_git hash-object -w "$top/$1")
	tree_git update-index --add --cacheinfo "100644,$blob,$2"
}

command=${1:-} variant=${2:-patched}
tree=$(source_tree "$variant")
# "port" calls itself anew, which would wait for the lock that it has
[[ " prepare single refresh " != *" $command "* ]] || alone "$build/.source.lock"
case $command in
prepare) prepare ;;
single) variant=patched tree=$(source_tree patched); prepare; single ;;
port) variant=patched tree=$(source_tree patched); port ;;
refresh) variant=patched tree=$(source_tree patched); refresh ;;
spare) spare ;;
build) echo "$build" ;;
*) usage >&2; exit 2 ;;
esac
