#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
# Tests of mptcpctl on the running kernel, in network namespaces of their own. TAP output.
set -euo pipefail
cd "$(dirname "$0")"

tests=0 failures=0
ns=mptcpctl-$$
work=$(mktemp -d)
tool=$PWD/mptcpctl
trap 'kill $(jobs -p) 2>/dev/null || true; ip netns del $ns 2>/dev/null || true; rm -rf "$work"' EXIT

skip_all() { echo "1..0 # SKIP $*"; exit 4; }
[ "$(id -u)" = 0 ] || skip_all "must be run as root"
[ -x "$tool" ] || skip_all "mptcpctl is not built: run make"
[ -e /proc/sys/net/mptcp ] || skip_all "this kernel has no MPTCP"
command -v iperf3 >/dev/null || skip_all "needs iperf3"

# check WHAT STATUS PATTERN COMMAND...: exit status and what is printed ("": anything)
check() {
	local what=$1 want=$2 pattern=$3 status=0
	shift 3
	"$@" >"$work/out" 2>&1 || status=$?
	tests=$((tests + 1))
	if [ "$status" = "$want" ] && { [ -z "$pattern" ] || grep -Eq -- "$pattern" "$work/out"; }; then
		echo "ok $tests $what"
	else
		failures=$((failures + 1))
		echo "not ok $tests $what"
		echo "# status $status, wanted $want; wanted /$pattern/ in:"
		sed 's/^/# /' "$work/out"
	fi
}

finish() { echo "1..$tests"; [ $failures = 0 ]; }

in_ns() { ip netns exec "$ns" "$@"; }
ctl() { in_ns "$tool" "$@"; }
user() { in_ns setpriv --reuid 65534 --regid 65534 --clear-groups "$work/bin/mptcpctl" "$@"; }

ip netns add "$ns"
in_ns ip link set lo up
chmod 755 "$work"
mkdir "$work/bin"
cp mptcpctl libmptcpctl.so "$work/bin"

check "help" 0 "usage: mptcpctl COMMAND" ctl --help
check "no command" 2 "usage: mptcpctl COMMAND" ctl
check "unknown command" 2 "unknown command 'frob'" ctl frob
check "get" 0 "^default$" ctl get

if [ ! -e /proc/sys/net/mptcp/allowed_schedulers ]; then
	check "list says what the kernel lacks" 0 "no MPTCP scheduler framework" ctl list
	check "run says what the kernel lacks" 2 "boot one with the scheduler patches" \
		ctl run --scheduler rr -- true
	check "run without a scheduler works" 0 "" ctl run -- true
	finish
	exit
fi

check "list names the default" 0 "^default +yes +all" ctl list
check "list names the others" 0 "^rr +- +all" ctl list
check "set" 0 "" ctl set minrtt
check "was set" 0 "^minrtt$" ctl get
check "set: unknown" 1 "no scheduler 'nosuch'; this kernel has: .*rr" ctl set nosuch
check "set: too long" 1 "1 to 15 characters" ctl set aaaaaaaaaaaaaaaaaaaaaaaaa
check "set: two" 2 "one scheduler only" ctl set rr minrtt
check "set: nothing" 2 "which scheduler" ctl set
check "set: an ordinary user" 1 "only root may change the default" user set rr
check "nothing changed" 0 "^minrtt$" ctl get
in_ns sysctl -q net.mptcp.scheduler=rr
check "set --param" 0 "" ctl set rr --param segments=3
check "list shows it" 0 "^rr .* segments=3" ctl list
ctl set rr --param segments=1
check "set --param: unknown" 1 "no tunable 'nosuch'" ctl set rr --param nosuch=1
check "set --param: out of range" 1 "segments=0: Invalid argument" ctl set rr --param segments=0
in_ns sysctl -q net.mptcp.scheduler=default

check "run: no program" 2 "which program" ctl run
check "run: unknown scheduler" 2 "no scheduler 'nosuch'" ctl run --scheduler nosuch -- true
check "run: unknown congestion control" 2 "does not take 'nosuch'" ctl run --congestion nosuch -- true
check "run: status of the program" 7 "" ctl run -- sh -c 'exit 7'
check "run: no such program" 127 "nosuchprogram" ctl run -- nosuchprogram
in_ns sysctl -q net.mptcp.allowed_schedulers=default
check "run: not allowed" 2 "only CAP_NET_ADMIN may use 'rr' here, all may use: default" \
	user run --scheduler rr -- true
in_ns sysctl -q net.mptcp.allowed_schedulers="default rr"
check "run: allowed" 0 "" user run --scheduler rr -- true

ip netns exec "$ns" "$tool" run -- iperf3 -s >/dev/null &
sleep 0.5
ip netns exec "$ns" "$tool" run --scheduler rr --congestion reno -- \
	iperf3 -c 127.0.0.1 -b 5M -t 6 >"$work/iperf" &
client=$!
sleep 2
check "show: connections and their scheduler" 0 "iperf3\[.*\] fd .* mptcp  scheduler rr  token 0x" ctl show
check "show: subflows" 0 "subflow 1  127.0.0.1:[0-9]+ -> 127.0.0.1:5201  rtt [0-9.]+ ms  cwnd [0-9]+  sent [0-9]+" ctl show
check "show: a listener" 0 "listening" ctl show
check "show --json" 0 '"scheduler": "rr"' ctl show --json
check "show --json is JSON" 0 "" sh -c "ip netns exec $ns $tool show --json | python3 -m json.tool"
check "show --pid" 0 "iperf3\[$client\]" ctl show --pid "$client"
check "show: what an ordinary user cannot see is said" 0 "try as root" user show
check "set --pid" 0 "sockets changed to minrtt" ctl set minrtt --pid "$client"
check "show tells the change" 0 "iperf3\[$client\].* scheduler minrtt" ctl show --pid "$client"
check "set by address" 0 "^[1-9][0-9]* of [0-9]* sockets changed to rr" ctl set rr --peer 127.0.0.1:5201
check "set --pid: none" 1 "no MPTCP socket matches" ctl set rr --pid $$
check "set --fd without --pid" 2 "say which with --pid" ctl set rr --fd 3
check "set --pid: unknown scheduler" 1 "no scheduler 'nosuch'" ctl set nosuch --pid "$client"
wait "$client"
check "the transfer was not disturbed" 0 "receiver" cat "$work/iperf"
if command -v man >/dev/null; then
	check "the manual page has no errors" 0 "" sh -c '! man -l --warnings -E UTF-8 mptcpctl.8 2>&1 >/dev/null | grep .'
fi
finish
