#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A connection ends with its last subflow, whatever DATA_FIN that has received.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
patience=300
by_hand fin_held
finish
