#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The stream does not end where a DATA_FIN says that cannot be true.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand data_fin_place
finish
