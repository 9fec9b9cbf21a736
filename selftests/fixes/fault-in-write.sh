#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A write that is cut short by a fault sends what it took.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand fault_in_write
finish
