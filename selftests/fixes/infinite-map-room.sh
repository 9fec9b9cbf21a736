#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A segment with the infinite mapping fits into the MTU when it is sent again, too.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand infinite_map_room
finish
