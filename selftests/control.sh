#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The control stream between two of this kernel: socket options, TLVs beside data over paths that lose,
# repeat and reorder, subflows that die, addresses and priorities over it, REMOVE_ADDR whose segment is
# lost, and nothing of it where it is off. On the wire: robust/control-wire.sh.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need nft python3
need_sysctl control_stream

# ends WHAT [ARGUMENT]: both of them; their lines as TAP.
ends() {
	local line
	timeout "$patience" python3 -B control.py "$client" "$server" "$@" >"$work/ends" 2>&1 ||
		echo "not ok it ended with status $?" >>"$work/ends"
	while read -r line; do
		retell "$line" "$about"
	done <"$work/ends"
}

control() { in_both sysctl -q net.mptcp.control_stream="$1"; }

# both N NETEM ARG...: what both ends send over path N.
both() {
	local n=$1
	shift
	tc -n "$client" qdisc change dev "c$n" root netem rate 20mbit delay 10ms limit 1000 "$@"
	tc -n "$server" qdisc change dev "s$n" root netem rate 20mbit delay 10ms limit 1000 "$@"
}

# mixed SECONDS WHAT NETEM ARG...: data and TLVs over two such paths, once there is a connection: a SYN that is lost
# twice goes out as TCP's.
mixed() {
	about="$2: "
	(sleep 1; both 1 "${@:3}"; both 2 "${@:3}") &
	ends mix "$1"
	wait $!
	both 1 loss 0%
	both 2 loss 0%
}

# die N: the path goes dark in the middle of it, and comes back.
die() {
	sleep 2
	both "$1" loss 100%
	sleep 4
	both "$1" loss 0%
}

# hold_two CONTROL: a connection over both paths, of which the second one is dark then.
hold_two() {
	local line
	control "$1"
	in_server ip mptcp endpoint flush
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 id 7 signal
	# shellcheck disable=SC2034,SC2154 # coproc sets it
	coproc ends_of { timeout "$patience" python3 -B control.py "$client" "$server" removed 2>&1; }
	while read -r line <&"${ends_of[0]}" && [ "$line" != ready ]; do retell "$line" "$about"; done
	both 2 loss 100%
}

# let_go: the end of that. $remaining: how many subflows both ends have beside the first
let_go() {
	sleep 5
	echo >&"${ends_of[1]}"
	remaining=$(sed -n 's/^subflows=//p' <&"${ends_of[0]}")
	wait || true
	both 2 loss 0%
}

# lost_priority CONTROL: what the server says on the dark path. $told: what the client heard
lost_priority() {
	hold_two "$1"
	told=$(counter MPPrioRx)
	in_server ip mptcp endpoint change id 7 backup
	let_go
	told=$(($(counter MPPrioRx) - told))
}

# lost_removal CONTROL MATCH: the server's endpoint is removed. Of what it says then on the first path, the first
# segment that matches is lost. $dropped: how many were
lost_removal() {
	hold_two "$1"
	in_client nft -f - <<-RULES
		table ip lossy {
			chain in {
				type filter hook prerouting priority 0
				iifname c1 tcp sport 5000 meta length $2 counter drop
			}
		}
	RULES
	in_server ip mptcp endpoint flush
	soon lost_one || true
	in_client nft delete table ip lossy
	let_go
}

# lost_one: a segment was; how many, long before it comes again. $dropped
lost_one() {
	sleep 0.02
	dropped=$(in_client nft list table ip lossy | sed -n 's/.*counter packets \([0-9]*\).*/\1/p')
	[ "$dropped" != 0 ]
}

# on_one_cpu COMMAND...: each CPU may have a reserve of TCP's memory, 1 MB, that does not count for the limit.
on_one_cpu() {
	local all
	all=$(taskset -pc $$ | sed 's/.*: //')
	taskset -pc 0 $$ >/dev/null
	"$@"
	taskset -pc "$all" $$ >/dev/null
}

hosts 20mbit 10ms 20mbit 10ms

about=""
ends options
on_one_cpu ends memory
ends unread

control 1
about="the client begins: "
ends first near
about="the server begins: "
ends first far
# What answers the third ACK, and ADD_ADDR: the question, with 56 bytes, is what comes first.
about="the server begins, what is before it is lost: "
# until the last connection is closed
sleep 1
in_client nft -f - <<-'RULES'
	table ip lossy {
		chain in {
			type filter hook prerouting priority 0
			iifname c1 tcp sport 5000 tcp flags & syn == 0 meta length > 56 numgen inc mod 100000 < 2 drop
		}
	}
RULES
ends first far
in_client nft delete table ip lossy
mixed 5 "clean paths" loss 0%
mixed 8 "5 % loss" loss 5%
# At 20 % both ways a retransmission fails in 36 %: TCP alone, too, then sometimes waits for minutes.
mixed 15 "10 % loss" loss 10%
mixed 8 "reordered" delay 10ms 5ms
mixed 5 "a tenth twice" duplicate 10%
about="the second path dies: "
die 2 &
dying=$!
ends mix 8
wait "$dying"
about="the first path dies: "
die 1 &
dying=$!
ends mix 8
wait "$dying"

# A pure ACK has the option; the TLV is in the only segment with payload.
about="without the stream: "
lost_priority 0
is 0 "$told" "without the stream, the client does not hear of a priority while its path is dark"
lost_removal 0 '> 0'
is "1 0, 1 lost" "$remaining, $dropped lost" "without the stream, the client never hears of a REMOVE_ADDR that is lost"
about="with the stream: "
lost_priority 1
is 1 "$told" "with it, the client hears of it on the other path"
lost_removal 1 '>= 77'
that "with it, the segment is lost" less 0 "$dropped"
in_time "once" test "$dropped" = 1
is "0 0" "$remaining" "and the client hears of it"
finish
