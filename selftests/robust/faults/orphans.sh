# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # variables of lib.sh and faults.sh
# For faults.sh: connections that were closed with data left to send count as orphans, like TCP's.

orphan_count() { awk '$1 == "TCP:" { print $5 }' /proc/net/sockstat; }
orphans_are() { [ "$(orphan_count)" = "$1" ]; }

# ends WHAT: within the time that TCP's last ones take, too.
ends() {
	local _
	for _ in {1..30}; do
		! orphans_are "$orphans_before" || break
		sleep 10
	done
	is "$orphans_before" "$(orphan_count)" "$1: no orphan is left, each was counted once"
}

# reader [ARG...]: of the closed connections.
reader() {
	listen_as "$work/reader" ip netns exec "$server" "$python" faults/orphans.py "$@"
	reader=$served
}

reader_dies() {
	kill -KILL "$reader"
	wait "$reader" 2>/dev/null || true
}

closed() { in_client "$python" faults/orphans.py "${2:-close}" 10.0.1.2 5000 "$1"; }

trickle() {
	reader serve 5000 6000 20
	closed 40
	is $((orphans_before + 40)) "$(orphan_count)" "closed connections with data left are orphans, one each"
	sleep 300
	is $((orphans_before + 40)) "$(orphan_count)" "they stay while the peer reads now and then"
	sysctl -q -w net.ipv4.tcp_max_orphans=10
	sleep 70 # they are looked at each 60 s, and a timer may be an eighth late
	that "they end when there are more than tcp_max_orphans" less "$(orphan_count)" 11
	closed 40
	# Linux compares the limit with a sum that is up to 100 ms old: two or three more get by.
	that "so do others at once" less "$(orphan_count)" 20
	sysctl -q -w net.ipv4.tcp_max_orphans="$most_orphans"
	kill -USR1 "$reader"
	ends "the peer reads all"
	reader_dies
}

# abandoned: ten connections are.
abandoned() {
	closed 10
	is $((orphans_before + 10)) "$(orphan_count)" "ten closed connections are left"
}

# Each of the other ways in which a connection ends.
ends_of_orphans() {
	reader serve 5000
	abandoned
	ends "the peer reads nothing"
	abandoned
	reader_dies
	ends "the peer is killed"
	reader serve 5000
	closed 10 disconnect
	ends "the connections are disconnected"
	abandoned
	netem 1 loss 100%
	netem 2 loss 100%
	ends "the network is gone"
	calm
	reader_dies
	reader wait 5000
	abandoned
	reader_dies
	ends "never accepted, the listener is closed"
	that "in a network namespace of their own, too" unshare -n bash -e -c "ip link set lo up
		$python faults/orphans.py serve 5000 >$work/reader & sleep 1
		grep -q listening $work/reader
		$python faults/orphans.py close 127.0.0.1 5000 10
		kill -KILL \$!"
	ends "the network namespace is gone"
}

orphans() {
	local reader most_orphans orphans_before
	most_orphans=$(sysctl -n net.ipv4.tcp_max_orphans)
	sleep 130
	orphans_before=$(orphan_count)
	trickle
	ends_of_orphans
}
