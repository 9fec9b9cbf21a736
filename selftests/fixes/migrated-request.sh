#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A request that another listener gets, as its own has closed, keeps its token.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand migrated_request
finish
