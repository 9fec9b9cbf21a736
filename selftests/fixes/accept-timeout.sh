#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# accept() waits no longer than SO_RCVTIMEO of the listener.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand accept_timeout
finish
