#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A writer that waits for room is told when its connection is closed, as no subflow came back.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh

need
hosts 10mbit 5ms 10mbit 5ms
in_server ip mptcp endpoint flush
# TCP gives up after some seconds, the connection 5 s later
in_both sysctl -q net.ipv4.tcp_retries2=3 net.mptcp.close_timeout=5
ip netns exec "$server" "$python" -B writer_woken.py serve &
soon listens_at "$server" 7000
timeout 120 ip netns exec "$client" "$python" -B writer_woken.py write 10.0.1.2 >"$work/told" &
writer=$!
sleep 2
ip -n "$server" link set s1 down
wait $writer || true
is "ETIMEDOUT EPIPE" "$(cat "$work/told")" "a writer that waits is told that the connection is gone, and one that comes later"
finish
