#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The low-overhead handshake: who asks for it gets it where the peer does, too, and else a connection
# with keys; transfers with two subflows, both ways at a time; sysctl and socket option.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need nstat
need_sysctl low_overhead
hosts 100mbit 5ms 100mbit 8ms

setting() { in_client cat /proc/sys/net/mptcp/low_overhead; }
program() { in_client timeout 60 /usr/bin/python3 low_overhead.py "$@"; }
# counted NETNS NAME...
counted() { ip netns exec "$1" nstat -asz "${@:2}" | awk '/^MPTcp/ { n += $2 } END { print n + 0 }'; }

# serve OPTION CONNECTIONS
serve() {
	listen_with "$work/served" /usr/bin/python3 low_overhead.py serve "$@"
}

# both WANT SERVER CLIENT WHAT: one transfer, sockets set so; "1 1": established so at both ends.
both() {
	local joins keys
	joins=$(counted "$server" MPTcpExtMPJoinAckRx)
	keys=$(counted "$server" MPTcpExtLowOverheadACKRX)
	serve "$2" 1
	is "$1" "$(program transfer 10.0.1.2 "$3" 2>&1 | tail -n 1)" "$4: the bytes, and how both ends see it"
	wait
	is 1 "$(($(counted "$server" MPTcpExtMPJoinAckRx) - joins))" "$4: a second subflow"
	is "${1% *}" "$(($(counted "$server" MPTcpExtLowOverheadACKRX) - keys))" "$4: MPTcpExtLowOverheadACKRX"
}

is 0 "$(setting)" "low_overhead is off by default"
for value in 2 -1 x; do
	that "$value is refused" eval "! in_client sysctl -q net.mptcp.low_overhead=$value"
done
is 0 "$(setting)" "and nothing changed"

serve 1 1
heard program options 10.0.1.2
wait

both "0 0" - - "nobody asks"
both "0 0" - 1 "the client only"
both "0 0" 1 - "the server only"
both "1 1" 1 1 "both, by option"
in_both sysctl -q net.mptcp.low_overhead=1
is 0 "$(ip netns exec "$server" sh -c 'unshare -n cat /proc/sys/net/mptcp/low_overhead')" "a new namespace has 0"
both "1 1" - - "both, by sysctl"
both "0 0" - 0 "the client's option says no"
both "0 0" 0 - "the server's option says no"
in_client sysctl -q net.mptcp.checksum_enabled=1
both "1 1" - - "with checksums"
in_client sysctl -q net.mptcp.checksum_enabled=0
in_server sysctl -q net.ipv4.tcp_syncookies=2
both "1 1" - - "with SYN cookies"
in_server sysctl -q net.ipv4.tcp_syncookies=1

serve - 2
is "0 1 1" "$(program again 10.0.1.2 2>&1 | tail -n 1)" "connected once more: the second time so"
wait
in_both sysctl -q net.ipv4.tcp_fastopen=0x603
serve - 1
is "0 0" "$(program fastopen 10.0.1.2 2>&1 | tail -n 1)" "with data in the SYN: keys"
wait
for netns in "$client" "$server"; do
	is 0 "$(counted "$netns" MPTcpExtMPCapableFallbackACK MPTcpExtMPCapableFallbackSYNACK \
		MPTcpExtMPFallbackTokenInit MPTcpExtLowOverheadJoinMismatch MPTcpExtMPJoinAckHMacFailure \
		MPTcpExtDSSCorruptionFallback MPTcpExtDSSNotMatching)" "no fallback and no refused join, ${netns%%-*}"
done
finish
