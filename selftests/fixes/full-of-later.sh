#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The receive buffer is full of data that comes later: what is next is taken all the same.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand full_of_later
finish
