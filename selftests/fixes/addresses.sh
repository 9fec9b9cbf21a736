# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with those who source this
# The server announces addresses and withdraws them: 10.0.2.ID, with that identifier. The first path
# carries in bursts; the end of a subflow comes after the REMOVE_ADDR.

announce="add 10.0.2.ID dev s2 id ID signal"

addresses_of_server() {
	local id
	hosts 8mbit 10ms 8mbit 200ms
	in_server ip mptcp endpoint flush
	for id in 3 4 5 6 7 8 9; do
		ip -n "$server" addr add "10.0.2.$id/24" dev s2
	done
	tc -n "$server" qdisc replace dev s1 root netem delay 10ms slot 100ms 100ms limit 1000
}

# established: a connection that transfers some bytes every now and then.
established() {
	serve -b 100000000
	begin -b 100000000
	in_client ip mptcp limits set subflow 8 add_addr_accepted 4
	sleep 1
}

# lines LINE ID...: for ip, one for each
lines() {
	local id line=$1
	shift
	for id in "$@"; do
		echo "mptcp endpoint ${line//ID/$id}"
	done
}

# at_once LINE ID...: the path carries it all at the same moment.
at_once() {
	lines "$@" | in_server ip -batch -
	sleep 3
}

one_by_one() {
	local id line=$1
	shift
	for id in "$@"; do
		lines "$line" "$id" | in_server ip -batch -
		sleep 1
	done
	sleep 2
}

# joined: to which addresses the client has subflows.
joined() { in_client ss -Htn state established 'dst 10.0.2.0/24' | sed -n 's/.* 10\.0\.2\.\([0-9]*\):5000.*/\1/p' | sort -n | paste -sd ' '; }
