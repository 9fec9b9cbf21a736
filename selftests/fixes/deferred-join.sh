#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A listener with TCP_DEFER_ACCEPT waits for data, but not to let a subflow join.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand deferred_join
finish
