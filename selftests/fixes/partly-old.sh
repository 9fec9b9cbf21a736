#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Segments of which the first bytes had come before are charged and released alike.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand partly_old
finish
