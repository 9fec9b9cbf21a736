#!/bin/bash
# SPDX-License-Identifier: MIT
# Handshakes with everything that goes beyond RFC 8684 switched off, as it is by default: packet by packet
# those of Linux as it came. Both kernels make the same connections; of what tcpdump prints of
# their SYNs, SYN/ACKs and third ACKs only what is random is left out.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

logs=$build/check-packets
cases="tcp ipv4 checksums cookies"

# What is random: numbers of sequences, keys, tokens, HMACs, timestamps, ports of clients. A line for each packet.
masked() {
	tcpdump -n -v -r "$1" 2>/dev/null | sed -E -e 's/^[0-9:.]+ //' | sed -e ':a' -e 'N' -e '$!ba' -e 's/\n  */ /g' |
		{ grep -E 'Flags \[S|mptcp [0-9]+ (capable|join)' || true; } |
		sed -E -e 's/\{?0x[0-9a-f]+(,0x[0-9a-f]+)*\}?/X/g' -e 's/(id|seq|ack|val|ecr|nonce|token) [0-9]+(:[0-9]+)?/\1 N/g' \
			-e 's/hmac [0-9a-f]+/hmac X/' -e 's/cksum X \([^)]*\)//' -e 's/(10\.0\.[12]\.1)\.[0-9]+/\1.P/g'
}

# In the guest: CASE DIRECTORY.
inside() {
	cd "$top/selftests"
	# shellcheck source=../../selftests/lib.sh
	. ./lib.sh
	need_tools tcpdump iperf3
	local way=mptcpize device capture=()
	hosts 20mbit 10ms 20mbit 30ms
	case $1 in
	tcp) way='' ;;
	checksums) in_both sysctl -q net.mptcp.checksum_enabled=1 ;;
	cookies) in_both sysctl -q net.ipv4.tcp_syncookies=2 ;;
	esac
	for device in c1 c2; do
		ip netns exec "$client" tcpdump -i $device -s 200 -U -w "$2/$1-$device.pcap" tcp 2>/dev/null &
		capture+=($!)
	done
	in_server ${way:+"$way" run} iperf3 -s -D
	sleep 1
	for _ in 1 2 3; do
		in_client ${way:+"$way" run} iperf3 -c 10.0.1.2 -n 1M >/dev/null
		sleep 2
	done
	kill "${capture[@]}"
	wait "${capture[@]}" 2>/dev/null || true
}

# capture VARIANT
capture() {
	local name out=$logs/$1
	rm -rf -- "$out"
	mkdir -p "$out"
	for name in $cases; do
		"$top/tools/kernel/boot-uml" --kernel "$(dirname -- "$(source_tree "$1")")/uml" --rw "$out" --seed 1 -- \
			"$top/tools/kernel/check-packets.sh" inside "$name" "$out" >"$out/$name.log" 2>&1 || die "$1, $name: see $out/$name.log"
	done
}

compare() {
	local name device one two passed=0 failed=0
	for name in $cases; do
		one=$logs/stock/$name.txt two=$logs/patched/$name.txt
		for device in c1 c2; do masked "$logs/stock/$name-$device.pcap"; done >"$one"
		for device in c1 c2; do masked "$logs/patched/$name-$device.pcap"; done >"$two"
		if [ "$(wc -l <"$one")" -ge 12 ] && diff "$one" "$two" >"$logs/$name.diff"; then
			passed=$((passed + 1))
			echo "ok $name: $(wc -l <"$one") packets of handshakes are those of Linux as it came"
		else
			failed=$((failed + 1))
			echo "not ok $name: the packets differ, or are few: $logs/$name.diff"
		fi
	done
	closing $passed $failed 0
	[ $failed = 0 ]
}

if [ "${1:-}" = inside ]; then
	inside "$2" "$3"
else
	[ -n "${NOBUILD:-}" ] || both_kernels uml
	capture stock
	capture patched
	compare
fi
