#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a fallback the stream ends with a FIN of TCP, wherever a DATA_FIN was.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand fin_as_tcp
finish
