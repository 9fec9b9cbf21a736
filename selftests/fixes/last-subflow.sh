#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A connection whose last subflow the path manager deletes comes to an end.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
patience=600
by_hand last_subflow
finish
