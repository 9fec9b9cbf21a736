#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# MP_FAIL is sent when a DATA_FIN waits to be acknowledged, too.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand mp_fail_beside_data_fin
finish
