#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A DATA_FIN that comes again is acknowledged again.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand data_fin_again
finish
