#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# When all subflows were closed, as what came made no sense, the program is told.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand error_told
finish
