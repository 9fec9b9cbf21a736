#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ss shows each listener, also of those that share a port.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need ss
by_hand listeners_shown
finish
