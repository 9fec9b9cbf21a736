#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# TCP_CONGESTION on a new socket refuses a name that nobody has.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand unknown_congestion
finish
