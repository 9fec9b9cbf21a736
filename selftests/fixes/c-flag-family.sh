#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A peer says that its first address takes no joins, and announces another one. The endpoint for
# subflows is of another family than that: it is of no use, and can be removed.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

announced() { [ "$(counter_of "$client" AddAddr)" != 0 ]; }

need
hosts 20mbit 10ms 20mbit 10ms
before=$(complaints)
in_server sysctl -q net.mptcp.allow_join_initial_addr_port=0
in_client ip mptcp limits set subflow 2 add_addr_accepted 0
ip -n "$client" addr add fd00::1/64 dev c1 nodad
in_client ip mptcp endpoint add fd00::1 id 3 subflow
serve
begin -b 100000000
that "an address is announced" soon announced
sleep 0.5
in_client ip mptcp endpoint del id 3
sleep 0.5
that "the transfer goes on" kill -0 "$sending"
is "$before" "$(complaints)" "the kernel does not warn as the endpoint is removed"
over
finish
