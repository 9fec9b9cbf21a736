#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Joins with a key from the application (MPTCP_ENABLE_APP_KEY, MPTCP_KEY): errors; nobody joins before there is
# a key, nor with another one; what happens when one end does not want it. Who saw the first handshake
# and tries to join is in robust/attack.sh appkey.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need
need_sysctl stateless_join # and keys with it
python=/usr/bin/python3
one=$(printf '%032d' 1) other=$(printf '%032d' 2)

# ends MODE DELAY KEY MODE DELAY KEY: the client's and the server's; their reports.
ends() {
	listen_with "$work/server" "$python" app_key.py serve 0.0.0.0 "$4" "$5" "$6"
	timeout $patience ip netns exec "$client" "$python" app_key.py connect 10.0.1.2 "$1" "$2" "$3" >"$work/client" 2>&1 || true
	wait "$served" || true
	[ -n "$(value client complete)" ] || sed 's/^/# /' "$work/client" "$work/server"
}

# outcome WHAT SUBFLOWS CLIENT-STATES SERVER-STATES: of the last connection, which was complete.
outcome() {
	is "complete 1 mptcp 1 subflows $2" "complete $(value client complete) mptcp $(value client mptcp) subflows $(value client subflows)" "$1: $2 joined"
	is "$3; $4" "$(states client); $(states server)" "$1: the state of the keys"
}
states() { sed -n 's/^state=//p' "$work/$1" | xargs; }

# since HOST COUNTER: by how much it has grown since mark.
mark() { at=$(counter_of "$1" "$2"); }
since() { echo $(($(counter_of "$1" "$2") - at)); }

hosts 20mbit 5ms 20mbit 5ms
joins_by_itself

heard in_client "$python" app_key.py errors

ends - 0 - - 0 -
outcome "without it" 1 "0 0" "0 0"
mark "$server" MPCapableAppKey
ends 1 0 "$one" 1 0 "$one"
outcome "the same key" 1 "1 2" "1 2"
is 1 "$(since "$server" MPCapableAppKey)" "and it is counted"
mark "$server" MPJoinStatelessAckRx
ends 1 0 "$one" 1 0 "$one"
is 1 "$(since "$server" MPJoinStatelessAckRx)" "the join leaves no state, whatever the sysctl says"
ends 1 0 - 1 0 -
outcome "no key" 0 "1 1" "1 1"
ends 1 2 "$one" 1 0 "$one"
outcome "the client's key 2 s later" 1 "1 2" "1 2"
that "it joins then" awk -v at="$(value client joined)" 'BEGIN { exit !(at >= 1.9 && at < 2.3) }'
mark "$server" MPJoinSynNoKey
ends 1 0 "$one" 1 2 "$one"
outcome "the server's key 2 s later" 1 "1 2" "1 2"
that "it joins with the next SYN that TCP repeats" awk -v at="$(value client joined)" 'BEGIN { exit !(at >= 2 && at < 3.5) }'
that "those before are counted" less 0 "$(since "$server" MPJoinSynNoKey)"
mark "$client" MPJoinSynAckHMacFailure
ends 1 0 "$one" 1 0 "$other"
outcome "different keys" 0 "1 2" "1 2"
is 1 "$(since "$client" MPJoinSynAckHMacFailure)" "and it is counted"

ends 1 0 "$one" - 0 "$one"
outcome "the server does not want it, 1" 1 "0 0" "0 0"
is "EOPNOTSUPP EOPNOTSUPP" "$(value client key) $(value server key)" "and a key is refused"
ends 2 0 - - 0 -
outcome "the server does not want it, 2" 0 "0 0" "0 0"
ends - 0 - 1 0 -
outcome "the client does not want it, 1" 1 "0 0" "0 0"
ends - 0 - 2 0 -
outcome "the client does not want it, 2" 0 "0 0" "0 0"
in_server sysctl -q net.ipv4.tcp_syncookies=2
ends 2 0 "$one" 2 0 "$one"
outcome "with SYN cookies" 1 "1 2" "1 2"
in_server sysctl -q net.ipv4.tcp_syncookies=1

# with the low-overhead handshake there would be no key in clear to derive from, and joins would show a token
# low_overhead CLIENT SERVER: their sysctls.
low_overhead() {
	in_client sysctl -q net.mptcp.low_overhead="$1"
	in_server sysctl -q net.mptcp.low_overhead="$2"
}
beside_low_overhead() {
	local low mode
	for low in "1 0" "0 1" "1 1"; do
		# shellcheck disable=SC2086 # two of them
		low_overhead $low
		for mode in 1 2; do
			ends $mode 0 "$one" $mode 0 "$one"
			outcome "low_overhead $low, mode $mode" 1 "1 2" "1 2"
		done
	done
	for mode in 1 2; do
		ends $mode 0 - - 0 -
		outcome "low_overhead 1 1, the server does not want it, $mode" $((2 - mode)) "0 0" "0 0"
		ends - 0 - $mode 0 -
		outcome "low_overhead 1 1, the client does not want it, $mode" $((2 - mode)) "0 0" "0 0"
	done
	is 0 "$(counter_of "$server" LowOverheadACKRX)" "who wants a key never has the low-overhead handshake"
	ends - 0 - - 0 -
	outcome "low_overhead 1 1, nobody wants it" 1 "0 0" "0 0"
	is 1 "$(counter_of "$server" LowOverheadACKRX)" "who does not has it"
	low_overhead 0 0
}
! is_built low_overhead || beside_low_overhead

# the server's address instead; who still closes would be told as well
no_connections() { [ -z "$(in_client ss -MHn)$(in_server ss -MHn)" ]; }
in_client ip mptcp endpoint flush
soon no_connections || true
in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
mark "$client" AddAddr
ends 1 0 "$one" 1 1 "$one"
outcome "ADD_ADDR" 1 "1 2" "1 2"
is 1 "$(since "$client" AddAddr)" "it is announced once, and taken"
that "when the server has its key" awk -v at="$(value client joined)" 'BEGIN { exit !(at >= 1 && at < 1.4) }'
mark "$client" AddAddr
ends 1 0 "$one" 1 0 "$other"
outcome "ADD_ADDR, different keys" 0 "1 2" "1 2"
is 0 "$(since "$client" AddAddr)" "it is not taken"
mark "$client" AddAddr
ends 1 0 - 1 0 "$one"
outcome "ADD_ADDR, the client has no key" 0 "1 1" "1 2"
is 0 "$(since "$client" AddAddr)" "it is not taken"
# tls MODE MODE: a TLS 1.3 client and server (tools/tls-key), with what MPTCP_ENABLE_APP_KEY each
tls() {
	: >"$work/watch"
	timeout $patience ip netns exec "$client" "$python" app_key.py watch 4433 >"$work/watch" 2>&1 &
	soon grep -q watching "$work/watch"
	listen_with "$work/server" "$work/tls_server" "$work/cert.pem" "$work/key.pem" 0.0.0.0 4433 "$2"
	timeout $patience ip netns exec "$client" "$work/tls_client" "$work/cert.pem" 10.0.1.2 4433 3000000 "$1" >"$work/client" 2>&1 || true
	wait "$served" || true
	[ -n "$(value client complete)" ] || sed 's/^/# /' "$work/client" "$work/server"
}

# with_tls: RTTs of 20 ms; each second subflow goes to the server's first address.
with_tls() {
	local n two
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$work/key.pem" \
		-out "$work/cert.pem" -subj /CN=here -days 3650 2>"$work/err"
	in_server ip mptcp endpoint flush
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow
	for n in 1 2; do
		tc -n "$client" qdisc change dev "c$n" root netem rate 100mbit delay 10ms limit 1000
		tc -n "$server" qdisc change dev "s$n" root netem rate 100mbit delay 10ms limit 1000
	done
	two=$(tx_bytes 2)
	tls 0 0
	is "complete 1 subflows 1 state 0 0" "complete $(value client complete) subflows $(value client subflows) state $(value client state) $(value server state)" "TLS, keys in clear"
	in_time "the second subflow's SYN after two round trips" awk -v at="$(value watch join)" 'BEGIN { exit !(at >= 40 && at < 42) }'
	echo "# | keys in clear | $(value watch join) ms |"
	tls 1 1
	is "complete 1 subflows 1 state 2 2" "complete $(value client complete) subflows $(value client subflows) state $(value client state) $(value server state)" "TLS, its keys"
	in_time "the second subflow's SYN after three round trips" awk -v at="$(value watch join)" 'BEGIN { exit !(at >= 60 && at < 63) }'
	echo "# | keys of TLS | $(value watch join) ms |"
	that "which carry data" less 200000 $(($(tx_bytes 2) - two))
}

if [ -d ../tools/tls-key ] && make -s -C ../tools/tls-key OUTPUT="$work" >"$work/make" 2>&1 && command -v openssl >/dev/null; then
	with_tls
else
	skip "TLS: needs a C compiler, libssl-dev, openssl, and tools/tls-key beside the tests"
fi
finish
