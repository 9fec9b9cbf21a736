#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A peer that withdraws an address which nobody has accepted closes subflows, and no more.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand remove_unaccepted
finish
