# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Shared by the parts of pm.sh: live connections, what they consist of, their events.
# shellcheck disable=SC2034,SC2154 # variables of pm.sh and its other parts

one="10.0.1.1>10.0.1.2"
two="$one 10.0.2.1>10.0.1.2"
moved=0

# afresh: no endpoints, wide limits.
afresh() {
	in_both ip mptcp endpoint flush
	in_both ip mptcp limits set subflow 4 add_addr_accepted 4
}

# watch HOST: its events, in $work/events.
watch() {
	timeout "$patience" ip netns exec "$1" ip mptcp monitor >"$work/events" 2>&1 &
	watching=$!
	sleep 0.2
}

# saw EVENT PATTERN: among the events; shows them all if not.
saw() { grep "^\[ *$1\].*$2" "$work/events" || { cat "$work/events" && false; }; }

# token: of the connection that is watched from its beginning.
token() { sed -n 's/^\[ *CREATED\] token=\([0-9a-f]*\).*/\1/p' "$work/events" | tail -n 1; }

# stream SECONDS: a connection that sends 3.2 Mbit/s.
stream() {
	serve -a "$any"
	begin -a "$first" -d "$1" -m 2000 -i 5
	sleep 1
}

# bulk BYTES: a connection that sends as fast as it can.
bulk() {
	serve -a "$any"
	begin -a "$first" -b "$1"
	sleep 0.7
}

# arrives WHAT: all that the client sends.
arrives() {
	local sent
	complete
	sent=$(value client sent)
	arrived "${sent:-all}" "$1: the bytes are right"
	moved=$((moved + ${sent:-0}))
}

# subflows: those of the client that are established, "LOCAL>REMOTE ..."
subflows() {
	in_client ss -Htn state established dport = :5000 | awk '{
		for (i = 3; i <= 4; i++) {
			sub(/:[0-9]+$/, "", $i)
			sub(/%[^\]]*/, "", $i)
		}
		print $3 ">" $4 }' | sort | paste -sd ' '
}

# over N: the bytes that the client sends over path N within a second.
over() {
	local before
	before=$(tx_bytes "$1")
	sleep 1
	echo $(($(tx_bytes "$1") - before))
}
