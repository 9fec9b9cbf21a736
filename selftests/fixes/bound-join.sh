#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A subflow that a peer joined to an address of one link, fe80::/64, stays on that link, though the
# program has set an option; as TCP, and a subflow by a VRF, do.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

# joined: the server's subflow on the link, with what ss knows of its device
joined() { in_server ss -Htn state established src '[fe80::2:2]' | awk '{ print $3 }'; }
is_joined() { [ -n "$(joined)" ]; }

need ss
hosts 20mbit 10ms 20mbit 10ms
both_families
ip -n "$client" addr add fe80::2:1/64 dev c2 nodad
ip -n "$server" addr add fe80::2:2/64 dev s2 nodad
in_server ip mptcp endpoint flush
in_client ip mptcp endpoint add fe80::2:1 dev c2 subflow fullmesh

# the accepted socket has an option of its own before somebody joins
serve -a :: -G reno
begin -a fd00:1::2 -b 4000000
sleep 0.5
in_server ip mptcp endpoint add fe80::2:2 dev s2 signal
that "the client joins over the link" soon is_joined
is "[fe80::2:2]%s2:5000" "$(joined)" "the subflow is bound to its link"
# what the subflow knew of its route is no longer good: it asks again
ip -n "$server" route add fd00:9::/64 dev s1
dark 1
complete
arrived 4000000 "the other path is dark: the bytes come over the link"
finish
