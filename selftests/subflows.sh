#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Subflows that come, go and turn stale in the middle of a transfer, with each scheduler and from one to the next.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need

hosts 20mbit 10ms 20mbit 20ms

for name in $(every_scheduler); do
	scheduler "$name"
	comings_and_goings "$name"
done

# A live switch in every state: with each 64 KB that are written, in whatever state the connection is.
scheduler default
switches=$(counter SchedSwitch)
all=$(for name in $(but default "$(cat /proc/sys/net/mptcp/available_schedulers)"); do
	echo "default+rs $name $(composed "$name")"
done | xargs)
comings_and_goings "another one with each 64 KB" -w "$(commas "$all")"
that "they were switched" less 300 $(($(counter SchedSwitch) - switches))

# What a subflow that is gone had goes out once more, and not what the others carry.
three_paths() {
	local n
	in_client ip mptcp endpoint flush
	in_server ip mptcp endpoint flush
	path 3 8mbit 10ms
	for n in 1 2; do
		light $n
	done
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 id 2 signal
	in_server ip mptcp endpoint add 10.0.3.2 dev s3 id 3 signal
}

# measure SCHEDULER: bytes on the $wire, $took.
measure() {
	wire=$(wire 1 2 3)
	scheduler "$1"
	took -b 4000000
	wire=$(($(wire 1 2 3) - wire))
}

# loses_one SCHEDULER: one subflow of three is removed in the middle: $more bytes on the wire.
loses_one() {
	local whole removing
	measure "$1"
	whole=$wire
	(sleep 0.8; in_server ip mptcp endpoint del id 3) &
	removing=$!
	measure "$1"
	wait "$removing"
	in_server ip mptcp endpoint add 10.0.3.2 dev s3 id 3 signal
	more=$((wire - whole))
	echo "# $1: $took ms, $more bytes more on the wire"
	arrived 4000000 "$1: one of three subflows is removed: the bytes are right"
}

# How often TCP gave up a connection of the client.
given_up() { counter_of "$client" TCPAbortOnTimeout TcpExt; }

# connects_again SCHEDULER: on a socket that was refused before; its only path goes dark, and TCP gives up.
connects_again() {
	local again before
	before=$(given_up)
	serve
	in_client timeout 60 /usr/bin/python3 -B connect_again.py 10.0.1.2 "$1" <"$work/go" >"$work/again" 2>&1 &
	again=$!
	exec 4>"$work/go"
	soon grep -q connected "$work/again" || true # told below
	dark 1
	(echo >&4) || true # it may be gone
	wait "$again" || true
	exec 4>&-
	kill "$served" 2>/dev/null || true
	# else the next one may find its port taken
	wait "$served" || true
	light 1
	is "goes on 1" "$(tail -n 1 "$work/again") $(($(given_up) - before))" \
		"$1: a socket connects again, and TCP gives up its only subflow"
}

alone() {
	local name
	in_both ip mptcp endpoint flush
	in_client sysctl -q net.ipv4.tcp_retries2=2
	mkfifo "$work/go"
	for name in $(every_scheduler); do
		connects_again "$name"
	done
	in_client sysctl -q net.ipv4.tcp_retries2=15
}

alone
three_paths
# it does not know who has what, and sends all again
loses_one minrtt
all=$more
for name in minrtt+rp minrtt+rs inorder; do
	loses_one $name
	in_time "$name: what the others carry is not sent again" less "$more" $((all / 2))
done

finish
