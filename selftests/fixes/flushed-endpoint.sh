#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After all endpoints were flushed, one that has the id of the first subflow's joins with that id, and
# its subflow goes with it.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

# ids: those of the client's subflows from its second address to the server's first one
ids() { in_client ss -Htin state established src 10.0.2.1 dst 10.0.1.2 | sed -n 's,.*token:[^ ]*/[0-9a-f]*(id:\([0-9]*\)).*,\1,p'; }

need ss
hosts 20mbit 10ms 20mbit 10ms
before=$(complaints)
through 2 10.0.2.1
in_client ip mptcp endpoint add 10.0.1.1 dev c1 subflow id 1
serve
begin -b 100000000
sleep 1
in_client ip mptcp endpoint flush
sleep 0.5
in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow id 1
sleep 0.5
is 1 "$(ids)" "a new endpoint joins with its id"
in_client ip mptcp endpoint add 10.0.1.1 dev c1 subflow id 2
sleep 0.5
in_client ip mptcp endpoint del id 1
sleep 0.5
is "" "$(ids)" "its subflow goes as it is removed"
is "$before" "$(complaints)" "and the kernel does not warn"
over
finish
