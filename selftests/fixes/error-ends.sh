#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A connection that fell back and is reset has ended, as TCP's has, also once the error was told.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand error_ends
finish
