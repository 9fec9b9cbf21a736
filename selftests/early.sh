#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Early delivery: what a subflow has out of order is delivered at once, the bytes are those that were
# sent, whatever is lost, and nothing of it happens where it is off. Which mappings are believed:
# robust/conformance.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need nft python3
need_sysctl early_delivery

early() { in_server sysctl -q net.mptcp.early_delivery="$1"; }
checksums() { in_both sysctl -q net.mptcp.checksum_enabled="$1"; }

caught_up() { [ "$(counter_of "$server" EarlyBytes)" = "$(counter_of "$server" EarlyDropBytes)" ]; }

# early_counters: what the counters of the server grew since the last call: $segs, $bytes and $dropped.
seen_segs=0 seen_bytes=0 seen_dropped=0
early_counters() {
	# a subflow may still lack what the connection has
	soon caught_up || true
	segs=$(counter_of "$server" EarlySegs) bytes=$(counter_of "$server" EarlyBytes)
	dropped=$(counter_of "$server" EarlyDropBytes)
	segs=$((segs - seen_segs)) bytes=$((bytes - seen_bytes)) dropped=$((dropped - seen_dropped))
	seen_segs=$((seen_segs + segs)) seen_bytes=$((seen_bytes + bytes)) seen_dropped=$((seen_dropped + dropped))
	echo "# early: $segs segments, $bytes bytes, $dropped bytes whose turn came"
}

# messages COUNT WHAT: one each 10 ms, all come, as they were sent. $late: how many took 5 ms more than the
# path takes.
messages() {
	timeout "$patience" python3 -B early.py "$client" "$server" "$1" 200 10 45 >"$work/messages" 2>&1 || true
	is "$1 wrong 0" "$(value messages came) wrong $(value messages wrong)" "$2: the messages are right"
	late=$(value messages late)
	echo "# p50 $(value messages p50), p99 $(value messages p99), worst $(value messages worst) us, late: $late"
}

# copies WHAT: on both paths, 80 ms of round trip. What one lost the other has, but often behind a gap of
# its own. Counts those that are late, $late_off and $late_on.
late_off=0 late_on=0
copies() {
	scheduler redundant
	shape 1 20mbit 40ms 1000 loss 1%
	shape 2 20mbit 40ms 1000 loss 1%
	early 0
	messages 4000 "$1, 1 % loss, off"
	late_off=$((late_off + late))
	early_counters
	is "0 0 0" "$segs $bytes $dropped" "and nothing is early"
	early 1
	messages 4000 "$1, 1 % loss, on"
	late_on=$((late_on + late))
	early_counters
	that "segments were early" less 100 "$segs"
	that "with their bytes" less $((segs * 200 - 1)) "$bytes"
	# what a subflow lacks when both ends close never comes
	that "and the turn of each byte came, but of the last ones" less $((bytes - dropped)) 1000
}

# How many are late, losses decide, which come in bursts: 36,000 messages each.
more_copies() {
	for _ in 1 2 3 4 5 6 7; do
		early 0
		messages 4000 "once more, off"
		late_off=$((late_off + late))
		early 1
		messages 4000 "once more, on"
		late_on=$((late_on + late))
	done
	early_counters
	echo "# late: $late_off without, $late_on with"
}

# bulk WHAT SCHEDULER BYTES: the bytes are right, and some came early, of five transfers if need be: what one loses may
# all be what the connection waits for.
bulk() {
	scheduler "$2"
	for _ in 1 2 3 4 5; do
		serve
		transfer -b "$3"
		arrived "$3" "$1, $2: the bytes are right"
		early_counters
		[ "$bytes" = 0 ] || break
	done
	that "some of them were early" less 0 "$bytes"
}

losses() {
	local name
	early 1
	shape 1 20mbit 10ms 1000 loss 1%
	shape 2 20mbit 40ms 1000 loss 3%
	for name in default redundant minrtt+rp inorder; do
		bulk "random loss" "$name" 2000000
	done
	shape 2 20mbit 40ms 1000 loss gemodel 2% 25%
	bulk "bursts of loss" minrtt+rp 2000000
	shape 2 20mbit 40ms 1000 delay 10ms 8ms loss 1%
	bulk "reordered" minrtt+rp 2000000
	shape 2 20mbit 40ms 1000 duplicate 10% loss 1%
	bulk "a tenth twice" minrtt+rp 2000000
	checksums 1
	# a mapping in one segment
	shape 2 20mbit 40ms 1000 loss 3%
	bulk "checksums" redundant 1000000
	checksums 0
}

# Receive buffers that data which comes later could fill, so that there was no place for what is next.
small_buffers() {
	local size on i
	shape 1 20mbit 10ms 1000 loss 1%
	shape 2 20mbit 40ms 1000 loss 3%
	scheduler minrtt+rp
	for size in 16384 65536; do
		buffers "$size"
		for on in 0 1; do
			early "$on"
			for i in {1..5}; do
				serve
				begin -b 200000
				complete
				arrived 200000 "buffers of $size bytes, $on, $i: it does not stall"
			done
		done
	done
	buffers 6291456
	early_counters
}

# What is behind a gap when a subflow ends is the connection's already.
ends() {
	shape 1 20mbit 10ms 1000 loss 1%
	shape 2 20mbit 40ms 1000 loss 3%
	scheduler redundant
	serve
	begin -b 3000000
	sleep 0.5
	in_server ip mptcp endpoint flush
	complete
	arrived 3000000 "a subflow with gaps is closed in the middle: the bytes are right"
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal

	serve
	begin -b 3000000
	sleep 0.5
	early 0
	sleep 0.5
	early 1
	complete
	arrived 3000000 "it is switched off and on in the middle: the bytes are right"
	early_counters
}

hosts 20mbit 10ms 20mbit 10ms
before=$(memory_of)
copies copies
checksums 1
copies "copies with checksums"
more_copies
in_time "a quarter fewer messages are late, or more than that" less $((late_on * 4)) $((late_off * 3))
is 0 "$(counter_of "$server" DataCsumErr)" "no checksum is wrong"
checksums 0
losses
small_buffers
ends
that "the sockets' memory is given back" soon memory_back "$before"
finish
