# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Shared by the topics of conformance.sh: captures of both hosts and what is said of them,
# hosts with both families. Where lib.sh has been sourced.
# shellcheck disable=SC2034,SC2154 # variables shared with those who source this

# longest frame that is captured
snap=2000

# conforms ARG...: run a module of the package conformance.
conforms() { "$python" -B -m "$@" 2>&1; }

# judge WHAT ARG...: what conformance/ says of the capture, as TAP.
judge() {
	local what=$1
	shift
	conforms conformance "$work/client.pcap" "$work/server.pcap" "$@" >"$work/judge" || true
	tell "$what"
}

# tell WHAT: the results in $work/judge, as TAP.
tell() {
	local what=$1 line
	# a status of 1 is that of a check that fails, too
	if ! grep -q '^\(not \)\?ok ' "$work/judge" || grep -q '^Traceback' "$work/judge"; then
		result 1 "$what: it broke off"
	fi
	while read -r line; do
		retell "$line" "$what: "
	done <"$work/judge"
}

# finds FLIP WHAT CHECK [ARG...]: the check fails when a bit of the capture is inverted.
finds() {
	local flip=$1 what=$2 check=$3
	shift 3
	conforms conformance "$work/client.pcap" "$work/server.pcap" "$check" --flip "$flip" "$@" \
		>"$work/judge" || true
	is "not ok" "$(grep -o '^\(not ok\|ok\)' "$work/judge")" "a wrong bit in $what is found"
}

# tap HOST FILE: capture in the background.
tap() {
	: >"$work/$2.tcpdump"
	ip netns exec "$1" tcpdump -i any -Z root -B 32768 --immediate-mode -U -s "$snap" \
		-w "$work/$2.pcap" tcp 2>"$work/$2.tcpdump" &
	taps+=($!)
	listens "$work/$2.tcpdump" $! || skip_all "tcpdump: $(tail -n 1 "$work/$2.tcpdump")"
}

capture() {
	taps=()
	tap "$client" client
	tap "$server" server
}

captured() {
	sleep 2
	kill -INT "${taps[@]}"
	wait "${taps[@]}" || true
	[ "$(cat "$work"/*.tcpdump | grep -c '^0 packets dropped by kernel')" = 2 ] ||
		result 1 "tcpdump has all packets"
}

# transferred ARG...: a transfer in a capture; the arguments are those of the client.
transferred() {
	capture
	serve -a "$any"
	begin -a "$first" "$@"
	complete
	captured
}

# delays CLIENT SERVER [RATE]: those of a host's two paths; "none": what its capture has
# leaves at the very moment in which it is sent.
delays() {
	local host=$client side=c delay n
	for delay in "$1" "$2"; do
		for n in 1 2; do
			tc -n "$host" qdisc del dev "$side$n" root 2>/dev/null || true
			[ "$delay" = none ] || tc -n "$host" qdisc add dev "$side$n" root netem \
				rate "${3:-20mbit}" delay "$delay" limit 1000
		done
		host=$server side=s
	done
}

# family 4|6: its addresses are in use and announced.
family() {
	addresses "$1"
	announce
}

no_endpoints() {
	in_client ip mptcp endpoint flush
	in_server ip mptcp endpoint flush
}

# announce [ARG...]: the server signals its second address.
announce() {
	no_endpoints
	in_server ip mptcp endpoint add "$second" dev s2 signal id 7 "$@"
}

# checksums 0|1
checksums() {
	in_both sysctl -q net.mptcp.checksum_enabled="$1"
	if [ "$1" = 1 ]; then
		sums=(--checksum) sum_check=checksum
	else
		sums=() sum_check=no_checksum
	fi
}

# what peers send
exchanged=(--up 30000 --down 30000)

# peers HOW-OF-SERVER HOW-OF-CLIENT [SECONDS]: both send, then end the connection.
peers() {
	capture
	listen_with "$work/server" "$python" -B -m conformance.peer listen "$any" "$1" "${3:-1}"
	timeout "$patience" ip netns exec "$client" "$python" -B -m conformance.peer connect "$first" "$2" \
		"${3:-1}" >"$work/client" 2>&1 &
	sending=$!
	complete
	captured
}

# sink: a server for any number of connections, until end_sink.
sink() {
	listen_as "$work/sink" ip netns exec "$server" "$python" -B -m conformance.peer sink "$any"
	sunk=$served
}

end_sink() {
	kill "$sunk"
	wait "$sunk" || true
}

# So that captures have the segments as they are on the wire.
single_segments() {
	local n
	for n in 1 2; do
		ip -n "$client" link set "c$n" gso_max_segs 1
		ip -n "$server" link set "s$n" gso_max_segs 1
	done
}

# So that the client can join the server's first address through the second path.
crossed_route() {
	local mac
	mac=$(in_server cat /sys/class/net/s2/address)
	ip -n "$client" rule add from 10.0.2.1 table 2
	ip -n "$client" route add 10.0.1.0/24 dev c2 table 2
	ip -n "$client" neigh add 10.0.1.2 dev c2 lladdr "$mac" nud permanent
	ip -6 -n "$client" rule add from fd00:2::1 table 2
	ip -6 -n "$client" route add fd00:1::/64 dev c2 table 2
	ip -n "$client" neigh add fd00:1::2 dev c2 lladdr "$mac" nud permanent
}
