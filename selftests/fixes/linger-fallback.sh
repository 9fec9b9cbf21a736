#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a fallback close() with SO_LINGER waits until the peer has all.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand linger_fallback
finish
