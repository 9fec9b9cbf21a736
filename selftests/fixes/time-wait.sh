#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who closes last keeps nothing: of a connection that its peer closed first, none of the subflows
# is left in TIME-WAIT here (Paasch, "Improving Multipath TCP", section 5.5.1).
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need ss

count=50

# waiting NAMESPACE
waiting() { ip netns exec "$1" ss -Htan state time-wait | wc -l; }

# begin_with PROTOCOL SUBFLOWS
begin_with() {
	hosts 100mbit 5ms 100mbit 10ms
	[ "$2" = 2 ] || in_server ip mptcp endpoint flush
	listen_with "$work/serving" "$python" -B time_wait.py serve "$1"
}

end() {
	kill "$served"
	wait "$served" 2>/dev/null || true
	ip netns del "$client"
	ip netns del "$server"
}

# close_late PROTOCOL SUBFLOWS
close_late() {
	local passive active
	begin_with "$1" "$2"
	that "$1, $2 subflows: $count connections" in_client "$python" -B time_wait.py connect "$1" 10.0.1.2 $count
	sleep 1
	passive=$(waiting "$client") active=$(waiting "$server")
	is 0 "$passive" "$1, $2 subflows: who closes last has no TIME-WAIT"
	# a port may be drawn twice, and then the second connection takes the place of the first
	that "$1, $2 subflows: who closes first has one for nearly each" less $((count - 4)) "$active"
	echo "# | $1, $2 subflows | $passive | $active |"
	end
}

# left: how many milliseconds it takes until the client has no connection of MPTCP any more.
left() {
	local begin now
	begin=$(date +%s%3N)
	while
		now=$(date +%s%3N)
		[ "$(in_client awk '$1 == "MPTCP" { print $3 }' /proc/net/protocols)" != 0 ] && [ $((now - begin)) -lt 5000 ]
	do
		sleep 0.01
	done
	echo $((now - begin))
}

# The FINs come within a round trip: so long the connection stays, no longer.
ends_soon() {
	local ms
	begin_with mptcp 2
	in_client "$python" -B time_wait.py connect mptcp 10.0.1.2 1
	ms=$(left)
	that "the connection ends with the FINs" less "$ms" 100
	echo "# $ms ms after close()"
	end
}

# A FIN that does not come is waited for as long as it takes on its path, but not by the application: the
# second path goes dark before the client closes.
path_is_dead() {
	local ms
	begin_with mptcp 2
	in_client "$python" -B time_wait.py connect mptcp 10.0.1.2 1 1 linger >"$work/closing" &
	sleep 0.7
	that "there are two subflows" [ "$(in_client ss -Htan state established | wc -l)" = 2 ]
	dark 2
	wait $!
	ms=$(left)
	that "a dark path holds no close() that lingers" less "$(cat "$work/closing")" 100
	that "a dark path: the connection ends soon all the same" less "$ms" 500
	echo "# $(cat "$work/closing") ms in close(), $ms ms more until the connection is gone"
	end
}

close_late tcp 1
close_late mptcp 1
close_late mptcp 2
ends_soon
path_is_dead
finish
