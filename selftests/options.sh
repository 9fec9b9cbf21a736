#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Socket options of TCP and IP: which an MPTCP socket has, and that they reach all subflows, those
# that are there and those that come later.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need ss tcpdump python3

readonly ip_ttl=0:2 user_timeout=6:18 maxseg=6:2

hosts 10mbit 5ms 10mbit 5ms
in_client python3 -B options.py parity >"$work/parity"
while read -r line; do
	retell "$line"
done <"$work/parity"

ip netns exec "$server" python3 -B options.py serve 7000 &
soon listens_at "$server" 7000

# sending SECONDS OPTION...: in the background; how it ends goes to $work/ended.
sending() {
	local seconds=$1
	shift
	timeout 300 ip netns exec "$client" python3 -B options.py send 10.0.1.2 7000 "$seconds" "$@" >"$work/ended" &
	sender=$!
}

subflows() { in_client ss -Htn state established dport = :7000 | wc -l; }
# stopped: the sender, and its connection is gone.
stopped() {
	kill $sender
	wait $sender 2>/dev/null || true
	soon has 0
}

has() { [ "$(subflows)" = "$1" ]; }

# gone: one of two subflows, within 15 s.
gone() {
	for _ in {1..150}; do
		! has 1 || return 0
		sleep 0.1
	done
}

# ttls N: of the client's packets on the Nth path.
ttls() {
	{ timeout 20 ip netns exec "$server" tcpdump -nvi "s$1" -c 6 'tcp dst port 7000' 2>/dev/null || true; } |
		sed -n 's/.*ttl \([0-9]*\),.*/\1/p' | sort -u | xargs
}

# only in redundant are both paths sure to carry data
in_both sysctl -q net.mptcp.scheduler=redundant
sending 30 $ip_ttl:77
soon has 2
is "77 77" "$(ttls 1) $(ttls 2)" "an option from before the connection is a later subflow's, too"
stopped

sending 30 $ip_ttl:78:late
soon has 2
sleep 2
is "78 78" "$(ttls 1) $(ttls 2)" "one that is set later reaches the subflows that there are"
stopped

sending 30 $maxseg:900
soon has 2
sleep 1
# 12 bytes are TCP's timestamps
is "888 888" "$(in_client ss -Htni state established dport = :7000 | sed -n 's/.* mss:\([0-9]*\).*/\1/p' | xargs)" \
	"so does the size of segments"
stopped

# given_up WHAT AFTER OPTION...: with these options, one of two subflows that becomes silent after so many
# seconds is given up, and the connection is not.
given_up() {
	local what=$1 after=$2
	shift 2
	sending 20 "$@"
	soon has 2
	sleep "$after"
	ip -n "$server" link set s1 down
	gone
	is 1 "$(subflows)" "$what"
	wait $sender || true
	is sent "$(cut -d' ' -f1 "$work/ended")" "and the connection goes on"
	ip -n "$server" link set s1 up
	soon has 0
}

# what it carried goes out on the other one
given_up "TCP_USER_TIMEOUT gives a silent subflow up" 0 $user_timeout:3000
# SO_KEEPALIVE; after 2 s, each second, twice; when nothing is on the way
given_up "keepalive finds an idle subflow that is dead" 2 1:9:1 6:4:2 6:5:1 6:6:2 idle

# Or the neighbour was found missing first, which TCP tells instead.
timed_out() { cat "$work/ended" && grep -qE '^(ETIMEDOUT|EHOSTUNREACH) ' "$work/ended"; }

in_client ip mptcp limits set subflow 0 add_addr_accepted 0
for kind in tcp mptcp; do
	sending 60 $user_timeout:3000 $kind
	soon has 1
	ip -n "$server" link set s1 down
	wait $sender || true
	that "$kind: with the last one, it ends with an error" timed_out
	in_time "$kind: soon" less "$(cut -d' ' -f2 "$work/ended")" 15
	ip -n "$server" link set s1 up
	sleep 1
done

finish
