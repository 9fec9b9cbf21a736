#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The extension bm: the queue of a bufferbloated path stays short.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need ss

bulk=4000000

# The RTT of the second subflow, in ms, as its TCP sees it.
rtt() {
	in_client ss -tinH dst 10.0.2.2 | sed -n 's/.* rtt:\([0-9]*\).*/\1/p' | tail -n 1
}

# measure SCHEDULER: $goodput in kbit/s, $capped bytes, the average $rtt of the second path.
measure() {
	local start n=0 sum=0 now
	scheduler "$1"
	capped=$(counter SchedCappedBytes)
	serve
	start=$(date +%s%N)
	begin -b $bulk
	sleep 1.5
	while kill -0 "$sending" 2>/dev/null; do
		now=$(rtt)
		[ -z "$now" ] || { sum=$((sum + now)); n=$((n + 1)); }
		sleep 0.2
	done
	complete
	goodput=$((bulk * 8 / (($(date +%s%N) - start) / 1000000)))
	capped=$(($(counter SchedCappedBytes) - capped))
	rtt=$((sum / (n > 0 ? n : 1)))
	echo "# $1: goodput $goodput kbit/s, rtt $rtt ms ($n samples), capped $capped bytes"
}

bloated() {
	shape 1 4mbit 20ms 60
	shape 2 4mbit 20ms 1000
}

a_bloated_path() {
	local without with
	bloated
	measure minrtt
	without=$rtt
	arrived $bulk "minrtt: the bytes are right"
	in_time "minrtt: the queue is long" less 400 "$without"
	is 0 "$capped" "minrtt: nothing is capped"

	measure minrtt+bm
	with=$rtt
	arrived $bulk "minrtt+bm: the bytes are right"
	# 3 times the round trip of 43 ms without a queue, and some more as the transfer starts
	in_time "minrtt+bm: the queue is short" less "$with" 200
	that "minrtt+bm: that is counted" less 0 "$capped"
	in_time "minrtt+bm: both paths are used up" less 6800 "$goodput"

	in_client sysctl -q net.mptcp.sched_bm_lambda=600
	measure minrtt+bm
	arrived $bulk "lambda 600: the bytes are right"
	in_time "lambda 600: the queue is longer" less $((with * 3 / 2)) "$rtt"
	that "lambda 600: but not as long as without" less "$rtt" $((without * 3 / 4))
	in_client sysctl -q net.mptcp.sched_bm_lambda=300
}

# A queue of one BDP is what a path needs; lambda is above that.
a_good_path() {
	local alone
	shape 1 8mbit 20ms 60
	shape 2 4mbit 30ms 40
	measure minrtt
	alone=$goodput
	measure minrtt+bm
	arrived $bulk "paths with short queues: the bytes are right"
	in_time "it costs at most 10 %" less $((alone * 9 / 10)) "$goodput"

	in_server ip mptcp endpoint flush
	shape 1 4mbit 20ms 1000
	measure minrtt+bm
	arrived $bulk "a single subflow: the bytes are right"
	in_time "it is used up" less 3400 "$goodput"
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
}

hosts 4mbit 20ms 4mbit 20ms
# Its slow start ends with the first loss; that of cubic may end with the first delay.
in_client sysctl -q net.ipv4.tcp_congestion_control=reno
a_bloated_path
a_good_path
bloated
scheduler minrtt+bm
interrupted 1 $bulk
interrupted 2 $bulk

finish
