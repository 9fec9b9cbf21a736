#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# When memory for TCP is used up, a subflow with nothing in flight may send.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand memory_send
finish
