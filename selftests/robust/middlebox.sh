#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Middleboxes on the way: wherever TCP brings the bytes, MPTCP brings them, as TCP where it must.
#
# A box of nftables is in the router (see lib.sh). The others are in middlebox/matrix.py, which is the
# wire between two TUN devices that replaces the router on a path.
#
# usage: middlebox.sh [coding] [quick | BOX [POSITION [SCHEDULER [CHECKSUM]]]]
#
# coding: with redundant symbols beside the data, as many as may be, wherever there are two subflows.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need nft
routed_hosts
# The SYN proxy has to see all else than the SYN as no connection's.
modprobe -q nf_conntrack || true
ip netns exec "$router" sysctl -q net.netfilter.nf_conntrack_tcp_loose=0 2>/dev/null ||
	skip_all "needs nf_conntrack"
if [ "${1:-}" = coding ]; then
	in_both sysctl -q net.mptcp.coding=10
	shift
fi
numbered "# * cells, * bytes" "$python" middlebox/matrix.py "$client" "$server" "$router" "$@"
finish
