#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A SYN that comes again without MP_CAPABLE is answered by a SYN/ACK without.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand plain_syn
finish
