#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The control stream on the wire, by an independent implementation: who gets it, what is sent when,
# mappings and acknowledgments of both streams in turn, whole, in pieces, twice and out of place,
# wrong TLVs, fallback, silence.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
need_dpkt
need_sysctl control_stream
spoken_by_hand control.wire control_stream
finish
