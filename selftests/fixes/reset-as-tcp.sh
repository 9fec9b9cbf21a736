#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# After a fallback a connection that is aborted is reset, as with TCP.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
by_hand reset_as_tcp
finish
