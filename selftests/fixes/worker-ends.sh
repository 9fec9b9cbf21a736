#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A connection that fell back to TCP keeps no CPU busy while its peer lets it wait for the last ACK.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand worker_ends
finish
