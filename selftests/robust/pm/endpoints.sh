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
