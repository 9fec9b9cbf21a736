#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Data that is left at close() arrives as long as the peer acknowledges it.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
patience=600
by_hand after_close
finish
