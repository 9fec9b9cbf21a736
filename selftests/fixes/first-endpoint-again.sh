#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An endpoint that has the first subflow's address, and is announced, comes and goes: its subflow comes back
# each time.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

back() { in_client ss -Htn state established src 10.0.1.1 | grep -q .; }

need ss
hosts 20mbit 10ms 20mbit 10ms
in_server ip mptcp endpoint flush
in_server ip mptcp limits set subflow 4 add_addr_accepted 0
through 2 10.0.2.1
in_client ip mptcp endpoint add 10.0.1.1 dev c1 id 1 signal subflow
in_client ip mptcp endpoint add 10.0.2.1 dev c2 id 2 subflow
serve
begin -b 100000000
sleep 1
for n in once twice "three times"; do
	in_client ip mptcp endpoint del id 1
	sleep 0.5
	that "removed $n: the subflow goes" eval '! back'
	in_client ip mptcp endpoint add 10.0.1.1 dev c1 id 1 signal subflow
	that "and comes back with the endpoint" soon back
	sleep 0.5
done
over
finish
