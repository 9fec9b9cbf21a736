#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The end of the window is the DATA_ACK of a packet plus the window in that packet.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand announced_window
finish
