# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Segments that are cut and put together below TCP, long packets, sequence numbers that begin
# again. For conformance.sh.
# shellcheck disable=SC2034,SC2154 # variables shared with those who source this

# each_device COMMAND...: with HOST and DEV for the network namespace and the device.
each_device() {
	local n
	for n in 1 2; do
		HOST=$client DEV=c$n "$@"
		HOST=$server DEV=s$n "$@"
	done
}

set_offloads() { ip netns exec "$HOST" ethtool -K "$DEV" tso "$1" gso "$2" gro "$3"; }
set_mtu() { ip -n "$HOST" link set "$DEV" mtu "$1"; }
set_segments() { ip -n "$HOST" link set "$DEV" gso_max_segs "$1"; }

# offloads MTU TSO GSO GRO CHECK: a transfer with these; the check of segments' sizes.
offloads() {
	local name="MTU $1, TSO $2, GSO $3, GRO $4"
	each_device set_mtu "$1"
	each_device set_offloads "$2" "$3" "$4"
	transferred -b 3000000
	arrived 3000000 "$name: 3 MB arrive"
	judge "$name" "${sums[@]}" --mtu "$1" --up 3000000 "$5" options token hmac fourth mappings bytes \
		ack "$sum_check" fin
}

all_offloads() {
	local mtu
	family 4
	checksums 1
	delays 5ms 5ms 200mbit
	snap=66000
	each_device set_segments 65535
	for mtu in 1500 9000; do
		offloads $mtu on on on large
		finds payload "data of large segments" checksum --checksum --up 3000000
		finds "" "the size of large segments" small --mtu $mtu
		offloads $mtu off on on large
		offloads $mtu off on off small
		offloads $mtu off off off small
		finds "" "the size of small segments" large --mtu $mtu
	done
	each_device set_mtu 1500
	each_device set_offloads on on off
	each_device set_segments 1
	snap=2000
}

# wraps 4|6: connections until one has the end of 32 bits in the middle of its data.
wraps() {
	local name="DSNs begin again, IPv$1"
	family "$1"
	delays 1ms 1ms
	sink
	capture
	in_client timeout "$patience" "$python" -B -m conformance.peer wrap "$first" 6000000 \
		>"$work/client" 2>&1 || true
	captured
	end_sink
	sed 's/^/# /' "$work/client"
	judge "$name" --busiest "${sums[@]}" --up 6000000 wrap widths options mappings bytes ack "$sum_check" fin
	finds "" "where they begin again" wrap --busiest --up 500000
	finds narrow "the width of DATA_ACKs" widths --busiest
	finds 2:24:11 "DSNs of 64 bits" bytes --busiest "${sums[@]}" --up 6000000
}

sizes() {
	checksums 1
	if command -v ethtool >/dev/null; then
		all_offloads
	else
		skip "offloads: needs ethtool"
	fi
	wraps 4
}
