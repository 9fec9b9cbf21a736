#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# getsockopt(MPTCP_INFO) refuses a negative length.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand info_length
finish
