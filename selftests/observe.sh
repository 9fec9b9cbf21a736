#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the schedulers do can be seen: counters and the tracepoint.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need

hosts 20mbit 10ms 20mbit 10ms
for name in $(every_scheduler); do
	scheduler "$name"
	picks=$(counter SchedPick)
	serve
	transfer -b 3000000
	that "$name: decisions are counted" less 20 $(($(counter SchedPick) - picks))
done
that "a full window is counted" less 0 "$(counter SchedNoRoom)"

scheduler minrtt
tracing=/sys/kernel/tracing
if [ -d $tracing/events/mptcp_sched ]; then
	echo >$tracing/trace
	echo 1 >$tracing/events/mptcp_sched/enable
	serve
	transfer -b 3000000
	echo 0 >$tracing/events/mptcp_sched/enable
	that "each decision is traced with its reason" grep -Eq \
		'mptcp_sched_decision: sched=minrtt token=0x[0-9a-f]+ subflow=[12] bytes=[0-9]+ reason=best backup=0' \
		$tracing/trace
	that "a decision that found nobody, too" grep -q 'reason=none' $tracing/trace
else
	skip "this kernel has no tracepoints"
fi

in_both sysctl -q net.ipv4.tcp_rmem="4096 30000 30000"
blocked=$(counter SchedWndBlocked)
serve
transfer -b 3000000
that "a window that is used up is counted" less "$blocked" "$(counter SchedWndBlocked)"

# As for TCP: what a subflow carries of thin traffic says nothing of its path.
app_limited() { in_client ss -Htin 'dport = 5000' | grep -c app_limited || true; }
in_both sysctl -q net.ipv4.tcp_rmem="4096 131072 6291456"
for name in default minrtt inorder; do
	scheduler "$name"
	serve
	begin -b 30000 -m 1000 -i 100
	sleep 2
	that "$name: the application limits a subflow that has little to carry" less 0 "$(app_limited)"
	complete
	serve
	begin -b 15000000
	sleep 2
	# a program that computes slowly has not
	in_time "$name: and none that has enough" less "$(app_limited)" 1
	complete
	arrived 15000000 "$name: the bytes are right"
done

finish
