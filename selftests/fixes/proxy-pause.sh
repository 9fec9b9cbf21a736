#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A proxy acknowledges, the path behind it is silent for some seconds: no fallback, nothing again.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand proxy_pause
finish
