#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Middleboxes on the way: wherever TCP brings the bytes, MPTCP brings them, as TCP where it must.
#
#	client                       router                       server
#	  10.0.1.1 c1 ------- rc1 10.0.1.254   10.1.1.254 rs1 ------- s1 10.1.1.2
#	  10.0.2.1 c2 ------- rc2 10.0.2.254   10.1.2.254 rs2 ------- s2 10.1.2.2
#
# A box of nftables is in the router. The others are in middlebox/matrix.py, which is the wire between
# two TUN devices that replaces the router on a path.
#
# usage: middlebox.sh [quick | BOX [POSITION [SCHEDULER [CHECKSUM]]]]
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=../lib.sh
. ../lib.sh
need nft
[ -c /dev/net/tun ] || skip_all "needs /dev/net/tun"
router=msr-$$
python=/usr/bin/python3

for host in "$client" "$server" "$router"; do
	ip netns add "$host"
	ip -n "$host" link set lo up
done
trap 'ip netns del "$router" 2>/dev/null || true; cleanup' EXIT

# leg HOST DEVICE ADDRESS ROUTER-DEVICE NETWORK
leg() {
	ip link add "$2" netns "$1" type veth peer name "$4" netns "$router"
	ip -n "$1" addr add "$5.$3/24" dev "$2"
	ip -n "$router" addr add "$5.254/24" dev "$4"
	ip -n "$1" link set "$2" up
	ip -n "$router" link set "$4" up
	tc -n "$1" qdisc add dev "$2" root netem rate 20mbit delay 5ms limit 1000
}

for n in 1 2; do
	leg "$client" "c$n" 1 "rc$n" "10.0.$n"
	leg "$server" "s$n" 2 "rs$n" "10.1.$n"
	ip -n "$client" route add "10.1.$n.0/24" via "10.0.$n.254"
	ip -n "$server" route add "10.0.$n.0/24" via "10.1.$n.254"
done
ip netns exec "$router" sysctl -q net.ipv4.ip_forward=1
# The SYN proxy has to see all else than the SYN as no connection's.
modprobe -q nf_conntrack || true
ip netns exec "$router" sysctl -q net.netfilter.nf_conntrack_tcp_loose=0 2>/dev/null ||
	skip_all "needs nf_conntrack"
in_both sysctl -q net.ipv4.tcp_no_metrics_save=1
in_client ip mptcp limits set subflow 4 add_addr_accepted 4
in_server ip mptcp limits set subflow 4 add_addr_accepted 4

# Its results with the numbers of TAP.
last=""
while read -r line; do
	case $line in
	"ok "*) result 0 "${line#ok }" ;;
	"not ok "*) result 1 "${line#not ok }" ;;
	*) echo "$line" ;;
	esac
	last=$line
done < <("$python" middlebox/matrix.py "$client" "$server" "$router" "$@" 2>&1)
[[ $last = "# "*" cells, "*" bytes" ]] || result 1 "middlebox/matrix.py comes to its end"
finish
