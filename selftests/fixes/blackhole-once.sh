#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# One connection whose SYNs with MP_CAPABLE are lost, and not the one without: that may be chance.
# After two in a row Linux does without MPTCP.
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

spoke() { is "$1" "$(counter MPCapableSYNACKRX)" "$2"; }
seen() { is "$1" "$(counter Blackhole)" "$2"; }

need
hosts 100mbit 5ms 100mbit 5ms
in_server ip mptcp endpoint flush
in_client sysctl -q net.mptcp.blackhole_timeout=3600

# what waits for the neighbour's address is not lost
one -t
lost
seen 1 "three SYNs are lost: Linux takes it for a blackhole"
spoke 0 "that connection is TCP"
one
spoke 1 "the next one is MPTCP"
lost
one -t
lost
seen 3 "it happens again, twice"
one
spoke 2 "a peer without MPTCP answered in between: the next one is MPTCP"
lost
lost
seen 5 "twice in a row"
one
spoke 2 "then the next one is TCP"
in_client sysctl -q net.mptcp.blackhole_timeout=3600
one
spoke 3 "until the sysctl is written"
finish
