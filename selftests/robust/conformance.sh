#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What goes over the wire is Multipath TCP as RFC 8684 has it: conformance/ reads the captures
# of both hosts, and asks the server questions that no kernel asks. Bits that are inverted in
# the captures and other questions show that each check can fail.
# usage: conformance.sh [quick | 4 | 6]		quick: IPv4, some of it
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
# shellcheck source=conformance/lib.sh
. ./conformance/lib.sh
# shellcheck source=conformance/flows.sh
. ./conformance/flows.sh
# shellcheck source=conformance/joins.sh
. ./conformance/joins.sh
# shellcheck source=conformance/ends.sh
. ./conformance/ends.sh
# shellcheck source=conformance/sizes.sh
. ./conformance/sizes.sh
# shellcheck source=conformance/raw.sh
. ./conformance/raw.sh

quick() {
	flows 4 1
	joins_quick
	ends_quick
	by_hand 4
}

# whole FAMILY...
whole() {
	local version
	for version in "$@"; do
		flows "$version" 0
		flows "$version" 1
	done
	joins "$@"
	ends
	sizes
	by_hand "$@"
}

need tcpdump ss
need_dpkt
hosts 20mbit 10ms 20mbit 15ms
both_families
single_segments
crossed_route
case ${1:-} in
quick) quick ;;
"") whole 4 6 ;;
*) whole "$@" ;;
esac
finish
