#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What is dropped as it came before takes no memory.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand dropped_memory
finish
