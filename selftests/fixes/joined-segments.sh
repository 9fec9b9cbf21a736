#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a mapping does not cover is not delivered as if it came next, but where its own mapping has it.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand joined_segments
finish
