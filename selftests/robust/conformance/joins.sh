# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Further subflows and who opens them, from where, to which address. For conformance.sh.
# shellcheck disable=SC2154 # variables shared with those who source this

joining=(options hmac ids mappings bytes ack fin)
# of listeners, a new one each time: the one before may be in TIME-WAIT
port=5100

# The first subflow has one family, the second the other.
mixed() {
	local name="first IPv4, second IPv6"
	delays 10ms 10ms
	family 6
	first=::ffff:10.0.1.2
	[ "$1" = 4 ] || first=fd00:1::2 second=10.0.2.2 name="first IPv6, second IPv4"
	announce
	transferred -b 1000000
	arrived 1000000 "$name: 1 MB arrives"
	judge "$name" "${sums[@]}" --up 1000000 capable token join_id add_addr fourth "${joining[@]}" "$sum_check"
	finds 1:24:23 "the third ACK's HMAC" hmac
}

# The server announces its second address with a port: that is where the client joins.
announced_port() {
	local name="ADD_ADDR with a port, IPv$1"
	family "$1"
	port=$((port + 1))
	announce port $port
	transferred -b 1000000
	judge "$name" "${sums[@]}" --up 1000000 token join_id add_addr add_port fourth "${joining[@]}"
	[ "$1" = 4 ] || return 0
	finds 3:18:17 "the HMAC of an ADD_ADDR with a port" add_addr
	finds 3:18:9 "the port of an ADD_ADDR" add_addr
	finds 3:18:9 "the port of an ADD_ADDR" add_port
	finds 3:10:9 "the port of an echo" add_addr
}

client_announces() {
	port=$((port + 1))
	in_client ip mptcp endpoint add "$own" dev c2 port $port signal id 8
}

# The client announces an address and listens there.
by_server() {
	local name="the server joins, IPv$1"
	family "$1"
	no_endpoints
	client_announces
	transferred -b 1000000
	judge "$name" "${sums[@]}" --up 1000000 token_of_client join_id add_addr add_port fourth "${joining[@]}"
	[ "$1" = 4 ] || return 0
	finds 1:12:7 "the token of a join by the server" token_of_client
	finds 1:16:11 "the HMAC of a join by the server" hmac
	finds 1:16:3 "the identifier of the client's address" join_id
}

# The server gets an address to join from in the middle of a transfer: before its program has
# accepted the connection it cannot use one.
endpoint_comes() {
	capture
	serve -a "$any"
	begin -a "$first" -d 2 -m 1000 -i 20
	sleep 1
	ip -n "$server" addr add 10.0.1.3/24 dev s1
	in_server ip mptcp endpoint add 10.0.1.3 dev s1 subflow id 9
	complete
	captured
	in_server ip mptcp endpoint flush
	ip -n "$server" addr del 10.0.1.3/24 dev s1
}

# C in the client's SYN: the server leaves its initial address and takes the announced one.
client_forbids() {
	family 4
	no_endpoints
	client_announces
	in_client sysctl -q net.mptcp.allow_join_initial_addr_port=0
	endpoint_comes
	in_client sysctl -q net.mptcp.allow_join_initial_addr_port=1
	judge "the client does not allow joins" "${sums[@]}" --no-join client options capable no_join_of_server
	endpoint_comes
	finds "" "joins to the client's initial address" no_join_of_server
}

# From an endpoint of the client to the server's first address.
from_endpoint() {
	local name="from an endpoint of the client, IPv$1"
	family "$1"
	no_endpoints
	in_client ip mptcp endpoint add "$own" dev c2 subflow backup id 8
	peers last first
	judge "$name, a backup" "${exchanged[@]}" --backup client --source-id 8 token source_id backup \
		"${joining[@]}"
	[ "$1" = 4 ] || return 0
	finds 1:12:2 "B of a SYN" backup --backup client
	finds 1:12:3 "the identifier of the client's address" source_id --source-id 8
	finds 1:16:3 "the identifier of an initial address" ids
}

# The server's endpoint is a backup from the beginning.
to_backup() {
	family 4
	no_endpoints
	in_server ip mptcp endpoint add "$second" dev s2 signal backup id 7
	peers last first
	judge "to an endpoint of the server, a backup" "${exchanged[@]}" --backup server token join_id \
		backup "${joining[@]}"
	finds 1:16:2 "B of a SYN/ACK" backup --backup server
}

# The client's endpoint becomes a backup, and regular again.
client_changes() {
	family 4
	no_endpoints
	in_client ip mptcp endpoint add "$own" dev c2 subflow id 8
	capture
	serve -a "$any"
	begin -a "$first" -d 4 -m 1000 -i 20
	sleep 1
	in_client ip mptcp endpoint change id 8 backup
	sleep 1
	in_client ip mptcp endpoint change id 8 nobackup
	complete
	captured
	judge "the client's endpoint changes" --prio-up options hmac prio
	finds 5:3:2 "B of MP_PRIO" prio --prio-up
}

# The server keeps no state between SYN and third ACK.
cookies() {
	local name="SYN cookies, IPv$1"
	family "$1"
	in_server sysctl -q net.ipv4.tcp_syncookies=2
	transferred -b 1000000
	in_server sysctl -q net.ipv4.tcp_syncookies=1
	arrived 1000000 "$name: 1 MB arrives"
	judge "$name" "${sums[@]}" --up 1000000 capable first token join_id add_addr fourth "${joining[@]}"
	that "$name: it used them" less 1 "$(in_server awk '$1 == "TcpExt:" && !n { for (i = 2; i <= NF; i++)
		if ($i == "SyncookiesRecv") n = i; next } $1 == "TcpExt:" { print $n }' /proc/net/netstat)"
}

timestamps() { in_both sysctl -q net.ipv4.tcp_timestamps="$1"; }

# with_ports 4|6: beside timestamps no ADD_ADDR of an IPv6 address with a port fits into a segment.
with_ports() {
	[ "$1" = 4 ] || timestamps 0
	announced_port "$1"
	by_server "$1"
	timestamps 1
}

# Nor is it sent: it is counted, and the data goes on without.
no_room() {
	local before
	before=$(counter_of "$server" AddAddrTxDrop)
	family 6
	port=$((port + 1))
	announce port $port
	transferred -b 300000
	arrived 300000 "ADD_ADDR with a port, IPv6, timestamps: the bytes are right"
	that "ADD_ADDR with a port, IPv6, timestamps: is counted as dropped" less "$before" \
		"$(counter_of "$server" AddAddrTxDrop)"
}

# joins FAMILY...
joins() {
	local version
	checksums 1
	delays 10ms 10ms
	mixed 4
	mixed 6
	client_forbids
	to_backup
	client_changes
	no_room
	for version in "$@"; do
		with_ports "$version"
		from_endpoint "$version"
		cookies "$version"
	done
}

joins_quick() {
	checksums 1
	delays 10ms 10ms
	announced_port 4
	by_server 4
}
