#!/bin/bash
# SPDX-License-Identifier: GPL-2.0 OR MIT
# "mptcpctl doctor" on a machine with two uplinks: as it should be, then with each mistake made on purpose,
# which it must name; and where it prints commands, these must mend it. TAP output.
#
# As in selftests/lib.sh, and the server has 203.0.113.1, to which both uplinks have a default route.
set -euo pipefail
cd "$(dirname "$0")"
tool=$PWD/mptcpctl
export PATH=$PWD:$PATH # for the commands that it prints
cd ../../selftests
# shellcheck source=../../selftests/lib.sh
. ./lib.sh
need_tools
[ -x "$tool" ] || skip_all "mptcpctl is not built: run make"
hosts 8mbit 10ms 8mbit 10ms
in_server ip mptcp endpoint flush
ip -n "$server" addr add 203.0.113.1/32 dev lo
in_server sysctl -q net.ipv4.conf.{all,s1,s2}.rp_filter=0

# 80: with MPTCP, 81: plain TCP, 83: with MPTCP, ends each connection at once; of both families
ip netns exec "$server" /usr/bin/python3 -c 'import selectors, socket
ready = selectors.DefaultSelector()
for port, protocol in (80, 262), (81, 6), (83, 262):
    listener = socket.socket(socket.AF_INET6, socket.SOCK_STREAM, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("", port))
    listener.listen(64)
    ready.register(listener, selectors.EVENT_READ)
print("listening", flush=True)
kept = []
while True:
    for key, _ in ready.select():
        accepted = key.fileobj.accept()[0]
        if accepted.getsockname()[1] == 83:
            accepted.close()
        else:
            kept.append(accepted)' >"$work/serves" 2>&1 &
soon grep -q listening "$work/serves"

no_carrier() { ip -n "$client" link show c2 | grep -q NO-CARRIER; }

# right: the machine as two-uplinks.md has it
right() {
	in_client sysctl -q net.mptcp.enabled=1 net.mptcp.pm_type=0 net.ipv4.conf.{all,c1,c2}.rp_filter=0
	ip -n "$client" link set c2 up mtu 1500
	ip -n "$server" link set s2 up
	soon eval '! no_carrier'
	ip -n "$client" route flush exact default
	ip -n "$client" route add default via 10.0.1.2 dev c1 metric 100
	ip -n "$client" route add default via 10.0.2.2 dev c2 metric 200
	in_client ip mptcp limits set subflow 1
	in_client ip mptcp endpoint flush
	in_client ip mptcp endpoint add 10.0.1.1 id 1 dev c1 subflow
	in_client ip mptcp endpoint add 10.0.2.1 id 2 dev c2 subflow
}

# doctor [HOST[:PORT]]: what it says is in $work/said, its exit status in $status. below: what starts it.
below=()
doctor() {
	status=0
	in_client "${below[@]}" "$tool" doctor "$@" >"$work/said" 2>&1 || status=$?
}

# finds STATUS PATTERN: in that.
finds() {
	cat "$work/said"
	[ "$status" = "$1" ] && grep -Eq -- "$2" "$work/said"
}

# well WHAT [HOST[:PORT]]
well() {
	doctor "${@:2}"
	that "$1" eval 'finds 0 "^ok MPTCP" && ! finds 0 "^!"'
}

# names WHAT PATTERN [HOST[:PORT]]: something is wrong, and a line says that.
names() {
	doctor "${@:3}"
	that "$1" finds 1 "^!  $2"
}

# counts N PATTERN: so many lines of it.
counts() {
	cat "$work/said"
	[ "$(grep -cE -- "$2" "$work/said")" = "$1" ]
}

# mends: the printed commands, with the gateway filled in.
mends() {
	local what=$1
	sed -n 's/^     //p' "$work/said" | sed 's/GATEWAY/10.0.2.2/' >"$work/commands"
	in_client sh -e "$work/commands" >"$work/err" 2>&1 || sed 's/^/# /' "$work/err"
	well "$what: the commands mend it" 203.0.113.1
	right
}

right
well "a right machine"
well "a right machine and a server" 203.0.113.1
that "it says what it looked at" \
	counts 10 '^ok (MPTCP|scheduler|limits|endpoint 10|route from 10|way to 203.0.113.1 from 10|connection to)'
that "the second subflow came" finds 0 '^ok connection to 203.0.113.1 over IPv4: it has 2 subflows'
well "the server's port" 203.0.113.1:80

in_client sysctl -q net.mptcp.enabled=0
names "MPTCP is off" "MPTCP: it is switched off" 203.0.113.1
mends "MPTCP is off"

in_client sysctl -q net.mptcp.pm_type=1
names "a path manager in user space" "path manager: it is a program's business"
mends "a path manager in user space"

in_client ip mptcp endpoint flush
names "no endpoint" "endpoints: there is none for subflows" 203.0.113.1
that "no endpoint: both uplinks are named" counts 2 '^!  uplink c[12]: it has a default route of IPv4, but'
that "no endpoint: so a connection has one subflow" finds 1 '^!  connection to 203.0.113.1 over IPv4: no second subflow'
mends "no endpoint"

in_client ip mptcp endpoint delete id 2
names "an uplink without endpoint" "uplink c2: it has a default route of IPv4, but no endpoint"
mends "an uplink without endpoint"

# mptcpd makes such endpoints unless its settings are edited
for flags in "" signal; do
	in_client ip mptcp endpoint delete id 2
	# shellcheck disable=SC2086 # none is no word
	in_client ip mptcp endpoint add 10.0.2.1 id 2 dev c2 $flags
	names "an endpoint with flags '$flags'" "endpoint 10.0.2.1 dev c2: it is not for subflows" 203.0.113.1
	mends "an endpoint with flags '$flags'"
done
in_client ip mptcp endpoint add 127.0.0.1 dev lo subflow
in_client ip mptcp limits set subflow 2
names "a loopback address" "endpoint 127.0.0.1 dev lo: a loopback or link-local address reaches nobody else"
mends "a loopback address"
in_client ip mptcp endpoint change id 2 backup
well "a backup is no mistake" 203.0.113.1
that "a backup: it is told" finds 0 '^ok endpoint 10.0.2.1 dev c2, a backup: it waits until the others fail$'
right

in_client ip mptcp endpoint add 10.0.2.9 dev c2 subflow
names "an address that is nowhere" "endpoint 10.0.2.9 dev c2: no interface has this address" 203.0.113.1
in_client ip mptcp limits set subflow 2
mends "an address that is nowhere"

in_client ip mptcp endpoint delete id 2
in_client ip mptcp endpoint add 10.0.2.1 id 2 dev c1 subflow backup
names "an endpoint on a wrong interface" "endpoint 10.0.2.1 dev c1: the address is on c2" 203.0.113.1
that "its flags stay" finds 1 'endpoint add 10.0.2.1 dev c2 subflow backup$'
mends "an endpoint on a wrong interface"

ip -n "$client" link set c2 down
names "a link is down" "endpoint 10.0.2.1 dev c2: c2 is down" 203.0.113.1
that "a link is down: the command" finds 1 '^     ip link set c2 up$'
right

ip -n "$server" link set s2 down
soon no_carrier
names "no carrier" "endpoint 10.0.2.1 dev c2: c2 has no carrier" 203.0.113.1
right

in_client ip mptcp limits set subflow 0
names "the limits are too low" "limits: 0 subflows beside the first one, but there are 2 endpoints" 203.0.113.1
mends "the limits are too low"

ip -n "$client" route del default via 10.0.2.2
names "no route on the second uplink" "route from 10.0.2.1 dev c2: there is none by c2" 203.0.113.1
that "no route: the command" finds 1 '^     ip route add default via GATEWAY dev c2 metric 200$'
mends "no route on the second uplink"

ip -n "$client" rule add from 10.0.2.1 prohibit
names "a rule" "route from 10.0.2.1 dev c2: a rule hides the default route by c2" 203.0.113.1
ip -n "$client" rule del from 10.0.2.1 prohibit

in_client ip mptcp endpoint delete id 2
in_client ip mptcp endpoint add 10.0.2.1 id 2 subflow
names "a source that the wrong uplink routes" "route from 10.0.2.1: it leaves by c1, not by c2, as the endpoint names no dev" 203.0.113.1
mends "a source that the wrong uplink routes"
in_client ip mptcp endpoint delete id 2
in_client ip mptcp endpoint add 10.0.2.1 id 2 subflow
ip -n "$client" route add default via 10.0.2.2 table 2
ip -n "$client" rule add from 10.0.2.1 table 2
well "rules instead are as good" 203.0.113.1
in_client sysctl -q net.ipv4.conf.c2.rp_filter=1
well "with rules a strict rp_filter does no harm" 203.0.113.1
ip -n "$client" rule del from 10.0.2.1 table 2
right

in_client sysctl -q net.ipv4.conf.all.rp_filter=1
names "a strict rp_filter" "rp_filter: c2 drops what comes in on it, as the first route is by c1" 203.0.113.1
that "a strict rp_filter: so the way is dark" finds 1 '^!  way to 203.0.113.1 from 10.0.2.1 dev c2: no answer'
mends "a strict rp_filter"

# setting NAME VALUE PATTERN
setting() {
	in_client sysctl -q "net.ipv4.$1=$2"
	names "$1" "net.ipv4.$1$3"
	mends "$1"
}
setting tcp_window_scaling 0 " is 0: windows end at 64 KB"
setting tcp_moderate_rcvbuf 0 " is 0: receive buffers stay as small as they begin"
setting tcp_sack 0 " is 0: after a loss"
setting tcp_rmem "4096 16384 65536" ": 65 KB at most are too little for several uplinks"
setting tcp_wmem "4096 16384 65536" ": 65 KB at most are too little for several uplinks"

if [ -e /proc/sys/net/mptcp/path_price ]; then
	in_client "$tool" path c2 --price 10
	names "a price that nobody looks at" "prices: the scheduler default does not look at them"
	mends "a price that nobody looks at"
	in_client "$tool" path c2 --weight 3
	in_client sysctl -q net.mptcp.scheduler=default+rp
	names "a price and a weight that nobody looks at" "prices: the scheduler default.rp does not look at them"
	that "one command does for both" eval 'counts 1 "^     mptcpctl set " && finds 1 "^     mptcpctl set weighted.rp.price$"'
	mends "a price and a weight that nobody looks at"
	in_client sysctl -q net.mptcp.scheduler=default+price
	in_client "$tool" path c2 --price 0
	names "a weight that nobody looks at" "weights: the scheduler default.price does not look at them"
	mends "a weight that nobody looks at"
	in_client sysctl -q net.mptcp.scheduler=default
	in_client "$tool" path c2 --weight 1 --budget 1k/1d --used 2k
	names "a budget that is used up" "budget of c2: it is used up, so that c2 is a backup until [0-9]{4}-"
	mends "a budget that is used up"
else
	skip "prices and budgets: this kernel has none"
fi

ip -n "$client" route del default via 10.0.2.2
in_client ip mptcp endpoint delete id 2
names "one uplink only" "uplinks: only c1 has a default route"
ip -n "$client" route del default
names "no uplink" "uplinks: no interface has a default route"
right

names "a server without MPTCP" "server 203.0.113.1:81: plain TCP from everywhere, it does not speak MPTCP" 203.0.113.1:81
names "a port that refuses" "server 203.0.113.1:82: it refuses, nothing listens" 203.0.113.1:82
in_server ip mptcp limits set subflow 0
names "a server that takes no second subflow" "connection to 203.0.113.1 over IPv4: no second subflow within 3 s: the server answers, and takes none" 203.0.113.1
in_server ip mptcp limits set subflow 4
in_server sysctl -q net.mptcp.allow_join_initial_addr_port=0
names "a server that takes none to this address" "connection to 203.0.113.1 over IPv4: no second subflow within 3 s: no SYN for one left here" 203.0.113.1
in_server sysctl -q net.mptcp.allow_join_initial_addr_port=1

names "a server that ends connections at once" "way to 203.0.113.1:83 from the default route: the server ends the test connection at once" 203.0.113.1:83
that "and nothing else is wrong with it" counts 1 '^!'

dark 2
names "a dark way" "way to 203.0.113.1 from 10.0.2.1 dev c2: no answer: this way is dark" 203.0.113.1
that "the other one is not" finds 1 '^ok way to 203.0.113.1 from 10.0.1.1 dev c1: MPTCP$'
light 2

# on_the_way PATH RULE: what a middlebox does there; false: this nft or kernel cannot.
on_the_way() {
	in_server nft -f - 2>"$work/err" <<-NFT
		table ip middlebox {
			chain way {
				type filter hook prerouting priority raw
				iifname s$1 $2
			}
		}
	NFT
}
# middlebox WHAT RULE PATTERN: and doctor names it.
middlebox() {
	if ! command -v nft >/dev/null || ! on_the_way 2 "$2"; then
		skip "$1: nft cannot"
		return
	fi
	names "$1" "$3" 203.0.113.1
	in_server nft delete table ip middlebox
}
middlebox "a way that drops MPTCP's options" "tcp option mptcp exists drop" "way to 203.0.113.1 from 10.0.2.1 dev c2: something on this way drops"
below=("$tool" run --) # which makes MPTCP of TCP
middlebox "the same below mptcpctl run" "tcp option mptcp exists drop" "way to 203.0.113.1 from 10.0.2.1 dev c2: something on this way drops"
below=()
middlebox "a way that takes them away" "reset tcp option mptcp" "way to 203.0.113.1 from 10.0.2.1 dev c2: plain TCP: the server does not speak MPTCP, or something on this way takes its options away"
middlebox "a way that lets no further subflow through" "tcp option mptcp subtype 1 drop" \
	"connection to 203.0.113.1 over IPv4: no second subflow within 3 s: nobody answers its SYN"
if command -v nft >/dev/null && on_the_way 2 "meta length > 1450 drop"; then
	names "a way that loses full packets" "way to 203.0.113.1 from 10.0.2.1 dev c2: full packets are lost on this way" 203.0.113.1
	that "a way that loses full packets: those that get through" finds 1 '^     ip link set c2 mtu 1420$'
	mends "a way that loses full packets"
	in_server nft delete table ip middlebox
else
	skip "a way that loses full packets: nft cannot"
fi
if command -v nft >/dev/null && on_the_way 1 "tcp option mptcp exists drop"; then
	in_client sysctl -q net.mptcp.blackhole_timeout=3600
	# once may be chance
	in_client /usr/bin/python3 -c 'import socket
for _ in range(2):
    socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262).connect(("203.0.113.1", 80))'
	in_server nft delete table ip middlebox
	names "Linux does without MPTCP" "MPTCP: for 3600 s or longer this machine does without" 203.0.113.1
	mends "Linux does without MPTCP"
else
	skip "Linux does without MPTCP: nft cannot"
fi
well "without them all is well again" 203.0.113.1

# "why" says of a connection what doctor says of the machine. Linux takes what has no route by an interface for a
# neighbour there, which gateways do not pretend to be.
in_server sysctl -q net.ipv4.conf.s2.arp_ignore=1
ip -n "$client" neigh flush dev c2
ip -n "$client" route del default via 10.0.2.2
in_client /usr/bin/python3 -c 'import os, socket, subprocess, sys, time
connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
connection.connect(("203.0.113.1", 80))
connection.send(b"x")
time.sleep(1)
sys.exit(subprocess.run([sys.argv[1], "why", "--pid", str(os.getpid())]).returncode)' "$tool" >"$work/said" 2>&1 || true
in_server sysctl -q net.ipv4.conf.s2.arp_ignore=0
right
if grep -q CONFIG_MPTCP_EXT_LIMITS "$work/said"; then
	skip "why: no route: this kernel does not count limits"
else
	that "why: no route" counts 1 '^    no subflow from 10.0.2.1 dev c2: no route leads to the peer from there: "mptcpctl doctor" has the command$'
fi

both_families
ip -n "$server" addr add 2001:db8:1::1/128 dev lo nodad
for n in 1 2; do
	ip -n "$client" route add default via "fd00:$n::2" dev "c$n" metric "${n}00"
done
names "IPv6 has uplinks, too" "uplink c2: it has a default route of IPv6, but no endpoint"
mends "IPv6 has uplinks, too"
for n in 1 2; do
	in_client ip mptcp endpoint add "fd00:$n::1" dev "c$n" subflow
done
well "a server of IPv6" "[2001:db8:1::1]:80"
that "over both uplinks" counts 2 '^ok way to .2001:db8:1::1.:80 from fd00:'
ip -n "$client" route del default via fd00:2::2
names "no route of IPv6 on the second uplink" "route from fd00:2::1 dev c2: there is none by c2" 2001:db8:1::1
that "its command is for IPv6" finds 1 '^     ip -6 route add default via GATEWAY dev c2 metric 200$'
right

# private addresses of IPv6, newer than the others, reach nobody
ip -n "$client" -6 route flush exact default
for n in 1 2; do
	ip -n "$client" addr add "2001:db8:9$n::5/64" dev "c$n" nodad
	ip -n "$client" addr add "fd00:9:$n::5/64" dev "c$n" nodad
	ip -n "$client" route add default via "fd00:$n::2" dev "c$n" metric "${n}00"
done
names "the address that others can reach" "uplink c2: it has a default route of IPv6"
that "the address that others can reach: the command" counts 2 '^     ip mptcp endpoint add 2001:db8:9[12]::5 dev c[12] subflow$'
ip -n "$client" -6 route flush exact default
for n in 1 2; do
	ip -n "$client" addr del "2001:db8:9$n::5/64" dev "c$n"
	ip -n "$client" addr del "fd00:9:$n::5/64" dev "c$n"
done

# a server of both families, and only one uplink has IPv6
ip -n "$client" route add default via fd00:1::2 dev c1
in_client ip mptcp endpoint add fd00:1::1 dev c1 subflow
printf '203.0.113.1 both.example\n2001:db8:1::1 both.example\n' >"$work/hosts"
in_client sh -c 'mount --bind "$1" /etc/hosts && exec "$2" doctor both.example' - "$work/hosts" "$tool" >"$work/said" 2>&1 || true
that "one uplink with IPv6" counts 1 '^!  connection to both.example over IPv6: no second subflow within 3 s: there are no two endpoints'
that "and the other family is tried, too" counts 1 '^ok connection to both.example over IPv4: it has 2 subflows$'
ip -n "$client" -6 route flush exact default
right

# no network interface of a guest has LRO
if cc -shared -fPIC -o "$work/lro.so" -x c - 2>"$work/err" <<-C; then
	#include <linux/ethtool.h>
	#include <linux/sockios.h>
	#include <net/if.h>
	#include <stdarg.h>
	#include <sys/syscall.h>
	#include <unistd.h>
	int ioctl(int fd, unsigned long what, ...)
	{
		va_list args;
		va_start(args, what);
		struct ifreq *request = va_arg(args, void *);
		if (what == SIOCETHTOOL && request->ifr_name[1] == '2')
			return ((struct ethtool_value *)request->ifr_data)->data = ETH_FLAG_LRO, 0;
		return syscall(SYS_ioctl, fd, what, request);
	}
C
	in_client env LD_PRELOAD="$work/lro.so" "$tool" doctor >"$work/said" 2>&1 || true
	that "LRO" counts 1 "^!  offload of c2: LRO, by which the card merges segments, may lose"
	that "LRO: the command" counts 1 "^     ethtool -K c2 lro off$"
else
	skip "LRO: no compiler"
fi

doctor --json 203.0.113.1
is "True 10 endpoint 10.0.1.1 dev c1" "$(/usr/bin/python3 -c 'import json, sys
rows = json.load(sys.stdin)
print(all(row["ok"] and row["commands"] == [] for row in rows if "uplink" not in row["text"]),
      sum("uplink" not in row["text"] for row in rows), rows[2]["text"])' <"$work/said")" "--json: the same"
doctor --json nosuch.invalid
is 2 "$status" "a host that is nowhere: could not be found out"
doctor 203.0.113.1:65616
that "a port that there is not" finds 2 "a port from 1 to 65535$"
doctor 203.0.113.1
cp "$work/said" "$work/root"
in_client setpriv --reuid 65534 --regid 65534 --clear-groups "$tool" doctor 203.0.113.1 >"$work/said" 2>&1 || true
that "an ordinary user is told the same" diff "$work/root" "$work/said"
finish
