#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Systematic coding on the wire, by an independent implementation: who gets it, each set of missing symbols
# computed from each set of redundant ones, whole, in pieces, twice, early and late, wrong symbols, noise.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
need_dpkt
need_sysctl coding
spoken_by_hand coding.wire coding
finish
