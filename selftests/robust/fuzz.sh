#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# System calls as no program would make them (fuzz/), in every state of a socket, by
# several threads, while traffic flows and subflows come and go; nonsense in the sysctls
# and the path manager's netlink; and each allocation of a call failing, one by one.
# usage: fuzz.sh [quick]
#
# FUZZ_SEED (default: 1; others find more) and FUZZ_CALLS (of a part) are for
# reproduction: with the same seed, the model and netlink do the same calls.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=../lib.sh
. ../lib.sh
# shellcheck source=faults/leaks.sh
. ./faults/leaks.sh
need
fuzz=$(PATH="$PWD:$PATH" command -v mptcp_fuzz || true)
[ -n "$fuzz" ] || skip_all "mptcp_fuzz is not built: run make"

calls=${FUZZ_CALLS:-$([ "${1:-}" = quick ] && echo 12000 || echo 150000)}
seed=${FUZZ_SEED:-1}
patience=1200
total=0 moved=0
spare=mssp-$$
debug=/sys/kernel/debug

# fuzzing PART [ARG...]: on the client, its report in $work/fuzz.
fuzzing() {
	local part=$1
	shift
	run_in "$client" "$part" "$server" "$@"
}

# run_in HOST PART ARG...
run_in() {
	local host=$1 part=$2
	shift
	timeout $patience ip netns exec "$host" "$fuzz" "$@" >"$work/fuzz" 2>&1 ||
		result 1 "$part: the fuzzer comes to its end"
	sed -n 's/^# /# /p; s/^fuzz: /# &/p' "$work/fuzz"
	echo "# $part: $(value fuzz calls) calls"
	total=$((total + $(value fuzz calls)))
}

# none KIND WHAT
none() { is 0 "$(value fuzz "$1")" "$2"; }

# Subflows come and go, become a backup, paths turn dark for a moment.
disturb() {
	while [ -e "$work/busy" ]; do
		in_server ip mptcp endpoint flush
		in_client ip mptcp endpoint flush
		sleep 0.2
		in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal id 7
		in_client ip mptcp endpoint add 10.0.1.3 dev c1 subflow
		in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow
		sleep 0.4
		in_server ip mptcp endpoint change id 7 backup
		tc -n "$client" qdisc change dev c2 root netem loss 100%
		sleep 0.2
		tc -n "$client" qdisc change dev c2 root netem rate 20mbit delay 10ms limit 1000 loss 0%
		sleep 0.2
	done 2>/dev/null
}

storm() {
	local joins disturbing
	touch "$work/busy"
	disturb &
	disturbing=$!
	joins=$(counter MPJoinSynAckRx)
	fuzzing storm "$seed" "$calls" 6
	rm "$work/busy"
	wait "$disturbing" || true
	moved=$(value fuzz bytes_moved)
	none error "6 threads on the same sockets: every error is one that the call has"
	none zone "nothing is written beyond what the callers gave"
	none bytes "the transfers beside it arrive unchanged ($moved bytes)"
	that "some bytes were moved" less 100000 "$moved"
	joins=$(($(counter MPJoinSynAckRx) - joins))
	that "subflows came meanwhile ($joins)" less 3 "$joins"
}

# In a namespace of their own: what they are afterwards is nobody's.
sysctls() {
	ip netns add "$spare"
	run_in "$spare" sysctl - "$seed" "$((calls / 3))" 6
	ip netns del "$spare"
	none error "nonsense in the sysctls, 6 threads: every write is taken or refused with an error that it has"
	none value "what is read from them is in order, and so are new sockets"
}

faults() {
	local file
	mount -t debugfs none $debug 2>/dev/null || true
	for file in failslab fail_page_alloc; do
		# also those that may sleep; and not in the log, where it would look like a fault
		echo N >$debug/$file/ignore-gfp-wait
		echo 0 >$debug/$file/verbose
	done
	fuzzing faults
	none error "each allocation of each call fails: the call says so, or does without"
	none value "what failed changes nothing"
	none stuck "what failed works the next time"
}

hosts 20mbit 5ms 20mbit 10ms
! [ -e /proc/sys/net/mptcp/control_stream ] || in_both sysctl -q net.mptcp.control_stream=1
! [ -e /proc/sys/net/mptcp/early_delivery ] || in_both sysctl -q net.mptcp.early_delivery=1
! [ -e /proc/sys/net/mptcp/coding ] || in_both sysctl -q net.mptcp.coding=10
ip -n "$client" addr add 10.0.1.3/24 dev c1
in_both sysctl -q net.mptcp.blackhole_timeout=0
# one that ordinary users may not choose, and those that they may
# shellcheck disable=SC2046 # one a word
modprobe -aq tcp_vegas $(built cong | sed s/^/mptcp_cong_/) $(built sched | sed s/^/mptcp_sched_/) || true
echo "# seed $seed"

fuzzing model "$seed" "$calls"
none error "in each state of a socket, options give the error that is predicted"
none value "they read back what was set; refused values change nothing, listeners are inherited from"
none zone "nothing is written beyond what the caller gave"
none negative "a negative length is refused"

storm

fuzzing netlink "$seed" "$((calls / 3))"
none error "nonsense for the path manager and inet_diag: every error is one that they have"

sysctls

if [ -e /proc/thread-self/fail-nth ]; then
	faults
else
	skip "each allocation fails: needs CONFIG_FAULT_INJECTION"
fi

if has_kmemleak; then
	that "no memory is left behind" no_leaks
else
	skip "no memory is left behind: needs CONFIG_DEBUG_KMEMLEAK"
fi
echo "# $total calls, $moved bytes"
finish
