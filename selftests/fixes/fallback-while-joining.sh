#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A peer that falls back refuses a subflow that is about to join: then this end falls back, too.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand fallback_while_joining
finish
