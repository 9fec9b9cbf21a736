#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Subflows that come, go and turn stale in the middle of a transfer, with each scheduler and from one to the next.
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

# A live switch in every state: with each 64 KB that are written, in whatever state the connection is.
scheduler default
switches=$(counter SchedSwitch)
all=$(for name in $(but default "$(cat /proc/sys/net/mptcp/available_schedulers)"); do
	echo "default+rs $name $(composed "$name")"
done | xargs)
comings_and_goings "another one with each 64 KB" -w "$(commas "$all")"
that "they were switched" less 300 $(($(counter SchedSwitch) - switches))

finish
