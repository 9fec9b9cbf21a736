#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Addresses that a peer announces one right after the other are all used.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
# shellcheck source=addresses.sh
. ./addresses.sh

need ss
addresses_of_server
established
at_once "$announce" 2 3 4 5
is "2 3 4 5" "$(joined)" "a subflow to each address comes"
over
finish
