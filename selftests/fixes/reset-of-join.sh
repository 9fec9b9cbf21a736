#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A RST that answers the SYN of a join does no more than to end that.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand reset_of_join
finish
