# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with those who source this
# What some of these tests share beyond ../lib.sh: Python, hosts with both families.
# shellcheck source=../lib.sh
. ../lib.sh

python=/usr/bin/python3

need_dpkt() {
	"$python" -c 'import dpkt' 2>/dev/null || skip_all "needs $python with dpkt"
}

# both_families: the hosts have IPv6 beside IPv4.
both_families() {
	local n
	for n in 1 2; do
		ip -n "$client" addr add "fd00:$n::1/64" dev "c$n" nodad
		ip -n "$server" addr add "fd00:$n::2/64" dev "s$n" nodad
	done
}

# addresses 4|6: those in use; own: the client's on the second path.
addresses() {
	if [ "$1" = 4 ]; then
		any=0.0.0.0 first=10.0.1.2 second=10.0.2.2 own=10.0.2.1
	else
		any=:: first=fd00:1::2 second=fd00:2::2 own=fd00:2::1
	fi
}
