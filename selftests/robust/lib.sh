# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with those who source this
# What some of these tests share beyond ../lib.sh: Python, hosts with both families.
# shellcheck source=../lib.sh
. ../lib.sh

python=/usr/bin/python3

need_dpkt() {
	"$python" -c 'import dpkt' 2>/dev/null || skip_all "needs $python with dpkt"
}

# spoken_by_hand PROGRAM SYSCTL: a server that has it, and a client whose every segment a program makes, which
# tells what came of it.
spoken_by_hand() {
	local hand=10.0.1.77 line
	hosts 100mbit 5ms 100mbit 5ms
	in_server ip mptcp endpoint flush
	in_server sysctl -q net.mptcp."$2"=1
	ip -n "$server" neigh replace "$hand" dev s1 nud permanent \
		lladdr "$(in_client cat /sys/class/net/c1/address)"
	export PYTHONPATH=.:middlebox:../fixes
	timeout $((patience * 3)) ip netns exec "$client" "$python" -B -m "$1" 10.0.1.2 "$hand" "$server" \
		>"$work/told" 2>&1 || echo "not ok it ended with status $?" >>"$work/told"
	while read -r line; do
		retell "$line"
	done <"$work/told"
}

# addresses 4|6: those in use; own: the client's on the second path.
addresses() {
	if [ "$1" = 4 ]; then
		any=0.0.0.0 first=10.0.1.2 second=10.0.2.2 own=10.0.2.1
	else
		any=:: first=fd00:1::2 second=fd00:2::2 own=fd00:2::1
	fi
}

# leg HOST DEVICE ADDRESS ROUTER-DEVICE NETWORK: one of routed_hosts.
leg() {
	ip link add "$2" netns "$1" type veth peer name "$4" netns "$router"
	ip -n "$1" addr add "$5.$3/24" dev "$2"
	ip -n "$router" addr add "$5.254/24" dev "$4"
	ip -n "$1" link set "$2" up
	ip -n "$router" link set "$4" up
	tc -n "$1" qdisc add dev "$2" root netem rate 20mbit delay 5ms limit 1000
}

# routed_hosts: a router on both paths, instead of which middlebox/net.py can be the wire.
#
#	client                       router                       server
#	  10.0.1.1 c1 ------- rc1 10.0.1.254   10.1.1.254 rs1 ------- s1 10.1.1.2
#	  10.0.2.1 c2 ------- rc2 10.0.2.254   10.1.2.254 rs2 ------- s2 10.1.2.2
routed_hosts() {
	local host n
	[ -c /dev/net/tun ] || skip_all "needs /dev/net/tun"
	router=msr-$$
	trap 'ip netns del "$router" 2>/dev/null || true; cleanup' EXIT
	for host in "$client" "$server" "$router"; do
		ip netns add "$host"
		ip -n "$host" link set lo up
	done
	for n in 1 2; do
		leg "$client" "c$n" 1 "rc$n" "10.0.$n"
		leg "$server" "s$n" 2 "rs$n" "10.1.$n"
		ip -n "$client" route add "10.1.$n.0/24" via "10.0.$n.254"
		ip -n "$server" route add "10.0.$n.0/24" via "10.1.$n.254"
	done
	ip netns exec "$router" sysctl -q net.ipv4.ip_forward=1
	linux_defaults
	in_both sysctl -q net.ipv4.tcp_no_metrics_save=1
	in_client ip mptcp limits set subflow 4 add_addr_accepted 4
	in_server ip mptcp limits set subflow 4 add_addr_accepted 4
}

# numbered LAST COMMAND...: its results with the numbers of TAP; its last line is like LAST.
numbered() {
	local last="" line pattern=$1
	shift
	while read -r line; do
		retell "$line"
		last=$line
	done < <("$@" 2>&1)
	# shellcheck disable=SC2053 # a pattern
	[[ $last = $pattern ]] || result 1 "$* comes to its end"
}
