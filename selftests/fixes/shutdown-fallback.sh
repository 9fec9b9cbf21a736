#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A fallback after shutdown() loses nothing of what waits to be sent.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand shutdown_fallback
finish
