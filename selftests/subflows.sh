#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Subflows that come, go and turn stale in the middle of a transfer.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need

hosts 20mbit 10ms 20mbit 20ms

size=10000000
start() { serve; begin -b $size; }

end() {
	complete
	arrived $size "$1"
}

for name in minrtt rr inorder redundant minrtt+rp+bm; do
	scheduler $name

	in_client ip mptcp endpoint flush
	in_server ip mptcp endpoint flush
	two=$(tx_bytes 2)
	start
	sleep 1
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
	end "$name: a subflow is added in the middle: the bytes are right"
	that "$name: and is used" less 1000000 $(($(tx_bytes 2) - two))

	two=$(tx_bytes 2)
	start
	sleep 1
	in_server ip mptcp endpoint flush
	end "$name: a subflow is removed in the middle: the bytes are right"
	that "$name: and was used until then" less 500000 $(($(tx_bytes 2) - two))

	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
	start
	sleep 1
	tc -n "$client" qdisc change dev c2 root netem loss 100%
	sleep 4
	tc -n "$client" qdisc change dev c2 root netem rate 20mbit delay 20ms limit 1000 loss 0%
	end "$name: a path goes dark and comes back: the bytes are right"
done

finish
