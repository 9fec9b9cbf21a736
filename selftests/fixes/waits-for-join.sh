#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the server writes while there is no subflow goes out when the peer joins.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand waits_for_join
finish
