#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Faults at scale: thousands of connections, gigabytes, and all the while packets get lost,
# links go down, peers die, memory is short, modules are removed. Each byte is compared, no
# connection may hang, nothing may remain.
# usage: faults.sh [quick]
#
# FAULTS_ROUNDS multiplies the connections of each case (default 5; 1 with "quick").
# FAULTS_CASES names the groups of cases to run.
# shellcheck disable=SC2154 # variables of lib.sh
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
# shellcheck source=faults/lib.sh
. ./faults/lib.sh
# shellcheck source=faults/leaks.sh
. ./faults/leaks.sh
# shellcheck source=faults/memory.sh
. ./faults/memory.sh
# shellcheck source=faults/orphans.sh
. ./faults/orphans.sh
# shellcheck source=faults/alloc.sh
. ./faults/alloc.sh

quick=${1:-}
rounds=${FAULTS_ROUNDS:-$([ "$quick" = quick ] && echo 1 || echo 5)}
# those that wait for TCP's timers, up to minutes each: not for a machine that computes slowly
# while its clock runs on
waiting="deaths interruptions patience orphans"
# shortage comes before cases that may leave memory behind: it is of the whole machine
groups=${FAULTS_CASES:-impairments shortage changes churn $(slow || echo "$waiting") allocations leaks}
rate=1gbit
failing=1
delays=([1]=2ms [2]=5ms)

need ss
need_coupled
read -ra schedulers <<<"$(every_scheduler)"
read -ra congestion <<<"cubic $(every_coupled)"
all_schedulers=$(commas "${schedulers[*]}")
all_congestion=$(commas "${congestion[*]}")
[ -n "$faults_load" ] || skip_all "faults_load is not built: run make"

# the same choices each time
RANDOM=1

# Memory is short where that is what is tried, and else not: then TCP resets connections.
sysctl -q -w net.ipv4.tcp_mem="65536 98304 131072" 2>/dev/null || true

many() { echo $(($1 * rounds)); }

# choose N: the Nth combination of a scheduler and a congestion control, for new connections.
choose() {
	local name=${schedulers[$1 % ${#schedulers[@]}]} control=${congestion[$1 % ${#congestion[@]}]}
	chosen="$name, $control"
	# its module may have been removed since
	! restricted "$control" || admit "$control"
	for_both net.mptcp.scheduler="$name" net.ipv4.tcp_congestion_control="$control"
}

# turns: the numbers of so many combinations that each of both occurs; quick: of two, others each time.
turns() {
	local n=${#schedulers[@]}
	[ "$n" -ge "${#congestion[@]}" ] || n=${#congestion[@]}
	if [ "$quick" = quick ]; then
		echo $((tests % n)) $(((tests + n / 2) % n))
	else
		seq 0 $((n - 1))
	fi
}

# segments N: the most that a packet on its way through netem holds. netem inverts a bit of
# a packet's linear part: of the header alone, unless the packet is one segment. (If its
# checksum was left to the device, netem computes it first, so that the receiver can tell.)
segments() {
	local n
	for n in 1 2; do
		ip -n "$client" link set "c$n" gso_max_segs "$1"
		ip -n "$server" link set "s$n" gso_max_segs "$1"
	done
}

corrupted() { echo $(($(snmp "$server" InCsumErrors) + $(snmp "$client" InCsumErrors))); }

# impaired N PATHS CHECKSUMS
impaired() {
	local before n what="path ${2/ / and }, DSS checksums $3"
	choose "$1"
	for_both net.mptcp.checksum_enabled="$3"
	for n in $2; do
		netem "$n" loss 1% duplicate 1% corrupt 0.5% reorder 95% 50%
	done
	before=$(corrupted)
	load -n "$(many 8)" -j 8 -b 20000:6000000 -k ttc
	right "loss, duplication, reordering, corruption on $what, $chosen"
	that "$what, $chosen: TCP found corrupted segments" less "$before" "$(corrupted)"
	calm
}

# Quick: each scheduler once, each kind of path and checksum once.
impairments() {
	local n paths sums kind
	segments 1
	for n in 0 1 2 3 4 5; do
		kind=0
		for paths in 1 2 "1 2"; do
			for sums in 0 1; do
				if [ "$quick" != quick ] || [ $kind = "$n" ]; then
					impaired $n "$paths" $sums
				fi
				kind=$((kind + 1))
			done
		done
	done
	segments 65535
	for_both net.mptcp.checksum_enabled=0
}

# What happens over and over again while data is transferred: each a function, which leaves
# things as they were.
link_down() {
	ip -n "$1" link set "$2" down
	sleep 0.3
	ip -n "$1" link set "$2" up
	sleep 0.5
}
link_1_down() { link_down "$client" c1; }
link_2_down() { link_down "$server" s2; }
address_goes() {
	ip -n "$1" addr del "10.0.$3/24" dev "$2"
	sleep 0.3
	ip -n "$1" addr add "10.0.$3/24" dev "$2"
	sleep 0.5
}
client_address_goes() { address_goes "$client" c2 2.1; }
server_address_goes() { address_goes "$server" s2 2.2; }
first_address_goes() { address_goes "$client" c1 1.1; }
endpoint_goes() {
	in_server ip mptcp endpoint flush
	sleep 0.2
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
	sleep 0.4
}
# The subflow with which the connection began is closed, another one takes its place.
first_subflow_goes() {
	in_client ip mptcp endpoint del id 0 10.0.1.1
	sleep 0.3
	in_client ip mptcp endpoint add 10.0.1.1 dev c1 subflow id 9
	sleep 0.4
	in_client ip mptcp endpoint del id 9
	sleep 0.2
}
# All of a connection's subflows: it ends, when net.mptcp.close_timeout is over.
all_subflows_go() {
	in_client ip mptcp endpoint del id 0 10.0.1.1
	in_client ip mptcp endpoint flush
	sleep 10
}
route_goes() {
	ip -n "$client" route del 10.0.2.0/24
	ip -n "$server" route del 10.0.1.0/24
	sleep 0.3
	ip -n "$client" route add 10.0.2.0/24 dev c2 src 10.0.2.1
	ip -n "$server" route add 10.0.1.0/24 dev s1 src 10.0.1.2
	sleep 0.5
}
dark() {
	local n
	for n; do
		netem "$n" loss 100%
	done
	sleep 0.4
	for n; do
		netem "$n"
	done
	sleep 0.6
}
path_1_dark() { dark 1; }
path_2_dark() { dark 2; }
both_dark() { dark 1 2; sleep 1; }
both_links_down() {
	ip -n "$client" link set c1 down
	ip -n "$client" link set c2 down
	sleep 1
	ip -n "$client" link set c1 up
	ip -n "$client" link set c2 up
	sleep 1
}

# interrupted_by COMMAND WHAT [ARG...]: in the middle of transfers
interrupted_by() {
	local command=$1 what=$2
	shift 2
	choose $((interruption++))
	start -n "$(many 6)" -j 40 -b 2000000:20000000 "$@"
	# Then it must recover: a half-closed connection gets no further subflow, and the timer of
	# its only one may have grown to a minute.
	most=30 meanwhile "$command"
	calm
	end
	right "$what, $chosen"
}

interruptions() {
	interruption=0 rate=200mbit
	calm
	# a connection that lost all its subflows waits so long for another one
	for_both net.mptcp.close_timeout=600
	interrupted_by link_1_down "the first path's link goes down and up"
	interrupted_by link_2_down "the second path's link goes down and up"
	interrupted_by client_address_goes "an address of the client goes and comes"
	interrupted_by server_address_goes "an address of the server goes and comes"
	interrupted_by first_address_goes "the first subflow's address goes and comes"
	interrupted_by endpoint_goes "an endpoint goes and comes"
	# once a direction has ended no subflow may join: with but one it would be the last one
	interrupted_by first_subflow_goes "the first subflow is removed, another one comes" -2
	for_both net.mptcp.close_timeout=60
	serve_with=(-e)
	start -n "$(many 6)" -j 40 -b 2000000:20000000 -e
	meanwhile all_subflows_go
	end
	alive "all subflows are removed" client server
	serve_with=()
	for_both net.mptcp.close_timeout=600
	calm
	interrupted_by route_goes "routes go and come"
	interrupted_by path_1_dark "the first path goes dark"
	interrupted_by path_2_dark "the second path goes dark"
	interrupted_by both_dark "both paths go dark at a time"
	interrupted_by both_links_down "both links go down at a time"
	for_both net.mptcp.close_timeout=60
	rate=1gbit
	calm
}

# At close() there is more in the send buffer than goes in the 60 s of mptcp_close_timeout().
patience() {
	local n most
	most=$(sysctl -n net.core.wmem_max)
	sysctl -q -w net.core.wmem_max=8000000
	rate=200kbit
	netem 1 limit 20
	netem 2 limit 20
	# over one path alone, as sttf may choose, it takes more than five minutes
	serve_with=(-T 600)
	for n in $(turns); do
		choose "$n"
		load -n 1 -j 1 -b 8000000 -k c -B 8000000 -T 600
		right "over two minutes of data are left at close(), $chosen"
	done
	serve_with=()
	sysctl -q -w net.core.wmem_max="$most"
	rate=1gbit
	calm
}

# Those who are left know about it, and do not wait forever.
deaths() {
	for n in $(turns); do
		choose "$n"
		serve_with=(-e)
		start -n 20 -j 20 -b 20000000:40000000 -e
		sleep 0.3
		kill -KILL "$served"
		end 2>/dev/null
		alive "the server is killed, $chosen" client
		start -n 20 -j 20 -b 20000000:40000000 -e
		sleep 0.3
		kill -KILL "$sending"
		end 2>/dev/null
		alive "the client is killed, $chosen" server
		for_both net.ipv4.tcp_retries2=4
		start -n 20 -j 20 -b 20000000:40000000 -e
		sleep 0.3
		netem 1 loss 100%
		netem 2 loss 100%
		end
		alive "the network is gone, $chosen" client server
		for_both net.ipv4.tcp_retries2=15
		serve_with=()
		calm
	done
}

# Schedulers and congestion controls of the hosts, for new connections and new subflows.
change_defaults() {
	choose $RANDOM
	sleep 0.05
}
# Modules are in use or not, as it happens.
remove_modules() {
	# shellcheck disable=SC2046 # one a word
	rmmod $(built sched | sed s/^/mptcp_sched_/) $(built cong | sed s/^/mptcp_cong_/) || true
	sleep 0.05
}
all_changes() {
	change_defaults
	remove_modules
	endpoint_goes
	change_defaults
	path_1_dark
	link_2_down
	remove_modules
}

nothing() { sleep 1; }

# refused WHO: changes, of connections that speak MPTCP. Where there is another CPU, a module that
# was just loaded may be gone again.
refused() {
	local gone=0
	! slow || gone=${report[$1 refused_ENOENT]:-0}
	echo $((${report[$1 refused]:-0} - ${report[$1 refused_ENOPROTOOPT]:-0} - gone))
}

# changed_by COMMAND WHAT
changed_by() {
	serve_with=(-w "$all_schedulers" -G "$all_congestion")
	start -n "$(many 12)" -j 12 -b 1000000:20000000 "${serve_with[@]}"
	meanwhile "$1"
	end
	right "scheduler and congestion control change each 64 KB, $2"
	# a connection that began while the path was dark is TCP's, and has no scheduler
	is "0, 0" "$(refused client), $(refused server)" "$2: each change is possible"
	serve_with=()
	calm
}

changes() {
	rate=200mbit
	calm
	changed_by nothing "nothing else"
	changed_by change_defaults "those of new connections, too"
	changed_by remove_modules "modules are removed"
	changed_by all_changes "modules are removed, subflows come and go"
	rate=1gbit
	calm
}

# churned WHAT [ARG...]: with each scheduler.
churned() {
	local n what=$1
	shift
	for n in $(turns); do
		choose "$n"
		load "$@"
		right "$what, $chosen"
	done
}

# Without SYN cookies each one has its turn, as SYNs are sent again. With them the server
# knows no connection whose third ACK it had no place for, and resets it, as TCP's.
overflows() {
	local n
	serve_with=(-l 4 -i 2)
	for_both net.ipv4.tcp_syncookies=0
	churned "more connections than the server has a place for" -n "$(many 30)" -j 30 -b 1:10000 -k t
	for_both net.ipv4.tcp_syncookies=1
	for n in $(turns); do
		choose "$n"
		load -n "$(many 30)" -j 30 -b 1:10000 -k t -e
		alive "the same with SYN cookies, $chosen" client server
	done
	serve_with=()
}

churn() {
	churned "short connections that end in many ways" -n "$(many 60)" -j 200 -b 1:100000 -k tttccrRuUa
	netem 1 loss 2%
	netem 2 loss 2%
	churned "the same with loss" -n "$(many 60)" -j 200 -b 1:100000 -k tttccrRuUa
	calm
	churned "aborted while being established" -n "$(many 60)" -j 100 -b 1:1000 -k aaaaaaat
	overflows
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow
	in_client ip mptcp endpoint add 10.0.1.1 dev c1 subflow
	in_server ip mptcp endpoint add 10.0.1.2 dev s1 signal
	churned "closed while subflows join" -n "$(many 60)" -j 50 -b 1:5000 -k tcrR
	calm
}

# allocations: of MPTCP's code, and what it calls, fail at random. Connections may break; a reset
# that could not be allocated is missed until keepalive (115 s) and close_timeout (60 s) are over.
allocations() {
	local n failed
	if ! fail_allocations 0; then
		skip "this kernel has no fault injection for allocations"
		return
	fi
	serve_with=(-e -T 300)
	for n in 0 1 2 3 4 5; do
		choose $n
		start_server
		fail_allocations "$failing"
		start_client -n "$(many 20)" -j 10 -b 1:3000000 -k tttcrRu "${serve_with[@]}"
		end
		failed=$(failed_allocations)
		fail_allocations 0
		alive "$failing % of the allocations fail, $chosen" client server
		that "$chosen: some did" less 0 "$failed"
	done
	serve_with=()
	load -n "$(many 6)" -j 6 -b 1:3000000 -k ttc
	right "no allocation fails any more"
}

# Nothing remains of all this.
leaks() {
	local name
	that "no socket remains" no_sockets "$client" "$server"
	is "0 0" "$(active MPTCP) $(active MPTCPv6)" "the kernel has no MPTCP socket in its memory"
	if has_kmemleak; then
		that "kmemleak finds no memory that was lost" no_leaks
	else
		skip "this kernel has no kmemleak"
	fi
	for_both net.mptcp.scheduler=default net.ipv4.tcp_congestion_control=cubic
	for name in $(built sched); do
		if is_module "mptcp_sched_$name"; then
			that "$name is used no more, and can be removed" unload "mptcp_sched_$name"
		else
			skip "$name is built in"
		fi
	done
	remove_coupled
}

hosts $rate "${delays[1]}" $rate "${delays[2]}"
# large segments in spite of many connections that share the rate
for_both net.ipv4.tcp_tso_rtt_log=30
! has_kmemleak || forget_leaks
for group in $groups; do
	$group
done
for group in $waiting; do
	! slow || [[ " $groups " == *" $group "* ]] || skip "$group: this machine is slow"
done
echo "# $tests cases, $connections connections, $bytes bytes, $wrong wrong"
finish
