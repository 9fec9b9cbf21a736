#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A connection that ends while its ADD_ADDR waits for an echo is freed.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand add_addr_timer
finish
