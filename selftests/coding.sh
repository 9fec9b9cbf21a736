#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Systematic coding between two of this kernel: redundant symbols are sent where something is lost and both
# ends want it, what is lost is computed, and every byte is right whatever the paths do.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need
need_sysctl coding

bulk=6000000
names="CodingAgreed CodedTx CodedRx CodedLate CodedDrop CodedRepair"

coding() { in_both sysctl -q net.mptcp.coding="$1"; }

# both NETEM ARG...: what the client sends over both paths of 20 Mbit/s. ADD_ADDR, of the server, arrives.
both() {
	local n
	for n in 1 2; do
		tc -n "$client" qdisc change dev "c$n" root netem rate 20mbit delay 10ms limit 1000 loss 0% "$@"
	done
}

counters() {
	local name
	for name in $names; do
		echo "$name $(counter "$name") $(counter_of "$server" "$name")"
	done
}

# did WHAT [ARG...]: a transfer of $bulk bytes, and what the counters grew by: $sent of the client's symbols, and of the server
# $useful, $late, $dropped and $repaired; $agreed of both.
did() {
	local what=$1 name ours theirs was_ours was_theirs
	shift
	counters >"$work/before"
	serve
	begin -b "$bulk" "$@"
	complete
	arrived "$bulk" "$what: the bytes are right"
	while read -r name ours theirs <&3 && read -r _ was_ours was_theirs <&4; do
		case $name in
		CodingAgreed) agreed="$((ours - was_ours)) $((theirs - was_theirs))" ;;
		CodedTx) sent=$((ours - was_ours)) ;;
		CodedRx) useful=$((theirs - was_theirs)) ;;
		CodedLate) late=$((theirs - was_theirs)) ;;
		CodedDrop) dropped=$((theirs - was_theirs)) ;;
		CodedRepair) repaired=$((theirs - was_theirs)) ;;
		esac
	done 3< <(counters) 4<"$work/before"
	echo "# $what: $sent symbols sent, $useful useful, $late late, $dropped dropped, $repaired repaired"
}

nothing() { is "0 0 0 0 0 0 0" "$agreed $sent $useful $late $dropped $repaired" "$1: nothing of it"; }

it_rests() {
	local all
	coding 0
	did "off"
	nothing "off"
	coding 0
	in_client sysctl -q net.mptcp.coding=1
	did "the server does not want it"
	nothing "the server does not want it"
	coding 0
	in_server sysctl -q net.mptcp.coding=1
	did "the client does not want it"
	nothing "the client does not want it"
	coding 1
	in_server ip mptcp endpoint flush
	did "one subflow"
	is "1 1 0" "$agreed $sent" "one subflow: agreed, and no symbols"
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
	both
	# what the first generations are given counts less in a longer one
	bulk=$((3 * bulk)) did "nothing is lost"
	all=$((3 * bulk / 1400))
	in_time "nothing is lost: less and less is sent" less "$sent" $((all / 30))
}

# typically WHAT: $sent is the median of three, since one draw in twenty sends little more than half.
typically() {
	local all=()
	for _ in 1 2 3; do
		did "$1"
		all+=("$sent")
	done
	sent=$(printf '%s\n' "${all[@]}" | sort -n | sed -n 2p)
}

it_repairs() {
	both loss 1%
	coding 1
	did "1 % loss"
	is "1 1" "$agreed" "1 % loss: both agreed"
	that "1 % loss: symbols are sent" less $((bulk / 1400 / 50)) "$sent"
	that "1 % loss: not more than an eighth" less "$sent" $((bulk / 1400 / 8 + 8))
	that "1 % loss: some segments are repaired" less 3 "$repaired"
	that "1 % loss: few symbols have no room" less "$dropped" $((sent / 10))
	coding 10
	typically "1 % loss, 10 %"
	that "10 %: so many are sent" less $((bulk * 7 / 100 / 1460)) "$sent"
	that "10 %: and not more" less "$sent" $((bulk * 11 / 100 / 1400))
	coding 2
	typically "1 % loss, 2 %"
	that "2 %: so many are sent" less $((bulk * 8 / 1000 / 1460)) "$sent"
	that "2 %: and not more" less "$sent" $((bulk * 25 / 1000 / 1400))
}

# Every byte, whatever happens.
it_is_right() {
	local name
	coding 10
	bulk=1500000
	for name in "loss 5%" "delay 10ms 5ms" "duplicate 10%" "loss 2% duplicate 5% delay 10ms 4ms"; do
		# shellcheck disable=SC2086 # a list
		both $name
		did "$name"
	done
	both loss 10%
	bulk=500000
	did "loss 10%"
	bulk=1500000
	both loss 2%
	for name in $(get available_schedulers); do
		scheduler "$name"
		did "$name"
	done
	scheduler default
	in_both sysctl -q net.mptcp.checksum_enabled=1
	did "checksums"
	in_both sysctl -q net.mptcp.checksum_enabled=0
	in_both sysctl -q net.mptcp.control_stream=1
	did "beside a control stream"
	is "1 1" "$agreed" "beside a control stream: both agreed"
	in_both sysctl -q net.mptcp.control_stream=0
	buffers 100000
	did "small buffers"
	buffers 4000000
	ip -n "$client" link set c2 mtu 1400
	did "another MTU on one path"
	ip -n "$client" link set c2 mtu 1500
	did "small writes" -m 1000 -i 1
}

# What is kept for coding does not take the room of what comes early, where the buffer is small.
beside_early() {
	local alone beside before
	both loss 2%
	buffers 500000
	in_both sysctl -q net.mptcp.early_delivery=1
	coding 0
	before=$(counter_of "$server" EarlySegs)
	did "early delivery alone"
	alone=$(($(counter_of "$server" EarlySegs) - before))
	coding 10
	before=$(counter_of "$server" EarlySegs)
	did "beside early delivery"
	beside=$(($(counter_of "$server" EarlySegs) - before))
	echo "# early: $alone segments alone, $beside beside coding; repaired: $repaired"
	that "beside early delivery: segments are early as they are alone" less $((alone / 4)) "$beside"
	that "beside early delivery: symbols repair" less 3 "$repaired"
	in_both sysctl -q net.mptcp.early_delivery=0
	buffers 4000000
}

hosts 20mbit 10ms 20mbit 10ms
scheduler default
it_rests
it_repairs
it_is_right
bulk=15000000 beside_early
both
coding 1
comings_and_goings coding

finish
