#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Limits that are changed hold for connections that there are: for joins, for addresses, and for endpoints
# that wait.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

# joins FROM: subflows that the client has from that address
joins() { in_client ss -Htn state established src "$1" | wc -l; }

need ss
hosts 20mbit 10ms 20mbit 10ms
in_server ip mptcp endpoint flush
through 2 10.0.2.3
for n in 3 4 5; do
	ip -n "$client" addr add "10.0.2.$n/24" dev c2
	[ "$n" = 3 ] || ip -n "$client" rule add from "10.0.2.$n" table 2
done

in_server ip mptcp limits set subflow 1
serve
begin -b 100000000
sleep 0.5
in_client ip mptcp endpoint add 10.0.2.3 dev c2 subflow
sleep 0.5
in_client ip mptcp endpoint add 10.0.2.4 dev c2 subflow
sleep 0.5
is "1 0" "$(joins 10.0.2.3) $(joins 10.0.2.4)" "a server that takes one join refuses another"
in_server ip mptcp limits set subflow 4
in_client ip mptcp endpoint add 10.0.2.5 dev c2 subflow
sleep 0.5
is 1 "$(joins 10.0.2.5)" "and takes more when it may"
over
in_client ip mptcp endpoint flush

in_client ip mptcp limits set subflow 1 add_addr_accepted 4
for n in 3 4; do
	in_client ip mptcp endpoint add "10.0.2.$n" dev c2 subflow
done
serve
begin -b 100000000
sleep 0.5
is 1 "$(($(joins 10.0.2.3) + $(joins 10.0.2.4)))" "a client that may open one subflow opens one"
in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal id 9
sleep 0.5
is 0 "$(in_client ss -Htn state established dst 10.0.2.2 | wc -l)" "and none to an address that comes then"
in_client ip mptcp limits set subflow 2
sleep 0.5
is "1 1" "$(joins 10.0.2.3) $(joins 10.0.2.4)" "when it may, it opens the one that waits"
in_server ip mptcp endpoint del id 9
in_client ip mptcp limits set subflow 3
in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal id 10
sleep 0.5
is 1 "$(in_client ss -Htn state established dst 10.0.2.2 | wc -l)" "and one to an address that comes later"
over
finish
