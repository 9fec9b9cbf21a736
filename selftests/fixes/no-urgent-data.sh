#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# recv() with MSG_OOB says that nothing is urgent, and reads no data.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand no_urgent_data
finish
