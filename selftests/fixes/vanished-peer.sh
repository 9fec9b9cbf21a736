#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who has said all and waits for a peer that is gone is told, after as long as with TCP.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need nft
by_hand vanished_peer
finish
