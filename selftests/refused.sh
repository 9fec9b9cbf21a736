#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A port where nobody listens: programs see what TCP shows them, and one SYN goes out for a connect(),
# two with net.mptcp.retry_refused.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need nstat
hosts 100mbit 5ms 100mbit 5ms

# segments: that the client has sent, all of them SYNs here, or sent again.
segments() { in_client nstat -asz TcpOutSegs TcpRetransSegs | awk '/^Tcp/ { n += $2 } END { print n }'; }

# refused tcp|mptcp: what a program sees; $syns that two calls of connect() have sent.
refused() {
	local before
	before=$(segments)
	in_client /usr/bin/python3 refused.py 10.0.1.2 "$1" >"$work/$1"
	syns=$(($(segments) - before))
}

refused tcp
is 2 "$syns" "TCP: a SYN each"
refused mptcp
is 2 "$syns" "MPTCP: a SYN each"
is "$(cat "$work/tcp")" "$(cat "$work/mptcp")" "connect(), poll() and send() say what TCP's do"
in_client sysctl -q net.mptcp.retry_refused=1
refused mptcp
is 4 "$syns" "retry_refused: two SYNs each"
is "$(head -n 1 "$work/tcp")" "$(head -n 1 "$work/mptcp")" "and connect() is refused as before"
finish
