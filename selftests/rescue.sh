#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The extension rs: what a path owes that has become silent goes out on another one at once.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need python3

bulk=4000000

# measure SCHEDULER [ARG...]: took, and what it did: $silent, $again_bytes.
measure() {
	silent=$(counter SchedSilent) again_bytes=$(counter SchedAgainBytes)
	scheduler "$1"
	took "${@:2}"
	silent=$(($(counter SchedSilent) - silent))
	again_bytes=$(($(counter SchedAgainBytes) - again_bytes))
	echo "# $*: $took ms, $silent times silent, sent again $again_bytes bytes"
}

# goes_dark SCHEDULER: the first path, in the middle of a transfer, for good.
goes_dark() {
	local before
	before=$(wire 1)
	(soon grew "$before" 1300000 1 && dark 1) &
	measure "$1" -b $bulk
	light 1
	arrived $bulk "$1: a path becomes dark: the bytes are right"
}

# typical SCHEDULER: how long it takes, the median of five, since a lucky draw without it is as fast: $typical.
typical() {
	local all=()
	for _ in 1 2 3 4 5; do
		goes_dark "$1"
		all+=("$took")
	done
	typical=$(printf '%s\n' "${all[@]}" | sort -n | sed -n 3p)
}

# A second's data and a half came by both paths, the rest by one: 4 s. Any wait comes on top.
it_helps() {
	local name alone
	typical minrtt
	alone=$typical
	is "0 0" "$silent $again_bytes" "minrtt: nobody cares"
	for name in minrtt+rs inorder; do
		typical "$name"
		# where it takes seconds to make the path dark, all was sent before
		in_time "$name: it is noticed" less 0 "$silent"
		in_time "$name: what was in flight is sent again" less 5000 "$again_bytes"
		that "$name: and not much more" less "$again_bytes" 300000
		in_time "$name: it takes less time" less "$typical" $((alone - 100))
	done
}

with_others() {
	local name before
	for name in $(get available_schedulers); do
		[[ $name == *+* ]] || name+=+rs
		scheduler "$name"
		before=$(wire 1)
		serve
		begin -b $bulk
		soon grew "$before" 100000 1 || true
		sleep 0.7
		dark 1
		sleep 0.7
		light 1
		sleep 0.3
		dark 2
		sleep 0.7
		light 2
		complete
		arrived $bulk "$name: one path becomes dark and then the other: the bytes are right"
	done
}

# healthy WHAT SCHEDULER [ARG...]
healthy() {
	measure "${@:2}"
	that "$2, $1: nobody is silent" test "$silent" = 0
}

it_rests() {
	local name
	for name in minrtt+rs rr+rs default+rs inorder; do
		healthy "equal paths" "$name" -b $bulk
		healthy "a program of 0.8 Mbit/s" "$name" -b 200000 -m 1000 -i 10
	done
	shape 2 2mbit 75ms 300
	for name in minrtt+rs inorder; do
		healthy "a slow path with a deep queue" "$name" -b $bulk
	done
	in_server ip mptcp endpoint flush
	(sleep 1; dark 1; sleep 1; light 1) &
	measure minrtt+rs -b $bulk
	arrived $bulk "a single subflow, dark for a second: the bytes are right"
	is "0 0" "$silent $again_bytes" "it has nobody to help it"
}

# program WHAT: of rescue.py, its report in $work/program; $silent, $again_bytes: what was done meanwhile.
program() {
	silent=$(counter SchedSilent) again_bytes=$(counter SchedAgainBytes)
	if ! timeout "$patience" python3 -B rescue.py "$client" "$server" "$1" >"$work/program" 2>&1; then
		result 1 "rescue.py $1 broke off"
		sed 's/^/# /' "$work/program"
	fi
	silent=$(($(counter SchedSilent) - silent))
	again_bytes=$(($(counter SchedAgainBytes) - again_bytes))
}

# What waits with intent is not stuck.
it_waits() {
	scheduler minrtt+rs
	program corked
	is 300 "$(value program came)" "part of a segment that the application holds back: it comes"
	is "0 0" "$silent $again_bytes" "and nobody takes it for lost"
}

# thin SCHEDULER: an acknowledgment is told of before TCP sends what Nagle's algorithm held back for it.
thin() {
	scheduler "$1"
	program thin
	is "0 0" "$silent $again_bytes" "$1: small writes that wait for acknowledgments: nobody is silent"
	program dying
	light 1
	that "$1: a path becomes dark below such: it is silent once" test "$silent" = 1
	in_time "$1: and the others are not late" less "$(value program late)" 10
}

# The dead subflow's timeout has grown to a minute; the connection's is another.
it_closes() {
	scheduler minrtt+rs
	program closing
	echo "# closed after $(value program closed_ms) ms"
	is 0 "$(value program left)" "a path is dark for 30 s, and an acknowledgment is lost at the end: all is acknowledged"
	in_time "soon" less "$(value program closed_ms)" 1500
	light 1
	light 2
}

# fires AT_MOST WHAT COMMAND...: how often the timer does, meanwhile. It may where acknowledgments are late.
fires() {
	local before after check=in_time
	[ "$1" != 0 ] || check=that
	before=$(counter SchedTimer)
	"${@:3}"
	after=$(counter SchedTimer)
	"$check" "$2: the timer fires $((after - before)) times" less $((after - before)) $(($1 + 1))
}

one_alone() {
	in_server ip mptcp endpoint flush
	"$@"
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
}

# Acknowledgments look as they come, and put the timer off.
timer_rests() {
	local name
	for name in minrtt+rs inorder; do
		fires 5 "$name: 2 s of a bulk transfer" measure "$name" -b $bulk
		fires 5 "$name: a program of 0.8 Mbit/s for 2 s" measure "$name" -b 200000 -m 1000 -i 10
		one_alone fires 0 "$name: a bulk transfer on one subflow" measure "$name" -b $bulk
	done
}

hosts 8mbit 10ms 8mbit 10ms
timer_rests
it_waits
it_closes
shape 2 8mbit 30ms 1000
thin minrtt+rs
thin inorder

# A link that fades below a stream of 3 Mbit/s: it answers, but later and later. Of 462 blocks 309 are late
# if that is not seen, and some 10 if it is.
shape 1 8mbit 20ms 140
shape 2 5mbit 30ms 140
scheduler inorder
program steady
is "0 0 0" "$silent $again_bytes $(value program late)" "inorder: on a steady link nothing is late, or sent again"
program fading
echo "# $(value program late) blocks late"
in_time "inorder: a path fades: what waits there goes out on the other one, too" less "$(value program late)" 60

# A stream of 8 Mbit/s over a path that is a bit nearer and has half of that, beside one that carries it all,
# on which a block takes 37 ms. Its second connection, which TCP begins as the first one ended: of 740 blocks
# some 600 are late if a queue on the first path is not taken for what it is, and 33 if it is.
shape 1 4mbit 25ms 60
shape 2 27mbit 34ms 1000
program unlike
program unlike
echo "# $(value program late) blocks late"
in_time "inorder: a path that is too slow for the stream does not hold it up" less "$(value program late)" 150

shape 1 20mbit 10ms 1000
shape 2 8mbit 10ms 1000
it_helps
with_others
it_rests

finish
