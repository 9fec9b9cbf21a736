#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Socket option MPTCP_LIMITS: a connection is made to wait for one thing, and that is the state that lasts longest.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need python3 ss

client_py() { in_client python3 -B why.py "$1" 10.0.1.2 5000 "${@:2}"; }

# netem RATE DELAY LIMIT [ARG...]: both paths, in both directions
netem() {
	local n
	for n in 1 2; do
		shape "$n" "$@"
		tc -n "$server" qdisc change dev "s$n" root netem rate "$1" delay "$2" limit 1000
	done
}

# measure ARG...: the state that lasted longest, its $part in percent, and all $shares
measure() {
	client_py connect "$@" >"$work/why" 2>&1 || true
	read -r first part shares <"$work/why" || true
	echo "# $*: $first $part %: $shares"
}

# why WANT PERCENT WHAT ARG...: that state lasts longest, and at least for so much of the time
why() {
	measure "${@:4}"
	is "$1" "$first" "$3"
	in_time "$3: for $2 % of the time or more" less $(($2 - 1)) "$part"
}

is_counted() {
	client_py values >"$work/values" 2>&1 || true
	! grep -q 'Protocol not available\|not supported' "$work/values" || skip_all "this kernel does not count limits"
}

values() {
	is "fresh [0, 0, 0, 0, 0, 0, 0] idle" "$(sed -n 1p "$work/values")" "a new socket has waited for nothing"
	is "state idle" "$(sed -n 2p "$work/values")" "a connection whose data came is idle"
	is "sum True" "$(sed -n 3p "$work/values")" "all states together are the time that passed"
	is "length 8 60 64 64" "$(sed -n 4p "$work/values")" "a buffer gets as much as it takes"
	is "ended [0, 0, 0, 0, 0, 0, 0] idle" "$(sed -n 5p "$work/values")" "and nothing is left when the connection ended"
}

application() {
	local pause
	netem 20mbit 10ms 100
	for pause in 20 100; do
		why idle 80 "1000 bytes every $pause ms" --message 1000 --pause $pause
	done
	why idle 60 "60000 bytes every 200 ms, not blocking" --message 60000 --pause 200 --poll
}

send_buffer() {
	local size name
	netem 100mbit 50ms 1000
	for name in minrtt default; do
		for size in 10000 40000; do
			why sndbuf 60 "$name: SO_SNDBUF of $size bytes, 100 ms" --sndbuf $size --scheduler $name
		done
	done
	why sndbuf 60 "not blocking" --sndbuf 20000 --poll
}

window() {
	local size name
	netem 50mbit 50ms 1000
	for size in 30000 100000; do
		in_server sysctl -q net.ipv4.tcp_rmem="4096 $size $size"
		for name in minrtt default; do
			why window 60 "$name: a receive buffer of $size bytes, 100 ms" --scheduler $name
		done
	done
	in_server sysctl -q net.ipv4.tcp_rmem="4096 131072 6291456"
}

narrow() {
	local rate name
	for rate in 2mbit 8mbit; do
		netem $rate 20ms 60
		for name in minrtt default rr; do
			why cwnd 60 "$name: paths of $rate" --scheduler $name
		done
	done
}

# lossy_path WHOSE: one path, which begins to lose packets when the connection is there
lossy_path() {
	local loss
	# while it waits for a timeout, it does not recover
	for loss in 5 10; do
		netem 20mbit 40ms 1000
		(sleep 1; netem 20mbit 40ms 1000 loss $loss%) &
		measure --for 20
		wait $!
		shares=${shares#*loss=}
		is cwnd "$first" "$1 path that loses $loss %"
		in_time "$1 path that loses $loss %: recovers for much of the time" less 10 "${shares%%.*}"
	done
}

lossy() {
	in_server ip mptcp endpoint flush
	lossy_path a
	netem 20mbit 10ms 100
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
}

# The transfer goes on for 3 s before.
all_dark() {
	local name
	for name in minrtt default minrtt+rs; do
		netem 8mbit 10ms 100
		(sleep 3; dark 1; dark 2) &
		why dark 80 "$name: all paths are dark" --scheduler $name --after 6
		wait $!
		netem 8mbit 10ms 100 loss 0%
		light 1
		light 2
	done
}

reluctant() {
	netem 5mbit 10ms 60
	set_to path_price c2=10
	set_to sched_price_wait 60000
	why sched 60 "minrtt+price: the second path is too dear" --scheduler minrtt+price
	set_to sched_price_wait 1
	why cwnd 60 "minrtt+price: that does not wait" --scheduler minrtt+price
	set_to path_price ""
	shape 2 500kbit 300ms 100
	# all that is unsent, the first path delivers sooner; of much more the end would be worth the second
	why sched 80 "inorder: the second path is of no use" --scheduler inorder --sndbuf 200000
	netem 20mbit 10ms 100
}

fallback() {
	kill "$listening"
	wait "$listening" || true
	listen --tcp
	netem 4mbit 20ms 60
	why cwnd 60 "TCP: a narrow path"
	netem 50mbit 50ms 1000
	why sndbuf 60 "TCP: a small SO_SNDBUF" --sndbuf 20000
	why idle 80 "TCP: 1000 bytes every 50 ms" --message 1000 --pause 50
	in_server sysctl -q net.ipv4.tcp_rmem="4096 30000 30000"
	why window 60 "TCP: a small receive buffer"
	in_server sysctl -q net.ipv4.tcp_rmem="4096 131072 6291456"
	lossy_path "TCP: a"
}

# listen [--tcp]
listen() {
	ip netns exec "$server" python3 -B why.py serve 5000 "$@" &
	listening=$!
	soon listens_at "$server" 5000
}

hosts 20mbit 10ms 20mbit 10ms
listen
is_counted
for part in values application send_buffer window narrow lossy all_dark reluctant fallback; do
	$part
done

finish
