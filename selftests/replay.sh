#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# replay: data goes where the list says, and nothing is lost where it cannot.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need

sequence=/sys/module/mptcp_sched_replay/parameters/sequence
modprobe mptcp_sched_replay 2>/dev/null || true
[ -e $sequence ] || skip_all "mptcp_sched_replay is not there"
restore() {
	echo >$sequence
	cleanup
}
trap restore EXIT

# replay LIST: false if the kernel does not take it.
replay() { (echo "$1" >$sequence) 2>/dev/null; }

replay "1:1000 2:500"
is "1:1000 2:500" "$(xargs <$sequence)" "a list is shown as it was given"
for wrong in "1" "1:" ":1" "1:2:3" "1:0" "0:1" "-1:5" "1:-5" "1:5x" "x" "1:5,2:5" "1:99999999999" "++1:5"; do
	that "'$wrong' is refused" eval '! replay "$wrong"'
done
is "1:1000 2:500" "$(xargs <$sequence)" "and the list stays"
replay "+1:7"
is "1:1000 2:500 1:7" "$(xargs <$sequence)" "a list with a plus is added"

# The longest there may be, a page at a time.
page=$(printf '1:1 %.0s' {1..512})
replay ""
for _ in {1..128}; do replay "+$page"; done
that "an entry more than 65536 is refused" eval '! replay "+1:1"'

hosts 20mbit 5ms 20mbit 5ms
scheduler replay

# share LIST BYTES: how many of the bytes the second path had, in percent.
share() {
	replay "$1"
	carried took -b "$2"
	share=$((100 * two / (one + two)))
}

share "1:90000 2:30000" 12000000
arrived 12000000 "a list: the bytes are right"
that "three quarters on the first path: not less" less 23 "$share"
that "nor more" less "$share" 28
share "2:90000 1:30000" 12000000
that "three quarters on the second: not less" less 70 "$share"
that "nor more" less "$share" 77
share "1:999999999" 3000000
arrived 3000000 "one subflow: the bytes are right"
in_time "the other one carries nothing" test "$share" = 0
share "9:1000000" 6000000
arrived 6000000 "a subflow that is not there: the bytes are right"
that "others carry them" less 20 "$share"
share "" 6000000
arrived 6000000 "no list: the bytes are right"

replay "1:14280 2:14280"
interrupted 1 10000000
interrupted 2 10000000
serve
begin -b 10000000
sleep 1
replay "2:1000"
complete
arrived 10000000 "another list in the middle: the bytes are right"

finish
