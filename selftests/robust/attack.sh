#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Attacks: what arrives on one path never harms another, no peer makes work grow faster than the
# bytes it sends, nothing legal is held back. It runs on unpatched kernels, too, to compare with:
# there, what only ours promises is told but does not fail.
# usage: attack.sh [quick | inject [FORGERY [POSITION [VICTIM]]] | rejoin | stateless | appkey | unknown | growth [CASE]]
# shellcheck disable=SC2154 # variables of lib.sh
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

# promised COMMAND...: on an unpatched kernel what fails is a finding.
promised() {
	if ours; then
		"$@"
	else
		"$@" | sed 's/^not ok \(.*\)/ok \1 # SKIP not promised by this kernel/'
	fi
}

# program NAME ARG...: of attack/.
program() {
	local name=$1
	shift
	numbered "# * attacks" promised env PYTHONPATH=middlebox:. "$python" -B "attack/$name.py" \
		"$client" "$server" "$@"
}

need_tools
need_dpkt
routed_hosts
case ${1:-} in
"" | quick)
	parts=(inject rejoin growth unknown)
	[ ! -e /proc/sys/net/mptcp/stateless_join ] || parts+=(stateless appkey)
	for part in "${parts[@]}"; do
		program "$part" "$@"
	done
	;;
*) program "$@" ;;
esac
finish
