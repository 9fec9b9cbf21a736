#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Round robin on the wire: in the order of the data, segments alternate.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need tcpdump ethtool

params=/sys/module/mptcp_sched_rr/parameters
modprobe mptcp_sched_rr 2>/dev/null || true
[ -d $params ] || skip_all "mptcp_sched_rr is not there"
restore() {
	echo 1 >$params/segments
	echo N >$params/ignore_cwnd
	cleanup
}
trap restore EXIT

hosts 20mbit 10ms 20mbit 10ms
for n in 1 2; do
	in_client ethtool -K "c$n" tso off gso off gro off
	in_server ethtool -K "s$n" tso off gso off gro off
done
# a turn ends with the peer's window, too: it is not to be the limit
in_server sysctl -qw net.ipv4.tcp_rmem="4096 4000000 4000000"
scheduler rr

# capture NAME TRANSFER-ARG...: the DSS mappings of a transfer in $work/NAME, one per line in
# the order of their data: "PATH LENGTH". One mapping is what one turn sent.
capture() {
	local name=$1 dump
	shift
	: >"$work/tcpdump"
	ip netns exec "$client" tcpdump --immediate-mode -i any -Q out -n -s 120 -U -w "$work/pcap" \
		'tcp dst port 5000' 2>"$work/tcpdump" &
	dump=$!
	if ! listens "$work/tcpdump" "$dump"; then
		[ "$tests" != 0 ] || skip_all "tcpdump: $(tail -n 1 "$work/tcpdump")"
		that "tcpdump listens" false
	fi
	serve
	transfer "$@"
	sleep 1
	kill "$dump"
	wait "$dump" || true
	tcpdump -n -r "$work/pcap" 2>/dev/null | sed -n \
		's/.* IP 10\.0\.\([12]\)\.1\.[0-9]* > .* dss.* seq \([0-9]*\) subseq [0-9]* len \([0-9]*\).*/\2 \1 \3/p' |
		sort -n -u -k1,1 | cut -d' ' -f2- >"$work/$name"
}

# judge NAME LENGTH: from the first mapping on the second path to the last but one (which
# has what is left), how many there are, and of these, in percent, how many took another
# path than the one before, how many are longer than that length, and how many have it.
judge() {
	awk -v want="$2" '$1 == 2 { both = 1 } both { path[++n] = $1; len[n] = $2 }
		END {
			for (i = 2; i < n - 1; i++) {
				changed += path[i] != path[i - 1]
				over += len[i] > want
				full += len[i] == want
			}
			n -= 3
			if (n > 0)
				print n, int(100 * changed / n), 100 * over / n, int(100 * full / n)
		}' "$work/$1"
}

mss=1424 # 1500 - IP 20 - TCP 20 - timestamps 12 - DSS 24
echo Y >$params/ignore_cwnd
capture strict -b 2000000
arrived 2000000 "ignore_cwnd: the bytes are right"
read -r n changed over full <<<"$(judge strict $mss)"
that "more than 1000 turns were seen" less 1000 "$n"
is 100 "$changed" "each takes the other path than the one before"
is 0 "$over" "none is longer than one segment"
that "and most are full: all but the ends of what the program wrote" less 85 "$full"

echo 4 >$params/segments
capture four -b 2000000
arrived 2000000 "four segments a turn: the bytes are right"
read -r n changed over full <<<"$(judge four $((4 * mss)))"
that "more than 250 turns were seen" less 250 "$n"
that "each takes the other path (a turn may be two mappings)" less 90 "$changed"
is 0 "$over" "none is longer than four segments"
that "and most are full" less 60 "$full"

echo 1 >$params/segments
echo N >$params/ignore_cwnd
capture thin -b 30000 -m 100 -i 20
arrived 30000 "small messages: the bytes are right"
read -r n changed over full <<<"$(judge thin 100)"
that "each is a turn" less 95 "$full"
that "and they alternate" less 95 "$changed"

that "a turn of no segments is refused" eval '! echo 0 >$params/segments 2>/dev/null'
that "and of 1001" eval '! echo 1001 >$params/segments 2>/dev/null'
is 1 "$(cat $params/segments)" "nothing changed"

finish
