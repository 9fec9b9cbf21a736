#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# TCP_INQ asks for a control message also when it is set after a fallback.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand inq_fallback
finish
