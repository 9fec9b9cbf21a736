#!/bin/bash
# SPDX-License-Identifier: MIT
# Keep the kernel source tree: unpack it, apply patches/series, lay net/mptcp over it,
# and turn edits made in the tree back into patches.
#
# The tree is a small git repository (only the directories below are tracked): a tag
# "base" is Linux as it came, and each patch is one commit on top. Edit there as kernel
# developers do, then "refresh".
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

tracked=(arch/um arch/x86/um include net tools/testing/selftests/net Documentation/networking)

usage() {
	cat <<-USAGE
	usage: source.sh prepare [patched|stock]   unpack and patch (incremental)
	       source.sh refresh                   write patches/ from the patched tree
	KSRC=PATH  a tree or tarball of $base_version.y (default: Debian's linux-source-$base_version)
	FORCE=1    prepare: throw away edits in the tree that patches/ does not have
	USAGE
}

tree_git() {
	git -C "$tree" -c user.name=patches -c user.email=patches@localhost \
		-c core.autocrlf=false -c commit.gpgsign=false -c gc.auto=0 "$@"
}

find_source() {
	local default=/usr/src/linux-source-$base_version.tar.xz
	ksrc=${KSRC:-$default}
	[ -e "$ksrc" ] || die "no kernel source at $ksrc: install linux-source-$base_version" \
		"or set KSRC= to a tree or tarball of $base_version.y"
	ksrc=$(realpath -- "$ksrc")
	origin=$(stat -Lc '%n %s %Y' -- "$ksrc")
}

unpack() {
	local new=$tree.new
	say "unpacking $ksrc"
	rm -rf -- "$new"
	mkdir -p "$new"
	if [ -d "$ksrc" ]; then
		tar -C "$ksrc" --exclude=./.git --exclude='*.o' --exclude='*.ko' -cf - . | tar -C "$new" -xf -
	else
		tar -C "$new" --strip-components=1 --exclude='*/Documentation/translations' -xf "$ksrc"
	fi
	check_version "$new"
	rm -rf -- "$tree"
	mv -- "$new" "$tree"
	git init -q "$tree"
	tree_git add -f -- "${tracked[@]}"
	tree_git commit -q -m "Linux as it came"
	tree_git tag base
	printf '%s\n' "$origin" >"$tree/.git/origin"
}

check_version() {
	local version patchlevel sublevel
	[ -f "$1/Makefile" ] || die "$ksrc holds no kernel source (no Makefile at its top)"
	version=$(sed -n 's/^VERSION = //p' "$1/Makefile")
	patchlevel=$(sed -n 's/^PATCHLEVEL = //p' "$1/Makefile")
	sublevel=$(sed -n 's/^SUBLEVEL = //p' "$1/Makefile")
	[ "$version.$patchlevel" = "$base_version" ] ||
		die "$ksrc is Linux $version.$patchlevel.$sublevel; the patches are for $base_version.y"
}

# The patches of a variant, in order. "stock" gets only those to User-Mode Linux itself, so
# that the test bed measures both kernels alike.
series() {
	local only=.
	[ "$variant" = patched ] || only='^[0-9]*-um-'
	sed 's/#.*//' "$top/patches/series" | grep -e "$only"
}

patches_hash() { (cd "$top/patches" && series && series | xargs cat --) | sha256sum | cut -d' ' -f1; }

# What is in the tree beyond the patches that were last applied or refreshed.
tree_is_edited() {
	[ -n "$(tree_git status --porcelain --untracked-files=no)" ] ||
		[ "$(tree_git rev-parse HEAD)" != "$(cat "$tree/.git/patched-head")" ]
}

mark_patched() {
	tree_git rev-parse HEAD >"$tree/.git/patched-head"
	patches_hash >"$tree/.git/patches-hash"
}

apply_series() {
	local name
	if [ -f "$tree/.git/patched-head" ] && [ -z "${FORCE:-}" ] && tree_is_edited; then
		die "$tree has edits that patches/ lacks, and patches/ changed too:" \
			"keep them with 'make patches-refresh' or drop them with FORCE=1"
	fi
	rm -rf -- "$tree/.git/rebase-apply"
	tree_git reset -q --hard base
	while read -r name; do
		[ -f "$top/patches/$name" ] || die "patches/series names $name, which is not there"
		tree_git am -q --keep-cr "$top/patches/$name" || {
			tree_git am --abort 2>/dev/null || true
			tree_git rev-parse HEAD >"$tree/.git/patched-head"
			rm -f -- "$tree/.git/patches-hash"
			die "patch $name does not apply to $(sed -n 's/^SUBLEVEL = /6.12./p' "$tree/Makefile"):" \
				"the file and line are named above"
		}
	done < <(series)
	mark_patched
	say "applied $(tree_git rev-list --count base..HEAD) patches"
}

# Symlinks, so that an edit at either end is the same edit and make sees its time.
lay_over() {
	local dir=$tree/net/mptcp file
	find "$dir" "$tree/tools/testing/selftests/net" -maxdepth 1 -type l -delete
	for file in "$top"/net/mptcp/*; do
		[ ! -e "$dir/${file##*/}" ] || die "net/mptcp/${file##*/} exists in Linux already"
		ln -s "$(realpath --relative-to="$dir" "$file")" "$dir/${file##*/}"
	done
	ln -s "$top/selftests" "$tree/tools/testing/selftests/net/mptcp_sched"
}

prepare() {
	find_source
	[ "$(cat "$tree/.git/origin" 2>/dev/null)" = "$origin" ] || unpack
	[ "$(cat "$tree/.git/patches-hash" 2>/dev/null)" = "$(patches_hash)" ] || apply_series
	[ "$variant" = stock ] || lay_over
}

# An uncommitted edit belongs to the last patch that touches its file.
fold_edits() {
	local file owner
	for file in $(tree_git diff --name-only HEAD); do
		owner=$(tree_git log -1 --format=%H base..HEAD -- "$file")
		[ -n "$owner" ] || die "$file is edited but no patch touches it:" \
			"commit it in $tree with a message of its own, then refresh"
		tree_git add -f -- "$file"
		tree_git commit -q --fixup="$owner"
	done
	GIT_SEQUENCE_EDITOR=: tree_git rebase -q -i --autosquash base
}

refresh() {
	[ -d "$tree/.git" ] || die "no tree at $tree: run 'make source' first"
	fold_edits
	rm -f -- "$top"/patches/*.patch
	tree_git format-patch -q --zero-commit --no-signature --no-numbered \
		-o "$top/patches" base..HEAD
	(cd "$top/patches" && printf '%s\n' -- *.patch | grep -v '^--$' >series)
	mark_patched
	say "wrote $(wc -l <"$top/patches/series") patches"
}

command=${1:-} variant=${2:-patched}
tree=$(source_tree "$variant")
case $command in
prepare) prepare ;;
refresh) refresh ;;
*) usage >&2; exit 2 ;;
esac
