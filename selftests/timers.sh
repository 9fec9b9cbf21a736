#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Timers of subflows: TCP_RTO_MIN_US and TCP_DELACK_MAX_US for all of them, a least timeout that is low
# only while others would be blocked, and two segments after a timeout.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need ss python3
need_sysctl rto_segments blocked_rto_min_us

readonly rto_min=6:45 delack_max=6:46

hosts 10mbit 5ms 10mbit 5ms
ip netns exec "$server" python3 -B options.py serve 7000 &
soon listens_at "$server" 7000

# tried LEVEL:OPTION:VALUE: what an MPTCP socket says to it, and reads then
tried() {
	in_client python3 -B - "${1//:/ }" <<'PYTHON'
import errno, socket, sys
level, option, value = map(int, sys.argv[1].split())
sk = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
try:
    sk.setsockopt(level, option, value)
    said = "ok"
except OSError as error:
    said = errno.errorcode[error.errno]
print(said, sk.getsockopt(level, option))
PYTHON
}

is "ok 40000" "$(tried $rto_min:40000)" "TCP_RTO_MIN_US is set, and read back"
is "EINVAL 200000" "$(tried $rto_min:200001000)" "above 200 ms: EINVAL, and it stays"
is "EINVAL 200000" "$(tried $rto_min:-1)" "below 0: EINVAL"
is "EINVAL 200000" "$(tried $rto_min:0)" "0: EINVAL"
is "ok 100000" "$(tried $delack_max:100000)" "TCP_DELACK_MAX_US is set, and read back"
is "EINVAL 200000" "$(tried $delack_max:300000)" "above 200 ms: EINVAL"

# inherited LEVEL:OPTION:VALUE: what an accepted socket has of a listener
inherited() {
	in_client python3 -B - "${1//:/ }" <<'PYTHON'
import socket, sys
level, option, value = map(int, sys.argv[1].split())
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
listener.setsockopt(level, option, value)
listener.bind(("10.0.1.1", 0))
listener.listen()
other = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
other.connect(listener.getsockname())
print(listener.accept()[0].getsockopt(level, option))
PYTHON
}

is 40000 "$(inherited $rto_min:40000)" "TCP_RTO_MIN_US: accepted sockets have their listener's"
is 100000 "$(inherited $delack_max:100000)" "TCP_DELACK_MAX_US, too"

# sending OPTION...: a little each 100 ms, in the background
sending() {
	timeout 300 ip netns exec "$client" python3 -B options.py send 10.0.1.2 7000 30 "$@" >/dev/null &
	sender=$!
	soon has 2
	sleep 2
}

subflows() { in_client ss -Htni state established dport = :7000; }
has() { [ "$(in_client ss -Htn state established dport = :7000 | wc -l)" = "$1" ]; }
stopped() {
	kill $sender
	wait $sender 2>/dev/null || true
	soon has 0
}
# longest: the longest timeout of the subflows, in ms
longest() { subflows | sed -n 's/.* rto:\([0-9]*\).*/\1/p' | sort -n | tail -1; }

# only in redundant are both paths sure to carry data
in_both sysctl -q net.mptcp.scheduler=redundant
sending
that "timeouts are 200 ms at least" less 200 "$(longest)"
stopped
sending $rto_min:40000
that "TCP_RTO_MIN_US: all subflows have less, later ones, too" less "$(longest)" 190
stopped
sending $rto_min:40000 again
that "and those of the next connection of this socket" less "$(longest)" 190
stopped
sending $rto_min:40000:late
sleep 5
that "set later: those that there are, too" less "$(longest)" 190
stopped

# lossy BLOCKED SEGMENTS: a transfer over a second path that loses packets, and all for a second, into a buffer that
# it blocks
lossy() {
	in_both sysctl -q net.mptcp.scheduler=minrtt net.mptcp.blocked_rto_min_us="$1" net.mptcp.rto_segments="$2" \
		net.ipv4.tcp_rmem="4096 60000 60000"
	lows=$(counter RtoMinLow) seconds=$(counter RtoSecond)
	serve
	begin -b 3000000
	sleep 1
	dark 2
	sleep 1
	loses 2 10%
	complete
	arrived 3000000 "blocked_rto_min_us=$1 rto_segments=$2: the bytes are right"
	lows=$(($(counter RtoMinLow) - lows)) seconds=$(($(counter RtoSecond) - seconds))
}
# until_some NAME BLOCKED SEGMENTS: five times at most, since not each transfer is blocked in time
until_some() {
	for _ in 1 2 3 4 5; do
		lossy "$2" "$3"
		[ "${!1}" = 0 ] || break
	done
}

loses 2 10%
lossy 0 1
is "0 0" "$lows $seconds" "off: no timeout is changed"
until_some lows 20000 1
that "blocked_rto_min_us: timeouts become lower" less 0 "$lows"
is 0 "$seconds" "and one segment is sent after each"
until_some seconds 0 2
that "rto_segments: a second one is sent" less 0 "$seconds"
is 0 "$lows" "and no timeout is lower"
lossy 20000 2

refused blocked_rto_min_us 200001 "Invalid argument" "more than 200 ms is refused"
refused rto_segments 3 "Invalid argument" "so are three segments"

finish
