# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Shared by the tests of MPTCP's packet schedulers and congestion controls: TAP output,
# two hosts with two paths between them, transfers whose bytes are checked.
#
#	client                                    server
#	  10.0.1.1 c1 -------------------- s1 10.0.1.2
#	  10.0.2.1 c2 -------------------- s2 10.0.2.2
#
# The server signals 10.0.2.2, to which the client opens the second subflow from c2.

KSFT_SKIP=4
tests=0 failures=0 skips=0
client=msc-$$ server=mss-$$ router=msr-$$
work=$(mktemp -d)
patience=120
# KSFT_MACHINE_SLOW=yes, as in Linux' own tests: a machine that computes slowly while its clock runs on
slow() { [ "${KSFT_MACHINE_SLOW:-}" = yes ]; }
! slow || patience=600
# paced SECONDS: of the clock, for what programs are to do in them: there they take longer.
paced() { if slow; then echo $(($1 * 4)); else echo "$1"; fi; }
sched_sock=$(PATH="$PWD:$PATH" command -v sched_sock || true)

skip_all() { echo "1..0 # SKIP $*"; exit $KSFT_SKIP; }

result() {
	tests=$((tests + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tests $2"
	else
		failures=$((failures + 1))
		echo "not ok $tests $2"
	fi
}

# retell LINE [PREFIX]: what a program has found, "ok WHAT" or "not ok WHAT", with the numbers of TAP.
retell() {
	case $1 in
	"ok "*) result 0 "${2:-}${1#ok }" ;;
	"not ok "*) result 1 "${2:-}${1#not ok }" ;;
	*) echo "# ${1#\# }" ;;
	esac
}

# heard COMMAND...: what a program has found, and that it did not break off, as TAP.
heard() {
	local line before=$tests
	"$@" >"$work/heard" 2>&1 || echo "not ok it ended with status $?" >>"$work/heard"
	while read -r line; do
		retell "$line"
	done <"$work/heard"
	[ "$tests" != "$before" ] || result 1 "it found something: $*"
}

# is WANT GOT WHAT: pass when the strings are equal, else show both.
is() {
	if [ "$1" = "$2" ]; then
		result 0 "$3"
	else
		result 1 "$3"
		echo "# want: $1"
		echo "# got:  $2"
	fi
}

# that WHAT COMMAND...: pass when the command succeeds.
that() {
	local what=$1
	shift
	if "$@" >"$work/that" 2>&1; then
		result 0 "$what"
	else
		result 1 "$what"
		echo "# failed: $*"
		sed 's/^/# /' "$work/that"
	fi
}

# in_time WHAT COMMAND...: the same for what a slow machine cannot promise.
in_time() { if slow; then skip "$1: this machine is slow"; else that "$@"; fi; }

# less A B: compare integers, showing them on failure.
less() { echo "$1 < $2 ?"; [ "$1" -lt "$2" ]; }

skip() { tests=$((tests + 1)) skips=$((skips + 1)); echo "ok $tests # SKIP $*"; }

finish() {
	echo "1..$tests"
	echo "# $((tests - failures - skips)) passed, $failures failed, $skips skipped"
	[ "$failures" = 0 ]
}

cleanup() {
	local pids
	pids=$(jobs -p)
	# shellcheck disable=SC2086 # a list
	[ -z "$pids" ] || kill $pids 2>/dev/null || true
	ip netns del "$client" 2>/dev/null || true
	ip netns del "$server" 2>/dev/null || true
	ip netns del "$router" 2>/dev/null || true
	rm -rf -- "$work"
}
trap cleanup EXIT

# Not for background jobs: $! would be a shell around them.
in_client() { ip netns exec "$client" "$@"; }
in_server() { ip netns exec "$server" "$@"; }
in_both() { in_client "$@" && in_server "$@"; }

# ours: this kernel has our patches.
ours() { [ -e /proc/sys/net/mptcp/allowed_schedulers ]; }

# need_tools TOOL...: on any kernel with MPTCP.
need_tools() {
	[ "$(id -u)" = 0 ] || skip_all "must be run as root"
	[ -e /proc/sys/net/mptcp/enabled ] || skip_all "this kernel has no MPTCP"
	local tool
	for tool in ip tc "$@"; do
		command -v "$tool" >/dev/null || skip_all "needs $tool"
	done
}

need() {
	need_tools "$@"
	ours || skip_all "this kernel has no MPTCP scheduler framework"
	[ -n "$sched_sock" ] || skip_all "sched_sock is not built: run make"
}

# is_built NAME: the feature with the sysctl net.mptcp.NAME was not left out.
is_built() { [ -e "/proc/sys/net/mptcp/$1" ]; }

need_sysctl() {
	local name
	for name; do
		is_built "$name" || skip_all "this kernel has no net.mptcp.$name"
	done
}

need_coupled() {
	[ -e /proc/sys/net/mptcp/ewlia_weight ] ||
		skip_all "this kernel has no coupled congestion control"
}

# built KIND: the names NAME of the modules mptcp_KIND_NAME that belong to this kernel, built in or not.
built() {
	cat "/lib/modules/$(uname -r)"/modules.{order,builtin} |
		sed -n "s/.*\/mptcp_$1_\([^.]*\)\..*/\1/p" | grep -vx test | sort -u
}

# every_extension: of this kernel's, in the kernel's order.
every_extension() { cat /proc/sys/net/mptcp/available_sched_extensions; }

# composed NAME: with all extensions that go together.
composed() { echo "$1+$(but "r rp0 rp1" "$(every_extension)" | tr ' ' +)"; }

# every_scheduler: of this kernel's; and one with extensions.
every_scheduler() { echo "$(cat /proc/sys/net/mptcp/available_schedulers) $(composed minrtt)"; }

# every_coupled: this kernel's coupled congestion controls.
every_coupled() { built cong | xargs; }

# restricted NAME: a coupled congestion control that only root may choose at first.
restricted() { [[ $1 =~ ^(ewlia|wvegas)$ ]]; }

# admit NAME...: root makes each the default of the machine once: then all may use it, and namespaces have
# it as their default, until its module is removed.
admit() {
	local name at_first file=/proc/sys/net/ipv4/tcp_congestion_control
	at_first=$(cat $file)
	for name; do
		echo "$name" >$file
	done
	echo "$at_first" >$file
}

# but NAMES WORDS: the words without the names.
but() { tr ' ' '\n' <<<"$2" | grep -vxF "$(tr ' ' '\n' <<<"$1")" | xargs; }

# commas WORDS: instead of spaces.
commas() { tr -s ' ' , <<<"$1"; }

# path N RATE DELAY: the Nth path, DELAY in each direction.
path() {
	ip link add "c$1" netns "$client" type veth peer name "s$1" netns "$server"
	ip -n "$client" addr add "10.0.$1.1/24" dev "c$1"
	ip -n "$server" addr add "10.0.$1.2/24" dev "s$1"
	ip -n "$client" link set "c$1" up
	ip -n "$server" link set "s$1" up
	tc -n "$client" qdisc add dev "c$1" root netem rate "$2" delay "$3" limit 1000
	tc -n "$server" qdisc add dev "s$1" root netem rate "$2" delay "$3" limit 1000
}

# both_families: the hosts have IPv6 beside IPv4.
both_families() {
	local n
	for n in 1 2; do
		ip -n "$client" addr add "fd00:$n::1/64" dev "c$n" nodad
		ip -n "$server" addr add "fd00:$n::2/64" dev "s$n" nodad
	done
}

# through N ADDRESS: the server's first address is behind path N, too, for what has that source.
through() {
	ip -n "$client" rule add from "$2" table "$1"
	ip -n "$client" route add 10.0.1.0/24 dev "c$1" table "$1"
	ip -n "$client" neigh add 10.0.1.2 dev "c$1" lladdr "$(in_server cat "/sys/class/net/s$1/address")"
}

# joins_by_itself [ARG...]: the client's second subflow is its own, by path 2 to the server's first address; with
# more words for its endpoint.
joins_by_itself() {
	in_server ip mptcp endpoint flush
	through 2 10.0.2.1
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow "$@"
}

# linux_defaults: whatever this machine was configured with, of which new namespaces take over some.
# A namespace may have reno on every machine.
linux_defaults() {
	in_both sysctl -q net.mptcp.scheduler=default
	in_both sysctl -q net.ipv4.tcp_congestion_control=cubic 2>"$work/err" ||
		in_both sysctl -q net.ipv4.tcp_congestion_control=reno
}

# hosts RATE1 DELAY1 RATE2 DELAY2
hosts() {
	ip netns add "$client"
	ip netns add "$server"
	linux_defaults
	# or one SYN that is lost twice makes the rest of a test TCP's
	in_both sysctl -q net.mptcp.blackhole_timeout=0
	ip -n "$client" link set lo up
	ip -n "$server" link set lo up
	path 1 "$1" "$2"
	path 2 "$3" "$4"
	in_client ip mptcp limits set subflow 4 add_addr_accepted 4
	in_server ip mptcp limits set subflow 4 add_addr_accepted 4
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
}

# is_module NAME: that is, not built into the kernel.
is_module() { modinfo -F filename "$1" 2>/dev/null | grep -q '\.ko'; }
loaded() { grep -q "^$1 " /proc/modules; }

in_use() { awk -v name="$1" '$1 == name && $3 > 0 { found = 1 } END { exit !found }' /proc/modules; }

# soon COMMAND...: until it succeeds, for some seconds.
soon() {
	for _ in {1..100}; do
		! "$@" || return 0
		sleep 0.1
	done
	return 1
}

# memory_of: pages that all sockets of TCP and MPTCP are charged for, as Linux counts them.
memory_of() { sed -n "s/^TCP: .* mem //p" /proc/net/sockstat; }
# memory_back PAGES: as many again. What each CPU keeps in reserve, 1 MB at most, is counted or not.
memory_back() { [ "$(memory_of)" -le $(($1 + 8 + 256 * $(nproc))) ]; }

# unload NAME: once those who use it are gone; false if they stay.
unload() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		rmmod "$1" 2>/dev/null || true
		loaded "$1" || return 0
		sleep 1
	done
	return 1
}

# coupled_gone: remove the modules of coupled congestion control; false if one stays.
coupled_gone() {
	local name stays=0
	for name in $(every_coupled); do
		rmmod "mptcp_cong_$name" 2>/dev/null || ! loaded "mptcp_cong_$name" || stays=1
	done
	return $stays
}

# remove_coupled: some need others, which can go when those are gone.
remove_coupled() {
	local name
	soon coupled_gone || true
	for name in $(every_coupled); do
		if is_module "mptcp_cong_$name"; then
			that "$name is used no more, and can be removed" eval "! loaded mptcp_cong_$name"
		else
			skip "$name is built in"
		fi
	done
}

# get NAME, set_to NAME VALUE: MPTCP's sysctls in the client.
get() { in_client cat "/proc/sys/net/mptcp/$1"; }
set_to() { in_client tee "/proc/sys/net/mptcp/$1" <<<"$2" >/dev/null 2>"$work/err"; }

# refused NAME VALUE ERROR WHAT: by the sysctl, and nothing changes.
refused() {
	local before error
	before=$(get "$1")
	error="nothing: $(set_to "$1" "$2" && get "$1")" || error=$(sed 's/.*: //' "$work/err")
	is "$3, $before" "$error, $(get "$1")" "$4"
	set_to "$1" "$before"
}

scheduler() { in_both sysctl -q net.mptcp.scheduler="$1"; }

# counter NAME: of the client.
counter() { counter_of "$client" "$1"; }

# counter_of HOST NAME [GROUP]: of MPTCP, or of another group there, as TcpExt.
counter_of() {
	ip netns exec "$1" awk -v name="$2" -v group="${3:-MPTcpExt}:" '
		$1 == group && !seen { for (i = 2; i <= NF; i++) col[$i] = i; seen = 1; next }
		$1 == group { print $col[name] }' /proc/net/netstat
}

# Bytes the client sent over path N.
tx_bytes() { in_client cat "/sys/class/net/c$1/statistics/tx_bytes"; }

# wire PATH...: bytes the client sent over them.
wire() {
	local path sum=0
	for path; do
		sum=$((sum + $(tx_bytes "$path")))
	done
	echo "$sum"
}

# grew FROM BYTES PATH...: it has sent so many more over them. A slow machine takes seconds to begin a program.
grew() { [ $(($(wire "${@:3}") - $1)) -gt "$2" ]; }

# carried COMMAND...: how many bytes go over each path meanwhile, $one and $two.
carried() {
	one=$(tx_bytes 1) two=$(tx_bytes 2)
	"$@"
	one=$(($(tx_bytes 1) - one)) two=$(($(tx_bytes 2) - two))
}

# dark N, light N: the path, of 8 Mbit/s and 20 ms, delivers nothing, either way, and nobody is told;
# or does again.
dark() { loses "$1" 100%; }
light() { loses "$1" 0%; }
loses() {
	tc -n "$client" qdisc change dev "c$1" root netem rate 8mbit delay 10ms limit 1000 loss "$2"
	tc -n "$server" qdisc change dev "s$1" root netem rate 8mbit delay 10ms limit 1000 loss "$2"
}

# shape N RATE DELAY LIMIT [NETEM ARG...]: change what the client sends over path N.
# A queue that holds LIMIT packets needs packets that are one segment each.
shape() {
	local n=$1 rate=$2 delay=$3 limit=$4
	shift 4
	ip -n "$client" link set "c$n" gso_max_segs 1
	tc -n "$client" qdisc change dev "c$n" root netem rate "$rate" delay "$delay" \
		limit "$limit" loss 0% "$@"
}

# buffers BYTES: the most that sockets send and receive ahead.
buffers() {
	in_client sysctl -q -w net.ipv4.tcp_wmem="4096 16384 $1" net.ipv4.tcp_rmem="4096 131072 $1"
	in_server sysctl -q -w net.ipv4.tcp_wmem="4096 16384 $1" net.ipv4.tcp_rmem="4096 $1 $1"
}

# listens_at HOST PORT: does anybody?
listens_at() { ip netns exec "$1" ss -Hltn sport = ":$2" | grep -q .; }

# listens REPORT PID: once the program that writes there says so; false if it ends before. Whoever begins it
# empties the report first: what the last one said is not this one's.
listens() {
	until grep -q listening "$1"; do
		kill -0 "$2" 2>/dev/null || return
		sleep 0.01
	done
}

# listen_as REPORT COMMAND...: a server in the background, $served. It listens when this returns, or has ended:
# false.
listen_as() {
	local report=$1
	shift
	: >"$report"
	"$@" >"$report" 2>&1 &
	served=$!
	listens "$report" "$served"
}

# listen_with REPORT PROGRAM [ARG...]: the same in the server, for as long as is patient; of one that ends,
# the report tells.
listen_with() { listen_as "$1" timeout $patience ip netns exec "$server" "${@:2}" || true; }

# serve [ARG...]: one with the tool, its report in $work/server.
serve() { serve_at 5000 "$work/server" "$@"; }

# serve_at PORT REPORT [ARG...]: a client that comes before it listens, and is refused, tries again
# without MPTCP.
serve_at() { listen_with "$2" "$sched_sock" listen -p "$1" "${@:3}"; }

# transfer [ARG...]: run a client against it; its report in $work/client.
transfer() {
	begin "$@"
	wait "$sending"
	wait "$served"
}

# begin [ARG...]: the same in the background, until the transfer is complete.
begin() {
	timeout $patience ip netns exec "$client" "$sched_sock" connect -a 10.0.1.2 -p 5000 "$@" \
		>"$work/client" 2>&1 &
	sending=$!
}

# What is missing, arrived() tells.
complete() {
	wait "$sending" || echo "# the client failed: $(tail -n 1 "$work/client")"
	wait "$served" || echo "# the server failed: $(tail -n 1 "$work/server")"
}

# interrupted N BYTES: a transfer, with path N down for some seconds in the middle.
interrupted() {
	serve
	begin -b "$2"
	sleep 1
	ip -n "$client" link set "c$1" down
	sleep 3
	ip -n "$client" link set "c$1" up
	complete
	arrived "$2" "path $1 is lost in the middle: the bytes are right"
}

# comings_and_goings WHAT [ARG...]: a subflow is added, removed, dark and back in the middle of
# transfers, on two paths of 20 Mbit/s.
comings_and_goings() {
	local what=$1 two
	shift
	in_client ip mptcp endpoint flush
	in_server ip mptcp endpoint flush
	two=$(tx_bytes 2)
	serve
	begin -b 10000000 "$@"
	sleep 1
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
	complete
	arrived 10000000 "$what: a subflow is added in the middle: the bytes are right"
	in_time "$what: and is used" less 1000000 $(($(tx_bytes 2) - two))

	two=$(tx_bytes 2)
	serve
	begin -b 10000000 "$@"
	sleep 1
	in_server ip mptcp endpoint flush
	complete
	arrived 10000000 "$what: a subflow is removed in the middle: the bytes are right"
	in_time "$what: and was used until then" less 500000 $(($(tx_bytes 2) - two))

	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
	serve
	begin -b 10000000 "$@"
	sleep 1
	tc -n "$client" qdisc change dev c2 root netem loss 100%
	sleep 4
	tc -n "$client" qdisc change dev c2 root netem rate 20mbit delay 20ms limit 1000 loss 0%
	complete
	arrived 10000000 "$what: a path goes dark and comes back: the bytes are right"
}

# took ARG...: how long a transfer takes, in ms.
took() {
	local start
	start=$(date +%s%N)
	serve
	transfer "$@"
	# shellcheck disable=SC2034 # for those who source this
	took=$((($(date +%s%N) - start) / 1000000))
}

# grown COUNTER COMMAND...: by how much a counter grows meanwhile.
grown() {
	local name=$1 before
	shift
	before=$(counter "$name")
	"$@"
	# shellcheck disable=SC2034 # for those who source this
	grown=$(($(counter "$name") - before))
}

# value FILE KEY: from a report.
value() { sed -n "s/^$2=//p" "$work/$1" | tail -n 1; }

# arrived BYTES WHAT: all of them, none of them wrong.
arrived() { is "$1 wrong 0" "$(value server received) wrong $(value server wrong)" "$2"; }

# Tests as an ordinary user: where it can run the tool.
for_users() {
	cp "$sched_sock" "$work/tool"
	chmod 755 "$work" "$work/tool"
}

# load_allowed: the schedulers that ordinary users may choose. Most load for root only; naming them does.
load_allowed() { set_to allowed_schedulers "$(get allowed_schedulers)"; }

# as_user ARG...: in the client, with the tool.
as_user() { in_client setpriv --reuid 65534 --regid 65534 --clear-groups "$work/tool" "$@"; }

# try ARG..., try_user ARG...: set the option of a new socket; the report in $work/option.
try() { in_client "$sched_sock" option "$@" >"$work/option" 2>&1 || true; }
try_user() { as_user option "$@" >"$work/option" 2>&1 || true; }
outcome() { echo "$(value option set) $(value option after)"; }
