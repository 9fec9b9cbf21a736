#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# MP_FAIL with no more data to send: the connection goes on as TCP at once.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand mp_fail_at_end
finish
