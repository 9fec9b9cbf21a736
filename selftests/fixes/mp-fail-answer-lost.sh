#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The answer to MP_FAIL is lost, the infinite mapping is not: the connection goes on for good.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

# minutes that cost nothing in virtual time
patience=300
need
by_hand mp_fail_answer_lost
finish
