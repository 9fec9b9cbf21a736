#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The extension rs: what a path owes that has become silent goes out on another one at once.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need

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
	(sleep 1.5; dark 1) &
	measure "$1" -b $bulk
	light 1
	arrived $bulk "$1: a path becomes dark: the bytes are right"
}

# A second's data and a half came by both paths, the rest by one: 4 s. Any wait comes on top.
it_helps() {
	local name alone
	goes_dark minrtt
	alone=$took
	is "0 0" "$silent $again_bytes" "minrtt: nobody cares"
	for name in minrtt+rs inorder; do
		goes_dark "$name"
		that "$name: it is noticed" less 0 "$silent"
		that "$name: what was in flight is sent again" less 5000 "$again_bytes"
		that "$name: and not much more" less "$again_bytes" 300000
		in_time "$name: it takes less time" less "$took" $((alone - 300))
	done
}

with_others() {
	local name
	for name in $(get available_schedulers); do
		[[ $name == *+* ]] || name+=+rs
		scheduler "$name"
		serve
		begin -b $bulk
		sleep 1
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

hosts 8mbit 10ms 8mbit 10ms
it_helps
with_others
it_rests

finish
