#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A socket that is connected again has nothing of its last connection; a listener does not connect.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand connect_again
finish
