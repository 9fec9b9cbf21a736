# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # variables of lib.sh and faults.sh
# That nothing remains: sockets, memory. For any test that sources ../lib.sh.

kmemleak=/sys/kernel/debug/kmemleak

# remaining HOST: of its sockets, in words; nothing when there are none.
remaining() {
	ip netns exec "$1" ss -HMa
	ip netns exec "$1" ss -Hta
	ip netns exec "$1" awk '$1 ~ /^MPTCP/ && $3 { print "protocols: " $0 }' /proc/net/protocols
	ip netns exec "$1" awk '/^TCP:/ && ($3 || $5 || $7 || $9) { print "sockstat: " $0 }' /proc/net/sockstat
}

# active SLAB: objects in use. Free ones are told apart only once its per-CPU lists are empty.
active() {
	[ ! -e "/sys/kernel/slab/$1/shrink" ] || echo 1 >"/sys/kernel/slab/$1/shrink"
	awk -v slab="$1" '$1 == slab { print $2 }' /proc/slabinfo
}

# no_sockets HOST...: within some minutes: TIME_WAIT lasts one, an orphan's last words longer.
no_sockets() {
	local host tries left
	for host in "$@"; do
		for ((tries = 0; tries < 60; tries++)); do
			left=$(remaining "$host")
			[ -n "$left" ] || continue 2
			sleep 10
		done
		echo "$left" | head -n 20
		return 1
	done
}

has_kmemleak() { [ -w $kmemleak ]; }

# forget_leaks: those of others, until now.
forget_leaks() { echo clear >$kmemleak; }

# no_leaks: of any memory since. Reported is what two scans found without a reference, and
# what is some seconds old.
no_leaks() {
	for _ in 1 2; do
		sleep 10
		echo scan >$kmemleak
	done
	head -n 60 $kmemleak | tee "$work/leaks"
	[ ! -s "$work/leaks" ]
}
