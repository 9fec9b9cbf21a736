#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Systematic coding on the wire, by an independent implementation: who gets it, each set of missing symbols
# computed from each set of redundant ones, whole, in pieces, twice, early and late, wrong symbols, noise.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
need_dpkt
[ -e /proc/sys/net/mptcp/coding ] || skip_all "this kernel has no coding"
hand=10.0.1.77
hosts 100mbit 5ms 100mbit 5ms
in_server ip mptcp endpoint flush
in_server sysctl -q net.mptcp.coding=1
ip -n "$server" neigh replace "$hand" dev s1 nud permanent \
	lladdr "$(in_client cat /sys/class/net/c1/address)"
export PYTHONPATH=.:middlebox:../fixes
timeout $((patience * 3)) ip netns exec "$client" "$python" -B -m coding.wire 10.0.1.2 "$hand" "$server" \
	>"$work/told" 2>&1 || echo "not ok it ended with status $?" >>"$work/told"
while read -r line; do
	retell "$line"
done <"$work/told"
finish
