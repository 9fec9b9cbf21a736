#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The backup bit and MP_PRIO: a backup carries data only when nothing else is left.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need python3

second_path() { echo $(($(tx_bytes 2) - two)); }

# regular_path LOSS: both ways.
regular_path() {
	tc -n "$client" qdisc change dev c1 root netem rate 20mbit delay 10ms limit 1000 loss "$1"
	tc -n "$server" qdisc change dev s1 root netem rate 20mbit delay 10ms limit 1000 loss "$1"
}

hosts 20mbit 10ms 20mbit 10ms
# so that the client can change the backup flag
joins_by_itself backup id 2

for name in $(every_scheduler); do
	scheduler "$name"
	two=$(tx_bytes 2) backups=$(counter SchedBackup)
	serve
	transfer -b 3000000
	arrived 3000000 "$name: the bytes are right"
	# where the regular path takes seconds to answer, it counts as dead
	in_time "$name: no data on the backup" less "$(second_path)" 20000
	in_time "$name: no decision for it" test "$backups" = "$(counter SchedBackup)"

	serve
	begin -b 6000000
	sleep 1
	in_client ip mptcp endpoint change id 2 nobackup
	complete
	arrived 6000000 "$name: MP_PRIO makes it regular in the middle: the bytes are right"
	in_time "$name: and it is used" less 500000 "$(second_path)"
	in_client ip mptcp endpoint change id 2 backup

	two=$(tx_bytes 2)
	serve
	begin -b 6000000
	sleep 1
	tc -n "$client" qdisc change dev c1 root netem loss 100%
	complete
	arrived 6000000 "$name: the regular path dies: the bytes are right"
	that "$name: the backup took over" less 1000000 "$(second_path)"
	that "$name: which was counted" less "$backups" "$(counter SchedBackup)"
	regular_path 0%

	# nothing is on its way when the next request comes: no ACK asks for it
	timeout "$patience" python3 -B backup.py "$client" "$server" >"$work/requests" 2>&1 ||
		sed 's/^/# /' "$work/requests"
	is 8 "$(value requests arrived)" "$name: for requests, one after the other, too"
	in_time "$name: in time" less "$(value requests worst_ms)" 3000
	regular_path 0%
done

finish
