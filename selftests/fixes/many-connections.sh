#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# As many connections as there is memory for are MPTCP: tokens are not short before.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
hosts 10mbit 5ms 10mbit 5ms
# Linux had four tokens for each MB of memory; a connection from a machine to itself takes two.
megabytes=$(($(awk '/^MemTotal/ { print $2 }' /proc/meminfo) / 1024))
count=$((megabytes * 3))
[ $count -le 20000 ] || skip_all "needs $count connections on a machine with so much memory"
is $((2 * count)) "$(in_client "$python" -B many_connections.py $count 2>&1)" \
	"both ends of $count connections are MPTCP"
finish
