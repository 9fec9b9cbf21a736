#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Joins without state (net.mptcp.stateless_join): they join when both ends have it set, and as before when
# one has not; with both families, with and without timestamps; when packets of the handshake are lost.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need
need_sysctl stateless_join

listen=()

# joined WHAT COUNT [ARG...]: a transfer over both paths; so many joins went without state.
joined() {
	local before two what=$1 count=$2
	shift 2
	before=$(counter_of "$server" MPJoinStatelessAckRx) two=$(tx_bytes 2)
	serve "${listen[@]}"
	transfer -b 3000000 "$@"
	arrived 3000000 "$what: the bytes are right"
	that "$what: the second path is used" less 100000 $(($(tx_bytes 2) - two))
	is "$count" $(($(counter_of "$server" MPJoinStatelessAckRx) - before)) "$what: $count joins without state"
}

# ends CLIENT SERVER: their sysctls.
ends() {
	in_client sysctl -q net.mptcp.stateless_join="$1"
	in_server sysctl -q net.mptcp.stateless_join="$2"
}

hosts 20mbit 5ms 20mbit 5ms
is 0 "$(get stateless_join)" "it is off by default"
refused stateless_join 2 "Invalid argument" "2 is refused"

joined "off" 0
ends 1 0
joined "the client asks only" 0
ends 0 1
joined "the server grants only" 0
ends 1 1
joined "both" 1
in_server sysctl -q net.ipv4.tcp_syncookies=0
joined "without SYN cookies" 1
in_server sysctl -q net.ipv4.tcp_syncookies=2
joined "with SYN cookies always" 1
in_server sysctl -q net.ipv4.tcp_syncookies=1

in_client sysctl -q net.ipv4.tcp_timestamps=0
joined "without timestamps" 1
in_client sysctl -q net.ipv4.tcp_timestamps=1

# the same over IPv6, to the server's second address
six() {
	both_families
	in_server ip mptcp endpoint flush
	in_server ip mptcp endpoint add fd00:2::2 dev s2 signal
	listen=(-a ::)
	joined "IPv6" 1 -a fd00:1::2
	listen=()
	in_server ip mptcp endpoint flush
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
}
six

# of each packet of the handshake the first one is lost sooner or later
tc -n "$client" qdisc change dev c2 root netem rate 20mbit delay 5ms limit 1000 loss 30%
tc -n "$server" qdisc change dev s2 root netem rate 20mbit delay 5ms limit 1000 loss 30%
before=$(counter_of "$server" MPJoinStatelessAckRx)
for _ in {1..12}; do
	serve "${listen[@]}"
	transfer -b 3000000
	arrived 3000000 "a lossy second path: the bytes are right"
done
that "a lossy second path: many joined" less 2 $(($(counter_of "$server" MPJoinStatelessAckRx) - before))
is 0 "$(counter_of "$server" MPJoinStatelessCookie)" "no cookie was wrong"
is 0 "$(counter_of "$server" MPJoinStatelessReplay)" "none came twice"
finish
