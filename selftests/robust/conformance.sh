#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What goes over the wire is Multipath TCP as RFC 8684 has it: conformance.py reads the
# captures of both hosts. With IPv4 and IPv6, without and with checksums.
# usage: conformance.sh [4|6]
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=../lib.sh
. ../lib.sh
need tcpdump
python=/usr/bin/python3
families=${*:-4 6}
"$python" -c 'import dpkt' 2>/dev/null || skip_all "needs $python with dpkt"

handshake=(options capable first token hmac join_id fourth)
transfers=(mappings bytes ack)
ending=(fin order tcp_fin)

# judge WHAT ARG...: what conformance.py says of the capture, as TAP.
judge() {
	local what=$1
	shift
	"$python" conformance.py "$work/client.pcap" "$work/server.pcap" "$@" >"$work/judge" 2>&1 || true
	tell "$what"
}

# tell WHAT: the results in $work/judge, as TAP.
tell() {
	local what=$1 line
	grep -q '^\(not \)\?ok ' "$work/judge" || result 1 "$what: it broke off"
	while read -r line; do
		case $line in
		"ok "*) result 0 "$what: ${line#ok }" ;;
		"not ok "*) result 1 "$what: ${line#not ok }" ;;
		*) echo "# ${line#\# }" ;;
		esac
	done <"$work/judge"
}

# finds FLIP WHAT CHECK [ARG...]: the check fails when a bit of the capture is inverted.
finds() {
	local flip=$1 what=$2 check=$3
	shift 3
	"$python" conformance.py "$work/client.pcap" "$work/server.pcap" "$check" --flip "$flip" "$@" \
		>"$work/judge" 2>&1 || true
	is "not ok" "$(grep -o '^\(not ok\|ok\)' "$work/judge")" "a wrong bit in $what is found"
}

# tap HOST FILE: capture in the background.
tap() {
	ip netns exec "$1" tcpdump -i any -Z root -B 32768 --immediate-mode -U -s 2000 -w "$work/$2.pcap" \
		tcp port 5000 2>"$work/$2.tcpdump" &
	taps+=($!)
	until grep -q 'listening on' "$work/$2.tcpdump"; do
		kill -0 $! 2>/dev/null || skip_all "tcpdump: $(tail -n 1 "$work/$2.tcpdump")"
		sleep 0.1
	done
}

capture() {
	taps=()
	tap "$client" client
	tap "$server" server
}

captured() {
	sleep 2
	kill -INT "${taps[@]}"
	wait "${taps[@]}" || true
	[ "$(cat "$work"/*.tcpdump | grep -c '^0 packets dropped by kernel')" = 2 ] ||
		result 1 "tcpdump has all packets"
}

# delays CLIENT SERVER: those of a host's two paths; "none": what its capture has leaves at
# the very moment in which it is sent.
delays() {
	local host=$client side=c delay n
	for delay in "$@"; do
		for n in 1 2; do
			tc -n "$host" qdisc del dev "$side$n" root 2>/dev/null || true
			[ "$delay" = none ] || tc -n "$host" qdisc add dev "$side$n" root netem \
				rate 20mbit delay "$delay" limit 1000
		done
		host=$server side=s
	done
}

# family 4|6: the addresses in use.
family() {
	if [ "$1" = 4 ]; then
		any=0.0.0.0 first=10.0.1.2 second=10.0.2.2
	else
		any=:: first=fd00:1::2 second=fd00:2::2
	fi
	announce
}

# announce: the server signals its second address.
announce() {
	in_client ip mptcp endpoint flush
	in_server ip mptcp endpoint flush
	in_server ip mptcp endpoint add "$second" dev s2 signal id 7
}

# checksums 0|1
checksums() {
	in_both sysctl -q net.mptcp.checksum_enabled="$1"
	if [ "$1" = 1 ]; then
		sums=(--checksum) sum_check=checksum
	else
		sums=() sum_check=no_checksum
	fi
}

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
}

# The order at the client is exact when nothing delays what it sends.
quick_transfer() {
	delays none 20ms
	capture
	serve -a "$any"
	begin -a "$first" -b 3000000
	complete
	captured
	judge "$1, client without delay" "${sums[@]}" --up 3000000 --exact client fourth "${transfers[@]}" \
		"$sum_check" "${ending[@]}"
}

# peers HOW-OF-SERVER HOW-OF-CLIENT: both send, then end the connection.
peers() {
	capture
	timeout $patience ip netns exec "$server" "$python" conformance_peer.py listen "$any" "$1" 1 \
		>"$work/server" 2>&1 &
	served=$!
	until grep -q listening "$work/server"; do sleep 0.1; done
	timeout $patience ip netns exec "$client" "$python" conformance_peer.py connect "$first" "$2" 1 \
		>"$work/client" 2>&1 &
	sending=$!
	complete
	captured
}

both=(--up 30000 --down 30000)

closes() {
	delays none 20ms
	peers last first
	judge "$1, the client closes first" "${sums[@]}" "${both[@]}" --order client --exact client \
		options first "${transfers[@]}" "$sum_check" "${ending[@]}"
	delays 20ms none
	peers first last
	judge "$1, the server closes first" "${sums[@]}" "${both[@]}" --order server --exact server \
		first "${transfers[@]}" "$sum_check" "${ending[@]}"
	local at
	at=at=$(($(date +%s) + 4))
	delays 20ms 20ms
	peers "$at" "$at"
	judge "$1, both close at a time" "${sums[@]}" "${both[@]}" --order both \
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
	in_client ip mptcp endpoint add "${second%2}1" dev c2 subflow id 8
	in_server sysctl -q net.mptcp.allow_join_initial_addr_port=0
	delays 10ms 10ms
	capture
	serve -a "$any"
	begin -a "$first" -d 2 -m 1000 -i 20
	complete
	captured
	in_server sysctl -q net.mptcp.allow_join_initial_addr_port=1
	judge "$1, joins not allowed" "${sums[@]}" --no-join server options capable no_join
	capture
	serve -a "$any"
	begin -a "$first" -d 2 -m 1000 -i 20
	complete
	captured
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

# Segments made by hand: from an address that nobody has, so that nobody answers the server.
by_hand() {
	family 4
	checksums 0
	delays 10ms 10ms
	ip -n "$server" neigh replace 10.0.1.77 dev s1 nud permanent \
		lladdr "$(in_client cat /sys/class/net/c1/address)"
	serve -a "$any"
	sleep 1
	in_client "$python" conformance_raw.py "$first" 10.0.1.77 >"$work/judge" 2>&1 || true
	tell "by hand"
	wait "$served" || true
}

hosts 20mbit 10ms 20mbit 15ms
for n in 1 2; do
	ip -n "$client" addr add "fd00:$n::1/64" dev "c$n" nodad
	ip -n "$server" addr add "fd00:$n::2/64" dev "s$n" nodad
	for end in "$client c$n" "$server s$n"; do
		# shellcheck disable=SC2086 # two words
		set -- $end
		# segments as they are on the wire
		ip -n "$1" link set "$2" gso_max_segs 1
	done
done
# so that the client can join the server's first address through the second path
mac=$(in_server cat /sys/class/net/s2/address)
ip -n "$client" rule add from 10.0.2.1 table 2
ip -n "$client" route add 10.0.1.0/24 dev c2 table 2
ip -n "$client" neigh add 10.0.1.2 dev c2 lladdr "$mac" nud permanent
ip -6 -n "$client" rule add from fd00:2::1 table 2
ip -6 -n "$client" route add fd00:1::/64 dev c2 table 2
ip -n "$client" neigh add fd00:1::2 dev c2 lladdr "$mac" nud permanent

for version in $families; do
	family "$version"
	for on in 0 1; do
		checksums $on
		name="IPv$version, checksums $([ "$sum_check" = checksum ] && echo on || echo off)"
		big_transfer "$name"
		[ "$version $on" != "4 1" ] || each_finds
		quick_transfer "$name"
		closes "$name"
		endpoint_changes "$name"
		aborts "$name"
		no_joins "$name"
		fallback "$name"
	done
done
by_hand
finish
