#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# MSG_OOB is refused, and leaves the stream alone.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand no_urgent_data
finish
