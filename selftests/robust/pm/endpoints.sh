# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Part of pm.sh: what "ip mptcp" does, seen on live connections and by its monitor.
# shellcheck disable=SC2034,SC2154 # variables of pm.sh and its other parts

limits() {
	in_client ip mptcp limits set subflow 0 add_addr_accepted 0
	stream 4
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 id 7 subflow
	sleep 0.5
	is "$one" "$(subflows)" "limits: with none allowed, an endpoint makes no subflow"
	in_client ip mptcp endpoint delete id 7
	in_client ip mptcp limits set subflow 1
	is "add_addr_accepted 0 subflows 1" "$(in_client ip mptcp limits show | sed 's/ *$//')" \
		"limits show: what was set"
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 id 7 subflow
	in_client ip mptcp endpoint add 10.0.2.11 dev c2 id 8 subflow
	sleep 0.5
	is "$two" "$(subflows)" "limits: with one allowed, two endpoints make one subflow"
	arrives "limits"
}

endpoints() {
	stream 11
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 id 7 subflow
	sleep 0.5
	is "$two" "$(subflows)" "endpoint add: its subflow comes"
	is "10.0.2.1 id 7 subflow dev c2" "$(in_client ip mptcp endpoint show id 7 | sed 's/ *$//')" \
		"endpoint show: what was added"
	that "endpoint add: the subflow is used" less 50000 "$(over 2)"
	in_client ip mptcp endpoint change id 7 backup
	sleep 0.5
	that "endpoint change backup: no data go over it any more" less "$(over 2)" 5000
	in_client ip mptcp endpoint change id 7 nobackup
	that "endpoint change nobackup: it is used again" less 50000 "$(over 2)"
	deletions
	arrives "endpoints come and go"
}

deletions() {
	local told
	told=$(counter_of "$server" RmAddr)
	in_client ip mptcp endpoint delete id 7
	sleep 0.5
	is "$one" "$(subflows)" "endpoint delete: the subflow goes"
	is 1 $(($(counter_of "$server" RmAddr) - told)) "endpoint delete: the server is told"
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 id 7 subflow
	in_client ip mptcp endpoint add 10.0.2.11 dev c2 id 8 subflow
	sleep 0.5
	is "$one 10.0.2.11>10.0.1.2 ${two#"$one "}" "$(subflows)" "endpoint add, twice: two subflows come"
	in_client ip mptcp endpoint flush
	sleep 0.5
	is "$one" "$(subflows)" "endpoint flush: both go"
}

client_events() {
	local of
	of="token=$(token)"
	that "monitor: the connection is created" saw CREATED "$of .*saddr4=10.0.1.1 daddr4=10.0.1.2"
	that "monitor: it is established" saw ESTABLISHED "$of .*saddr4=10.0.1.1 daddr4=10.0.1.2"
	that "monitor: a subflow is established" saw SF_ESTABLISHED "$of .*locid=7 saddr4=10.0.2.1 daddr4=10.0.1.2"
	that "monitor: a subflow is closed" saw SF_CLOSED "$of .*locid=7 saddr4=10.0.2.1 daddr4=10.0.1.2"
	that "monitor: the connection is closed" saw CLOSED "$of"
}

from_11() { subflows | tr ' ' '\n' | grep '^10\.0\.2\.11>' | paste -sd ' '; }

# With an address of its own, so that nothing else makes its subflows.
fullmesh() {
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 id 3 signal
	in_client ip mptcp endpoint add 10.0.2.11 dev c2 id 7 subflow
	stream 8
	is "10.0.2.11>10.0.1.2" "$(from_11)" "fullmesh: without it, an endpoint has one subflow"
	in_client ip mptcp endpoint change id 7 fullmesh
	sleep 1
	is "10.0.2.11>10.0.1.2 10.0.2.11>10.0.2.2" "$(from_11)" \
		"endpoint change fullmesh: a subflow to each address of the server"
	in_client ip mptcp endpoint change id 7 nofullmesh
	sleep 1
	is "10.0.2.11>10.0.1.2" "$(from_11)" "endpoint change nofullmesh: one subflow again"
	arrives "fullmesh"
}

# announced 4|6: an address of the server comes and goes.
announced() {
	local of
	addresses "$1"
	in_client ip mptcp limits set add_addr_accepted 0
	in_server ip mptcp endpoint add "$second" dev s2 id 3 signal
	stream 2
	is 1 "$(subflows | wc -w)" "signal, IPv$1: with none accepted, the address makes no subflow"
	complete
	in_server ip mptcp endpoint delete id 3
	in_client ip mptcp limits set add_addr_accepted 1
	watch "$client"
	stream 5
	in_server ip mptcp endpoint add "$second" dev s2 id 4 signal
	sleep 0.5
	is 2 "$(subflows | wc -w)" "signal, IPv$1: with one accepted, the subflow comes"
	that "signal, IPv$1: the subflow is used" less 50000 "$(over 2)"
	in_server ip mptcp endpoint delete id 4
	sleep 0.5
	is 1 "$(subflows | wc -w)" "signal, IPv$1: the address is withdrawn, the subflow goes"
	arrives "signal, IPv$1"
	kill "$watching"
	of="token=$(token)"
	that "monitor, IPv$1: an address is announced" saw ANNOUNCED "$of remid=4 daddr$1=$second"
	that "monitor, IPv$1: an address is removed" saw REMOVED "$of remid=4"
	addresses 4
}

# server_link N NETEM ARG...: how the server's side of path N carries; a change of the qdisc
# would keep the rate that hosts() gave it.
server_link() {
	local n=$1
	shift
	tc -n "$server" qdisc del dev "s$n" root
	tc -n "$server" qdisc add dev "s$n" root netem "$@" limit 1000
}

# at_once LINE ID...: to the server's ip for each; the path carries it all at the same moment.
at_once() {
	local id line=$1
	shift
	for id in "$@"; do
		echo "mptcp endpoint ${line//ID/$id}"
	done | in_server ip -batch -
	sleep 1
}
announce="add 10.0.2.ID dev s2 id ID signal"

# dropped: the announcements and the withdrawals that the client had no place for.
dropped() { echo "$(counter AddAddrDrop) $(counter RmAddrDrop)"; }

# What comes while the client is not done with what came before.
none_dropped() {
	local before
	before=$(dropped)
	stream 4
	at_once "$announce" 2 3 4 5
	is "$one 10.0.2.1>10.0.2.2 10.0.2.1>10.0.2.3 10.0.2.1>10.0.2.4 10.0.2.1>10.0.2.5" "$(subflows)" \
		"signal, four at once: a subflow to each comes"
	at_once "delete id ID" 2 3 4 5
	is "$one" "$(subflows)" "withdrawn, four at once: the subflows go"
	is "$before" "$(dropped)" "four at once: none is dropped"
	arrives "announced and withdrawn at once"
	in_server ip mptcp endpoint flush
}

# The same, when the limit does not allow all.
no_more_than_accepted() {
	in_client ip mptcp limits set add_addr_accepted 2
	stream 4
	at_once "$announce" 2 3 4 5
	is 3 "$(subflows | wc -w)" "signal, four at once, two accepted: two subflows come"
	at_once $'delete id ID\nmptcp endpoint '"$announce" 2
	is "$one 10.0.2.1>10.0.2.2 10.0.2.1>10.0.2.3" "$(subflows)" \
		"withdrawn and announced again at once: its subflow comes again"
	arrives "signal, four at once, two accepted"
}

# The first path carries in bursts; the end of a subflow comes after the REMOVE_ADDR.
announced_at_once() {
	local i
	for i in 3 4 5; do
		ip -n "$server" addr add "10.0.2.$i/24" dev s2
	done
	server_link 1 delay 10ms slot 100ms 100ms
	server_link 2 delay 200ms
	none_dropped
	no_more_than_accepted
	server_link 1 rate 8mbit delay 10ms
	server_link 2 rate 8mbit delay 15ms
	for i in 3 4 5; do
		ip -n "$server" addr del "10.0.2.$i/24" dev s2
	done
}

ip_mptcp() {
	local version
	ip -n "$client" addr add 10.0.2.11/24 dev c2
	afresh
	limits
	afresh
	watch "$client"
	endpoints
	kill "$watching"
	client_events
	afresh
	fullmesh
	ip -n "$client" addr del 10.0.2.11/24 dev c2
	for version in 4 6; do
		afresh
		announced "$version"
	done
	afresh
	announced_at_once
}

# by_endpoint SCHEDULER: a subflow is added and removed while it moves data.
by_endpoint() {
	local before
	afresh
	before=$(tx_bytes 2)
	bulk 5000000
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 id 7 subflow
	sleep 1
	is "$two" "$(subflows)" "$1, ip mptcp: the subflow comes"
	in_client ip mptcp endpoint delete id 7
	sleep 0.5
	is "$one" "$(subflows)" "$1, ip mptcp: it goes"
	arrives "$1, ip mptcp"
	that "$1, ip mptcp: it was used" less 300000 $(($(tx_bytes 2) - before))
}
