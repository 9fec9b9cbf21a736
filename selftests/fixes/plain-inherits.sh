#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A plain TCP client of an MPTCP listener becomes a socket that is set as the listener is.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand plain_inherits
finish
