#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Schedulers as papers define them: what tells each from minrtt, in bytes on the slow path.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need

hosts 20mbit 5ms 5mbit 100ms
buffers 4000000
# no transfer begins with what TCP learned of the paths of another
in_both sysctl -q net.ipv4.tcp_no_metrics_save=1

# second SCHEDULER ARG...: a transfer; how many of the bytes went over the second path, in percent.
second() {
	scheduler "$1"
	carried took "${@:2}"
	share=$((100 * two / (one + two)))
}

# Bulk over 10 and 200 ms: all carry on the slow path, but sttf, whose fast path is done sooner.
for name in blest ecf edpf pet stms wrr; do
	second $name -b 15000000
	arrived 15000000 "$name: the bytes are right"
	in_time "$name: the slow path is used" less 2 "$share"
done
# with a short queue: the RTT stays below 50 ms
shape 1 20mbit 5ms 60
second sttf -b 15000000
arrived 15000000 "sttf: the bytes are right"
that "sttf: twice the fast path's RTT is shorter: the slow path is not used" less "$share" 2

# Short transfers: 35 segments, which the fast path takes in a few round trips.
short=(-b 1000000 -m 50000 -i 400)
second minrtt "${short[@]}"
begun=$share
second ecf "${short[@]}"
in_time "ecf: a short transfer waits for the fast path" less "$share" $((begun / 2 + 1))

# The peer's window of 200 KB, of which the slow path would hold much for 200 ms.
in_server sysctl -q -w net.ipv4.tcp_rmem="4096 200000 200000"
second minrtt -b 5000000
blocked=$took
second blest -b 5000000
arrived 5000000 "blest: with a window of 200 KB the bytes are right"
in_time "blest: the window is never used up: it takes half of minrtt's time" less "$took" $((blocked / 2))
second stms -b 5000000
arrived 5000000 "stms: with a window of 200 KB the bytes are right"
in_time "stms: no data of the slow path holds up the window: half of minrtt's time" less "$took" $((blocked / 2))
buffers 4000000

# Data arrives in order, so that the path of 200 ms holds up nobody.
second minrtt -b 15000000
begun=$took
second stms -b 15000000
in_time "stms: quicker than minrtt, which has to wait for the slow path" less "$took" $((begun * 9 / 10))
in_time "stms: and the slow path carries its part" less 10 "$share"

# Like delays: each path carries its share, and sttf no longer waits.
shape 1 20mbit 5ms 1000
shape 2 5mbit 5ms 1000
tc -n "$server" qdisc change dev s2 root netem rate 5mbit delay 5ms limit 1000
for name in edpf pet stms wrr sttf; do
	second $name -b 15000000
	arrived 15000000 "$name: paths of like delay: the bytes are right"
	in_time "$name: a fifth of the rate, not less than a tenth of the bytes" less 10 "$share"
	that "$name: nor more than a third" less "$share" 33
	in_time "$name: both paths are quicker than one" less "$took" 5900
done

# Connections that begin on the slow path, with less to send than it carries: 40 KB at a time, 4 Mbit/s, which
# fit the fast one's first window.
shape 1 5mbit 100ms 1000
shape 2 20mbit 5ms 1000
tc -n "$server" qdisc change dev s1 root netem rate 5mbit delay 100ms limit 1000
tc -n "$server" qdisc change dev s2 root netem rate 20mbit delay 5ms limit 1000
ip -n "$client" route change 10.0.2.0/24 dev c2 initcwnd 40
for name in edpf pet; do
	second $name -b 3000000 -m 40000 -i 80
	arrived 3000000 "$name: begun on the slow path: the bytes are right"
	in_time "$name: nearly all goes over the fast one" less 80 "$share"
done

finish
