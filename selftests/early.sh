#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Early delivery: what a subflow has out of order is delivered at once.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need nft
[ -e /proc/sys/net/mptcp/early_delivery ] || skip_all "this kernel has no early delivery"

early() { in_server sysctl -q net.mptcp.early_delivery="$1"; }
hosts 10mbit 10ms 10mbit 10ms
for s in redundant minrtt+rp default; do
scheduler $s
shape 1 10mbit 10ms 1000 loss 1%
shape 2 10mbit 40ms 1000 loss 1%
for e in 0 1; do
early $e
serve
transfer -b 500000 -m 1000 -i 20
arrived 500000 "x"
echo "# $s $e gap $(value server gap) segs $(counter_of "$server" EarlySegs) bytes $(counter_of "$server" EarlyBytes) drop $(counter_of "$server" EarlyDropBytes) dup $(counter_of "$server" DuplicateData)"
cat $work/server
done
done
finish
