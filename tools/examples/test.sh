#!/bin/bash
# SPDX-License-Identifier: MIT
# The example in each language that was built: it chooses the scheduler, and tells of both subflows. TAP output.
# usage: test.sh DIRECTORY (of what the Makefile built)
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
built=$1
cd "$here/../../selftests"
# shellcheck source=../../selftests/lib.sh
. ./lib.sh
need_tools
ours || skip_all "this kernel has no MPTCP scheduler framework"
hosts 8mbit 10ms 8mbit 10ms

# 80: with MPTCP, 81: plain TCP
in_server /usr/bin/python3 -c 'import selectors, socket
ready = selectors.DefaultSelector()
for port, protocol in (80, 262), (81, 6):
    listener = socket.socket(proto=protocol)
    listener.bind(("", port))
    listener.listen()
    ready.register(listener, selectors.EVENT_READ, True)
print("listening", flush=True)
while True:
    for key, _ in ready.select():
        if key.data:
            ready.register(key.fileobj.accept()[0], selectors.EVENT_READ)
        elif not key.fileobj.recv(1 << 20):
            ready.unregister(key.fileobj)
            key.fileobj.close()' >"$work/serves" 2>&1 &
soon grep -q listening "$work/serves"

# run ARGUMENT...: the example that is tried, to $work/said; its exit status to $status.
run() {
	status=0
	in_client "${example[@]}" 10.0.1.2 "$@" >"$work/said" 2>&1 || status=$?
}

# says STATUS PATTERN...: it ended so, and has these lines.
says() {
	local pattern
	cat "$work/said"
	[ "$status" = "$1" ] || return 1
	for pattern in "${@:2}"; do
		grep -Eqx -- "$pattern" "$work/said" || return 1
	done
}

figures=': RTT [1-9][0-9]*\.[0-9] ms, window [1-9][0-9]* segments, [1-9][0-9]* bytes acknowledged'
both=("10\.0\.1\.1:[0-9]+ to 10\.0\.1\.2:80$figures" "10\.0\.2\.1:[0-9]+ to 10\.0\.2\.2:80$figures")
both+=("2 subflows, numbers 1 2")
tcp='TCP: the peer, or something on the way, knows no Multipath TCP'

# all LANGUAGE
all() {
	run 80 inorder
	that "$1: the scheduler that was chosen, and both subflows" says 0 "scheduler inorder" "${both[@]}"
	run 80
	that "$1: the default" says 0 "scheduler default" "${both[@]}"
	run 80 nosuch
	that "$1: a scheduler that does not exist" says 1 ".*nosuch: .*"
	run 81 inorder
	that "$1: a server without Multipath TCP" says 0 "$tcp"
	run 99999
	that "$1: a port that is none" says 1 ".*(99999|10\.0\.1\.2): .*port.*"
	run
	that "$1: no port" says "$usage" "usage: .* HOST PORT \[SCHEDULER\]"
}

usage=2 example=("$built/subflows-c")
all C
usage=1 example=(/usr/bin/python3 "$here/subflows.py")
all Python
usage=2
for language in go rust; do
	example=("$built/subflows-$language")
	if [ -x "${example[0]}" ]; then
		all "$language"
	else
		skip "$language: its compiler was missing"
	fi
done

# Go takes TCP where the kernel has no Multipath TCP; who asks for a scheduler is told
in_client sysctl -q net.mptcp.enabled=0
example=("$built/subflows-c")
run 80
that "C: Multipath TCP is switched off" says 1 "this kernel has no Multipath TCP, or net.mptcp.enabled is 0: .*"
example=("$built/subflows-go")
if [ -x "${example[0]}" ]; then
	run 80
	that "go: Multipath TCP is switched off" says 0 "$tcp"
	run 80 inorder
	that "go: the same, with a scheduler" says 1 "inorder: protocol not available"
fi
finish
