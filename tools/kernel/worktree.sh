# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # top, build and tree, which those who source this set; from, which they use
# For send.sh and check-alone.sh: Linux as it came, in a work tree that has no more of it than patches touch, and is gone
# at the end.

work=$build/worktree

work_git() { tree=$work tree_git "$@"; }

# What was interrupted may have left anything; work trees of others are theirs.
clean_up() {
	local branch
	tree_git worktree remove --force "$work" 2>/dev/null || rm -rf -- "$work" "$tree/.git/worktrees/${work##*/}"
	tree_git for-each-ref --format='%(refname:short)' 'refs/heads/being-sent/*' |
		while read -r branch; do tree_git branch -q -D "$branch"; done
}

# make_worktree: sets $from, on which fixes stand: what later releases of this Linux have is below. This one may have
# some of it.
make_worktree() {
	local name
	[ -e "$tree/.git" ] || die "there is no $tree: make source KSRC=${KSRC:-}"
	alone "$work.lock"
	trap clean_up EXIT
	clean_up
	tree_git worktree add -q --no-checkout --detach "$work" base
	work_git sparse-checkout set net/mptcp net/ipv4 net/ipv6 include/net include/uapi/linux include/linux \
		Documentation/networking tools/testing/selftests/net/mptcp
	work_git checkout -q base
	while read -r name; do
		grep -qxF -- "$name" "$tree/.git/left-out" 2>/dev/null || work_git am -q "$patches/$name"
	done < <(series_names stable)
	from=$(work_git rev-parse HEAD)
}
