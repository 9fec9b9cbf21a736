#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# FIONREAD counts what can be read, as of a TCP socket: no DATA_FIN, and nothing at the end.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand unread_bytes
finish
