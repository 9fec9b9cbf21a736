#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After bytes that are no news nobody goes on as TCP, which takes all bytes for news.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand fallback_after_duplicate
finish
