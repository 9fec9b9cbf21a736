#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The stream ends when a DATA_FIN comes with data that all came before.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand data_fin_of_old
finish
