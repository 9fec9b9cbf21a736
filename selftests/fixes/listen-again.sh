#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# listen() on a listener changes its backlog; the socket is counted once.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand listen_again
finish
