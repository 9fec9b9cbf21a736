#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Addresses that a peer withdraws one right after the other make room for others, and one that is
# announced again at once is used again.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
# shellcheck source=addresses.sh
. ./addresses.sh

need ss
addresses_of_server
established
one_by_one "$announce" 2 3 4 5
is "2 3 4 5" "$(joined)" "a subflow to each address comes"
at_once $'delete id ID\nmptcp endpoint '"$announce" 2
is "2 3 4 5" "$(joined)" "withdrawn and announced again at once: its subflow comes again"
at_once "delete id ID" 2 3 4 5
is "" "$(joined)" "all withdrawn at once: the subflows go"
one_by_one "$announce" 6 7 8 9
is "6 7 8 9" "$(joined)" "there is room for others"
over
finish
