#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What an ordinary user can and cannot reach: sysctls, socket options, modules, the path
# manager, others' connections. "User" has no capability; "userns root" is one who is root
# in an unprivileged user namespace with its own network namespace.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=../lib.sh
. ../lib.sh
need setpriv unshare ss sysctl
need_coupled

mptcpctl=$(PATH="$PATH:$PWD/../../tools/mptcpctl" command -v mptcpctl || true)

hosts 100mbit 2ms 100mbit 2ms
for_users

# user COMMAND...: in the client, without any capability.
user() { in_client setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }

# userns_root COMMAND: the same user in namespaces of its own.
userns_root() { user unshare --user --map-root-user --net bash -c "$1"; }

# row WHO WHAT YES|NO: for the documentation's table.
row() { echo "# | $2 | $1 | $3 |"; }

# cannot WHO WHAT COMMAND...: the command fails, and says that it is for want of permission.
cannot() {
	local who=$1 what=$2
	shift 2
	if "$@" >"$work/out" 2>&1; then
		result 1 "$who cannot $what"
	elif grep -Eqi 'not permitted|denied|EPERM|read-only' "$work/out"; then
		result 0 "$who cannot $what"
	else
		result 1 "$who cannot $what"
		sed 's/^/# /' "$work/out"
	fi
	row "$who" "$what" no
}

# can WHO WHAT COMMAND...
can() {
	local who=$1 what=$2
	shift 2
	that "$who can $what" "$@"
	row "$who" "$what" yes
}

# Each module that the kernel asks for from now on, a line.
watch_modules() {
	modprobe=$(cat /proc/sys/kernel/modprobe)
	cat >"$work/modprobe" <<-SCRIPT
		#!/bin/sh
		echo "\$3" >>"$work/asked"
		exec $modprobe "\$@"
	SCRIPT
	chmod 755 "$work/modprobe"
	: >"$work/asked"
	echo "$work/modprobe" >/proc/sys/kernel/modprobe
}

# asked: what the kernel asked for since the last time.
asked() {
	local names
	names=$(sort -u "$work/asked" | xargs)
	: >"$work/asked"
	echo "$names"
}

sysctls() {
	local file open="" unread=""
	cd /proc/sys/net/mptcp
	for file in *; do
		user cat "/proc/sys/net/mptcp/$file" >"$work/value" 2>&1 || unread+=" $file"
		! user sh -c "cat >/proc/sys/net/mptcp/$file" <"$work/value" 2>/dev/null || open+=" $file"
	done
	cd - >/dev/null
	is "" "$open" "a user cannot write net.mptcp.*"
	row "a user" "write net.mptcp.*" no
	is "" "$unread" "a user can read net.mptcp.*"
	row "a user" "read net.mptcp.*" yes
	is "" "$(user sh -c 'echo rr >/proc/sys/net/ipv4/tcp_allowed_congestion_control' 2>/dev/null && echo open)" \
		"a user cannot write tcp_allowed_congestion_control"
	row "a user" "write net.ipv4.tcp_allowed_congestion_control" no
}

# option WANT WHAT ARG...: what the tool says of a user's socket.
option() {
	local want=$1 what=$2
	shift 2
	try_user "$@"
	is "$want" "$(outcome)" "$what"
}

schedulers() {
	local name
	load_allowed
	for name in $(get allowed_schedulers) "$(composed minrtt)"; do
		option "ok $name" "a user can choose $name, which is allowed" -s "$name"
	done
	row "a user" "choose schedulers of net.mptcp.allowed_schedulers, with any extensions" yes
	option "EPERM default" "a user cannot choose redundant, which is not" -s redundant
	option "EPERM default" "nor with an extension" -s redundant+bm
	row "a user" "choose others" no
	in_client sysctl -q net.mptcp.scheduler=redundant
	option "ok redundant" "a user can choose the namespace's default, allowed or not" -s redundant
	row "a user" "choose net.mptcp.scheduler" yes
	option "EPERM redundant" "but not the default with other extensions" -s redundant+bm
	in_client sysctl -q net.mptcp.scheduler=default
	option "ok rr" "a length of 1 GB costs what 16 bytes cost" -s rr -l 1073741824
}

scheduler_modules() {
	local name
	asked >/dev/null
	for name in nosuch ../rr 'rr;id' mptcp_sched_rr tcp_vegas sched_rr; do
		option "ENOENT default" "a user cannot choose $name" -s "$name"
	done
	is "" "$(asked)" "and the kernel asked for no module"
	row "a user" "load a module by a name of its choice through MPTCP_SCHEDULER" no
	if ! is_module mptcp_sched_rr; then
		skip "the schedulers are built in"
		return
	fi
	for name in rr redundant minrtt; do
		unload "mptcp_sched_$name" || true
	done
	option "EPERM default" "naming one that is not allowed" -s redundant
	option "EPERM default" "or one that is allowed, but not for all" -s rr
	is "" "$(asked)" "does not load its module"
	row "a user" "load a scheduler that is not for all" no
	option "ok minrtt" "naming one that is for all" -s minrtt
	is mptcp_sched_minrtt "$(asked)" "loads its module, and no other"
	row "a user" "load the schedulers that are for all: inorder, minrtt" yes
}

# A price that the administrator gave an interface.
prices() {
	set_to path_price "c2=10"
	in_both sysctl -q net.mptcp.scheduler=rr+price
	carried priced user "$work/tool" c2=0
	arrived 200000 "a transfer: the bytes are right"
	that "a user's own price does not undercut the administrator's: $two bytes" less "$two" 10000
	carried priced user "$work/tool" c1=255
	that "nor makes the cheap path the dearer one: $two bytes" less "$two" 10000
	row "a user" "make a path cheaper than net.mptcp.path_price says, or others dearer" no
	set_to path_price "c1=1 c2=1"
	carried priced user "$work/tool" c1=10
	arrived 200000 "a transfer: the bytes are right"
	that "but a path can be dearer for a user: $one bytes" less "$one" 10000
	row "a user" "make a path dearer for its own connections" yes
	set_to path_price "c2=10"
	carried priced in_client "$sched_sock" "c2=0 c1=10"
	arrived 200000 "a transfer: the bytes are right"
	that "root's own price comes first: $one bytes" less "$one" 10000
	set_to path_price ""
	in_both sysctl -q net.mptcp.scheduler=default
	asked >/dev/null
}

# priced COMMAND... PRICES: a transfer that one path has room for.
priced() {
	serve
	"${@:1:$#-1}" connect -a 10.0.1.2 -p 5000 -b 200000 -m 1000 -i 5 \
		-P "${*: -1}" >"$work/client" 2>&1 || echo "# the client failed: $(tail -n 1 "$work/client")"
	wait "$served" || true
}

congestion_controls() {
	local name
	try_user -g nosuch
	is ENOENT "$(value option cong_set)" "a user cannot choose an unknown congestion control"
	if is_module mptcp_cong_wvegas; then
		unload mptcp_cong_wvegas || true
		try_user -g wvegas
		is ENOENT "$(value option cong_set)" "nor one that is not loaded"
	fi
	is "" "$(asked)" "and the kernel asked for no module"
	row "a user" "load a congestion control by naming it" no
	for name in balia lia olia; do
		modprobe "mptcp_cong_$name" 2>/dev/null || true
		try_user -g "$name"
		is ok "$(value option cong_set)" "a user can choose $name, which is loaded"
	done
	row "a user" "choose balia, lia or olia if it is loaded" yes
	for name in ewlia wvegas; do
		modprobe "mptcp_cong_$name" 2>/dev/null || true
		try_user -g "$name"
		is EPERM "$(value option cong_set)" "a user cannot choose $name, which shares by other rules than TCP"
	done
	row "a user" "choose ewlia or wvegas" no
	if modprobe tcp_vegas 2>/dev/null; then
		try_user -g vegas
		is EPERM "$(value option cong_set)" "a user cannot choose one that is not allowed"
		row "a user" "choose a congestion control outside tcp_allowed_congestion_control" no
	fi
	try_user -n 65535
	is "ok 65535" "$(value option weight_set) $(value option weight)" \
		"a user can set MPTCP_CONG_WEIGHT: more of it is less of the network"
	row "a user" "set MPTCP_CONG_WEIGHT (which takes less of the network, not more)" yes
}

path_manager() {
	# what a connection left: the kernel's own endpoints for the addresses it used
	in_client ip mptcp endpoint flush
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow id 5
	cannot "a user" "add an endpoint" user ip mptcp endpoint add 10.0.2.1 signal
	cannot "a user" "delete an endpoint" user ip mptcp endpoint delete id 5
	cannot "a user" "change an endpoint" user ip mptcp endpoint change id 5 backup
	cannot "a user" "flush the endpoints" user ip mptcp endpoint flush
	can "a user" "list the endpoints" user ip mptcp endpoint show
	cannot "a user" "set the limits" user ip mptcp limits set subflow 8
	can "a user" "read the limits" user ip mptcp limits show
	cannot "a user" "watch the connections of others come and go (ip mptcp monitor)" \
		user timeout 2 ip mptcp monitor
	is "10.0.2.1 id 5 subflow dev c2" "$(in_client ip mptcp endpoint show | xargs)" \
		"the endpoints are what they were"
	in_client ip mptcp endpoint flush
}

others() {
	local tokens pid
	serve
	begin -d 20 -m 1000 -i 100 -s minrtt
	sleep 2
	can "a user" "see the connections of others (ss -M)" grep -q 10.0.1.2:5000 <(user ss -Mnt)
	# of connections: newer kernels show them to users with the subflows, too
	tokens=$(user ss -Mnie | grep -c token: || true)
	is 1 "$tokens" "a user can see their tokens, with which joins can be asked for, but not made"
	row "a user" "see the tokens of others' connections, but not the keys" yes
	pid=$(in_client ss -Mntp | sed -n 's/.*pid=\([0-9]*\).*/\1/p' | head -n 1)
	cannot "a user" "take a descriptor of another's connection" user /usr/bin/python3 -c '
import ctypes, os, sys
if ctypes.CDLL(None, use_errno=True).syscall(438, os.pidfd_open(int(sys.argv[1])), 3, 0) < 0:
    sys.exit(os.strerror(ctypes.get_errno()))' "$pid"
	if [ -n "$mptcpctl" ]; then
		cp "$mptcpctl" "$work/mptcpctl"
		chmod 755 "$work/mptcpctl"
		user "$work/mptcpctl" set rr --peer 10.0.1.2:5000 >/dev/null 2>&1 || true
	else
		skip "mptcpctl is not there"
	fi
	complete
	is minrtt "$(value client end)" "the connection keeps its scheduler"
	row "a user" "change the scheduler of others' connections" no
}

# What root of an unprivileged user namespace can do in it, and that it ends there.
user_namespaces() {
	local before
	if ! userns_root true 2>/dev/null; then
		skip "no unprivileged user namespaces"
		return
	fi
	if is_module mptcp_sched_redundant; then
		unload mptcp_sched_redundant || true
		asked >/dev/null
		cannot "userns root" "load a scheduler that is not for all" \
			userns_root 'echo redundant >/proc/sys/net/mptcp/scheduler'
		cannot_load "echo default rr redundant >/proc/sys/net/mptcp/allowed_schedulers"
	fi
	modprobe mptcp_sched_redundant 2>/dev/null || true
	can "userns root" "choose any scheduler that is loaded in its own network namespace" \
		userns_root 'echo redundant >/proc/sys/net/mptcp/scheduler'
	is "default" "$(get scheduler)" "which changes nothing in others"
	asked >/dev/null
	cannot_load "echo nosuch >/proc/sys/net/mptcp/scheduler"
	cannot_load "echo default nosuch >/proc/sys/net/mptcp/allowed_schedulers"
	cannot_load "$work/tool option -s nosuch"
	cannot_load "$work/tool option -g nosuch"
	cannot_load "echo nosuch >/proc/sys/net/ipv4/tcp_congestion_control"
	row "userns root" "load modules other than the schedulers that are for all" no
	cannot "userns root" "write net.ipv4.tcp_allowed_congestion_control, which is everybody's" \
		userns_root 'echo reno >/proc/sys/net/ipv4/tcp_allowed_congestion_control'
	can "userns root" "set endpoints and limits of its own network namespace" \
		userns_root 'ip mptcp limits set subflow 8 && ip mptcp endpoint add 127.0.0.1 subflow'
	before=$(cat /proc/sys/net/mptcp/allowed_schedulers)
	cannot "userns root" "enter the network namespace that it came from" \
		user unshare --user --map-root-user nsenter --net="/proc/$$/ns/net" true
	userns_root 'head -c 100000000 /dev/zero | tr "\0" a >/proc/sys/net/mptcp/allowed_schedulers' \
		>/dev/null 2>&1 || true
	that "allowed_schedulers of userns root takes no more than its maximum" less \
		"$(userns_root 'yes rr | head -c 1000000 >/proc/sys/net/mptcp/allowed_schedulers 2>/dev/null; \
			wc -c </proc/sys/net/mptcp/allowed_schedulers')" 1024
	is "$before" "$(cat /proc/sys/net/mptcp/allowed_schedulers)" "and others keep theirs"
}

# cannot_load COMMAND: as userns root.
cannot_load() {
	userns_root "$1" >/dev/null 2>&1 || true
	is "" "$(asked)" "userns root cannot load a module by: ${1##*/}"
}

watch_modules
sysctls
schedulers
scheduler_modules
prices
congestion_controls
path_manager
others
user_namespaces
echo "$modprobe" >/proc/sys/kernel/modprobe
finish
