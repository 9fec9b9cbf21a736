#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Floods (flood.py) by somebody who knows a connection's token, or nothing, or sees the
# path: what they take, whether connections and joins still get through, whether the
# connection that was there keeps its rate, and what stays afterwards.
# usage: flood.sh [quick]
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need ss
need_dpkt

packets=2000
kinds=(none plain capable join unknown hmac remove_addr)
stateless_kinds=(asks guess replay)
if [ "${1:-}" = quick ]; then
	packets=300
	kinds=(capable join)
	stateless_kinds=(asks replay)
fi
backlog=32
patience=600

# what the table says of each kind
declare -A what=(
	[none]="no attack"
	[plain]="SYN"
	[capable]="SYN with MP_CAPABLE"
	[join]="SYN with MP_JOIN, a token that is known"
	[unknown]="SYN with MP_JOIN, a token of nobody"
	[asks]="SYN with MP_JOIN, without state"
	[guess]="third ACK of a join without state, guessed"
	[replay]="third ACK of a join without state, again and again"
	[hmac]="MP_JOIN with a wrong HMAC in the third ACK"
	[add_addr]="ADD_ADDR on the path, without the keys"
	[add_addr_signed]="ADD_ADDR with the keys"
	[remove_addr]="REMOVE_ADDR off the path"
)

# Of MPTCP, all, and requests of any kind.
sockets() { in_server awk '$1 == "MPTCP" { print $3 }' /proc/net/protocols; }
half_open() { in_server ss -Htn state syn-recv | wc -l; }

# settled COMMAND VALUE: it gives it, within two and a half minutes: what a peer left that owes an
# acknowledgment lasts for two.
settled() {
	for _ in $(seq 30); do
		[ "$("$1")" != "$2" ] || return 0
		sleep 5
	done
	echo "$1: $("$1"), not $2"
	return 1
}

# attack KIND WHAT: the report in $work/attack; that all is released again.
attack() {
	local before released=no served
	listen_with "$work/serve" "$python" flood.py serve 0.0.0.0 "$backlog"
	kill -0 "$served" || skip_all "flood.py: $(tail -n 1 "$work/serve")"
	before=$(sockets)
	in_client timeout $patience "$python" flood.py attack "$1" 10.0.1.2 "$packets" "$server" >"$work/attack" 2>&1 ||
		result 1 "$2: the attack can be made: $(tail -n 1 "$work/attack")"
	! settled half_open 0 >"$work/settled" || ! settled sockets "$before" >"$work/settled" || released=yes
	is yes "$released" "$2: all that it took is released afterwards"
	[ "$released" = yes ] || sed 's/^/# /' "$work/settled"
	kill "$served"
	wait "$served" || true
	echo "# | $2 | $(value attack half_open) half-open, $(value attack memory) kB |" \
		"$(value attack works) of 10, $(value attack is_mptcp) MPTCP, $(value attack joined) joined |" \
		"$(($(value attack during) * 100 / ($(value attack before) + 1))) % | $released |"
}

# withstood WHAT: what holds in all attacks.
withstood() {
	is all "$(value attack arrived)" "$1: the connection loses nothing"
	that "$1: and keeps its rate" less $(($(value attack before) * 9 / 10)) "$(value attack during)"
	is "$(value attack subflows | awk '{ print $1 }')" "$(value attack subflows | awk '{ print $2 }')" \
		"$1: and its subflows"
	that "$1: not more is half-open than the listener's backlog" \
		less "$(value attack half_open)" $((backlog + 2))
	is 10 "$(value attack works)" "$1: new connections work"
	that "$1: and are MPTCP" less 8 "$(value attack is_mptcp)"
	that "$1: and join" less 8 "$(value attack joined)"
}

# An address that is signed is taken, others are not.
announcements() {
	local before
	before=$(counter_of "$server" AddAddr)
	attack add_addr "${what[add_addr]}"
	withstood "${what[add_addr]}"
	is "$before" "$(counter_of "$server" AddAddr)" "${what[add_addr]}: no address is taken"
	attack add_addr_signed "${what[add_addr_signed]}"
	is $((before + 1)) "$(counter_of "$server" AddAddr)" "${what[add_addr_signed]}: the address is taken"
}

# dead_addresses: the server announces as many as it can, which nobody has: the client's
# SYNs are never answered.
dead_addresses() {
	local n
	for n in 1 2 3 4 5 6; do
		in_server ip mptcp endpoint add "10.9.8.$n" signal
	done
	attack none "announced addresses that nobody has"
	withstood "announced addresses that nobody has"
	that "and its SYNs are not more than its limits" less "$(value attack subflows | awk '{ print $2 }')" 5
	in_server ip mptcp endpoint flush
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
}

# stateless: joins leave no state, though there are no SYN cookies; those of peers that do not ask for
# that leave newcomers their half of the queue.
stateless() {
	local kind
	in_both sysctl -q net.mptcp.stateless_join=1
	for kind in "${stateless_kinds[@]}"; do
		attack "$kind" "${what[$kind]}, no cookies"
		withstood "${what[$kind]}, no cookies"
		# beside the newcomers
		that "${what[$kind]}, no cookies: it leaves no request" less "$(value attack half_open)" 5
	done
	is 1 "$(counter_of "$server" MPJoinStatelessReplay | sed 's/^[1-9].*/1/')" "third ACKs that came again are counted"
	attack join "${what[join]}, no cookies, but stateless_join"
	withstood "${what[join]}, no cookies, but stateless_join"
	that "which take half of the queue" less "$(value attack half_open)" $((backlog / 2 + 6))
	in_both sysctl -q net.mptcp.stateless_join=0
}

hosts 8mbit 2ms 8mbit 2ms
# queues of 50 ms, lest the connection itself keep newcomers away
shape 1 8mbit 2ms 33
shape 2 8mbit 2ms 33
ip -n "$server" route add 10.9.0.0/16 via 10.0.1.1
ip -n "$client" route add 10.9.0.0/16 via 10.0.2.2
in_server sysctl -q net.ipv4.tcp_syncookies=1
for kind in "${kinds[@]}"; do
	attack "$kind" "${what[$kind]}"
	withstood "${what[$kind]}"
done
announcements
dead_addresses
in_server sysctl -q net.ipv4.tcp_syncookies=0
for kind in capable join; do
	attack $kind "${what[$kind]}, no cookies"
	is all "$(value attack arrived)" "${what[$kind]}, no cookies: the connection loses nothing"
done
[ ! -e /proc/sys/net/mptcp/stateless_join ] || stateless
finish
