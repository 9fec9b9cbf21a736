#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Many connections at a time whose congestion control changes all the while, and
# whose subflows come and go: what they publish for each other is read, added and
# removed on all CPUs at once. Lockdep, KASAN and the bytes tell.
#
# CHURN_ROUNDS (default 6): a round is a connection for each of the workers.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need
need_coupled

rounds=${CHURN_ROUNDS:-6}
workers=8
size=1500000
read -ra coupled <<<"$(every_coupled)"
all=$(commas "cubic reno ${coupled[*]}")

hosts 100mbit 2ms 100mbit 5ms
admit "${coupled[@]}"
for name in "${coupled[@]}"; do
	in_both sysctl -q net.ipv4.tcp_congestion_control="$name"
done
in_both sysctl -q net.ipv4.tcp_congestion_control=olia

# connection PORT: moves the bytes once, congestion control changing every 64 KB.
connection() {
	local report=$work/report-$1 status=0
	serve_at "$1" "$report"
	timeout $patience ip netns exec "$client" "$sched_sock" connect -a 10.0.1.2 -p "$1" -b $size \
		-G "$all" >"$report-c" 2>&1 || status=$?
	wait
	[ "$status" = 0 ] && grep -qx "received=$size" "$report" && grep -qx wrong=0 "$report"
}

# worker N: its connections, one after the other; says how many were right.
worker() {
	local right=0 round
	for ((round = 0; round < rounds; round++)); do
		! connection $((5000 + $1)) || right=$((right + 1))
	done
	echo "$right" >"$work/right-$1"
}

# Subflows come and go, paths turn dark for a moment.
disturb() {
	while [ -e "$work/busy" ]; do
		in_server ip mptcp endpoint flush
		sleep 0.2
		in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
		sleep 0.4
		tc -n "$client" qdisc change dev c2 root netem loss 100%
		sleep 0.3
		tc -n "$client" qdisc change dev c2 root netem rate 100mbit delay 5ms limit 1000 loss 0%
		sleep 0.3
	done 2>/dev/null
}

touch "$work/busy"
disturb &
disturbing=$!
before=$(counter MPJoinSynAckRx)
pids=()
for ((n = 0; n < workers; n++)); do
	worker "$n" &
	pids+=($!)
done
wait "${pids[@]}"
rm "$work/busy"
wait "$disturbing" || true

right=$(awk '{ n += $1 } END { print n }' "$work"/right-*)
total=$((workers * rounds))
is "$total" "$right" "$total connections, their congestion control changed every 64 KB: the bytes are right"
joins=$(($(counter MPJoinSynAckRx) - before))
least=$((total / 4))
# there the endpoint is often gone before a connection gets to it
! slow || least=0
that "subflows came while they lived ($joins)" less $least "$joins"

in_both sysctl -q net.ipv4.tcp_congestion_control=reno
remove_coupled

finish
