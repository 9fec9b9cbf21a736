#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# MP_FAIL on a RST is not answered: the subflow ends.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand mp_fail_in_reset
finish
