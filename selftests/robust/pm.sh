#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tools that people manage paths with: ip mptcp, ss, mptcpctl, mptcpize, mptcpd with its
# plugins, a path manager in user space. What they do must show on live connections.
#
# MPTCPD, MPTCPD_PLUGINS, MPTCPCTL: where these are, if not at their usual places.
# usage: pm.sh [quick]
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
# shellcheck source=pm/lib.sh
. ./pm/lib.sh
# shellcheck source=pm/endpoints.sh
. ./pm/endpoints.sh
# shellcheck source=pm/tools.sh
. ./pm/tools.sh
# shellcheck source=pm/mptcpd.sh
. ./pm/mptcpd.sh
need ss "$python"

read -ra schedulers <<<"$(every_scheduler)"
if [ "${1:-}" = quick ]; then
	schedulers=("$(composed minrtt)")
	programs=("${programs[0]}")
fi

# What "ip netns exec" shows as /etc/mptcpd goes, too.
settle() {
	cleanup
	rm -rf -- "/etc/netns/$client" "/etc/netns/$server"
}
trap settle EXIT

hosts 8mbit 10ms 8mbit 15ms
both_families
# what IPv4 does by itself: the server's first address through the second path
ip -n "$client" route add fd00:1::/64 dev c2 metric 2048
ip -n "$client" neigh add fd00:1::2 dev c2 lladdr "$(in_server cat /sys/class/net/s2/address)" nud permanent
addresses 4

ip_mptcp
for name in "${schedulers[@]}"; do
	scheduler "$name"
	by_endpoint "$name"
done
scheduler default
listed
if command -v mptcpize >/dev/null; then
	mptcpized
else
	skip "needs mptcpize"
fi
managers
echo "# $tests cases, $moved bytes"
finish
