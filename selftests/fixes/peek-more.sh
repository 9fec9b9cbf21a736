#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# MSG_PEEK returns what comes behind what it has returned before.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand peek_more
finish
