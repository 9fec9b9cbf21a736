#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Subflows that come, go and turn stale in the middle of a transfer.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need

hosts 20mbit 10ms 20mbit 20ms

for name in $(every_scheduler); do
	scheduler "$name"
	comings_and_goings "$name"
done

finish
