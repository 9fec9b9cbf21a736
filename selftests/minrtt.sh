#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# minrtt prefers the path with the lower delay, and uses both when one is not enough.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need

# share ARG...: of the bytes of a transfer, percent on path 2.
share() {
	carried took "$@"
	percent=$((100 * two / (one + two)))
}

hosts 20mbit 5ms 20mbit 50ms
scheduler minrtt
share -b 200000 -m 1000 -i 10
arrived 200000 "an application at 0.8 Mbit/s: the bytes are right"
that "they stay on the path with 10 ms" less "$percent" 3
share -b 15000000
arrived 15000000 "a bulk transfer: the bytes are right"
that "it uses the other path as well" less 15 "$percent"

tc -n "$client" qdisc change dev c1 root netem rate 20mbit delay 120ms limit 1000
share -b 200000 -m 1000 -i 10
arrived 200000 "the delays change places: the bytes are right"
that "now the second path is preferred" less 60 "$percent"

scheduler rr
share -b 200000 -m 1000 -i 10
that "rr, in contrast, takes both" eval 'less 35 $percent && less $percent 65'

finish
