# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # variables of lib.sh and faults.sh
# For faults.sh: many connections at a time (load/), what is done to them
# meanwhile, what must hold afterwards.

connections=0 bytes=0 wrong=0 seed=0
serve_with=()
complaint='WARNING:|BUG:|Oops|possible recursive locking|Call Trace|KASAN|UBSAN|ODEBUG|unreferenced object'
faults_load=$(PATH="$PWD:$PATH" command -v faults_load || true)

# start [ARG...]: a server, and in the background a client that opens connections to it.
start() {
	start_server
	start_client "$@"
}

start_server() {
	seed=$((seed + 1))
	complained=$(complaints)
	: >"$work/server"
	ip netns exec "$server" "$faults_load" serve -p 5000 "${serve_with[@]}" \
		>"$work/server" 2>"$work/server-said" &
	served=$!
	listens "$work/server" "$served"
}

start_client() {
	ip netns exec "$client" "$faults_load" run -a 10.0.1.2 -p 5000 -S "$seed" "$@" \
		>"$work/client" 2>"$work/client-said" &
	sending=$!
}

# end: once all connections have ended.
end() {
	wait "$sending" || echo "status=$?" >>"$work/client"
	kill -TERM "$served" || true
	wait "$served" || echo "status=$?" >>"$work/server"
	count
}

# load [ARG...]: from the first connection to the last.
load() {
	start "$@"
	end
}

# count: the reports, also into the totals.
declare -A report
count() {
	local side key number
	report=()
	for side in client server; do
		while IFS='=' read -r key number; do
			report[$side $key]=$number
		done <"$work/$side"
	done
	connections=$((connections + ${report[client connections]:-0}))
	bytes=$((bytes + ${report[client received]:-0} + ${report[server received]:-0}))
	wrong=$((wrong + ${report[client wrong]:-0} + ${report[server wrong]:-0}))
}

# Not data races: Linux has some of its own, who runs this on a kernel with KCSAN looks at all.
complaints() { dmesg | grep -v 'BUG: KCSAN' | grep -Ec "$complaint" || true; }

# sound SIDE: what must be zero of its report, and is not; and what the kernel said.
sound() {
	local side key
	for side; do
		for key in failed stuck wrong status; do
			[ "${report[$side $key]:-0}" = 0 ] || echo -n "$side: $key ${report[$side $key]}, "
		done
		[ -n "${report[$side connections]:-}" ] || echo -n "$side: no report, "
	done
	echo "complaints $(($(complaints) - complained))"
}

# right WHAT: every connection that was to end well did, at both ends; every byte is right.
right() {
	is "${report[client complete]:-} complete, complaints 0" \
		"${report[server complete]:-} complete, $(sound client server)" \
		"$1: each of ${report[client connections]:-0} connections ends as it should, the bytes are right"
	show
}

# alive WHAT SIDE...: its connections may have broken, but none hangs, and what arrived is right.
alive() {
	local what=$1
	shift
	is "complaints 0" "$(sound "$@")" "$what: no connection hangs, what arrived is right"
	show
}

# show: what there is to know about the last load, as comments.
show() {
	local side key
	for side in client server; do
		echo -n "# $side:"
		for key in "${!report[@]}"; do
			[ "${report[$key]}" = 0 ] || [ "${key% *}" != $side ] ||
				echo -n " ${key#* } ${report[$key]}"
		done
		echo
		head -n 12 "$work/$side-said"
	done
}

# [most=N] meanwhile COMMAND...: over and over again while the last load lasts; each time counts.
meanwhile() {
	local cycles=0
	sleep 0.3
	while [ "$cycles" -lt "${most:-1000000}" ] && kill -0 "$sending" 2>/dev/null; do
		"$@" || true
		cycles=$((cycles + 1))
	done 2>"$work/meanwhile"
	that "$cycles times: $*" less 0 "$cycles"
}

# netem N [ARG...]: what both ends do to the packets of path N.
netem() {
	local n=$1
	shift
	discipline "$client" "c$n" "${delays[n]}" "$@"
	discipline "$server" "s$n" "${delays[n]}" "$@"
}

# discipline HOST DEVICE DELAY [ARG...]: anew, since a change keeps what it does not name.
discipline() {
	local host=$1 device=$2 delay=$3
	shift 3
	tc -n "$host" -batch - <<-EOT
		qdisc del dev $device root
		qdisc add dev $device root netem rate $rate delay $delay limit 1000 $*
	EOT
}

# calm: both paths as they were, both hosts with their addresses and endpoints.
calm() {
	local n
	for n in 1 2; do
		ip -n "$client" link set "c$n" up
		ip -n "$server" link set "s$n" up
		ip -n "$client" addr replace "10.0.$n.1/24" dev "c$n"
		ip -n "$server" addr replace "10.0.$n.2/24" dev "s$n"
		netem "$n"
	done
	in_client ip mptcp endpoint flush
	in_server ip mptcp endpoint flush
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
}

# for_both NAME=VALUE...: sysctls.
for_both() { in_both sysctl -q -w "$@"; }

# snmp HOST NAME: one of the counters of IP and TCP. The line before it has the names.
snmp() {
	ip netns exec "$1" awk -v name="$2" 'col { print $col; exit }
		NR % 2 { for (i = 2; i <= NF; i++) if ($i == name && $1 ~ /^Tcp/) col = i }' \
		/proc/net/snmp /proc/net/netstat
}
