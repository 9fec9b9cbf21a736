#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Receive flow steering (RFS): the packets of all subflows are handled on the CPU on which the
# application runs, as TCP's are.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need taskset

table=/proc/sys/net/core/rps_sock_flow_entries
[ -w $table ] || skip_all "this kernel has no receive flow steering"
[ "$(nproc)" -ge 2 ] || skip_all "needs two CPUs"
entries=$(cat $table)
trap 'echo "$entries" >$table; cleanup' EXIT

# run_on CPU: this script, and what it starts from now on.
run_on() { taskset -pc "$1" $$ >/dev/null; }

# handled CPU: packets, of all namespaces.
handled() {
	local fields
	read -ra fields <<<"$(sed -n $(($1 + 1))p /proc/net/softnet_stat)"
	echo $((16#${fields[0]}))
}

# steer ENTRIES: how many flows the server's devices remember; 0: no steering.
steer() {
	local device
	echo "$1" >$table
	for device in s1 s2; do
		in_server sh -c "echo $1 >/sys/class/net/$device/queues/rx-0/rps_flow_cnt"
	done
}

# received: packets of the server.
received() { in_server sh -c 'echo $(($(cat /sys/class/net/s1/statistics/rx_packets) +
	$(cat /sys/class/net/s2/statistics/rx_packets)))'; }

# share: how many of the packets that a program on CPU 1 receives from one on CPU 0 are handled on CPU 1,
# in percent.
share() {
	local packets own
	run_on 1
	serve
	run_on 0
	own=$(handled 1) packets=$(received)
	transfer -b 10000000
	own=$(($(handled 1) - own)) packets=$(($(received) - packets))
	echo "# of $packets packets, CPU 1 handled $own"
	share=$((100 * own / packets))
}

hosts 50mbit 5ms 50mbit 5ms
# The other direction stays on CPU 0: data would follow its acknowledgments.
for device in c1 c2; do
	in_client sh -c "echo 1 >/sys/class/net/$device/queues/rx-0/rps_cpus"
done
scheduler rr
share
that "without it, packets are handled where they come from" less "$share" 40
steer 1024
share
arrived 10000000 "with it, the bytes are right"
that "both paths carried them" less 3000000 "$(tx_bytes 2)"
that "they are handled where the program runs" less 80 "$share"
steer 0

finish
