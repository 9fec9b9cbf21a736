#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A peer that acknowledges without options speaks TCP: it does not get the same bytes again.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand optionless_acks
finish
