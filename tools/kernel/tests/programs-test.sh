#!/bin/bash
# SPDX-License-Identifier: MIT
# What Documentation/programs.md says, in a guest: each line and block with the programs of this machine, and with
# those of later releases that programs.sh fetched. Two hosts, two paths, slow enough to look at what is under way.
# TAP output.
# usage: programs-test.sh DIRECTORY (of a Go program "serve" and of one directory for each release; what is missing is skipped)
set -euo pipefail
built=$1
top=$(cd "$(dirname "$0")/../../.." && pwd)
page=$top/Documentation/programs.md
tests_dir=$top/tools/kernel/tests
cd "$top/selftests"
# shellcheck source=../../../selftests/lib.sh
. ./lib.sh
need_tools curl cmp
ours || skip_all "this kernel has no MPTCP scheduler framework"
PATH=$top/tools/mptcpctl:$PATH
hosts 8mbit 10ms 8mbit 10ms
ip -n "$server" addr add 203.0.113.1/32 dev lo
ip -n "$client" route add 203.0.113.1 via 10.0.1.2
in_both ip link set lo up
bytes=3000000
head -c $bytes /dev/urandom >"$work/file"
sed 's/constant_tsc//' /proc/cpuinfo >/run/cpuinfo

# cell PROGRAM COLUMN: of the page's table, without its quotes.
cell() {
	awk -F ' *[|] *' -v name="$1" -v column="$2" '$2 == name { print $(column + 1); found = 1 } END { exit !found }' \
		"$page" | tr -d '`'
}
# block NAME [PAGE]: the commands below <!-- test: NAME -->.
block() {
	awk -v mark="<!-- test: $1 -->" '$0 == mark { on = 1; next } on && /^    / { print substr($0, 5); any = 1; next }
		on && any { exit }' "${2:-$page}" | grep . || { echo "${2:-$page} has no block '$1'" >&2; return 1; }
}

# here HOST COMMAND...: with the root file system whose programs are tried. Not for background jobs.
here() { ip netns exec "$1" chroot "$root" "${@:2}"; }
# starts PORT COMMAND...: a server; it listens when this returns.
starts() {
	local port=$1
	shift
	ip netns exec "$server" chroot "$root" "$@" >"$work/served" 2>&1 &
	served=$!
	soon listens "$server" "$port" || { echo "# it does not listen: $*"; sed 's/^/# /' "$work/served"; }
}
# gets_scheduler PORT: what listens there, by what the page has for a service with a setting of its own.
gets_scheduler() {
	local after address
	after=$(sed -n 's/^    ExecStartPost=//p' "$page" | head -n 1)
	address=$(in_server ss -Hltn "sport = :$1" | awk '{ print $4; exit }')
	here "$server" /bin/sh -c "${after/0.0.0.0:80/${address/\*/[::]}}" >"$work/changed" 2>&1 || sed 's/^/# /' "$work/changed"
}
listens() { ip netns exec "$1" ss -Hltn "sport = :$2" | grep -q .; }
silent() { ! listens "$@"; }
# stops PORT: what listens there on the server, and all that it started.
stops() {
	local pids
	pids=$(in_server ss -Hltnp "sport = :$1" | grep -o 'pid=[0-9]*' | cut -d= -f2 | sort -u || true)
	# shellcheck disable=SC2086 # a list
	kill ${served:-} $pids 2>/dev/null || true
	wait ${served:+"$served"} 2>/dev/null || true
	soon silent "$server" "$1" || echo "# somebody still listens at port $1"
	served=
}

sent() { in_server cat "/sys/class/net/s$1/statistics/tx_bytes"; }
# looks HOST SCHEDULER: does what mptcpctl shows have a connection with this scheduler and two subflows?
looks() {
	cat "$work/$1"
	awk -v name="$2" '/^[^ ]/ { ours = / mptcp$/; right = 0 } ours && $1 == "scheduler" { right = $2 == name }
		right && $1 == "subflow" && $2 == 2 { found = 1 } END { exit !found }' "$work/$1"
}
both_used() { echo "$1 and $2 bytes"; [ "$1" -gt $((bytes / 5)) ] && [ "$2" -gt $((bytes / 5)) ]; }
same() { cmp "$root/tmp/got" "$work/file"; }
# carries WHAT HOST SCHEDULER COMMAND...: the command, on the client, makes $root/tmp/got of what the server sends.
# HOST: whose scheduler is looked at.
carries() {
	local what="$release: $1" host=$2 name=$3 one two
	shift 3
	rm -f -- "$root/tmp/got"
	one=$(sent 1) two=$(sent 2)
	ip netns exec "$client" chroot "$root" "$@" >"$work/said" 2>&1 &
	local fetching=$!
	sleep 0.8
	in_client mptcpctl show >"$work/$client" 2>&1
	in_server mptcpctl show >"$work/$server" 2>&1
	[ "${seeing:-}" = "" ] || "$seeing"
	wait $fetching || { echo "# it failed: $*"; sed 's/^/# /' "$work/said" "$work/served"; }
	that "$what: the bytes are right" same
	that "$what: over both paths" both_used $(($(sent 1) - one)) $(($(sent 2) - two))
	that "$what: scheduler $name, two subflows" looks "$host" "$name"
}

# has WHAT PROGRAM VERSION-COMMAND SINCE: is it here, and new enough? Else the test is skipped.
has() {
	local what=$1 program=$2 command=$3 since=$4 found
	if ! chroot "$root" /bin/sh -c "command -v $program" >/dev/null; then
		skip "$release: $what: there is no $program"
		return 1
	fi
	found=$(chroot "$root" /bin/sh -c "$command" 2>&1 | grep -oE '[0-9]+(\.[0-9]+)+|^systemd [0-9]+' | grep -oE '[0-9.]+' | head -n 1)
	if [ "$(printf '%s\n' "$since" "$found" | sort -V | head -n 1)" != "$since" ]; then
		skip "$release: $what: $found is older than $since"
		return 1
	fi
}

# with_nginx LISTEN: its configuration, for a server that has the file.
with_nginx() {
	mkdir -p "$root"/etc/nginx "$root"/var/log/nginx "$root"/var/lib/nginx
	printf 'user root; pid /run/nginx.pid; error_log /tmp/nginx.log;\nevents {}\nhttp { access_log off; server { %s root /srv; } }\n' \
		"$1" >"$root/etc/nginx/nginx.conf"
}
# from_unit FILE KEY: the last value in a unit's file, which the page's block wrote.
from_unit() { sed -n "s/^$2=//p" "$root/etc/systemd/system/$1" | tail -n 1; }
# writes BLOCK: what it says, but for systemd, which does not run here.
writes() { (block "$1" | grep -v '^systemctl ') | chroot "$root" /bin/sh -e; }

# fetching: how this release's curl gets the file: $fetch, the words after it go to curl.
fetch=()
chosen_curl() {
	local line
	if has "curl --mptcp" curl "curl --version" "$(cell curl 3)"; then
		read -ra fetch <<<"$(cell curl 2)"
	else
		line=$(block client)
		read -ra fetch <<<"$line"
	fi
	fetch+=(-sS -o /tmp/got)
}

nginx_by_unit() {
	with_nginx "listen 80;"
	writes service
	starts 80 /bin/sh -c "exec $(from_unit nginx.service.d/mptcp.conf ExecStart)"
	carries "nginx through mptcpctl run, by its unit" "$server" inorder "${fetch[@]}"
	local line
	read -ra line <<<"$(block client)"
	seeing=sees
	carries "curl through mptcpctl run" "$client" inorder "${line[@]}" -sS -o /tmp/got
	seeing=
	that "$release: what one sees" grep -q "^seen$" "$work/seen"
	stops 80
}

# sees: the page's commands while data flows, at either end.
sees() {
	local host
	: >"$work/seen"
	for host in "$client" "$server"; do
		block see | ip netns exec "$host" bash >"$work/all" 2>&1 || { cat "$work/all"; return; }
		for part in 'scheduler inorder' 'subflow 2' 'ESTAB.*203.0.113.1' 'MPTcpExtMPJoin[A-Za-z]*Rx +[1-9]'; do
			grep -Eq "$part" "$work/all" || { echo "# $part is not in:"; sed 's/^/# /' "$work/all"; return; }
		done
	done
	echo seen >"$work/seen"
}

nginx_itself() {
	has "nginx" nginx "nginx -v" "$(cell nginx 3)" || return 0
	with_nginx "$(cell nginx 2)"
	starts 80 nginx
	gets_scheduler 80
	carries "nginx" "$server" inorder "${fetch[@]}"
	haproxy_to_servers
	stops 80
}

with_haproxy() {
	printf 'defaults\n mode http\n timeout connect 9s\n timeout client 99s\n timeout server 99s\nfrontend f\n %s\n default_backend b\nbackend b\n %s\n' \
		"$@" >"$root/tmp/haproxy.cfg"
}

haproxy_to_clients() {
	has "HAProxy, to clients" haproxy "haproxy -v" "$(cell "HAProxy, to clients" 3)" || return 0
	with_nginx "listen 127.0.0.1:8080;"
	starts 8080 nginx
	local behind=$served
	with_haproxy "$(cell "HAProxy, to clients" 2)" "server one 127.0.0.1:8080"
	starts 80 haproxy -f /tmp/haproxy.cfg
	gets_scheduler 80
	carries "HAProxy, to clients" "$server" inorder "${fetch[@]}"
	stops 80
	served=$behind
	stops 8080
}

# Its server is the nginx that runs.
haproxy_to_servers() {
	local balancer
	has "HAProxy, to servers" haproxy "haproxy -v" "$(cell "HAProxy, to servers" 3)" || return 0
	with_haproxy "bind 127.0.0.1:8000" "$(cell "HAProxy, to servers" 2)"
	ip netns exec "$client" chroot "$root" haproxy -f /tmp/haproxy.cfg >"$work/balanced" 2>&1 &
	balancer=$!
	soon listens "$client" 8000 || cat "$work/balanced"
	carries "HAProxy, to servers" "$server" inorder curl -sS -o /tmp/got http://127.0.0.1:8000/file
	kill $balancer
	wait $balancer 2>/dev/null || true
}

lighttpd_itself() {
	has lighttpd lighttpd "lighttpd -v" "$(cell lighttpd 3)" || return 0
	printf 'server.document-root = "/srv"\nserver.port = 80\n%s\n' "$(cell lighttpd 2)" >"$root/tmp/lighttpd.conf"
	starts 80 lighttpd -D -f /tmp/lighttpd.conf
	gets_scheduler 80
	carries lighttpd "$server" inorder "${fetch[@]}"
	stops 80
}

# Valkey has the file as a value; what valkey-cli prints has a line's end behind it.
valkey_itself() {
	local cli replica
	has Valkey valkey-server "valkey-server --version" "$(cell Valkey 3)" || return 0
	printf 'protected-mode no\nbind 0.0.0.0\nsave ""\ndir /tmp\nrepl-diskless-sync-delay 0\n%s\n' "$(cell Valkey 2)" >"$root/tmp/valkey.conf"
	starts 6379 valkey-server /tmp/valkey.conf
	gets_scheduler 6379
	here "$server" /bin/sh -c 'valkey-cli -x set file </srv/file' >"$work/said"
	read -ra cli <<<"$(cell valkey-cli 2)"
	carries "Valkey and valkey-cli" "$server" inorder /bin/sh -c "$(printf '%q ' "${cli[@]}" --raw get file) | head -c $bytes >/tmp/got"
	printf 'protected-mode no\nport 6380\nsave ""\ndir /tmp\nreplicaof 203.0.113.1 6379\n%s\n' "$(cell "Valkey, a replica" 2)" \
		>"$root/tmp/replica.conf"
	ip netns exec "$client" chroot "$root" valkey-server /tmp/replica.conf >"$work/replica" 2>&1 &
	replica=$!
	soon listens "$client" 6380 || cat "$work/replica"
	carries "Valkey, a replica" "$server" inorder /bin/sh -c \
		"for n in \$(seq 100); do ! valkey-cli -p 6380 info replication | grep -q link_status:up || break; sleep 0.1; done; valkey-cli -p 6380 --raw get file | head -c $bytes >/tmp/got"
	kill $replica
	wait $replica 2>/dev/null || true
	stops 6379
}

# iperf3's own data is compared by nobody: how much of it arrived. Without a rate it asks without a pause whether it is
# done, and the guest's time stands still meanwhile. It opens a socket of its own for each test, so that no command gives it
# a scheduler before.
iperf3_itself() {
	local serve connect
	has iperf3 iperf3 "iperf3 --version" "$(cell "iperf3, server" 3)" || return 0
	read -ra serve <<<"$(cell "iperf3, server" 2)"
	read -ra connect <<<"$(cell "iperf3, client" 2)"
	starts 5201 "${serve[@]}"
	carries iperf3 "$server" default /bin/sh -c "$(printf '%q ' "${connect[@]}") -R -t 2 -b 14M -J >/tmp/iperf; cp /srv/file /tmp/got"
	that "$release: iperf3: it arrived" all_measured
	stops 5201
}
all_measured() {
	python3 -c 'import json, sys
got = json.load(open(sys.argv[1]))["end"]["sum_received"]["bytes"]
print(f"{got} bytes")
sys.exit(got < 3e6)' "$root/tmp/iperf"
}

# systemd itself reads the units, and a small program does in its place what they say.
socket_of_systemd() {
	has "a socket of systemd" systemd-analyze "systemd-analyze --version" "$(cell "a socket of systemd" 3)" || return 0
	writes socket
	that "$release: a socket of systemd: it uses the line of the table" \
		grep -qx "$(cell "a socket of systemd" 2)" "$root/etc/systemd/system/front.socket"
	that "$release: a socket of systemd: systemd takes both units" understood
	with_nginx "listen 127.0.0.1:8080;"
	starts 8080 nginx
	local behind=$served
	ip netns exec "$server" "$tests_dir/activate.py" "$root" front >"$work/served" 2>&1 &
	served=$!
	soon listens "$server" 80 || cat "$work/served"
	carries "a socket of systemd" "$server" inorder "${fetch[@]}"
	stops 80
	served=$behind
	stops 8080
}
# understood: it does not say that it ignores something.
understood() {
	chroot "$root" systemd-analyze --man=no verify /etc/systemd/system/front.socket /etc/systemd/system/front.service >"$work/verified" 2>&1 || true
	cat "$work/verified"
	! grep -E 'front\.(socket|service)' "$work/verified"
}

# Go needs nothing of the machine: once is enough. What accepts is changed as a unit does it.
of_go() {
	local setting
	release=Go root=/
	if [ ! -x "$built/serve" ]; then
		skip "Go: no compiler of Go $(cell "Go, listening" 3) or later"
		return
	fi
	setting=$(cell "Go, connecting" 2)
	starts 80 "$built/serve" /srv :80
	gets_scheduler 80
	carries "listening and connecting" "$server" inorder env "$setting" /bin/sh -c "$built/serve http://203.0.113.1/file >/tmp/got"
	stops 80
}

# vpn_ends: OpenVPN as its units run it, with a configuration of ours; the host's scheduler is another one.
vpn_ends() {
	local end host start
	root=/
	(block vpn "$top/Documentation/udp.md" | grep -v '^systemctl ') | bash -e
	mkdir -p /dev/net
	[ -e /dev/net/tun ] || mknod /dev/net/tun c 10 200
	openvpn --genkey secret "$work/key"
	printf 'dev tun\nsecret key\ncipher AES-256-CBC\nsocket-flags TCP_NODELAY\n' | tee "$work/client.conf" >"$work/server.conf"
	printf 'proto tcp-server\nifconfig 10.8.0.1 10.8.0.2\n' >>"$work/server.conf"
	printf 'proto tcp-client\nifconfig 10.8.0.2 10.8.0.1\nremote 203.0.113.1\n' >>"$work/client.conf"
	scheduler rr
	for end in server client; do
		host=${!end}
		start=$(from_unit "openvpn-$end@.service.d/mptcp.conf" ExecStart)
		(cd "$work" && exec ip netns exec "$host" bash -c "exec ${start//%i/$end}") >"$work/vpn-$end" 2>&1 &
		soon grep -q "Listening\|Initialization" "$work/vpn-$end" || cat "$work/vpn-$end"
	done
	soon in_client ping -c 1 -W 1 10.8.0.1 >"$work/ping"
}

# Datagrams faster than a path through a VPN.
vpn_over_both() {
	local one two
	if ! command -v openvpn >/dev/null; then
		skip "udp.md: there is no openvpn"
		return
	fi
	vpn_ends
	one=$(tx_bytes 1) two=$(tx_bytes 2)
	ip netns exec "$server" python3 -c 'import socket
waiting = socket.socket(type=socket.SOCK_DGRAM)
waiting.bind(("", 4000))
print("listening", flush=True)
print(sum(1 for _ in iter(lambda: waiting.recv(2000), b"end")), flush=True)' >"$work/heard" &
	local hears=$!
	soon grep -q listening "$work/heard"
	in_client python3 -c 'import socket, time
out = socket.socket(type=socket.SOCK_DGRAM)
start = time.monotonic()
for n in range(3750):
    time.sleep(max(0, start + n * 0.8e-3 - time.monotonic()))
    out.sendto(bytes(1000), ("10.8.0.1", 4000))
time.sleep(2)
out.sendto(b"end", ("10.8.0.1", 4000))'
	soon grep -q '^[0-9]' "$work/heard" || true
	kill $hears 2>/dev/null || true
	in_client mptcpctl show >"$work/$client" 2>&1
	that "udp.md: OpenVPN: over both paths" both_used $(($(tx_bytes 1) - one)) $(($(tx_bytes 2) - two))
	that "udp.md: OpenVPN: the scheduler of its unit, two subflows" looks "$client" default
	that "udp.md: OpenVPN: more datagrams than a path carries" datagrams_arrived
	scheduler default
}
# 3750 in 3 s are 10 Mbit/s
datagrams_arrived() {
	cat "$work/heard"
	[ "$(tail -n 1 "$work/heard")" -gt 3700 ]
}

# QUIC is blocked, and nothing else. The guest's kernel can drop, but not reject.
without_quic() {
	if ! command -v nft >/dev/null; then
		skip "udp.md: there is no nft"
		return
	fi
	that "before, QUIC reaches the server" reaches udp 443
	block quic "$top/Documentation/udp.md" | sed 's/reject$/drop/' | ip netns exec "$client" bash -e >"$work/nft" 2>&1 ||
		sed 's/^/# /' "$work/nft"
	that "udp.md: QUIC is blocked" eval '! reaches udp 443'
	that "udp.md: other datagrams are not" reaches udp 444
	that "udp.md: neither is TCP's port" reaches tcp 443
	in_client nft delete table inet quic
}
# reaches PROTOCOL PORT: a word from the client.
reaches() {
	: >"$work/heard"
	# shellcheck disable=SC2016 # Python
	ip netns exec "$server" timeout 5 python3 -c 'import socket, sys
udp = sys.argv[1] == "udp"
waiting = socket.socket(type=socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
waiting.bind(("", int(sys.argv[2])))
if not udp:
    waiting.listen()
print("listening", flush=True)
print((waiting if udp else waiting.accept()[0]).recv(9).decode(), flush=True)' "$@" >"$work/heard" &
	local hears=$!
	soon grep -q listening "$work/heard"
	in_client timeout 2 bash -c "echo word >/dev/$1/203.0.113.1/$2" || true
	soon grep -q word "$work/heard" || true
	kill $hears 2>/dev/null || true
	wait $hears 2>/dev/null || true
	grep -q word "$work/heard"
}

# refusals: each option of the page's list, and the error.
refusals() {
	sed -n 's/^- \(`[^(]*\)(\(E[A-Z]*\)).*/\2 \1/p' "$page" | tr -d '`,'
}
refused() {
	python3 -c 'import errno, socket, sys
options = {"TCP_MD5SIG": (6, 14), "TCP_AO_ADD_KEY": (6, 38), "TCP_ULP": (6, 31), "SO_ZEROCOPY": (1, 60)}
sock = socket.socket(proto=262)
try:
    sock.setsockopt(*options[sys.argv[1]], b"tls" + bytes(300) if sys.argv[1] != "SO_ZEROCOPY" else 1)
    print("taken")
except OSError as error:
    print(errno.errorcode[error.errno].replace("ENOTSUP", "EOPNOTSUPP"))' "$1"
}

# prepare: what the programs want in a root file system whose packages were only unpacked.
prepare() {
	local dir
	if [ "$root" != / ]; then
		for dir in proc sys dev; do
			mount --rbind "/$dir" "$root/$dir"
		done
		cp /etc/passwd /etc/group "$root/etc/"
	fi
	# Valkey goes by the processor's clock, which is not the guest's, unless it is said to be no good
	mount --bind /run/cpuinfo "$root/proc/cpuinfo"
	mkdir -p "$root/srv" "$root/tmp" "$root/run" "$root/usr/lib/mptcpctl" "$root/etc/systemd/system"
	cp "$work/file" "$root/srv/file"
	cp "$top/tools/mptcpctl/mptcpctl" "$root/usr/bin/"
	cp "$top/tools/mptcpctl/libmptcpctl.so" "$root/usr/lib/mptcpctl/"
}

# tried RELEASE ROOT
tried() {
	release=$1 root=$2
	prepare
	chosen_curl
	if has "nginx through mptcpctl run" nginx "nginx -v" 1.0; then
		nginx_by_unit
	fi
	nginx_itself
	haproxy_to_clients
	lighttpd_itself
	valkey_itself
	iperf3_itself
	socket_of_systemd
}

served=
tried "this machine" /
of_go
for directory in "$built"/*/; do
	[ ! -e "$directory/usr" ] || tried "$(basename "$directory")" "${directory%/}"
done
without_quic
vpn_over_both
while read -r error names; do
	for name in $names; do
		is "$error" "$(refused "$name")" "an MPTCP socket and $name"
	done
done < <(refusals)
finish
