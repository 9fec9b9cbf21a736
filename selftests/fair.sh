#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What coupled congestion controls promise: as much as TCP on the best path, no more than TCP
# where others share it, and little where it is crowded.
#
# To measure shares takes FAIR_SECONDS each, 25 times. In virtual time they are 50; on
# a real machine this part is skipped unless they are set. The limits are at least three
# standard deviations from what was measured in some ten runs of 45 to 60 seconds.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need ss
need_coupled

coupled=$(every_coupled)
# wvegas goes by delay, and gives way to these; ewlia is lia with less of a start
by_loss=$(but "wvegas ewlia" "$coupled")

virtual() { grep -q time-travel /proc/cmdline; }
seconds=${FAIR_SECONDS:-}
[ -n "$seconds" ] || ! virtual || seconds=50
warmup=5
lasts=$((warmup + ${seconds:-0} + 3))
patience=$((lasts + 120))

# within LOW VALUE HIGH: percent, shown on failure.
within() { echo "$1 < $2 < $3 ?"; [ "$1" -lt "$2" ] && [ "$2" -lt "$3" ]; }

# The client's on path 1, beside the first one.
more_addresses() {
	local i
	for i in 2 3 4 5 6 7 8; do
		ip -n "$client" addr add "10.0.1.1$i/24" dev c1
	done
}

# shared N: subflows over path 1, from as many addresses.
shared() {
	local i
	in_client ip mptcp endpoint flush
	in_server ip mptcp endpoint flush
	for ((i = 2; i <= $1; i++)); do
		in_client ip mptcp endpoint add "10.0.1.1$i" dev c1 subflow
	done
}

# And one over path 2.
second_path() { in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal; }

# rivals N: plain TCP flows with reno on path 1, for as long as a connection is measured.
rivals() {
	local port
	for ((port = 5001; port <= 5000 + $1; port++)); do
		serve_at $port "$work/rival" -t
		timeout $patience ip netns exec "$client" "$sched_sock" connect -t -a 10.0.1.2 -p $port \
			-g reno -d $lasts >/dev/null 2>&1 &
	done
}

# flows FILE: KIND PATH BYTES, what each of the client's had acknowledged until now.
flows() {
	in_client ss -tinHO state established | awk '{
		kind = /tcp-ulp-mptcp/ ? "subflow" : "rival"
		split($4, peer, ".")
		for (i = 5; i <= NF; i++)
			if (sub("^bytes_acked:", "", $i))
				print kind, peer[3], $i
	}' >"$work/$1"
}

# acked KIND PATH: bytes between the two looks.
acked() {
	awk -v kind="$1" -v path="$2" '$1 == kind && $2 == path { sum += FILENAME ~ /end$/ ? $3 : -$3 }
		END { print sum + 0 }' "$work/start" "$work/end"
}

# measure CONG RIVALS: bytes of a connection on path $one and $two, and of a $rival.
measure() {
	rivals "$2"
	serve
	begin -g "$1" -d $lasts
	sleep $warmup
	flows start
	sleep "$seconds"
	flows end
	complete
	wait
	one=$(acked subflow 1) two=$(acked subflow 2)
	rival=$(($(acked rival 1) / $2))
	echo "# $1: $one bytes on path 1, $two on path 2; a rival on path 1: $rival"
	[ "$(value client sent) 0" = "$(value server received) $(value server wrong)" ] ||
		result 1 "$1: the bytes are right"
}

# like_reno WHAT NAMES ARG...: a transfer with each takes as long as one with reno.
like_reno() {
	local what=$1 names=$2 margin=3 name alone
	shift 2
	virtual || margin=10
	took -b 6000000 -g reno "$@"
	alone=$took
	for name in $names; do
		took -b 6000000 -g "$name" "$@"
		echo "# $name, $what: $took ms, reno $alone ms"
		arrived 6000000 "$name, $what: the bytes are right"
		that "it takes as long as reno, within $margin %" \
			within $((100 - margin)) $((100 * took / alone)) $((100 + margin))
	done
}

# The queue is too short for the path to be used up: it depends on the window.
one_subflow() {
	shared 1
	shape 1 10mbit 20ms 25
	like_reno "one subflow" "$(but wvegas "$coupled")"
	like_reno "plain TCP" "$coupled" -t
}

disjoint_paths() {
	local name alone
	shape 1 10mbit 20ms 50
	shape 2 4mbit 50ms 50
	shared 1
	took -b 6000000 -t -g reno
	alone=$took
	second_path
	for name in $coupled; do
		took -b 6000000 -g "$name"
		echo "# $name, two paths: $took ms, reno on the better one: $alone ms"
		arrived 6000000 "$name, two paths: the bytes are right"
		that "it is faster than TCP on the better one" less "$took" $((alone * 95 / 100))
	done
}

# Packets are lost at random, whoever sent them, which is what the models assume: in theory
# both get the same. Measured: lia 0.9 to 1.5, olia 0.8 to 1.1, balia 1.0 to 1.4; 4
# subflows with reno 3.4 to 4.1.
one_lossy_path() {
	local n name
	shape 1 200mbit 20ms 1000 loss 0.2%
	for n in 2 4 8; do
		shared $n
		for name in $by_loss; do
			measure "$name" 1
			that "$name: $n subflows get 0.5 to 1.7 of what TCP gets on a lossy path" \
				within 50 $((100 * one / rival)) 170
		done
	done
}

# A full queue hits those first who grow in larger steps. Measured: lia 1.1 to 1.5, olia 0.7
# to 1.2, balia 1.0 to 1.2, reno 2.7 to 3.4.
one_bottleneck() {
	local name
	shape 1 10mbit 20ms 70
	shared 4
	for name in $by_loss; do
		measure "$name" 3
		that "$name: 4 subflows get 0.5 to 1.9 of what TCP gets at a bottleneck" \
			within 50 $((100 * one / rival)) 190
	done
	measure reno 3
	that "reno: they get more" less 220 $((100 * one / rival))
}

# Three subflows share path 1 with TCP, one has path 2 for itself. Measured: lia 0.6 to 1.0,
# olia 0.2 to 1.1, balia 0.4 to 1.0, reno 1.8 to 3.3.
with_another_path() {
	local name
	shape 1 10mbit 20ms 50
	shape 2 5mbit 20ms 50
	shared 3
	second_path
	for name in $by_loss; do
		measure "$name" 1
		that "$name: who has another path takes no more than TCP where it is shared" \
			less $((100 * one / rival)) 150
	done
}

# Measured: of what the connection sends, olia has 2 to 11 % there, balia 7 to 13 %, reno 19
# to 26 %.
a_crowded_path() {
	local name share free
	shape 1 10mbit 20ms 50
	shape 2 10mbit 20ms 50
	shared 1
	second_path
	measure reno 3
	share=$((1000 * one / (one + two))) free=$two
	for name in olia balia; do
		measure $name 3
		that "$name: less than four fifths of reno's share are on a crowded path" \
			less $((1000 * one / (one + two))) $((share * 4 / 5))
		that "$name: and with the other one it gets what TCP gets there, at least" \
			less $((free * 95 / 100)) $((one + two))
	done
}

# What was the smallest RTT is no longer to be had: it must not count as a queue for ever.
a_path_gets_longer() {
	local sent
	shape 1 10mbit 20ms 300
	shared 1
	serve
	begin -g wvegas -d 40
	sleep 5
	shape 1 10mbit 150ms 300
	sleep 22
	flows start
	sleep 10
	flows end
	complete
	sent=$(acked subflow 1)
	echo "# wvegas: $sent bytes in 10 s"
	that "wvegas: a path that became longer is filled again" less 8000000 "$sent"
}

# The smallest RTT is measured again and again, each time without what wvegas has in the queue:
# the RTT does not creep up. It is 43 ms without a queue, and 10 segments are 30 ms. After a loss
# with twice the window, slow start would fill the queue again while it is measured.
a_long_transfer() {
	local rtt
	shape 1 12mbit 20ms 300
	shared 1
	serve
	begin -g wvegas -d 75
	sleep 5
	shape 1 12mbit 20ms 300 loss 100%
	sleep 0.002
	shape 1 12mbit 20ms 300
	sleep 0.1
	shape 1 4mbit 20ms 300
	sleep 65
	rtt=$(in_client ss -tinHO state established | sed -n 's/.* rtt:\([0-9]*\).*/\1/p')
	complete
	echo "# wvegas: after 70 s the RTT is $rtt ms"
	that "wvegas: its queue stays short" within 43 "$rtt" 85
}

# police RATE BURST DELAY: path 1 leads through a router that drops at once what comes faster,
# but for the one packet that is too many: no queue tells of it. The addresses stay.
police() {
	local host end
	ip netns add "$router"
	ip -n "$client" link del c1
	for host in client server; do
		end=${host:0:1}
		ip link add "${end}1" netns "${!host}" type veth peer name "$end" netns "$router"
		ip -n "${!host}" link set "${end}1" up gso_max_segs 1
		tc -n "${!host}" qdisc add dev "${end}1" root netem delay "$3" limit 1000
		ip -n "$router" addr add 10.0.1.254/32 dev "$end"
		ip -n "$router" link set "$end" up
		ip netns exec "$router" sysctl -q net.ipv4.conf."$end".{proxy_arp,forwarding}=1
	done
	ip -n "$client" addr add 10.0.1.1/24 dev c1
	ip -n "$server" addr add 10.0.1.2/24 dev s1
	more_addresses
	ip -n "$router" route add 10.0.1.0/24 dev c
	ip -n "$router" route add 10.0.1.2 dev s
	tc -n "$router" qdisc add dev s root tbf rate "$1" burst "$2" limit 1600
}

# policed N LIMIT: N subflows get up to LIMIT percent of what TCP gets; the sum of three runs.
policed() {
	local ours=0 theirs=0
	shared "$1"
	for _ in 1 2 3; do
		measure wvegas 1
		ours=$((ours + one)) theirs=$((theirs + rival))
	done
	that "wvegas: $1 subflows get no more than TCP at a policer" \
		within 50 $((100 * ours / theirs)) "$2"
}

# Nothing but losses tells of the limit there. Measured: 0.9 to 1.1 with one subflow, as one with
# reno; 1.0 to 1.3 with four. Without regard to that it were 1.3 and 3.2.
a_policer() {
	police 10mbit 30k 20ms
	policed 1 130
	policed 4 170
}

shares() {
	if [ -z "$seconds" ]; then
		skip "shares: they take long, set FAIR_SECONDS"
		return
	fi
	one_lossy_path
	one_bottleneck
	with_another_path
	a_crowded_path
	a_path_gets_longer
	a_long_transfer
	a_policer
}

hosts 10mbit 20ms 10mbit 20ms
more_addresses
in_both ip mptcp limits set subflow 8 add_addr_accepted 8
in_both sysctl -q net.ipv4.tcp_no_metrics_save=1
# The windows are the limit then, not what waits for a slow subflow.
scheduler inorder

one_subflow
disjoint_paths
shares

finish
