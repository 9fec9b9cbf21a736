# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Segments made by hand, from an address that nobody has, so that nobody answers the server.
# For conformance.sh.
# shellcheck disable=SC2154 # variables shared with those who source this

# nobody ADDRESS: where the server sends what is for that address.
nobody() {
	ip -n "$server" neigh replace "$1" dev s1 nud permanent \
		lladdr "$(in_client cat /sys/class/net/c1/address)"
}

# by_hand FAMILY...: each question, then each one broken; those about what is opt-in to a server that has it, and those
# about a server that never used it before all that use it.
by_hand() {
	local families=("$@")
	ask usual
	ask first mptcp.low_overhead=1 ipv4.tcp_syncookies=2
	ask off
	ask offcookies ipv4.tcp_syncookies=2
	ask fast ipv4.tcp_fastopen=0x602
	ask lengths mptcp.check_lengths=1
	ask early mptcp.early_delivery=1 "ipv4.tcp_rmem=4096 131072 131072"
	ask low mptcp.low_overhead=1
	ask nonsense mptcp.low_overhead=1
	ask cookies mptcp.low_overhead=1 ipv4.tcp_syncookies=2
}

# ask WHICH SYSCTL...: with each of the families.
ask() {
	local version
	for version in "${families[@]}"; do
		ask_over "$version" "$@"
	done
}

# ask_over 4|6 WHICH SYSCTL...
ask_over() {
	local name="by hand, IPv$1, $2" source=10.0.1.77 count
	in_server sysctl -q net.mptcp.check_lengths=0 net.mptcp.low_overhead=0 net.mptcp.early_delivery=0 \
		net.ipv4.tcp_syncookies=1 net.ipv4.tcp_fastopen=1 net.ipv4.tcp_rmem="4096 131072 6291456"
	local settings=("${@:3}")
	[ $# = 2 ] || in_server sysctl -q "${settings[@]/#/net.}"
	family "$1"
	[ "$1" = 4 ] || source=fd00:1::77
	no_endpoints
	checksums 0
	delays 10ms 10ms
	nobody "$source"
	sink
	in_client "$python" -B -m conformance.raw "$first" "$source" "$2" >"$work/judge" 2>&1 || true
	tell "$name"
	count=$(grep -c '^ok ' "$work/judge")
	in_client "$python" -B -m conformance.raw "$first" "$source" "$2" break >"$work/judge" 2>&1 || true
	is "0 right, $count wrong" "$(grep -c '^ok ' "$work/judge") right, $(grep -c '^not ok ' "$work/judge") wrong" \
		"$name: of other questions no answer is right"
	! grep -A 1 '^ok ' "$work/judge" || true
	end_sink
}
