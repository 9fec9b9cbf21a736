#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The priority of an endpoint is changed for all subflows that it has.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

subflows() { in_client ss -Htn state established src 10.0.2.1 | wc -l; }
both() { [ "$(subflows)" = 2 ]; }

need ss
hosts 20mbit 10ms 20mbit 10ms
through 2 10.0.2.1
in_client ip mptcp endpoint add 10.0.2.1 dev c2 id 1 subflow fullmesh
serve
begin -b 100000000
that "an endpoint has a subflow to each address of the peer" soon both
sleep 0.5
in_client ip mptcp endpoint change id 1 backup fullmesh
sleep 0.5
is 2 "$(counter_of "$server" MPPrioRx)" "as a backup: the peer is told of both"
in_client ip mptcp endpoint change id 1 nobackup fullmesh
sleep 0.5
is 4 "$(counter_of "$server" MPPrioRx)" "and of both when it is none"
over
finish
