#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The checksums of both directions fail at a time: both get an infinite mapping.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand mp_fail_both_ways
finish
