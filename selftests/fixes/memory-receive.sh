#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# When memory for TCP is used up, the data that a program waits for is not dropped.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand memory_receive
finish
