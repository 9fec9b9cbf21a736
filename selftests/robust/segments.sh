#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Segments that come in any order, overlap and come again, with mappings right and wrong, at a host that has little
# memory and net.mptcp.early_delivery=1: no byte is wrong, and the kernel lives (segments.py).
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
# shellcheck source=faults/leaks.sh
. ./faults/leaks.sh

need
need_dpkt
need_sysctl early_delivery
spoken_by_hand segments early_delivery
that "no socket is left" no_sockets "$server"
finish
