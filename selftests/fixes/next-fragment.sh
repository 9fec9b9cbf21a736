#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a retransmission with checksums the next fragment is sent, not the same once more.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand next_fragment
finish
