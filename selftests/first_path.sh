#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# net.mptcp.first_path: connections begin while the first path is dark, and by turns on all paths.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need python3 nft
need_sysctl first_path

# dark N, light N: path N in both directions
netem() {
	tc -n "$client" qdisc change dev "c$1" root netem "${@:2}"
	tc -n "$server" qdisc change dev "s$1" root netem "${@:2}"
}
# its router's link-layer address is known, or a connection that cannot begin ends with "no route" soon
dark() {
	netem "$1" rate 20mbit delay 10ms limit 1000 loss 100%
	ip -n "$client" neigh replace "10.0.$1.2" dev "c$1" nud permanent \
		lladdr "$(in_server cat "/sys/class/net/s$1/address")"
}
# the router itself is dark: nobody answers ARP
gone() {
	netem "$1" rate 20mbit delay 10ms limit 1000 loss 100%
	ip -n "$client" neigh flush dev "c$1" nud all
}
light() { netem "$1" rate 20mbit delay "${2:-10ms}" limit 1000 loss 0%; }

first_path() { in_client sysctl -q net.mptcp.first_path="$1"; }

# connect ARG...: $took ms, $from which address, and what the server $said, of the last one
connect() {
	timeout $((patience * 2)) ip netns exec "$client" python3 -B first_path.py connect "$to" 5000 "$@" >"$work/begun" 2>&1 || true
	read -r took from said < <(tail -n 1 "$work/begun") || true
	echo "# $* $took ms, from $from: $said"
}

# addresses: how many connections began at each address, in the order of these
addresses() { awk '{ print $2 }' "$work/begun" | sort | uniq -c | awk '{ print $1 }' | xargs; }

# began WHAT FROM LEAST MOST: in so many ms, and the data came
began() {
	is "1000 $2" "$said $from" "$1: it begins there, and the data comes"
	in_time "$1: after $3 to $4 ms" eval "less $3 $took && less $took $4"
}

values() {
	is route "$(get first_path)" "as the routes say, unless asked"
	for word in failover turns route; do
		that "$word can be set" set_to first_path "$word"
		is "$word" "$(get first_path)" "and is read back"
	done
	refused first_path nosuch "Invalid argument" "another word"
	refused first_path "" "Invalid argument" "no word"
	refused first_path_timeout 19 "Invalid argument" "19 ms"
	refused first_path_timeout 10001 "Invalid argument" "10001 ms"
	is 300 "$(get first_path_timeout)" "300 ms at first"
}

# Of a path that takes it, a SYN has 20 ms.
failover() {
	local moves
	first_path route
	connect
	began "route, nothing dark" 10.0.1.1 19 60
	first_path failover
	moves=$(counter FirstPathMove)
	connect
	began "failover, nothing dark" 10.0.1.1 19 60
	is "$moves" "$(counter FirstPathMove)" "and nothing moved"
	dark 1
	connect
	began "the first path dark" 10.0.2.1 315 400
	is "$((moves + 1))" "$(counter FirstPathMove)" "one address was changed"
	in_client sysctl -q net.mptcp.first_path_timeout=100
	connect
	began "the first path dark, in time is 100 ms" 10.0.2.1 115 200
	in_client sysctl -q net.mptcp.first_path_timeout=300
	gone 1
	connect
	began "the first router gone" 10.0.2.1 315 400
	connect --bytes 3000000
	is "3000000 10.0.2.1" "$said $from" "and more data, all of it"
	light 1
	dark 2
	sleep 3
	connect
	began "the second path dark" 10.0.1.1 19 60
	light 2
}

# A deferred connect() sends its SYN only with the first data.
deferred() {
	first_path failover
	in_client sysctl -q net.ipv4.tcp_fastopen=5
	connect --deferred
	began "deferred, nothing dark" 10.0.1.1 39 150
	dark 1
	connect --deferred
	began "deferred, the first path dark" 10.0.2.1 335 500
	light 1
	unreachable 1
	connect --deferred
	began "deferred, a router knows no way" 10.0.2.1 39 250
	reachable
	in_client sysctl -q net.ipv4.tcp_fastopen=1
}

# What does not move: with the first path dark it does not begin, while the others do.
stays() {
	dark 1
	first_path failover
	patience=5 connect --bind 10.0.1.1
	is "" "$said" "bound to an address, it stays there"
	patience=5 connect --tcp
	is "" "$said" "TCP does"
	patience=5 connect --option 1
	is "" "$said" "and who asked for 'route'"
	first_path route
	patience=5 connect
	is "" "$said" "and all with 'route'"
	connect --option 2
	began "a socket that asks for 'failover'" 10.0.2.1 315 400
	connect --option 4
	is "Invalid_argument" "${said#*]_}" "another value is refused"
	light 1
}

# unreachable N...: on these paths a router says that it knows no way
unreachable() {
	# Linux says so once in a second
	sleep 2
	for n; do ip -n "$server" rule add pref 50 iif "s$n" ipproto tcp dport 5000 lookup 50; done
}
reachable() {
	while ip -n "$server" rule del pref 50 2>/dev/null; do :; done
}

# A router that has lost its uplink says so at once: TCP gives up.
no_way() {
	in_server sysctl -q net.ipv4.conf.all.forwarding=1 net.ipv4.icmp_ratelimit=0
	ip -n "$server" route add unreachable default table 50
	ip -n "$server" rule add pref 100 lookup local
	ip -n "$server" rule del pref 0
	unreachable 1
	first_path route
	connect
	is "[Errno_113]_No_route_to_host" "$said" "route, a router knows no way: it ends"
	reachable
	unreachable 1
	first_path failover
	connect
	began "failover, a router knows no way" 10.0.2.1 19 150
	reachable
	unreachable 1 2
	connect
	is "[Errno_113]_No_route_to_host" "$said" "none knows one: it ends"
	in_time "soon" less "$took" 1000
	reachable
	# one that is slow, and one that knows no way
	light 1 250ms
	unreachable 2
	connect
	began "the other router knows no way" 10.0.1.1 499 1200
	reachable
	light 1
	sleep 3
}

# TCP gives up after two SYNs more, of which the other address gets the first one, without MPTCP. That it is answered
# says nothing of the network.
few_syns() {
	local disabled
	disabled=$(counter MPCapableSYNTXDisabled)
	in_client sysctl -q net.ipv4.tcp_syn_retries=2 net.ipv4.tcp_syn_linear_timeouts=0
	first_path failover
	dark 1
	connect
	began "few SYNs, the first path dark" 10.0.2.1 315 400
	light 1
	connect
	is "$disabled" "$(counter MPCapableSYNTXDisabled)" "and MPTCP is not given up for all"
	in_client sysctl -q net.ipv4.tcp_syn_retries=6 net.ipv4.tcp_syn_linear_timeouts=4
}

# A round trip longer than the patience, on both paths: TCP's own patience finds it.
far_away() {
	first_path failover
	light 1 400ms
	light 2 450ms
	connect
	is 1000 "$said" "round trips of 800 and 900 ms: it begins"
	in_time "in less than TCP's third SYN" less "$took" 4000
	light 1
	light 2
	# what was on its way
	sleep 3
}

turns() {
	first_path turns
	connect --count 10
	is "5 5" "$(addresses)" "turns: half of them begin on each path"
	is 10 "$(awk '$3 == 1000' "$work/begun" | wc -l)" "and all is well"
	dark 2
	connect --count 10
	is "10" "$(addresses)" "turns, one path dark: all begin on the other"
	is 5 "$(awk '$1 > 300' "$work/begun" | wc -l)" "and half of them were sent there at first"
	light 2
	in_client ip mptcp endpoint change id 2 backup
	connect --count 4
	is "4" "$(addresses)" "turns: a backup has none"
	dark 1
	connect
	began "turns: until it is needed" 10.0.2.1 315 400
	light 1
	in_client ip mptcp endpoint change id 2 nobackup
	first_path route
}

# together WHAT COUNT BYTES ARG...: many requests at once, $all is how long they took, ms
together() {
	local since=$EPOCHREALTIME
	connect --count "$2" --at-once --bytes "$3" "${@:4}"
	all=$(((${EPOCHREALTIME/./} - ${since/./}) / 1000))
	is "$2" "$(awk -v bytes="$3" '$3 == bytes' "$work/begun" | wc -l)" "$1: $2 requests of $3 bytes at once, all is well"
}

# requests COUNT BYTES PERCENT: over links of 20 Mbit/s each, of which TCP has one; how long it may take
requests() {
	local tcp route
	first_path route
	together "TCP" "$1" "$2" --tcp
	tcp=$all
	together "route" "$1" "$2"
	route=$all
	first_path turns
	together "turns" "$1" "$2"
	echo "# $1 requests of $2 bytes at once: TCP $tcp ms, route $route ms, turns $all ms"
	in_time "turns: in less than $3 % of TCP's time" less $((100 * all)) $(($3 * tcp))
	first_path route
}

# The same over IPv6, and over IPv4 by sockets of IPv6
ipv6() {
	both_families
	ip -n "$client" -6 rule add from fd00:2::1 table 2
	ip -n "$client" -6 route add fd00:1::/64 dev c2 table 2
	ip -n "$client" neigh add fd00:1::2 dev c2 lladdr "$(in_server cat /sys/class/net/s2/address)"
	in_client ip mptcp endpoint add fd00:2::1 dev c2 subflow id 3
	first_path failover
	dark 1
	ip -n "$client" neigh replace fd00:1::2 dev c1 nud permanent \
		lladdr "$(in_server cat /sys/class/net/s1/address)"
	to=fd00:1::2 connect
	began "IPv6" fd00:2::1 315 400
	to=::ffff:10.0.1.2 connect
	began "IPv4 by a socket of IPv6" ::ffff:10.0.2.1 315 400
	light 1
	first_path turns
	to=fd00:1::2 connect --count 10
	is "5 5" "$(addresses)" "IPv6, turns: half of them begin on each path"
	ip -n "$client" -6 addr del fd00:2::1/64 dev c2
	to=fd00:1::2 connect --count 4
	is "4" "$(addresses)" "IPv6, turns: an address that is gone has none"
	in_time "and no time is lost" test "$(awk '$1 > 100' "$work/begun" | wc -l)" = 0
	first_path route
}

syn_waits() { in_client ss -Htn state syn-sent | grep -q .; }

# The link goes while the SYN waits, and the route with it: that is when it is needed.
link_gone() {
	first_path failover
	# the port may be one that the other address has in TIME-WAIT, and then it cannot move there
	sleep 61
	dark 1
	(soon syn_waits && ip -n "$client" link set c1 down) &
	connect
	wait $!
	began "the link goes, and its route" 10.0.2.1 315 500
	ip -n "$client" link set c1 up
	ip -n "$client" route replace 10.0.1.0/24 dev c1 table 1
	light 1
}

# The other endpoint goes: TCP's timeouts hold again. All are dark; TCP gives up after some 67 s, and with 300 ms
# in place of the first second after 20.
endpoint_gone() {
	dark 1
	dark 2
	(sleep 0.1 && in_client ip mptcp endpoint del id 2) &
	patience=100 connect
	wait $!
	is "[Errno_110]_Connection_timed_out" "$said" "no path at all: it ends"
	in_time "the other endpoint goes: as late as TCP's" less 60000 "$took"
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow id 2
	light 1
	light 2
	sleep 3
}

# Five addresses more, and a network that drops MP_CAPABLE: TCP comes, as it does with one.
many_addresses() {
	local i
	for i in 1 2 3 4 5; do
		ip -n "$client" addr add "10.0.1.10$i/24" dev c1
		in_client ip mptcp endpoint add "10.0.1.10$i" dev c1 subflow id "1$i"
	done
	in_server nft add table ip old
	in_server nft add chain ip old in '{ type filter hook input priority 0; }'
	in_server nft add rule ip old in tcp flags syn tcp option 30 exists drop
	first_path failover
	patience=100 connect
	is 1000 "$said" "seven addresses, and MP_CAPABLE is dropped: it begins as TCP"
	in_server nft delete table ip old
	# the kernel remembers such a network
	in_client sysctl -q net.mptcp.blackhole_timeout=0
	for i in 1 2 3 4 5; do
		in_client ip mptcp endpoint del id "1$i"
		ip -n "$client" addr del "10.0.1.10$i/24" dev c1
	done
	first_path route
}

# A server that knows TCP only
plain() {
	in_server sysctl -q net.mptcp.enabled=0
	first_path failover
	dark 1
	connect
	began "a server without MPTCP" 10.0.2.1 315 400
	light 1
	in_server sysctl -q net.mptcp.enabled=1
}

# To this machine itself, by each mode
inside() {
	first_path turns
	timeout 600 ip netns exec "$client" python3 -B first_path.py serve "" 5000 >"$work/inside" 2>&1 &
	sleep 1
	to=127.0.0.1 connect --count 4
	is "127.0.0.1 1000" "$from $said" "connections to this machine do not move"
	first_path failover
	dark 1
	patience=20 connect --then 127.0.0.1
	is "127.0.0.1 1000" "$from $said" "a socket that had moved is used again, for another connection"
	light 1
	first_path route
}

hosts 20mbit 10ms 20mbit 10ms
joins_by_itself id 2
to=10.0.1.2
values
timeout 3000 ip netns exec "$server" python3 -B first_path.py serve "" 5000 >"$work/serve" 2>&1 &
sleep 1
failover
stays
no_way
deferred
few_syns
far_away
turns
requests 60 100000 56
requests 300 10000 67
plain
link_gone
endpoint_gone
many_addresses
ipv6
inside
finish
