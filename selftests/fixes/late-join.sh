#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A join that has to wait for the owner of the connection leaves the mapping of data alone.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand late_join
finish
