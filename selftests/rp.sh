#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The extension rp: when a slow subflow holds up the window, the fast one helps, else not.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need

# As in the thesis: a path that is good, one that is slow and bloated. The window is less
# than what both have in flight.
unequal() {
	shape 1 8mbit 10ms 60
	shape 2 2mbit 75ms 300
	buffers 200000
}

bulk=2500000

# measure SCHEDULER: took, and what it did: $again, $again_bytes, $penalized.
measure() {
	scheduler "$1"
	again=$(counter SchedAgain) again_bytes=$(counter SchedAgainBytes)
	penalized=$(counter SchedPenalized)
	took -b $bulk "${@:2}"
	again=$(($(counter SchedAgain) - again))
	again_bytes=$(($(counter SchedAgainBytes) - again_bytes))
	penalized=$(($(counter SchedPenalized) - penalized))
	echo "# $*: $took ms, sent again $again times $again_bytes bytes, penalized $penalized times"
}

did_nothing() {
	is "0 0 0" "$again $again_bytes $penalized" "$1"
}

it_fires() {
	local alone
	unequal
	measure minrtt
	alone=$took
	arrived $bulk "minrtt: the bytes are right"
	did_nothing "minrtt: nothing is sent again, nobody penalized"

	measure minrtt+rp
	arrived $bulk "minrtt+rp: the bytes are right"
	# a sender that computes slowly does not use the window up
	in_time "minrtt+rp: what the peer waits for is sent again" less 2 "$again"
	in_time "minrtt+rp: at most 3 % of the data" less "$again_bytes" $((bulk * 3 / 100))
	in_time "minrtt+rp: the slow subflow is penalized" less 0 "$penalized"
	in_time "minrtt+rp: it takes at most 85 % of the time" less "$took" $((alone * 85 / 100))
	is "$again_bytes $penalized" "$(value client again_bytes) $(value client penalized)" \
		"the socket tells the same as the counters"
}

with_others() {
	local name
	unequal
	# redundant has nothing that only one of the subflows carries; blest and stms see to it that
	# nobody is held up
	for name in $(but "redundant blest stms" "$(get available_schedulers)"); do
		[[ $name == *+* ]] || name+=+rp
		measure "$name"
		arrived $bulk "$name: the bytes are right"
		in_time "$name: penalizes who holds it up" less 0 "$penalized"
	done
}

# in_slow_start CONTROL: a queue longer than the window never overflows, and a control that waits for losses
# stays in slow start. The first path alone would take 8.5 s.
in_slow_start() {
	local size=8000000
	unequal
	buffers 400000
	in_client sysctl -q net.ipv4.tcp_congestion_control="$1"
	measure minrtt+rp -b $size
	arrived $size "minrtt+rp, $1: the bytes are right"
	in_time "minrtt+rp, $1: faster than the first path alone" less "$took" 8500
	linux_defaults
}

# A path of which slow start has seen nothing yet is not kept from what it takes.
in_the_beginning() {
	local alone size=40000000
	shape 1 60mbit 360ms 10000
	shape 2 20mbit 60ms 4000
	# what Linux begins with, and makes larger while it is used up
	in_both sysctl -q net.ipv4.tcp_rmem="4096 131072 16000000" net.ipv4.tcp_wmem="4096 16384 16000000"
	measure minrtt -b $size
	alone=$took
	measure minrtt+rp -b $size
	arrived $size "minrtt+rp, a path of 360 ms: the bytes are right"
	in_time "minrtt+rp: the path is filled as soon as without" less "$took" $((alone * 115 / 100))
}

it_rests() {
	measure minrtt+rp -b 200000 -m 1000 -i 10
	arrived 200000 "an application at 0.8 Mbit/s on unequal paths: the bytes are right"
	did_nothing "it does nothing"

	shape 1 8mbit 10ms 1000
	shape 2 8mbit 10ms 1000
	buffers 4000000
	measure minrtt+rp
	arrived $bulk "equal paths and large buffers: the bytes are right"
	did_nothing "it does nothing"

	unequal
	in_server ip mptcp endpoint flush
	measure minrtt+rp
	arrived $bulk "a single subflow and small buffers: the bytes are right"
	did_nothing "it does nothing"
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
}

# Retransmission alone, and the penalizations of 2012 and of the thesis.
to_compare() {
	local kind
	unequal
	measure minrtt+r
	arrived $bulk "minrtt+r: the bytes are right"
	in_time "minrtt+r: what the peer waits for is sent again" less 2 "$again"
	is 0 "$penalized" "minrtt+r: nobody is penalized"
	for kind in rp0 rp1; do
		measure minrtt+$kind
		arrived $bulk "minrtt+$kind: the bytes are right"
		in_time "minrtt+$kind: the slow subflow is penalized" less 0 "$penalized"
	done
}

# it_warns: what the slow path lost goes out on the fast one before the window is used up, five transfers at most.
it_warns() {
	local before
	shape 1 10mbit 10ms 1000
	shape 2 10mbit 60ms 1000 loss 3%
	buffers 300000
	before=$(counter SchedWarned)
	measure minrtt+rp
	is "$before" "$(counter SchedWarned)" "minrtt+rp: nobody warns"
	for _ in 1 2 3 4 5; do
		measure minrtt+ew
		arrived $bulk "minrtt+ew, a slow path that loses: the bytes are right"
		[ "$(counter SchedWarned)" = "$before" ] || break
	done
	that "minrtt+ew: it warns" less "$before" "$(counter SchedWarned)"
}

hosts 8mbit 10ms 2mbit 75ms
it_fires
with_others
in_slow_start reno
! built cong | grep -qx lia || in_slow_start lia
in_the_beginning
unequal
it_rests
to_compare
it_warns
unequal
scheduler minrtt+rp
interrupted 1 $bulk
interrupted 2 $bulk

finish
