#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A subflow that is refused has carried nothing: nothing is sent again because of it.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
# the server is far away on the path that works; a quick one refuses the second subflow, as nobody
# listens at that address
hosts 100mbit 100ms 100mbit 1ms
serve -a 10.0.1.2
begin -b 1000000
complete
is 1 "$(counter_of "$client" MPJoinSynTx)" "a second subflow is tried"
is 0 "$(counter_of "$server" MPJoinSynRx)" "and refused"
arrived 1000000 "all arrives"
is 0 "$(counter_of "$server" DuplicateData)" "and nothing of it twice"
finish
