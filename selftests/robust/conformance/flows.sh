# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Whole connections, with each family and with and without checksums. For conformance.sh.
# shellcheck disable=SC2034,SC2154 # variables shared with those who source this

handshake=(options capable first token hmac join_id fourth)
transfers=(mappings bytes ack)
ending=(fin order tcp_fin)

# lose SECONDS: what the client sends over the first path, behind its capture.
lose() {
	local mac
	mac=$(in_server cat /sys/class/net/s1/address)
	ip -n "$client" neigh replace "$first" dev c1 lladdr "$mac" nud permanent
	ip -n "$server" link set s1 address 02:00:00:00:00:01
	sleep "$1"
	ip -n "$server" link set s1 address "$mac"
}

# Some of it gets lost, so that segments are sent again.
big_transfer() {
	delays 10ms 15ms
	capture
	serve -a "$any"
	begin -a "$first" -b 5000000
	sleep 0.6
	lose 0.05
	sleep 0.4
	lose 0.02
	complete
	captured
	arrived 5000000 "$1: 5 MB arrive"
	judge "$1" "${sums[@]}" --up 5000000 --repeated 10 "${handshake[@]}" add_addr "${transfers[@]}" \
		"$sum_check" fin order
}

# each_finds: that the checks can fail; of a capture with IPv4 and checksums.
each_finds() {
	local of=(--checksum --up 5000000)
	finds 0:4:2 "the SYN's version" capable "${of[@]}"
	finds 0:12:4 "the SYN/ACK's key" capable "${of[@]}"
	finds 0:20:3 "the third ACK's flags" capable "${of[@]}"
	finds 0:20:11 "the client's key" first "${of[@]}"
	finds 1:12:7 "the token" token "${of[@]}"
	finds 1:16:11 "the SYN/ACK's HMAC" hmac "${of[@]}"
	finds 1:24:23 "the third ACK's HMAC" hmac "${of[@]}"
	finds 1:16:3 "the SYN/ACK's identifier" join_id "${of[@]}"
	finds early "the order of data and fourth ACK" fourth "${of[@]}"
	finds 3:16:15 "ADD_ADDR's HMAC" add_addr "${of[@]}"
	finds 3:8:3 "the echo" add_addr "${of[@]}"
	finds 2:24:15 "the DSN" bytes "${of[@]}"
	finds 2:24:19 "the SSN" mappings "${of[@]}"
	finds 2:24:23 "the checksum" checksum "${of[@]}"
	finds payload "the data" bytes "${of[@]}"
	finds payload "the data" checksum "${of[@]}"
	finds 2:12:11 "the DATA_ACK" ack "${of[@]}"
	finds 2:24:15 "the DATA_FIN" fin "${of[@]}"
	finds 2:12:3 "the flags" options "${of[@]}"
	finds "" "what is expected" no_checksum "${of[@]}"
	finds "" "the order that is expected" order --order server "${of[@]}"
	finds early "the order of FIN and DATA_ACK" tcp_fin --exact client "${of[@]}"
	finds "" "options that a fallback does not have" fallback "${of[@]}"
}

# The order at the client is exact when nothing delays what it sends.
quick_transfer() {
	delays none 20ms
	transferred -b 3000000
	judge "$1, client without delay" "${sums[@]}" --up 3000000 --exact client fourth "${transfers[@]}" \
		"$sum_check" "${ending[@]}"
}

closes() {
	delays none 20ms
	peers last first
	judge "$1, the client closes first" "${sums[@]}" "${exchanged[@]}" --order client --exact client \
		options first "${transfers[@]}" "$sum_check" "${ending[@]}"
	delays 20ms none
	peers first last
	judge "$1, the server closes first" "${sums[@]}" "${exchanged[@]}" --order server --exact server \
		first "${transfers[@]}" "$sum_check" "${ending[@]}"
	local at
	at=at=$(($(date +%s) + 4))
	delays 20ms 20ms
	peers "$at" "$at"
	judge "$1, both close at a time" "${sums[@]}" "${exchanged[@]}" --order both \
		first "${transfers[@]}" "$sum_check" "${ending[@]}"
}

# The server's endpoint becomes a backup, regular again, and goes.
endpoint_changes() {
	delays 10ms 10ms
	capture
	serve -a "$any"
	begin -a "$first" -d 5 -m 1000 -i 20
	sleep 1
	in_server ip mptcp endpoint change id 7 backup
	sleep 1
	in_server ip mptcp endpoint change id 7 nobackup
	sleep 1
	in_server ip mptcp endpoint delete id 7
	complete
	captured
	announce
	judge "$1, endpoint changes" options hmac add_addr prio remove_addr
	finds 5:3:2 "B of MP_PRIO" prio
	finds 4:4:3 "REMOVE_ADDR's identifier" remove_addr
}

aborts() {
	delays 10ms 10ms
	peers linger victim
	judge "$1, the server aborts" options fastclose
	peers victim linger
	judge "$1, the client aborts" options fastclose
	finds 7:12:11 "MP_FASTCLOSE's key" fastclose
	peers unread victim
	judge "$1, the server has not read all" options fastclose
	peers victim unread
	judge "$1, the client has not read all" options fastclose
}

# With an endpoint from which the client would join the server's initial address.
no_joins() {
	in_client ip mptcp endpoint flush
	in_client ip mptcp endpoint add "$own" dev c2 subflow id 8
	in_server sysctl -q net.mptcp.allow_join_initial_addr_port=0
	delays 10ms 10ms
	transferred -d 2 -m 1000 -i 20
	in_server sysctl -q net.mptcp.allow_join_initial_addr_port=1
	judge "$1, joins not allowed" "${sums[@]}" --no-join server options capable no_join
	transferred -d 2 -m 1000 -i 20
	finds "" "joins to the initial address" no_join
	announce
}

fallback() {
	in_server sysctl -q net.mptcp.enabled=0
	delays 10ms 10ms
	capture
	serve -t -a "$any"
	begin -a "$first" -b 300000
	complete
	captured
	in_server sysctl -q net.mptcp.enabled=1
	arrived 300000 "$1, a server without MPTCP: the bytes are right"
	judge "$1, a server without MPTCP" fallback
}

# flows 4|6 0|1: all of them, with this family, without or with checksums.
flows() {
	local name
	family "$1"
	checksums "$2"
	name="IPv$1, checksums $([ "$2" = 1 ] && echo on || echo off)"
	big_transfer "$name"
	[ "$1 $2" != "4 1" ] || each_finds
	quick_transfer "$name"
	closes "$name"
	endpoint_changes "$name"
	aborts "$name"
	no_joins "$name"
	fallback "$name"
}
