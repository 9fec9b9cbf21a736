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

# skip WHAT WHY
skip() {
	tests=$((tests + 1))
	echo "ok $tests # SKIP $1: $2"
}

finish() { echo "1..$tests"; [ $failures = 0 ]; }

in_ns() { ip netns exec "$ns" "$@"; }
ctl() { in_ns "$tool" "$@"; }
# lines CTL...: what mptcpctl shows, a line for each connection and each subflow
lines() {
	"$@" | awk '/^[^ ]|^    (subflow|scheduling)/ { if (line != "") print line; line = $0; next }
		{ sub(/^ +/, "  "); line = line $0 } END { print line }'
}
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
check "get --json" 0 '^\{"scheduler": "default"\}$' ctl get --json
check "metrics knows no --json" 2 "unrecognized option '--json'" ctl metrics --json
check "advise knows no --rates" 2 "unrecognized option '--rates'" ctl advise --rates
check "--version" 0 "^mptcpctl [0-9.]+, this kernel (has|lacks) the scheduler patches$" ctl --version

mapfile -t commands < <(./mptcpctl --help | awk '/^  [a-z]/ { print $1 }' | uniq)
check "all commands are listed" 0 "^list get set run show advise why top doctor path metrics load unload$" echo "${commands[*]}"
for command in "${commands[@]}"; do
	check "$command --help" 0 "usage: mptcpctl $command" ctl "$command" --help
	check "$command --nosuch" 2 "usage: mptcpctl $command" ctl "$command" --nosuch
	check "$command --help fits a terminal" 1 "" grep -E '^.{80}' <(./mptcpctl "$command" --help)
done
check "--help fits a terminal" 1 "" grep -E '^.{80}' <(./mptcpctl --help)
check "list --help on a full disk" 1 "standard output: No space left" sh -c '"$@" >/dev/full' sh "$tool" list --help
check "an option that is none" 2 "^mptcpctl: list: unrecognized option '--nosuch'" ctl list --nosuch
check "list takes no arguments" 2 "no argument 'extra'" ctl list extra
check "--version takes no arguments" 2 "no argument 'extra'" ctl --version extra
check "show takes no arguments" 2 "no argument 'extra'" ctl show extra
check "set --param: two values" 2 "takes NAME=VALUE, not 'a=1 2'" ctl set default --param "a=1 2"
check "set --pid 0" 2 "a number from 1 on" ctl set default --pid 0
check "set --pid: no number" 2 "not '1x'" ctl set default --pid 1x
check "set --peer: no port" 2 "takes ADDR:PORT" ctl set default --peer 127.0.0.1
check "set --local: no address" 2 "takes ADDR:PORT" ctl set default --local host:80
check "set --peer: bare IPv6" 2 "\[IPv6-ADDR\]:PORT" ctl set default --peer ::1:80
check "set --param with --pid" 2 "does not go with --pid" ctl set default --param a=1 --pid 1
check "show --pid: no such process" 1 "no process 2147483647" ctl show --pid 2147483647
check "load: no file" 2 "takes the object file" ctl load
check "load: no such file" 1 "/nosuch.bpf.o: No such file" ctl load /nosuch.bpf.o
check "load: an ordinary user" 1 "only root may load" user load /etc/passwd
if [ -e /sys/kernel/btf/vmlinux ]; then
	skip "load: a kernel that cannot" "this one can"
else
	check "load: a kernel that cannot" 1 "cannot run schedulers in BPF .*make check-bpf" ctl load /etc/passwd
fi
check "unload: no such scheduler" 1 "there is no scheduler 'nosuch'; this kernel has: default" ctl unload nosuch
check "unload: not loaded by us" 1 "'default' is not one that .* has loaded|no BPF file system" ctl unload default
check "unload: no name" 1 "'a/b' is no scheduler name" ctl unload a/b
check "unload: an ordinary user" 1 "only root may unload" user unload default
check "show: no sockets" 0 "^no MPTCP sockets$" ctl show --pid $$
check "show --json: no sockets" 0 "^\[\]$" ctl show --pid $$ --json
# An odd name, and a connection in the place of standard error, which was closed
check "show --json: a name that is not ASCII; no word of ours in a connection" 0 '^pé"x nothing$' \
	ctl run -- python3 -c 'import json, os, socket, subprocess, sys
with open("/proc/self/comm", "wb") as comm:
    comm.write("pé\"x".encode())
server = socket.create_server(("127.0.0.1", 7004))
client = socket.create_connection(("127.0.0.1", 7004))
peer = server.accept()[0]
pid = str(os.getpid())
shown = json.loads(subprocess.check_output([sys.argv[1], "show", "--json", "--pid", pid]))
def close_standard():
    for fd in range(3):
        os.close(fd)
wrong = [sys.argv[1], "set", "--congestion", "nosuch", "--pid", pid, "--fd", str(client.fileno())]
subprocess.run(wrong, preexec_fn=close_standard, close_fds=True)
peer.settimeout(1)
try:
    said = peer.recv(100)
except TimeoutError:
    said = "nothing"
sys.stdout.reconfigure(encoding="utf-8")
print(shown[0]["comm"], said)' "$tool"
check "top: no connections, and what to do" 0 '^no MPTCP connections; "mptcpctl run -- PROGRAM" makes some,$' \
	ctl top --pid $$
check "top --json: no connections" 0 "^\[\]$" ctl top --pid $$ --json
check "top --times: no number" 2 "^mptcpctl: --times takes a number from 1 on, not '0'$" ctl top --times 0
check "top --times: too many" 2 "from 1 on, not '99999999999'" ctl top --times 99999999999
check "top takes no arguments" 2 "no argument 'extra'" ctl top extra
check "top --pid: no such process" 1 "no process 2147483647" ctl top --pid 2147483647
check "run: the errors of the program are its own" 0 "^\(97,\)$" \
	ctl run -- python3 -c 'import socket
try: socket.socket(99, socket.SOCK_STREAM)
except OSError as e: print("(%d,)" % e.errno)'
check "run: UDP stays UDP, TCP becomes MPTCP" 0 "^17 262$" ctl run -- python3 -c 'import socket
opt = (socket.SOL_SOCKET, socket.SO_PROTOCOL)
udp, tcp = socket.socket(type=socket.SOCK_DGRAM), socket.socket(socket.AF_INET6)
print(udp.getsockopt(*opt), tcp.getsockopt(*opt))'
# told PORT OPTION: how many lines of plain TCP come beside a transfer to an iperf3 that listens there
told() {
	ctl run "$2" -- iperf3 -c 127.0.0.1 -p "$1" -n 100K >/dev/null 2>"$work/told"
	grep -c "^mptcpctl: 127.0.0.1 port $1: plain TCP" "$work/told"
}
# listening COMMAND...: an iperf3 server in the background that ends after a connection
listening() {
	ip netns exec "$ns" "$@" -1 >/dev/null 2>&1 &
	sleep 1
}
listening iperf3 -s -p 7006
check "run --tell: the peer has no MPTCP, told once" 0 "^1$" told 7006 --tell
listening iperf3 -s -p 7007
check "run --quiet says nothing of it" 1 "^0$" told 7007 --quiet
listening iperf3 -s -p 7005
check "run --tell: a connection that fclose() ends" 0 "^mptcpctl: 127.0.0.1 port 7005: plain TCP" \
	ctl run --tell -- python3 -c 'import ctypes, os, socket
c = ctypes.CDLL(None)
c.fdopen.restype = ctypes.c_void_p
client = socket.create_connection(("127.0.0.1", 7005))
c.fclose(ctypes.c_void_p(c.fdopen(client.detach(), b"r+")))
os._exit(0)'
listening "$tool" run -- iperf3 -s -p 7008
check "run --tell: a peer with MPTCP is not worth a word" 1 "^0$" told 7008 --tell
in_ns sysctl -q net.mptcp.enabled=0
check "set --param: MPTCP is off" 1 "net.mptcp.enabled=1" ctl set default --param a=1
check "run: MPTCP is off" 2 "net.mptcp.enabled=1" ctl run -- true
check "the library falls back to TCP" 0 "^6 reno$" in_ns env LD_PRELOAD="$PWD/libmptcpctl.so" \
	MPTCPCTL_CONGESTION=reno MPTCPCTL_SCHEDULER=nosuch python3 -c 'import socket
tcp = socket.socket()
name = tcp.getsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, 16).strip(b"\0").decode()
print(tcp.getsockopt(socket.SOL_SOCKET, socket.SO_PROTOCOL), name)'
in_ns sysctl -q net.mptcp.enabled=1
mkdir "$work/alone"
cp mptcpctl "$work/alone"
check "run: no library" 2 "libmptcpctl.so is neither in" in_ns "$work/alone/mptcpctl" run -- true
mkdir -p "$work/usr/bin" "$work/usr/lib/mptcpctl"
cp mptcpctl "$work/usr/bin"
cp libmptcpctl.so "$work/usr/lib/mptcpctl"
check "run: installed" 5 "" in_ns "$work/usr/bin/mptcpctl" run -- sh -c 'exit 5'
# manual FROM TO: its text between these headings, a paragraph on a line
manual() { MANWIDTH=900 LC_ALL=C man --nh --nj -l mptcpctl.8 | col -bx | sed -n "/^$1/,/^$2/p" | sed 's/^ *//'; }
# synopsis COMMAND: as its --help has it
synopsis() {
	./mptcpctl "$1" --help | awk '/^(usage:|      ) mptcpctl / { sub(/^(usage:)? */, ""); form = form "\n" $0; next }
		/^        / && !past { sub(/^ +/, " "); form = form $0; next } { past = 1 } END { print substr(form, 2) }'
}
# undescribed: what --help and list tell of and the manual does not
undescribed() {
	local command option
	for command in "${commands[@]}"; do
		while read -r option; do
			grep -qw -e "$option" "$work/described" || echo "$command $option"
			synopsis "$command" | grep -qw -e "$option" || echo "usage of $command: $option"
		done < <(./mptcpctl "$command" --help | grep -oE -- '^  -., --[a-z]+' | cut -c7-)
	done
	ctl list --json | python3 -c 'import json, sys
for one in json.load(sys.stdin)["extensions"]: print(one["name"])' | while read -r option; do
		grep -q "^$option  " "$work/extensions" || echo "extension $option"
	done
}
if command -v man >/dev/null; then
	check "the manual page has no errors" 0 "" sh -c '! man -l --warnings -E UTF-8 mptcpctl.8 2>&1 >/dev/null | grep .'
	manual COMMANDS EXIT >"$work/described"
	manual DESCRIPTION COMMANDS >"$work/extensions"
	for command in "${commands[@]}"; do synopsis "$command"; done >"$work/synopsis"
	echo "mptcpctl --version" >>"$work/synopsis"
	check "its synopsis is that of --help" 0 "" diff <(manual SYNOPSIS DESCRIPTION | grep ^mptcpctl) "$work/synopsis"
	check "it describes all options and extensions" 1 "" grep . <(undescribed)
else
	skip "the manual page" "no man"
fi

# Congestion control, on connections with two subflows. connect.py PORT COMMAND... runs the command
# while there is one, and a transfer if the PORT has a minus before it: of 100 Mbit/s at most, as loopback has no limit
# but the processor.
in_ns ip address add 192.0.2.1/24 dev lo
in_ns ip address add 192.0.2.2/24 dev lo
in_ns ip mptcp limits set subflow 4 add_addr_accepted 4
in_ns ip mptcp endpoint add 192.0.2.2 dev lo subflow
in_ns sysctl -q net.ipv4.tcp_congestion_control=reno
cat >"$work/connect.py" <<'PYTHON'
import socket, subprocess, sys, threading, time

def transfer(sender, reader):
    threading.Thread(target=lambda: [0 for _ in iter(lambda: reader.recv(65536), b"")],
                     daemon=True).start()
    while True:
        sender.send(b"z" * 65536)
        time.sleep(0.005)

port = int(sys.argv[1])
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("192.0.2.1", abs(port)))
server.listen()
client = socket.socket()
client.connect(("192.0.2.1", abs(port)))
accepted = server.accept()[0]
for peer, other in (client, accepted), (accepted, client):
    peer.send(b"x")
    other.recv(1)
time.sleep(0.5)
if port < 0:
    threading.Thread(target=transfer, args=(client, accepted), daemon=True).start()
    time.sleep(3)
status = subprocess.run(sys.argv[2:]).returncode
try:
    print("weight", client.getsockopt(284, 45), flush=True)
except OSError:
    pass
sys.exit(status)
PYTHON
# subflows PORT NAME: how many have this congestion control, by another tool
subflows() { echo "ss -Htin dst 192.0.2.1:$1 | grep -cw '$2'"; }
waits() {
	modinfo "tcp_$1" >/dev/null 2>&1 &&
		! grep -qw "$1" /proc/sys/net/ipv4/tcp_available_congestion_control
}
# with other modules than there are
pretend() {
	in_ns sh -c 'mount --bind "$0" "/lib/modules/$(uname -r)" && exec "$@"' "$work/modules" "$tool" "$@"
}

ctl list >"$work/listed"
check "list: each extension is described" 1 "" sh -c 'awk "/^EXTENSION/ { on = 1; next } /^$/ { on = 0 } on" "$0" | grep -- "-$"' \
	"$work/listed"
check "list --json: the same" 0 "^default reno True$" sh -c '"$@" | python3 -c "import json, sys
found = json.load(sys.stdin)
default = lambda rows: [row[\"name\"] for row in rows if row[\"default\"]]
shown = open(sys.argv[1]).read()
print(*default(found[\"schedulers\"]), *default(found[\"congestion\"]),
      all(row[\"name\"] in shown for rows in found.values() if isinstance(rows, list) for row in rows))" "$0"' \
	"$work/listed" ip netns exec "$ns" "$tool" list --json
check "list: the default congestion control" 0 "^reno +yes +all +- +-$" ctl list
check "list: another one" 0 "^cubic +- +all +- +-$" ctl list
if [ -d "/lib/modules/$(uname -r)" ]; then
	mkdir "$work/modules"
	printf 'kernel/net/%s:\n' ipv4/tcp_diag.ko ipv4/tcp_one.ko.xz mptcp/mptcp_cong_two.ko \
		mptcp/mptcp_cong_test.ko >"$work/modules/modules.dep"
	echo "alias tcp_two mptcp_cong_two" >"$work/modules/modules.alias"
	check "list: installed" 0 "^one +- +admin +- +\(loads when root names it\)$" pretend list
	check "list: installed and coupled" 0 "^two +- +admin +yes +\(loads when" pretend list
	cp "$work/out" "$work/installed"
	check "list: modules for something else" 1 "" grep -E "^(diag|test) " "$work/installed"
	check "run: installed but not to be loaded" 2 "'two' is installed but not loaded.* modprobe tcp_two" \
		pretend run --congestion two -- true
else
	skip "list: installed congestion controls" "no modules"
fi
if waits bbr; then
	check "run: an ordinary user cannot load it" 2 "modprobe tcp_bbr.*tcp_congestion_control=bbr" \
		user run --congestion bbr -- true
	check "run: root loads it, all subflows use it" 0 "^2$" \
		ctl run --congestion bbr -- python3 "$work/connect.py" 7010 sh -c "$(subflows 7010 bbr)"
	check "run: ordinary users have it then" 0 "^2$" \
		user run --congestion bbr -- python3 "$work/connect.py" 7011 sh -c "$(subflows 7011 bbr)"
	check "list: loaded" 0 "^bbr +- +all +- +-$" ctl list
else
	skip "run: load bbr" "it is loaded, or not installed"
fi
if waits vegas; then
	check "list: not loaded" 0 "^vegas +- +admin +- +\(loads when root names it\)$" ctl list
	check "set --congestion: root loads it" 0 "1 of 1 socket changed to congestion vegas" \
		ctl run -- python3 "$work/connect.py" 7012 "$tool" set --congestion vegas --peer 192.0.2.1:7012
	check "list: loaded, for administrators" 0 "^vegas +- +admin +- +-$" ctl list
	check "run: not allowed congestion control" 2 \
		"only CAP_NET_ADMIN may use 'vegas' here, all may use: .*reno.*tcp_allowed_congestion_control" \
		user run --congestion vegas -- true
	check "set --congestion: not allowed" 1 "pid [0-9]+, fd [0-9]+\): only CAP_NET_ADMIN may use 'vegas'" \
		user run -- python3 "$work/connect.py" 7013 "$work/bin/mptcpctl" set --congestion vegas --peer 192.0.2.1:7013
else
	skip "run: load vegas" "it is loaded, or not installed"
fi
check "run: unknown congestion control" 2 "no congestion control 'nosuch'; this kernel has:.* reno" \
	ctl run --congestion nosuch -- true
check "run: a name that starts as one" 2 "1 to 15 characters" ctl run --congestion cubiccubiccubiccubic -- true
check "run: no congestion control" 2 "1 to 15 characters" ctl run --congestion "" -- true
check "run: all subflows use it" 0 "^2$" \
	ctl run --congestion cubic -- python3 "$work/connect.py" 7014 sh -c "$(subflows 7014 cubic)"
check "show: congestion control" 0 \
	"192.0.2.2:[0-9]+ -> 192.0.2.1:7015  established  rtt [0-9.]+ ms  congestion reno  cwnd [0-9]+  sent" \
	lines ctl run -- python3 "$work/connect.py" 7015 "$tool" show
cp "$work/out" "$work/shown"
check "advise: an idle connection" 0 "^no MPTCP connection carries anything now$" \
	ctl run -- python3 "$work/connect.py" 7016 "$tool" advise
check "metrics: connections" 0 '^mptcp_connections\{state="mptcp",scheduler="[a-z]*"\} 2$' \
	ctl run -- python3 "$work/connect.py" -7020 "$tool" metrics
cp "$work/out" "$work/metrics"
check "metrics: a listener" 0 '^mptcp_connections\{state="listening",.*\} 1$' cat "$work/metrics"
check "metrics: subflows by local address" 0 '^mptcp_subflows\{local="192.0.2.2"\} 1$' cat "$work/metrics"
check "metrics: what they carried" 0 '^mptcp_subflow_sent_bytes\{local="192.0.2.1"\} [1-9][0-9]{5,}$' \
	cat "$work/metrics"
check "metrics: nothing but what Prometheus reads" 1 "" \
	grep -Ev '^# (HELP [a-z_]+ .*|TYPE [a-z_]+ gauge)$|^[a-z_]+\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\} [0-9]+$|^weight ' "$work/metrics"
check "show: nothing about coupling where there is none" 1 "" grep coupled "$work/shown"
check "set --congestion" 0 "^1 of 1 socket changed to congestion cubic$" ctl run -- \
	python3 "$work/connect.py" 7016 sh -c "$tool set --congestion cubic --peer 192.0.2.1:7016; $(subflows 7016 cubic)"
cp "$work/out" "$work/changed"
check "set --congestion changed all subflows" 0 "^2$" cat "$work/changed"
check "set --congestion: unknown" 1 "^mptcpctl: --congestion: there is no congestion control 'nosuch'; this" \
	ctl run -- python3 "$work/connect.py" 7017 "$tool" set --congestion nosuch --peer 192.0.2.1:7017
check "set --congestion: unknown, of a fresh socket" 1 "^mptcpctl: --congestion: there is no congestion control 'nosuch'" \
	ctl run -- python3 -c "import os, socket, subprocess, sys
keep = socket.socket()
sys.exit(subprocess.run(['$tool', 'set', '--congestion', 'nosuch', '--pid', str(os.getpid())]).returncode)"
check "show: a name that a terminal would obey" 0 '^\?\[31mred\[[0-9]+\] fd ' python3 -c "import os, socket, subprocess, sys
open('/proc/self/comm', 'w').write('\33[31mred')
keep = socket.socket(proto=262)
sys.exit(subprocess.run(['$tool', 'show', '--pid', str(os.getpid())]).returncode)"
check "metrics: a disk that is full" 1 "^mptcpctl: standard output: No space left" sh -c '"$0" metrics >/dev/full' "$tool"
check "set --congestion: which?" 2 "say which.* sysctl net.ipv4.tcp_congestion_control=reno$" \
	ctl set --congestion reno
check "set --congestion: an argument" 2 "takes ADDR:PORT" ctl set --congestion reno --peer host
check "set --congestion --param" 2 "which scheduler" ctl set --congestion reno --param a=1 --pid 1
check "set --weight: which?" 2 "say which.* mptcpctl set ewlia --param weight=4$" ctl set --weight 4
check "set --weight: too large" 2 "from 0 to 65535, not '65536'" ctl set --weight 65536 --pid $$
check "run --weight: too small" 2 "from 0 on, not '-1'" ctl run --weight -1 -- true
in_ns sysctl -q net.ipv4.tcp_no_ssthresh_metrics_save=0
in_ns ip tcp_metrics flush
in_ns ip route replace local 192.0.2.1 dev lo table local congctl lock reno ssthresh 7
check "set --congestion: the route refuses" 1 "'cubic' is not for this connection: its route" \
	ctl run -- python3 "$work/connect.py" 7018 "$tool" set --congestion cubic --peer 192.0.2.1:7018
check "show: slow start threshold" 0 "7019  established .* congestion reno  cwnd [0-9]+  ssthresh 7  sent" \
	lines ctl run -- python3 "$work/connect.py" 7019 "$tool" show
check "show --json: slow start threshold" 0 \
	'"congestion": "reno", "cwnd": [0-9]+, "ssthresh": 7, "coupling": null, "bytes_sent": ' \
	ctl run -- python3 "$work/connect.py" 7020 "$tool" show --json
in_ns ip route replace local 192.0.2.1 dev lo table local
in_ns ip tcp_metrics flush
check "show --json: no slow start threshold" 0 '"ssthresh": null, "coupling": null' \
	ctl run -- python3 "$work/connect.py" 7021 "$tool" show --json

# Coupled congestion controls and their weight
if [ ! -e /proc/sys/net/mptcp/ewlia_weight ]; then
	check "list says that none is coupled" 0 "^This kernel has no coupled congestion controls\.$" ctl list
	check "run: coupled" 2 "this kernel has no coupled congestion control such as 'olia': boot one" \
		ctl run --congestion olia -- true
	check "run --weight: none" 2 "no MPTCP_CONG_WEIGHT socket option: boot one" ctl run --weight 4 -- true
	check "set --weight: none" 1 "no MPTCP_CONG_WEIGHT socket option: boot one" \
		ctl set --weight 4 --peer 192.0.2.1:7010
	check "set --param: none" 1 "no coupled congestion control such as 'ewlia': boot one" \
		ctl set ewlia --param weight=4
	skip "coupled congestion control" "this kernel has none"
else
	port=7030
	in_ns ip link set lo mtu 1500
	in_ns tc qdisc add dev lo root netem delay 5ms rate 20mbit limit 30
	# as this kernel was built
	mapfile -t coupled < <(cat "/lib/modules/$(uname -r)"/modules.{order,builtin} |
		sed -n 's/.*\/mptcp_cong_\([^.]*\)\..*/\1/p' | grep -vx test | sort -u)
	at_first=$(cat /proc/sys/net/ipv4/tcp_congestion_control)
	for name in "${coupled[@]}"; do
		port=$((port + 1))
		check "list: $name" 0 "^$name +- +(admin|all) +yes +" ctl list
		check "run: all subflows use $name" 0 "^2$" ctl run --congestion "$name" -- \
			python3 "$work/connect.py" $port sh -c "$(subflows $port "$name")"
		if [[ $name =~ ^(ewlia|wvegas)$ ]]; then
			check "run: an ordinary user, $name" 2 "only CAP_NET_ADMIN may use '$name'" \
				user run --congestion "$name" -- true
			echo "$name" >/proc/sys/net/ipv4/tcp_congestion_control
			echo "$at_first" >/proc/sys/net/ipv4/tcp_congestion_control
		fi
		check "run: an ordinary user, $name" 0 "" user run --congestion "$name" -- true
		check "list: $name is loaded" 0 "^$name +- +all +yes +(-|exponent=1 weight=1)$" ctl list
		check "show: $name is coupled" 0 "^        coupled 2  (growth -?[0-9]+\.[0-9][0-9] of reno|base-rtt)" \
			ctl run --congestion "$name" -- python3 "$work/connect.py" -$port "$tool" show
		cp "$work/out" "$work/coupled"
		check "show: only wvegas has a base RTT" "$([ "$name" = wvegas ]; echo $?)" "" \
			grep -E "coupled 2  base-rtt [1-9][0-9.]+ ms  queued [0-9]+\.[0-9]  target [0-9]+\.[0-9]$" "$work/coupled"
	done
	check "show --json: coupled" 0 '"coupling": \{"subflows": 2, "growth": -?[0-9]+\.[0-9]{3}, "base_rtt_us": null, "queued": null, "target": null\}' \
		ctl run --congestion olia -- python3 "$work/connect.py" -7040 "$tool" show --json
	check "show --json: wvegas" 0 '"base_rtt_us": [1-9][0-9]*, "queued": [0-9]+\.[0-9]{3}, "target": [0-9]+\.[0-9]{3}\}' \
		ctl run --congestion wvegas -- python3 "$work/connect.py" -7041 "$tool" show --json
	cp "$work/out" "$work/json"
	check "show --json: coupled, is JSON" 0 "" sh -c "grep -v ^weight '$work/json' | python3 -m json.tool"
	in_ns tc qdisc del dev lo root
	in_ns ip link set lo mtu 65536
	check "set: to a coupled one and its weight" 0 "^1 of 1 socket changed to congestion ewlia, weight 4$" \
		ctl run -- python3 "$work/connect.py" 7042 "$tool" set --congestion ewlia --weight 4 --peer 192.0.2.1:7042
	cp "$work/out" "$work/changed"
	check "set --weight set it" 0 "^weight 4$" cat "$work/changed"
	check "run: a weight of its own" 0 "^weight 7$" \
		ctl run --congestion ewlia --weight 7 -- python3 "$work/connect.py" 7043 true
	check "set --weight: 0" 0 "^weight 0$" ctl run --congestion ewlia --weight 7 -- \
		python3 "$work/connect.py" 7044 "$tool" set --weight 0 --peer 192.0.2.1:7044
	check "set --param: the weight of all" 0 "" ctl set ewlia --param weight=65535
	check "list shows this weight" 0 "^ewlia .* exponent=1 weight=65535$" ctl list
	check "the weight is this namespace's" 0 "^1$" sysctl -n net.mptcp.ewlia_weight
	check "set --param: no such weight" 1 "weight=0: must be a number from 1 to 65535" \
		ctl set ewlia --param weight=0
	check "set --param: too much weight" 1 "number from 1 to 65535" ctl set ewlia --param weight=65536
	check "set --param: exponent" 1 "number from 1 to 2$" ctl set ewlia --param exponent=3
	check "set --param: of a congestion control without" 1 "congestion control 'lia' has no tunable 'weight'" \
		ctl set lia --param weight=4
	check "set --param: weight, an ordinary user" 1 "only root may change it" user set ewlia --param weight=2
fi
in_ns ip mptcp endpoint flush

if [ ! -e /proc/sys/net/mptcp/allowed_schedulers ]; then
	check "list says what the kernel lacks" 0 "no MPTCP scheduler framework" ctl list
	check "list does not say who may choose" 0 "^default +yes +- +" ctl list
	check "run says what the kernel lacks" 2 "boot one with the scheduler patches" \
		ctl run --scheduler rr -- true
	check "set --pid says what the kernel lacks" 1 "boot one with the scheduler patches" \
		ctl set rr --pid $$
	check "run without a scheduler works" 0 "" ctl run -- true
	check "show does not tell what a scheduler did" 0 '"scheduling": null' \
		ctl run -- python3 -c "import socket, subprocess
keep = socket.socket()
subprocess.run(['$tool', 'show', '--json'], check=True)"
	check "set --congestion goes without" 0 "^1 of 1 socket changed to congestion cubic$" ctl run -- \
		python3 "$work/connect.py" 7050 "$tool" set --congestion cubic --peer 192.0.2.1:7050
	skip "the rest" "this kernel has no MPTCP_SCHEDULER"
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
check "set: no name" 1 "1 to 15 characters" ctl set ""
check "set: nothing" 2 "which scheduler" ctl set
check "set: an ordinary user" 1 "only root may change the default" user set rr
check "nothing changed" 0 "^minrtt$" ctl get
rmmod mptcp_sched_rr 2>/dev/null || true # it may be built in
check "set --param loads the scheduler" 0 "" ctl set rr --param segments=2
check "list shows the tunable" 0 "^rr .* segments=2" ctl list
in_ns sysctl -q net.mptcp.scheduler=rr
check "set --param" 0 "" ctl set rr --param segments=3
check "list shows it" 0 "^rr .* segments=3" ctl list
ctl set rr --param segments=1
check "set --param: unknown" 1 "no tunable 'nosuch'" ctl set rr --param nosuch=1
check "set --param: out of range" 1 "segments=0: the kernel does not take that; .*modinfo" ctl set rr --param segments=0
check "set --param: a path" 1 "no scheduler name" ctl set ../rr --param segments=1
check "set --param: no value" 2 "takes NAME=VALUE" ctl set rr --param segments=

check "list: extensions" 0 "^rp +- +sends again" ctl list
check "list: the tunable of an extension" 0 "^bm +lambda=300 +.*bufferbloat" ctl list
check "set: all extensions" 0 "" ctl set minrtt+rp+bm+rs+price+ew
check "they were set" 0 "^minrtt\+rp\+bm\+rs\+price\+ew$" ctl get
check "set: extensions" 0 "" ctl set minrtt+bm+rp
check "were set, in the kernel's order" 0 "^minrtt\+rp\+bm$" ctl get
check "list: the default has extensions" 0 "^minrtt\+rp\+bm +yes +all" ctl list
check "list: its scheduler alone is not the default" 0 "^minrtt +- +all" ctl list
check "set: unknown extension" 1 "unknown extension 'xx'; known are rp, bm, rs, price, ew, r, rp0, rp1$" ctl set minrtt+rp+xx
check "set: the start of one" 1 "unknown extension 'pric'" ctl set minrtt+pric
check "set: two of a kind" 1 "only one of rp rp0 rp1 r at a time, not 'rp' and 'r'" ctl set minrtt+rp+bm+r
check "set: extension twice" 1 "extension 'rp' comes twice" ctl set minrtt+rp+bm+rp
check "set: no extension" 1 "'\+' has no extension" ctl set minrtt+
check "set: nothing before an extension" 1 "no scheduler before the '\+'" ctl set +rp
check "set: unknown, with extensions" 1 "no scheduler 'nosuch'; this kernel has: .*rr" ctl set nosuch+rp
check "set: an extension alone" 1 "no scheduler 'bm'.*an extension comes behind" ctl set bm
check "nothing of that changed" 0 "^minrtt\+rp\+bm$" ctl get
check "set --param: of an extension" 0 "" ctl set bm --param lambda=250
check "list shows that" 0 "^bm +lambda=250 " ctl list
check "it is this namespace's" 0 "^300$" sysctl -n net.mptcp.sched_bm_lambda
check "set --param: below the range" 1 "lambda=99: must be a number from 100 to 10000" \
	ctl set bm --param lambda=99
check "set --param: above it" 1 "number from 100 to 10000" ctl set bm --param lambda=10001
check "set --param: no number" 1 "number from 100 to 10000" ctl set bm --param lambda=x
check "set --param: no value for an extension" 2 "takes NAME=VALUE" ctl set bm --param lambda=
check "set --param: unknown, of an extension" 1 "extension 'rp' has no tunable 'lambda'" \
	ctl set rp --param lambda=200
check "set --param: of a composition" 1 "no tunables of its own" ctl set minrtt+bm --param lambda=200
check "set --param: an extension's, an ordinary user" 1 "only root may change it" \
	user set bm --param lambda=200
check "list: none of that changed it" 0 "^bm +lambda=250 " ctl list
in_ns sysctl -q net.mptcp.scheduler=default

check "path: nothing at first" 0 "^no interface has a price, a weight or a budget$" ctl path
check "path --json: nothing at first" 0 "^\[\]$" ctl path --json
check "path --price" 0 "" ctl path lte0 --price 10
check "path: another one" 0 "" ctl path dsl0 --weight 3 --price 1
check "path: both are there" 0 "^dsl0=1 lte0=10$" sh -c \
	"ip netns exec $ns sysctl -n net.mptcp.path_price | tr ' ' '\n' | sort | xargs"
check "path --budget --used" 0 "" ctl path lte0 --budget 5G/30d --used 6G@4102444800
check "path: the table" 0 "^lte0 +10 +1 +5000000000 +6000000000 2100-01-3[01] [0-9:]+  used up$" ctl path
check "path: what has no budget" 0 "^dsl0 +1 +3 +- +- -$" ctl path
check "path: fits a terminal of 80 columns" 1 "" sh -c "ip netns exec $ns $tool path | grep -E '.{81}'"
cat >"$work/paths.py" <<'PYTHON'
import json, sys

shown = {one.pop("interface"): one for one in json.load(sys.stdin)}
budget = {"bytes": 5000000000, "period_s": 2592000, "used": 6000000000, "since": 4102444800,
          "used_up": True}
assert shown == {"lte0": {"price": 10, "weight": 1, "budget": budget},
                 "dsl0": {"price": 1, "weight": 3, "budget": None}}, shown
PYTHON
check "path --json: the same" 0 "" sh -c "ip netns exec $ns $tool path --json | python3 $work/paths.py"
check "path --used: the period stays" 0 "" ctl path lte0 --used 1k
check "path --used: it does" 0 "^lte0=1000@4102444800$" in_ns sysctl -n net.mptcp.path_used
check "path --price 0 takes it off the list" 0 "" ctl path lte0 --price 0
check "path --price 0: of the other one it stays" 0 "^dsl0=1$" in_ns sysctl -n net.mptcp.path_price
check "path: several at once" 0 "" sh -c "for n in 1 2 3 4 5 6 7 8; do ip netns exec $ns $tool path if\$n --price \$n & done; wait"
check "path: lose nothing" 0 "^8$" sh -c "ip netns exec $ns $tool path | grep -c '^if'"
check "path: and are taken off" 0 "" sh -c "for n in 1 2 3 4 5 6 7 8; do ip netns exec $ns $tool path if\$n --price 0 & done; wait"
check "path: peers" 0 "" ctl path 2001:db8::7/32 --price 7 --weight 2
check "path: peers, as the kernel has them" 0 "^2001:db8::/32=7$" sh -c \
	"ip netns exec $ns sysctl -n net.mptcp.path_price | tr ' ' '\n' | grep 2001"
check "path: peers in the table" 0 "^2001:db8::/32 +7 +2 +- +- -$" ctl path
check "path: peers, written otherwise" 0 "" ctl path 2001:DB8:0::9/32 --price 8
check "path: peers, written otherwise, are the same" 0 "^2001:db8::/32 +8 +2 +- +- -$" ctl path
check "path: peers go" 0 "" ctl path 2001:db8::/32 --price 0 --weight 1
priced() { ip netns exec "$ns" sysctl -qw net.mptcp.path_price="$1"; ctl path "$2" --price "$3"; in_ns sysctl -n net.mptcp.path_price; }
wide="10.1.0.0/16=5 10.0.0.0/8=20"
check "path: peers keep their place" 0 "^10.1.0.0/16=6 10.0.0.0/8=20$" priced "$wide" 10.1.0.0/16 6
check "path: peers of a wider entry" 0 "^10.1.0.0/16=5 10.2.0.0/16=7 10.0.0.0/8=20$" priced "$wide" 10.2.0.0/16 7
check "path: peers that were behind it" 0 "^10.1.0.0/16=6 10.0.0.0/8=20$" priced "10.0.0.0/8=20 10.1.0.0/16=5" 10.1.0.0/16 6
check "path: peers of it that cost nothing" 0 "^10.1.0.0/16=0 10.0.0.0/8=20$" priced "$wide" 10.1.0.0/16 0
check "path: others that cost nothing" 0 "^10.1.0.0/16=5$" priced "$wide" 10.0.0.0/8 0
check "path: the wider one comes last" 0 "^10.1.0.0/16=5 10.0.0.0/7=9$" priced "10.1.0.0/16=5" 10.0.0.0/7 9
check "path: others of IPv6" 0 "^2001:db8:1::/48=3 2001:db8::/32=8$" priced "2001:db8::/32=8" 2001:DB8:1::/48 3
in_ns sysctl -qw net.mptcp.path_price=dsl0=1
check "path: peers have no budget" 1 "192.0.2.0/24 1/1d: --budget takes .*, no '/', ':' or space$" \
	ctl path 192.0.2.0/24 --budget 1/1d
check "path: no peers" 1 "peers are written as 192.0.2.0/24" ctl path 192.0.2/24 --price 1
check "path: a peer without its prefix" 1 "192.0.2.1: a peer is written with its prefix.s length: 192.0.2.1/32" ctl path 192.0.2.1 --price 1
check "path --budget none" 0 "" ctl path lte0 --budget none
check "path --budget none: there is none" 0 "^$" in_ns sysctl -n net.mptcp.path_budget
check "path: only what has something is listed" 1 "" sh -c "ip netns exec $ns $tool path | grep lte0"
check "path: too dear" 1 "lte0 256: --price takes a number from 0 to 255" ctl path lte0 --price 256
check "path: no weight" 1 "lte0 0: --weight takes a number from 1 to 255" ctl path lte0 --weight 0
check "path: no period" 1 "lte0 5G: --budget takes none, or BYTES/PERIOD such as 5G/30d" ctl path lte0 --budget 5G
check "path: used without a budget" 1 "lte0 has no budget: give it one" ctl path lte0 --used 1
check "path: no name" 1 "1 to 15 characters" ctl path aaaaaaaaaaaaaaaa --price 1
check "path: two words in a value" 1 "--price takes a number" ctl path lte0 --price "1 dsl0=9"
check "path: a value with a sign" 1 "--price takes a number" ctl path lte0 --price 5=6
check "path: two words in a name" 1 "1 to 15 characters" ctl path "a=1 dsl0" --price 9
check "path: none of that changed it" 0 "^dsl0=1$" in_ns sysctl -n net.mptcp.path_price
check "path: what?" 2 "path: what shall change" ctl path lte0
check "path: which?" 2 "path: which interface" ctl path --price 1
check "path: two" 2 "path: one interface at a time" ctl path lte0 dsl0 --price 1
check "path: set and show" 2 "path: --json shows" ctl path lte0 --price 1 --json
check "path: an ordinary user" 1 "lte0 --price: only root may change it" user path lte0 --price 1
check "path: an ordinary user may look" 0 "^dsl0 " user path
check "path: an interface that is not there" 0 "^mptcpctl: there is no interface 'nosuch' here now" \
	ctl path nosuch --price 1
check "path: it is kept for when it is" 0 "^nosuch +1 +1 " ctl path
check "path: one that is there is no news" 1 "" grep . <(ctl path lo --price 1 2>&1)
check "path: nor are peers" 1 "" grep . <(ctl path 192.0.2.0/24 --price 1 2>&1)
check "path: nor is what goes" 1 "" grep . <(for one in nosuch lo 192.0.2.0/24; do ctl path $one --price 0; done 2>&1)
check "set price --param" 0 "" ctl set price --param wait=250
check "set price --param: it is listed" 0 "^price +wait=250 " ctl list
check "set price --param: too long" 1 "from 0 to 60000" ctl set price --param wait=60001

check "run: no program" 2 "which program" ctl run
check "run: unknown scheduler" 2 "no scheduler 'nosuch'" ctl run --scheduler nosuch -- true
check "run: unknown extension" 2 "--scheduler: .*unknown extension 'xx'; known are rp, bm, rs" \
	ctl run --scheduler minrtt+xx -- true
check "run: unknown, with an extension" 2 "no scheduler 'nosuch'" ctl run --scheduler nosuch+rp -- true
check "run: with extensions" 0 "^minrtt\+rp$" ctl run --scheduler minrtt+rp -- python3 -c 'import socket
print(socket.socket().getsockopt(284, 43, 16).strip(b"\0").decode())'
check "run: a program that opens MPTCP sockets itself" 0 "^262 rr, 92$" ctl run --scheduler rr -- python3 -c 'import socket
own = socket.socket(proto=262)
print(own.getsockopt(socket.SOL_SOCKET, socket.SO_PROTOCOL), own.getsockopt(284, 43, 16).strip(b"\0").decode(), end=", ")
with open("/proc/sys/net/mptcp/enabled", "w") as off: off.write("0")
try: socket.socket(proto=262)
except OSError as e: print(e.errno)'
in_ns sysctl -q net.mptcp.enabled=1
check "run: redundant is for administrators" 2 "only CAP_NET_ADMIN may use 'redundant\+bm'" \
	user run --scheduler redundant+bm -- true
check "run: status of the program" 7 "" ctl run -- sh -c 'exit 7'
check "run: no such program" 127 "nosuchprogram" ctl run -- /nonexistent/nosuchprogram
in_ns sysctl -q net.mptcp.allowed_schedulers=default
check "run: not allowed" 2 "only CAP_NET_ADMIN may use 'rr' here, all may use: default" \
	user run --scheduler rr -- true
in_ns sysctl -q net.mptcp.allowed_schedulers="default rr"
check "run: allowed" 0 "" user run --scheduler rr -- true
check "run: allowed with extensions" 0 "" user run --scheduler rr+rp+bm -- true
check "run: not allowed with extensions" 2 "only CAP_NET_ADMIN may use 'minrtt\+rp' here" \
	user run --scheduler minrtt+rp -- true
in_ns sysctl -q net.mptcp.allowed_schedulers="default rr minrtt+rp"
check "list: allowed with these extensions only" 0 "^minrtt\+rp +- +all" ctl list

ip netns exec "$ns" "$tool" run -- iperf3 -s >/dev/null &
sleep 0.5
ip netns exec "$ns" "$tool" run --scheduler rr --congestion reno -- \
	iperf3 -c 127.0.0.1 -b 5M -t 10 >"$work/iperf" &
client=$!
sleep 2
check "show: connections and their scheduler" 0 "iperf3\[.*\] fd .* mptcp  scheduler rr  token 0x" lines ctl show
check "show: subflows" 0 "subflow 1  127.0.0.1:[0-9]+ -> 127.0.0.1:5201  established  rtt [0-9.]+ ms  congestion reno  cwnd [0-9]+  sent [0-9]+" lines ctl show
check "show: a listener" 0 "listening" lines ctl show
check "show: fits a terminal of 80 columns" 1 "" sh -c "ip netns exec $ns $tool show --rates | grep -E '.{81}'"
check "show --rates: of a connection" 0 "^    now sending [45]\.[0-9]{2} Mbit/s  receiving 0\.00 Mbit/s$" \
	ctl show --rates --pid "$client"
check "show --rates: of a subflow" 0 "^        now sending [45]\.[0-9]{2} Mbit/s" ctl show --rates --pid "$client"
check "show --rates --json" 0 '"sent_bps": [45][0-9]{6}, "received_bps": ' ctl show --rates --json --pid "$client"
check "show --json" 0 '"scheduler": "rr"' ctl show --json
check "show --json is JSON" 0 "" sh -c "ip netns exec $ns $tool show --json | python3 -m json.tool"
check "show --pid" 0 "iperf3\[$client\]" lines ctl show --pid "$client"
check "show: what an ordinary user cannot see is said" 0 "not readable; run as root" user show
check "set --pid" 0 "sockets changed to minrtt" ctl set minrtt --pid "$client"
check "show tells the change" 0 "iperf3\[$client\].* scheduler minrtt" lines ctl show --pid "$client"
check "set by address" 0 "^[1-9][0-9]* of [0-9]* sockets changed to rr" ctl set rr --peer 127.0.0.1:5201
check "set --pid: none" 1 "no MPTCP socket matches" ctl set rr --pid $$
check "set --fd without --pid" 2 "say which with --pid" ctl set rr --fd 3
check "set --pid: unknown scheduler" 1 "no scheduler 'nosuch'" ctl set nosuch --pid "$client"
wait "$client"
check "the transfer was not disturbed" 0 "receiver" cat "$work/iperf"

# A connection with a backup subflow, one over IPv6 that two processes share, one that fell back;
# the program says when they are there and ends when its input does.
in_ns ip mptcp endpoint add 192.0.2.2 dev lo subflow backup
cat >"$work/sockets.py" <<'PYTHON'
import os, socket, sys, time

def pair(family, host, port, protocol):
    server = socket.socket(family, socket.SOCK_STREAM, protocol)
    server.bind((host, port))
    server.listen()
    client = socket.socket(family, socket.SOCK_STREAM, 262)
    client.connect((host, port))
    accepted = server.accept()[0]
    client.send(b"x" * 1000)
    accepted.recv(1000, socket.MSG_WAITALL)
    accepted.send(b"y")
    client.recv(1)
    return server, client, accepted

keep = [pair(socket.AF_INET, "192.0.2.1", 7001, 262),
        pair(socket.AF_INET6, "::1", 7002, 262),
        pair(socket.AF_INET, "127.0.0.1", 7003, 0)]
time.sleep(0.5)
child = os.fork()
if child:
    print(os.getpid(), *(three[1].fileno() for three in keep), flush=True)
sys.stdin.read()
PYTHON
mkfifo "$work/stop" "$work/ready"
ip netns exec "$ns" python3 "$work/sockets.py" <"$work/stop" >"$work/ready" &
exec 8>"$work/stop"
read -r holder fd4 _ fdtcp <"$work/ready"

check "show: a backup subflow" 0 "192.0.2.2:[0-9]+ -> 192.0.2.1:7001  established  backup  rtt" lines ctl show
check "show: one that is none" 0 "192.0.2.1:[0-9]+ -> 192.0.2.1:7001  established  rtt" lines ctl show
check "show: a fallback and its bytes" 0 "127.0.0.1:7003  fallback  scheduler default  sent 1000" lines ctl show
check "why: a fallback" 0 "127.0.0.1:7003  fell back to TCP$" ctl why
check "why: a fallback, and what to do" 0 "^    plain TCP, over one path: the peer has no MPTCP, or" ctl why
check "top: a fallback" 0 "^python3\[[0-9]+\] 127.0.0.1:7003 +0 +0 plain TCP +0 " ctl top --once
check "why: how many subflows" 0 "192.0.2.1:7001  [1-9] of at most [1-9] subflows$" ctl why
check "why: nobody sends" 0 "^    idle 100 %$" ctl why --pid "$holder"
check "show: IPv6" 0 "\[::1\]:[0-9]+ -> \[::1\]:7002  mptcp" lines ctl show
check "show: shared sockets once" 0 "^1$" sh -c \
	"ip netns exec $ns $tool show | grep -c -- '-> \[::1\]:7002  mptcp'"
cat >"$work/verify.py" <<'PYTHON'
import json, sys

shown = {one["peer"]: one for one in json.load(sys.stdin)}
backup, fallback = shown["192.0.2.1:7001"], shown["127.0.0.1:7003"]
assert sorted(one["backup"] for one in backup["subflows"]) == [False, True], backup
assert not backup["fallback"] and "netns" not in backup and backup["token"], backup
assert backup["bytes_sent"] == 1000 and backup["bytes_received"] == 1, backup
assert list(backup["scheduling"]) == ["wnd_blocked", "ahead_bytes", "again_bytes", "copy_bytes",
                                      "penalized", "capped_bytes"], backup
assert fallback["fallback"] and fallback["subflows"][0]["bytes_received"] == 1, fallback
PYTHON
check "show --json: the same" 0 "" sh -c "ip netns exec $ns $tool show --json | python3 $work/verify.py"
check "show: another network namespace is marked" 0 "7001  mptcp .* netns [0-9]+" \
	lines "$tool" show --pid "$holder"
check "set --fd" 0 "^1 of 1 socket changed to minrtt" ctl set minrtt --pid "$holder" --fd "$fd4"
check "set --fd changed this one" 0 "192.0.2.1:7001  mptcp  scheduler minrtt" lines ctl show
check "set --fd changed no other" 0 "\[::1\]:7002  mptcp  scheduler default" lines ctl show
check "set --fd: extensions" 0 "^1 of 1 socket changed to minrtt\+bm" \
	ctl set minrtt+bm --pid "$holder" --fd "$fd4"
check "show: extensions" 0 "192.0.2.1:7001  mptcp  scheduler minrtt\+bm " lines ctl show
check "set --fd: unknown extension" 1 "unknown extension 'xx'" \
	ctl set minrtt+xx --pid "$holder" --fd "$fd4"
check "show: no counters where nothing happened" 1 "" sh -c \
	"ip netns exec $ns $tool show --pid $holder | grep scheduling"
check "set --peer: IPv6, written differently, shared" 0 "^1 of 1 socket changed to rr" \
	ctl set rr --peer "[0:0::1]:7002"
check "set --peer changed it" 0 "-> \[::1\]:7002  mptcp  scheduler rr" lines ctl show
check "set: scheduler and congestion control" 0 "^1 of 1 socket changed to rr, congestion cubic$" \
	ctl set rr --congestion cubic --pid "$holder" --fd "$fd4"
check "set changed the congestion control" 0 \
	"192.0.2.2:[0-9]+ -> 192.0.2.1:7001  established  backup  rtt .* congestion cubic " lines ctl show
check "set changed the scheduler" 0 "192.0.2.1:7001  mptcp  scheduler rr " lines ctl show
check "set: the scheduler is refused" 1 "^0 of 1 socket changed to nosuch, congestion reno$" \
	ctl set nosuch --congestion reno --pid "$holder" --fd "$fd4"
check "set: the scheduler stayed" 0 "192.0.2.1:7001  mptcp  scheduler rr " lines ctl show
check "show: congestion control of a fallback" 0 \
	"subflow 0  .* -> 127.0.0.1:7003  established .*  congestion reno  cwnd" lines ctl show
check "set --local" 0 "^2 of 2 sockets changed to minrtt" ctl set minrtt --local 192.0.2.1:7001
check "set: both addresses must match" 1 "no MPTCP socket matches" \
	ctl set rr --local 192.0.2.1:7001 --peer "[::1]:7002"
check "set: a fallback takes a name" 0 "^1 of 1 socket" ctl set rr --pid "$holder" --fd "$fdtcp"
check "set --pid: no such process" 1 "no process 2147483647" ctl set rr --pid 2147483647
check "set: an ordinary user is told" 1 "process(es)? not readable; run as root" \
	user set rr --peer 192.0.2.1:7001
check "show --pid: not readable" 1 "^mptcpctl: 1 process not readable; run as root$" \
	user show --pid "$holder"
check "set --pid: not readable" 1 "1 process not readable" user set rr --pid "$holder"
exec 8>&-
wait "$holder"

# Counters, with two subflows through the queue of a slow link: one connection sends copies, one
# runs into the peer's window. They may count on while they are shown.
in_ns ip mptcp endpoint flush
in_ns ip mptcp endpoint add 192.0.2.2 dev lo subflow
in_ns tc qdisc add dev lo root netem delay 5ms rate 20mbit limit 1000
in_ns sysctl -q net.mptcp.sched_bm_lambda=100
cat >"$work/counters.py" <<'PYTHON'
import json, socket, struct, subprocess, sys, threading, time

NAMES = "wnd_blocked", "ahead_bytes", "again_bytes", "copy_bytes", "penalized", "capped_bytes"

def connect(scheduler, port, buffer=0):
    server = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
    server.bind(("192.0.2.1", port))
    if buffer:
        server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    server.listen()
    client = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
    client.setsockopt(284, 43, scheduler)
    client.connect(("192.0.2.1", port))
    accepted = server.accept()[0]
    for peer, other in (client, accepted), (accepted, client):
        peer.send(b"x")
        other.recv(1)
    time.sleep(0.5)
    return client, accepted

def counters(client):
    return dict(zip(NAMES, struct.unpack("6Q", client.getsockopt(284, 44, 48))))

def shown(*options):
    return subprocess.run([sys.argv[1], "show", *options], check=True, capture_output=True,
                          text=True).stdout

def verify(client, port, *wanted):
    before = counters(client)
    one = [s for s in json.loads(shown("--json")) if s["peer"] == "192.0.2.1:%d" % port]
    after = counters(client)
    print(one[0]["scheduling"])
    assert all(before[n] <= one[0]["scheduling"][n] <= after[n] for n in NAMES), (before, after)
    assert all(before[n] for n in wanted), before

copying, reader = connect(b"redundant+bm", 7004)
threading.Thread(target=copying.sendall, args=[b"z" * 3000000]).start()
reader.recv(3000000, socket.MSG_WAITALL)
blocked, idle = connect(b"minrtt+rp", 7005)
blocked.setblocking(False)
try:
    while True:
        blocked.send(b"z" * 50000)
except BlockingIOError:
    time.sleep(0.5)
verify(copying, 7004, "copy_bytes", "capped_bytes")
verify(blocked, 7005, "wnd_blocked", "again_bytes")
print(shown())
small, reader = connect(b"minrtt", 7021, 16384)
ended = threading.Event()

def read():
    while reader.recv(65536):
        time.sleep(0.02)

def send():
    while not ended.is_set():
        small.sendall(b"z" * 100000)

threading.Thread(target=read).start()
sender = threading.Thread(target=send)
sender.start()
time.sleep(1)
for command in "advise", "why":
    print(subprocess.run([sys.argv[1], command], check=True, capture_output=True, text=True).stdout)
ended.set()
sender.join()
small.close()
print("asleep")
asleep, unread = connect(b"minrtt", 7022, 16384)
sender = threading.Thread(target=asleep.sendall, args=[b"z" * 300000])
sender.start()
time.sleep(1)
print(subprocess.run([sys.argv[1], "why"], check=True, capture_output=True, text=True).stdout)
unread.recv(300000, socket.MSG_WAITALL)
sender.join()
PYTHON
check "show --json: counters" 0 "" in_ns python3 "$work/counters.py" "$tool"
cp "$work/out" "$work/counters"
check "show: counters" 0 "^    scheduling .* copies [1-9][0-9]*  .*capped [1-9]" cat "$work/counters"
check "show: others" 0 "^    scheduling  window-full [1-9][0-9]*  again [1-9]" cat "$work/counters"
check "advise: held up by the window" 0 "^    held up by the peer's window [1-9][0-9]* times, [1-9][0-9]* of them now$" \
	cat "$work/counters"
check "advise: a buffer of the program's own" 0 "^    the program has set it \(SO_RCVBUF\): no sysctl changes that$" \
	cat "$work/counters"
check "advise: the peer needs more" 0 "^    the peer needs more than that in net.ipv4.tcp_rmem, before" cat "$work/counters"
check "advise: that is not enough" 1 "" grep "that is enough" "$work/counters"
check "why: what holds it up" 0 "^    window [0-9]+ %" cat "$work/counters"
check "why: what to do" 0 "^    the peer's window is full$" cat "$work/counters"
check "why: and how much" 0 "^    the peer needs more than that in net.ipv4.tcp_rmem, before" \
	grep -A 7 "the peer's window is full" "$work/counters"
check "why: or that" 0 "^    or the peer's program reads too slowly$" cat "$work/counters"
check "why: the peer's program does not read" 0 "^    hardly anything moves: the peer's program does not read$" \
	grep -A 1000 "^asleep" "$work/counters"
check "show: none that is 0" 1 "" grep -E "^    scheduling.* 0( |$)" "$work/counters"

# Advice: a connection of 20 Mbit/s whose buffer may not become what its round trips need.
in_ns sysctl -q net.ipv4.tcp_rmem="4096 16384 30000" net.ipv4.tcp_wmem="4096 16384 30000"
# the largest buffer that a program may set gives the window its scale, too
rmem_max=$(sysctl -n net.core.rmem_max)
sysctl -q net.core.rmem_max=30000
in_ns ip link set lo mtu 1500 gso_max_segs 1
in_ns tc qdisc replace dev lo root netem delay 20ms rate 20mbit limit 100
check "advise: what it needs, and has" 0 "needs a receive window of [1-9][0-9]* KB, or [1-9][0-9]* KB" \
	ctl run -- python3 "$work/connect.py" -7006 "$tool" advise
check "advise: the sysctl to set" 0 '^    sysctl net.ipv4.tcp_[rw]mem="4096 16384 [1-9][0-9]{5,}"$' \
	ctl run -- python3 "$work/connect.py" -7007 "$tool" advise
cp "$work/out" "$work/advised"
sysctl -q net.core.rmem_max="$rmem_max"
in_ns sysctl -q net.ipv4.tcp_rmem="4096 131072 6291456" net.ipv4.tcp_wmem="4096 16384 6291456"
check "advise: whom it helps" 0 "^    for connections that begin then: the window of this one ends at [1-9][0-9]* KB$" \
	cat "$work/advised"
check "advise: enough" 0 "^    that is enough$" \
	ctl run -- python3 "$work/connect.py" -7008 "$tool" advise
check "advise --json" 0 "" in_ns python3 -c '
import json, subprocess, sys
run = [sys.argv[1], "run", "--", "python3", sys.argv[2], "-7009", sys.argv[1], "advise", "--json"]
told = subprocess.run(run, check=True, capture_output=True, text=True).stdout
advice = json.loads(told[:told.rindex("]") + 1])
one = advice[0]
assert one["window_bytes"] == 0 or abs(one["window_bytes"] / (2 * one["rate_bps"] / 8 * one["rtt_us"] / 1e6) - 1) < 0.01, one
assert one["window_timeout_bytes"] >= one["rate_bps"] / 8 * 0.2, one
assert one["set_bytes"] is None and not one["fixed"], one
' "$tool" "$work/connect.py"
in_ns tc qdisc replace dev lo root netem delay 20ms rate 20mbit limit 100 loss 10%
# on a busy machine a small buffer is what limits it
in_ns sysctl -q net.ipv4.tcp_wmem="4096 1000000 6291456"
check "why: losses" 0 "^    loss [0-9]+ %" ctl run -- python3 "$work/connect.py" -7052 "$tool" why
cp "$work/out" "$work/lost"
check "why: how much is lost" 0 "^    packets are lost, ([3-9]|[1-9][0-9]) % is sent again: look at " cat "$work/lost"
in_ns sysctl -q net.ipv4.tcp_wmem="4096 16384 6291456"
in_ns tc qdisc replace dev lo root netem delay 20ms rate 20mbit limit 100
check "why: a narrow path loses little" 0 "^    (cwnd|window|sndbuf) [0-9]+ %" \
	ctl run -- python3 "$work/connect.py" -7053 "$tool" why
check "why --json" 0 "" in_ns python3 -c '
import json, subprocess, sys
run = [sys.argv[1], "run", "--", "python3", sys.argv[2], "-7051", sys.argv[1], "why", "--json"]
told = subprocess.run(run, check=True, capture_output=True, text=True).stdout
for one in json.loads(told[:told.rindex("]") + 1]):
    shares = [one[name] for name in ("idle", "sndbuf", "window", "sched", "cwnd", "loss", "dark")]
    assert abs(sum(shares) - 100) < 1 and one[one["first"]] == max(shares), one
    assert not one["fallback"] and 1 <= one["subflows"] <= one["subflows_most"], one
' "$tool" "$work/connect.py"

check "why: a small send buffer, and the sysctl to set" 0 '^    sysctl net.ipv4.tcp_wmem="4096 16384 [1-9][0-9]{4,}"$' \
	ctl run -- sh -c "sysctl -q net.ipv4.tcp_wmem='4096 16384 30000'; exec python3 '$work/connect.py' -7061 '$tool' why"
cp "$work/out" "$work/small"
check "why: that it is the send buffer" 0 "^    the send buffer is full: raise the last number of net.ipv4.tcp_wmem$" cat "$work/small"
in_ns sysctl -q net.ipv4.tcp_wmem="4096 16384 6291456"

# Subflows that there could be: each endpoint is one for which there is something else in the way.
in_ns ip link add v0 type veth peer name v1
in_ns ip address add 198.51.100.1/24 dev v0
in_ns ip mptcp endpoint add 203.0.113.9 dev lo subflow
in_ns ip mptcp endpoint add 198.51.100.1 dev v0 subflow
missing() { check "why: a missing subflow: $1" 0 "^    no subflow from $2" cat "$work/missing"; }
ctl run -- python3 "$work/connect.py" 7062 "$tool" why >"$work/missing" 2>&1
missing "no such address" "203.0.113.9 dev lo: no interface, or another one, has this address$"
missing "the link is down" "198.51.100.1 dev v0: the link is down, or has no carrier$"
check "why: what is there is not missing" 1 "" grep "no subflow from 192.0.2.2 " "$work/missing"
check "why: nor does a server lack what its clients begin" 0 "^2$" grep -c "no subflow from" "$work/missing"
in_ns ip mptcp limits set subflow 0
ctl run -- python3 "$work/connect.py" 7064 sh -c "'$tool' why; '$tool' why --json" >"$work/missing" 2>&1
missing "the limits" "192.0.2.2 dev lo: the limits allow no more, for new connections:$"
missing "the limits of a server" "the peer: the limits allow no more, for new connections:$"
check "why: the limits: the command" 0 "^    ip mptcp limits set subflow 1$" cat "$work/missing"
check "why --json: the same" 0 '"missing": \[.*\{"endpoint": "192.0.2.2 dev lo", "why": "limits"\}.*\]\}' cat "$work/missing"
# Four subflows, of two endpoints to two addresses of the server; five more come when there is no room.
in_ns ip mptcp limits set subflow 4
in_ns ip mptcp endpoint flush
for n in {3..9}; do in_ns ip address add "192.0.2.$n/24" dev lo; done
for n in 2 3; do in_ns ip mptcp endpoint add "192.0.2.$n" dev lo subflow fullmesh; done
in_ns ip mptcp endpoint add 192.0.2.4 dev lo signal
sed 's/bind(("[^"]*"/bind((""/' "$work/connect.py" >"$work/anywhere.py"
ctl run -- python3 "$work/anywhere.py" 7063 sh -c \
	"for n in 5 6 7 8 9; do ip mptcp endpoint add 192.0.2.\$n dev lo subflow; done; '$tool' why" >"$work/missing" 2>&1
missing "what the limits can allow" "192.0.2.8 dev lo: the limits allow no more, for new connections:$"
check "why: and the command" 0 "^    ip mptcp limits set subflow 8$" cat "$work/missing"
missing "what they cannot" "192.0.2.9 dev lo: none has more than 8 beside its first$"
in_ns ip mptcp endpoint flush
in_ns ip mptcp endpoint add 192.0.2.2 dev lo subflow
# on_the_way RULE: what a middlebox does
on_the_way() {
	in_ns nft -f - 2>/dev/null <<-NFT
		table ip middlebox {
			chain way {
				type filter hook prerouting priority raw
				ip saddr 192.0.2.2 $1
			}
		}
	NFT
}
for rule in "unanswered|drop|its SYN is not answered" "refused|reset tcp option mptcp|nothing is wrong here; the peer refuses it"; do
	IFS='|' read -r what rule text <<<"$rule"
	if command -v nft >/dev/null && on_the_way "$rule"; then
		ctl run -- python3 "$work/connect.py" 7065 "$tool" why >"$work/missing" 2>&1
		missing "$what" "192.0.2.2 dev lo: $text"
		in_ns nft delete table ip middlebox
	else
		skip "why: a missing subflow: $what" "nft cannot"
	fi
done
in_ns ip link del v0
in_ns ip mptcp endpoint flush
in_ns ip mptcp endpoint add 192.0.2.2 dev lo subflow

# What limited connections is counted on when they are gone.
cat >"$work/history.py" <<'PYTHON'
import re, socket, subprocess, sys, time

def metrics():
    run = subprocess.run([sys.argv[1], "metrics", "--history", sys.argv[2]], check=True, capture_output=True, text=True)
    found = dict(re.findall(r'^mptcp_limited_seconds_total\{scheduler="[a-z+]+",limit="([a-z]+)"\} ([0-9]+\.[0-9]{6})$',
                            run.stdout, re.M))
    assert list(found) == ["idle", "sndbuf", "window", "sched", "cwnd", "loss", "dark"], run.stdout
    text, wrong = run.stdout, r'^(?!# HELP [a-z_]+ .*$|# TYPE [a-z_]+ (gauge|counter)$|[a-z_]+\{.*\} [0-9.]+$).+'
    assert "# TYPE mptcp_limited_seconds_total counter\n" in text and not re.search(wrong, text, re.M), text
    return {name: float(value) for name, value in found.items()}

server = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
server.bind(("192.0.2.1", 7066))
server.listen()
client = socket.create_connection(("192.0.2.1", 7066))
accepted = server.accept()[0]
client.send(b"x")
accepted.recv(1)
accepted.send(b"x")
client.recv(1)
time.sleep(1)
first = metrics()
assert 1.9 < first["idle"] < 3 and not first["window"], first
time.sleep(2)
second = metrics()
assert 3.9 < second["idle"] - first["idle"] < 5, (first, second)
assert metrics()["idle"] - second["idle"] < 1, second
client.close()
accepted.close()
for _ in range(5):
    last = metrics()
assert last["idle"] >= second["idle"], (second, last)
assert "socket" not in open(sys.argv[2]).read()
client = socket.create_connection(("192.0.2.1", 7066))
accepted = server.accept()[0]
client.send(b"x")
accepted.recv(1)
time.sleep(1)
assert 0.9 < metrics()["idle"] - last["idle"] < 3, last
with open(sys.argv[2]) as file:
    other_boot = re.sub("1 [0-9a-f]+-", "1 12345678-", file.read(), count=1)
with open(sys.argv[2], "w") as file:
    file.write(other_boot)
before = metrics()["idle"]
assert before > last["idle"] + 1, before
PYTHON
check "metrics --history: counters only rise, ended connections count" 0 "" \
	ctl run -- python3 "$work/history.py" "$tool" "$work/history"
check "metrics --history: it was written" 0 "^total default [1-9][0-9]+( [0-9]+){6}$" cat "$work/history"
echo nonsense >"$work/nonsense"
check "metrics --history: another file" 1 "^mptcpctl: $work/nonsense: this is no history of mptcpctl's: name another" \
	ctl metrics --history "$work/nonsense"
check "metrics --history: which stays as it was" 0 "^nonsense$" cat "$work/nonsense"
check "metrics --history: no name" 2 "^mptcpctl: --history takes the name of a file$" ctl metrics --history ""
cp "$work/nonsense" "$work/history.new"
ctl metrics --history "$work/history" >/dev/null
check "metrics --history: no other file is touched" 0 "^history nonsense$" \
	sh -c 'cd "$1" && echo $(ls -d history history.?????? 2>/dev/null) $(cat history.new)' sh "$work"
check "metrics --history: no such folder" 1 "^mptcpctl: /nosuch/file cannot be written: No such file or directory$" \
	ctl metrics --history /nosuch/file
check "metrics: none without it" 1 "" grep -c seconds_total "$work/metrics"
check "metrics: what connections wait for now" 0 "^7 2$" awk '/^mptcp_limited_connections\{state="mptcp",scheduler="[a-z]+",limit="[a-z]+"\} / {
	lines++; sum += $2 } END { print lines, sum }' "$work/metrics"

# top: lines, JSON, and a screen of 24 lines that q ends
number='[0-9.]+[kMG]?' some='[1-9][0-9.]*[kM]'
check "top: the sender comes first, and what limits it" 0 \
	"^python3\[[0-9]+\] 192.0.2.1:7054 +$some +0 [a-z+]+ +$number (cwnd|window|sndbuf|sched) [0-9]+%$" \
	ctl run -- python3 "$work/connect.py" -7054 "$tool" top --once
cp "$work/out" "$work/top"
check "top: rates, round-trip time, window and queue of its subflows" 0 \
	"^  lo 192.0.2.2 +$some +$number +[1-9][0-9]*\.[0-9] +[1-9][0-9]* +$number( again [0-9]+%)?$" cat "$work/top"
check "top: on the other side they are told apart by the peer" 0 "^  > 192.0.2.2 +$number +$some +[0-9]+\.[0-9] " \
	cat "$work/top"
check "top: in sum" 0 "^[0-9:]{8}  2 connections, 4 subflows  out $some in $some$" cat "$work/top"
check "top: fits a terminal of 80 columns" 1 "" grep -E '^.{81}' "$work/top"
check "top --times" 0 "^2$" ctl run -- python3 "$work/connect.py" -7055 sh -c "'$tool' top --times 2 | grep -c '^python3.*:7055 '"
cat >"$work/rows.py" <<'PYTHON'
import json, subprocess, sys

rows = json.loads(subprocess.run([sys.argv[1], "top", "--json"], check=True, capture_output=True, text=True).stdout)
rates = [row["acked_bps"] + row["received_bps"] for row in rows]
assert len(rows) == 2 and rates == sorted(rates, reverse=True), rates
sender = next(row for row in rows if row["peer"].endswith(":7056"))
assert sender["acked_bps"] > 1e6 and not sender["fallback"] and sender["queue_bytes"] >= 0, sender
assert sender["limit"] in ("sndbuf", "window", "sched", "cwnd"), sender
assert 25 < sender["limit_percent"] <= 100, sender
carried = sum(one["sent_bps"] for one in sender["subflows"])
assert len(sender["subflows"]) == 2 and 0.5 < carried / sender["acked_bps"] < 2, sender
assert all(one["rtt_us"] > 10000 and one["cwnd"] > 1 for one in sender["subflows"]), sender
PYTHON
check "top --json: the same" 0 "" ctl run -- python3 "$work/connect.py" -7056 python3 "$work/rows.py" "$tool"
check "top: an ordinary user sees his own" 0 "^python3\[[0-9]+\] 192.0.2.1:7057 +$some " \
	user run -- python3 "$work/connect.py" -7057 "$work/bin/mptcpctl" top --once
check "top: and is told that there are others" 0 "^mptcpctl: [1-9][0-9]* process(es)? not readable; run as root$" user top
cat >"$work/screen.py" <<'PYTHON'
"""Runs a command on a terminal of 24 lines, says q after a while, and prints the last screen."""
import fcntl, os, pty, re, select, struct, sys, termios, time

master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
before = termios.tcgetattr(slave)
pid = os.fork()
if not pid:
    os.login_tty(slave)
    os.environ.setdefault("TERM_OF_TEST", "linux")
    os.environ["TERM"] = os.environ["TERM_OF_TEST"]
    os.execv(sys.argv[1], sys.argv[1:])

def read(seconds):
    data, until = b"", time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if select.select([master], [], [], left)[0]:
            data += os.read(master, 65536)
    return data.decode()

text = read(2.5)
quiet = not termios.tcgetattr(slave)[3] & termios.ECHO
os.write(master, b"q")
began = time.monotonic()
while not (ended := os.waitpid(pid, os.WNOHANG))[0] and time.monotonic() - began < 5:
    time.sleep(0.02)
if not ended[0]:
    os.kill(pid, 9)
status = os.waitstatus_to_exitcode(ended[1])
print("ended", status, time.monotonic() - began < 0.5, quiet, termios.tcgetattr(slave) == before)
print("screens", text.count("\033[H"), text.startswith("\033[?1049h"), read(0.1).endswith("\033[?1049l"))
lines = re.sub("\033\\[[?0-9]*[a-zA-Z]", "", text.split("\033[H")[-1]).replace("\r", "").split("\n")
print("size", len(lines) <= 24, max(map(len, lines)) <= 80, *(len(lines),) * (len(lines) > 24))
print(*lines, sep="\n")
PYTHON
check "top: a screen" 0 "^python3\[[0-9]+\] 192.0.2.1:7058 +$some " \
	ctl run -- python3 "$work/connect.py" -7058 python3 "$work/screen.py" "$tool" top
cp "$work/out" "$work/screen"
check "top: q ends it at once, and the terminal is as it was" 0 "^ended 0 True True True$" cat "$work/screen"
check "top: a screen each second, and what was there comes back" 0 "^screens 3 True True$" cat "$work/screen"
check "top: it fits" 0 "^size True True$" cat "$work/screen"
check "top --pid: why it ends is said where it stays" 0 "^mptcpctl: 1 process not readable; run as root$" \
	in_ns setpriv --reuid 65534 --regid 65534 --clear-groups /usr/bin/python3 "$work/screen.py" "$work/bin/mptcpctl" top --pid $$
cat >"$work/many.py" <<'PYTHON'
"""Runs a command while there are 99 connections that do nothing and, the last one, one that sends."""
import socket, subprocess, sys, threading, time

server = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("192.0.2.1", 7059))
server.listen(100)
keep = []
for _ in range(100):
    client = socket.create_connection(("192.0.2.1", 7059))
    accepted = server.accept()[0]
    for peer, other in (client, accepted), (accepted, client):
        peer.send(b"x")
        other.recv(1)
    keep += client, accepted
threading.Thread(target=lambda: [client.send(b"z" * 65536) for _ in iter(int, 1)], daemon=True).start()
threading.Thread(target=lambda: [accepted.recv(65536) for _ in iter(int, 1)], daemon=True).start()
time.sleep(1)
sys.exit(subprocess.run(sys.argv[1:]).returncode)
PYTHON
check "top: many connections" 0 "^[0-9:]{8}  200 connections, 400 subflows  out $some in $some$" \
	ctl run -- python3 "$work/many.py" "$tool" top --once
cp "$work/out" "$work/top"
check "top: the last one sends and comes first" 0 "^python3.* 192.0.2.1:[0-9]+ +($some +0|0 +$some) " sed -n 3p "$work/top"
check "top: the other end of it comes next, then those that do nothing" 0 "^2$" \
	sh -c "grep '^python3' '$work/top' | grep -c ' [1-9][0-9.]*[kM] '"
check "top: a terminal without a screen gets lines" 0 "^screens 0 False False$" \
	ctl run -- env TERM_OF_TEST=dumb python3 "$work/connect.py" 7060 python3 "$work/screen.py" "$tool" top
check "top: many on a screen" 0 "^19[0-9] more connections  " \
	ctl run -- python3 "$work/many.py" python3 "$work/screen.py" "$tool" top
cp "$work/out" "$work/screen"
check "top: many fit, too" 0 "^size True True$" cat "$work/screen"
finish
