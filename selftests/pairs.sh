#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Features beside each other: each pair of control stream, coding, early delivery, schedulers, live switches,
# subflows that come and go and more, with data both ways over two bad paths, each byte compared.
# usage: pairs.sh [SEED [ROUNDS [FEATURE...]]]: other draws, so many of them; pairs of these features only,
#	or with "A,B" just these together
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need python3

seed=${1:-1} rounds=${2:-1} features=("${@:3}") bytes=400000 limit=60
if slow; then
	# what changes what a mapping means, and who sends it
	[ ${#features[@]} != 0 ] || mapfile -t features < <(
		python3 -B pairs.py features | grep -xE 'control|coding|early|redundant|inorder|switch|subflows')
	bytes=150000 limit=300
fi

# pairs SEED: what is found, as TAP.
pairs() {
	local line status=0
	python3 -B pairs.py "$client" "$server" "$1" "$bytes" "$limit" ${features[@]+"${features[@]}"} >"$work/pairs" 2>&1 || status=$?
	while read -r line; do
		retell "$line" "$([ "$rounds" = 1 ] || echo "seed $1: ")"
	done <"$work/pairs"
	[ $status = 0 ] || result 1 "it ended with status $status"
}

# grew COUNTER: of either end.
grew() { [ $(($(counter "$1") + $(counter_of "$server" "$1"))) != 0 ]; }

hosts 20mbit 5ms 10mbit 20ms
for namespace in "$client" "$server"; do
	ip netns exec "$namespace" sysctl -q net.mptcp.allowed_schedulers="$(cat /proc/sys/net/mptcp/available_schedulers)"
done
happened=(SchedCopy SchedAhead SchedSwitch SchedRetrans RmSubflow)
! is_built control_stream || happened+=(ControlRx)
! is_built coding || happened+=(CodedRx CodedRepair)
! is_built early_delivery || happened+=(EarlySegs)

# missing: of these what has not happened.
missing() {
	local name
	for name in "${happened[@]}"; do
		grew "$name" || echo "$name"
	done
}

# told NAME: a subflow is gone only if the second one came before the order to remove it.
told() {
	if slow && [ "$1" = RmSubflow ] && ! grew "$1"; then
		skip "it happened: $1: this machine is slow"
	else
		that "it happened: $1" grew "$1"
	fi
}

before=$(memory_of)
for ((round = 0; round < rounds; round++)); do
	pairs $((seed + round))
done
if [ ${#features[@]} != 1 ]; then
	# few bytes lose few packets: what must have happened may need another draw
	for ((; round < rounds + 3; round++)); do
		if slow && missing | grep -vx RmSubflow >/dev/null; then pairs $((seed + round)); fi
	done
	for name in "${happened[@]}"; do told "$name"; done
fi
that "the sockets' memory is given back" soon memory_back "$before"
finish
