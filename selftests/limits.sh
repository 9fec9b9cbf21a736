#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a connection's scheduler takes is limited and ends with it: fragments that it looks at, the
# send buffer, what it told. KUnit counts and weighs; here is what that must not break.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need

# fragments SCHEDULER COUNTER [ARG...]: the send buffer is full of small ones, as another connection
# takes what lies between them. Each decision finds its data all the same. Chance decides how often
# there is something to do, so it is done three times.
fragments() {
	local other time all=()
	for time in first second third; do
		serve_at 5001 "$work/other"
		other=$served
		serve
		grown "$2" transfer -s "$1" -b 3000000 -m 84 -o 5001 "${@:3}"
		wait "$other"
		arrived 3000000 "$1, 84 bytes at a time on two connections, $time time: the bytes are right"
		all+=("$grown")
	done
	echo "# $2: ${all[*]}"
	in_time "$1: and it did what it is for" less 1000 "$(printf '%s\n' "${all[@]}" | sort -n | sed -n 2p)"
}

# The names of 100 chunks, of which the last one is another.
then_default() { printf 'inorder,%.0s' {1..99}; echo default; }

buffer() {
	local large
	took -s inorder -b 6553600
	large=$(value client sndbuf)
	took -s inorder -w "$(then_default)" -b 6553600
	arrived 6553600 "default takes over: the bytes are right"
	that "and the send buffer is no larger than it makes it, not $large" \
		less "$(value client sndbuf)" $((large * 3 / 4))

	serve
	begin -s inorder -b 12000000
	sleep 2
	in_server ip mptcp endpoint flush
	complete
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
	arrived 12000000 "the slow subflow is removed: the bytes are right"
	that "the send buffer needs no room for it" less "$(value client sndbuf)" $((large * 3 / 4))
}

disconnected() {
	took -s inorder -b 6553600 -e
	arrived 6553600 "a connection that is ended: the bytes are right"
	is "0 0" "$(value client ahead_bytes) $(value client wnd_blocked)" \
		"the socket knows nothing of it any more"
	that "and its send buffer is small again" less "$(value client sndbuf)" 1000000
}

# Nothing but the end of the data is sent again: no scheduler was needed for that.
timeouts() {
	local before
	before="$(counter SchedRetrans) $(counter MPTCPRetrans)"
	serve
	begin -s minrtt -b 2000 -m 1000 -i 3000
	sleep 5
	in_client tc qdisc change dev c1 root netem loss 100%
	in_client tc qdisc change dev c2 root netem loss 100%
	sleep 10
	shape 1 20mbit 5ms 100
	shape 2 2mbit 300ms 100
	complete
	arrived 2000 "a DATA_FIN on dark paths: the bytes are right"
	is "$before" "$(counter SchedRetrans) $(counter MPTCPRetrans)" "timeouts without data are not counted"
}

hosts 20mbit 5ms 5mbit 40ms
buffers 4000000
fragments inorder SchedAheadBytes -B 200000
fragments redundant SchedCopyBytes -B 200000
shape 2 5mbit 40ms 1000 loss 5%
fragments inorder SchedAgainBytes -B 200000

shape 1 20mbit 5ms 100
shape 2 2mbit 300ms 100
buffer
disconnected
timeouts
finish
