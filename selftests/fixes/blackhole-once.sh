#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One connection whose SYNs with MP_CAPABLE are lost, and not the one without: that may be chance.
# After another one soon Linux does without MPTCP.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

# one [ARG...]: a connection, to a server with these options
one() {
	serve "$@"
	transfer -b 1000
}

# The three SYNs of the first 2 s are lost; the next one is without MP_CAPABLE.
lost() {
	dark 1
	(sleep 2.5; light 1) &
	one
	wait $!
}

# The same for two at once
both_lost() {
	local other
	serve_at 5001 "$work/other"
	other=$served
	dark 1
	(sleep 2.5; light 1) &
	in_client "$sched_sock" connect -a 10.0.1.2 -p 5001 -b 1000 >"$work/other-client" 2>&1 &
	one
	wait $! "$other"
}

spoke() { is "$1" "$(counter MPCapableSYNACKRX)" "$2"; }
seen() { is "$1" "$(counter Blackhole)" "$2"; }
afresh() { in_client sysctl -q net.mptcp.blackhole_timeout=3600; }

need
hosts 100mbit 5ms 100mbit 5ms
in_server ip mptcp endpoint flush
afresh

# what waits for the neighbour's address is not lost
one -t
lost
seen 1 "three SYNs are lost: Linux takes it for a blackhole"
spoke 0 "that connection is TCP"
one
spoke 1 "the next one is MPTCP"
one -t
one
one
lost
seen 2 "it happens again"
one
spoke 4 "four SYNs were answered in between: the next one is MPTCP"

afresh
both_lost
seen 4 "it happens to two that begin at the same time"
one
spoke 5 "the next one is MPTCP"
lost
seen 5 "and again, soon"
one
spoke 5 "the next one is TCP"
afresh
one
spoke 6 "until the sysctl is written"
finish
