#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# TCP_KEEPIDLE, TCP_KEEPINTVL and TCP_KEEPCNT on a new socket refuse what TCP refuses.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand keepalive_range
finish
