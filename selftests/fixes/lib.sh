# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with those who source this
# Shared by the tests of single defects of Linux: they need nothing of ours from the kernel, so
# that they can be seen to fail on Linux as it came. Beyond ../robust/lib.sh: a peer by hand.
# shellcheck source=../robust/lib.sh
. ../robust/lib.sh

# the address of the peer by hand; no host has it
hand=10.0.1.77

# need TOOL...: in place of the one that wants our framework.
need() {
	need_tools "$@"
	[ -n "$sched_sock" ] || skip_all "sched_sock is not built: run make"
}

# by_hand MODULE: a Python module of this folder, in the client, is a peer of the server, and its
# programs there: see hand.py. What it prints ("ok WHAT", "not ok WHAT", "# ...") becomes TAP.
by_hand() {
	need_dpkt
	hosts 100mbit 5ms 100mbit 5ms
	in_server ip mptcp endpoint flush
	in_server ip mptcp limits set subflow 4 add_addr_accepted 4
	ip -n "$server" neigh replace "$hand" dev s1 nud permanent \
		lladdr "$(in_client cat /sys/class/net/c1/address)"
	PYTHONPATH=../robust:../robust/middlebox:../robust/attack heard timeout "$patience" \
		ip netns exec "$client" "$python" -B -m "$1" 10.0.1.2 "$hand" "$server"
}

# over: the transfer need not come to its end.
over() {
	kill "$sending" "$served" || true
	wait "$sending" "$served" 2>/dev/null || true
}

# complaints: of the kernel, so far.
complaints() { dmesg | grep -c WARNING: || true; }
