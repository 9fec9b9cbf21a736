#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Schedulers in BPF: loaded and taken away, by whom, while connections use them; the examples carry
# data, and those that are broken do no harm.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need setpriv unshare python3 ss
[ -e /sys/kernel/btf/vmlinux ] || skip_all "this kernel has no type information (BTF)"
mptcpctl=$(command -v mptcpctl || echo "$PWD/../tools/mptcpctl/mptcpctl")
objects=$(dirname "$sched_sock")
[ -e "$objects/minrtt.bpf.o" ] || objects=$PWD/../tools/bpf
[ -x "$mptcpctl" ] || skip_all "mptcpctl is not built: run make -C tools/mptcpctl"
[ -e "$objects/minrtt.bpf.o" ] || skip_all "the schedulers in BPF are not built: run make -C tools/bpf"

examples="minrtt rr redundant burst bandit ahead"

available() { [[ " $(cat /proc/sys/net/mptcp/available_schedulers) " == *" $1 "* ]]; }
load() { "$mptcpctl" load "$objects/$1.bpf.o"; }
unload_bpf() { "$mptcpctl" unload "$1"; }

# rejected PATTERN WHAT COMMAND...: it fails, and says why.
rejected() {
	local pattern=$1 what=$2
	shift 2
	if "$@" >"$work/rejected" 2>&1; then
		result 1 "$what"
		echo "# accepted: $*"
	elif grep -Eq -- "$pattern" "$work/rejected"; then
		result 0 "$what"
	else
		result 1 "$what"
		echo "# wanted /$pattern/ in:"
		tail -n 5 "$work/rejected" | sed 's/^/# /'
	fi
}

# hold NAME: a process that has the link, not its file.
hold() {
	python3 - "/sys/fs/bpf/mptcp/$1" <<-'HOLD' &
		import ctypes, os, sys, time

		path = ctypes.create_string_buffer(sys.argv[1].encode())
		BPF, BPF_OBJ_GET = 321, 7
		attr = (ctypes.c_uint64 * 16)(ctypes.addressof(path))
		if ctypes.CDLL(None, use_errno=True).syscall(BPF, BPF_OBJ_GET, attr, 128) < 0:
		    sys.exit(os.strerror(ctypes.get_errno()))
		os.unlink(sys.argv[1])
		time.sleep(1000)
	HOLD
	holder=$!
	soon eval "! [ -e /sys/fs/bpf/mptcp/$1 ]"
}

hosts 20mbit 10ms 20mbit 30ms
for_users

# Each example: loaded, used, taken away.
for name in $examples; do
	that "$name is loaded" load "$name"
	that "and is there" available "bpf_$name"
	one=$(tx_bytes 1) two=$(tx_bytes 2) picks=$(counter SchedPick)
	serve
	transfer -b 4000000 -s "bpf_$name"
	arrived 4000000 "bpf_$name: the bytes are right"
	one=$(($(tx_bytes 1) - one)) two=$(($(tx_bytes 2) - two))
	that "its decisions are counted" less 50 $(($(counter SchedPick) - picks))
	case $name in
	redundant)
		that "everything goes over the first path" less 4000000 $one
		that "and most over the second" less 3000000 $two
		that "as copies" less 1000000 "$(counter SchedCopyBytes)"
		;;
	ahead)
		that "data goes ahead of its turn" less 300000 "$(counter SchedAheadBytes)"
		that "over the second path" less 500000 $two
		;;
	*)
		that "the first path is used" less 500000 $one
		that "and the second" less 500000 $two
		;;
	esac
	that "bpf_$name is taken away" unload_bpf "bpf_$name"
	that "and is gone" eval "! available bpf_$name"
done
load burst >/dev/null
scheduler bpf_burst
interrupted 2 6000000
scheduler default
unload_bpf bpf_burst
load rr >/dev/null
serve
transfer -b 2000000 -s bpf_rr+rp+bm
arrived 2000000 "with extensions: the bytes are right"
is 0 "$(counter SchedBpfFailed)" "none of them was replaced"

# The second path goes dark, and comes back as it was.
darken() { tc -n "$client" qdisc change dev c2 root netem loss 100%; }
lighten() { tc -n "$client" qdisc change dev c2 root netem rate 20mbit delay 30ms limit 1000 loss 0%; }

# Written as upstream's: chosen by marks.
for name in all turns; do
	load "upstream/$name" >/dev/null
done
one=$(tx_bytes 1) two=$(tx_bytes 2) copied=$(counter SchedCopyBytes)
serve
transfer -b 4000000 -s bpf_all
arrived 4000000 "all subflows are marked: the bytes are right"
one=$(($(tx_bytes 1) - one)) two=$(($(tx_bytes 2) - two))
that "everything goes over the first path" less 4000000 $one
that "and most over the second" less 3000000 $two
that "as copies" less 1000000 $(($(counter SchedCopyBytes) - copied))
serve
begin -b 4000000 -s bpf_all
sleep 1
darken
complete
arrived 4000000 "one path goes dark: the bytes are right"
lighten
one=$(tx_bytes 1) two=$(tx_bytes 2)
serve
transfer -b 4000000 -s bpf_turns
arrived 4000000 "one after the other is marked: the bytes are right"
that "the first path is used" less 1000000 $(($(tx_bytes 1) - one))
that "and the second" less 1000000 $(($(tx_bytes 2) - two))
is 0 "$(counter SchedBpfFailed)" "none of them was replaced"
unload_bpf bpf_all
unload_bpf bpf_turns
load broken/confused >/dev/null
serve
begin -b 4000000 -s bpf_confused
sleep 1
darken
complete
arrived 4000000 "one that takes one socket for another does no harm: the bytes are right"
is 0 "$(counter SchedBpfFailed)" "and it is believed nothing that is not so"
lighten
unload_bpf bpf_confused
rejected "expected pointer to STRUCT mptcp_sock|must be referenced or trusted" "where types tell, it is refused" load broken/typed

# schedulers: a line each.
schedulers() { tr ' ' '\n' </proc/sys/net/mptcp/available_schedulers | sort; }

# timed BYTES SCHEDULER [COMMAND...]: how long a transfer takes, in ms; the command comes in the middle.
timed() {
	local start bytes=$1 name=$2
	shift 2
	serve
	start=$(date +%s%N)
	begin -b "$bytes" -s "$name"
	[ $# = 0 ] || { sleep 1; "$@"; }
	complete
	took=$((($(date +%s%N) - start) / 1000000))
}

# foreign OBJECT: a scheduler of somebody else carries data, also when a path goes dark, or it is said why not; one that
# is called bad is to be refused.
foreign() {
	local object=$1 file name
	file=$(basename "$object" .o)
	schedulers >"$work/before"
	if ! "$mptcpctl" load "$object" >"$work/foreign" 2>&1; then
		that "$file is refused, as it is to be" [ "${file/bad/}" != "$file" ]
		grep -v "BEGIN PROG\|END PROG" "$work/foreign" | tail -n 6 | sed 's/^/# /'
		return
	fi
	name=$(schedulers | comm -13 "$work/before" -)
	one=$(tx_bytes 1) two=$(tx_bytes 2)
	timed 8000000 "$name"
	arrived 8000000 "$file: the bytes are right"
	echo "# $name: 8 MB in $took ms, $(($(tx_bytes 1) - one)) bytes over the first path," \
		"$(($(tx_bytes 2) - two)) over the second"
	timed 8000000 "$name" darken
	lighten
	arrived 8000000 "$file: the second path goes dark: the bytes are right"
	echo "# $name: in $took ms then"
	that "$file was to be carried out" [ "${file/bad/}" = "$file" ]
	unload_bpf "$name" >/dev/null
}
unload_bpf bpf_rr
for object in "$objects"/foreign/*.o; do
	[ -e "$object" ] || continue
	foreign "$object"
done
for log in "$objects"/foreign/*.log; do
	[ -e "$log" ] || continue
	skip "$(basename "$log" .log) does not compile for this kernel: $(grep -m 1 error "$log")"
done

load rr >/dev/null

# Who may.
try_user -s bpf_rr
is EPERM "$(value option set)" "an ordinary user may not choose one"
set_to allowed_schedulers "default bpf_rr"
try_user -s bpf_rr
is ok "$(value option set)" "unless allowed_schedulers has it"
set_to allowed_schedulers "default inorder minrtt rr"
rejected "only root" "an ordinary user may not load one" \
	setpriv --reuid 65534 --regid 65534 --clear-groups "$mptcpctl" load "$objects/minrtt.bpf.o"
for missing in bpf perfmon net_admin; do
	rejected "not permitted|Operation not permitted" "nor root without CAP_${missing^^}" \
		setpriv --bounding-set "-$missing,-sys_admin" "$mptcpctl" load "$objects/minrtt.bpf.o"
done
rejected "not permitted|Operation not permitted" "nor root of a user namespace" \
	unshare -Urn "$mptcpctl" load "$objects/minrtt.bpf.o"
rejected "outside" "it is not loaded where it would not last" in_client "$mptcpctl" load "$objects/minrtt.bpf.o"
that "nothing came of that" eval '! available bpf_minrtt'

# Names.
rejected "already" "a name is taken once" load rr
if is_module mptcp_sched_minrtt; then
	unload mptcp_sched_minrtt || true
	rejected "already" "and not that of a module that is not loaded" load broken/impostor
else
	skip "minrtt is built in"
fi
that "the first one is still there" available bpf_rr
rejected "no scheduler 'bpf_none'" "what is not there is not taken away" unload_bpf bpf_none
rejected "has loaded" "nor a module" unload_bpf default

# What the verifier must see.
rejected "only sched_priv" "a program that writes to the connection is refused" load broken/writer
rejected "only sched_priv" "and one that writes behind its private state" load broken/overrun
rejected "not allowed" "and one that decides in init()" load broken/early
rejected "not allowed" "and one that calls what is for congestion controls" load broken/meddler
rejected "cannot use helper|unknown func" "and one that calls another program, which might sleep" load broken/jumper
rejected "no schedulers" "what is no scheduler is not loaded" load broken/foreign
if command -v bpftool >/dev/null; then
	rejected "not allowed" "nor may it call what is for schedulers" \
		bpftool struct_ops register "$objects/broken/foreign.bpf.o"
else
	skip "needs bpftool: a congestion control may not call what is for schedulers"
fi

rejected "as many" "there is an end to how many are loaded" load broken/many
that "and a file is loaded as a whole, or not" soon eval '! available bpf_many_00'

# In use.
serve
begin -b 24000000 -s bpf_rr
sleep 1
that "one that is in use is taken away" unload_bpf bpf_rr
that "its name is gone" eval '! available bpf_rr'
try -s bpf_rr
is ENOENT "$(value option set)" "nobody else gets it"
kill -0 "$sending" 2>/dev/null && used=yes || used=no
complete
is yes "$used" "the connection went on meanwhile"
arrived 24000000 "and its bytes are right"
load rr >/dev/null
sysctl -q net.mptcp.scheduler=bpf_rr
in_client sysctl -q net.mptcp.scheduler=bpf_rr
unload_bpf bpf_rr 2>"$work/said"
that "taking away the default says what that means" grep -q "new connections still get" "$work/said"
sysctl -q net.mptcp.scheduler=default
serve
transfer -b 1000000
arrived 1000000 "a connection that gets it as the default: the bytes are right"
in_client sysctl -q net.mptcp.scheduler=default
if command -v bpftool >/dev/null; then
	that "then its memory is given back" soon eval '! bpftool map show | grep -q " name rr "'
fi

# The one who holds it dies, while a connection uses it.
load minrtt >/dev/null
hold bpf_minrtt
that "a process holds one" available bpf_minrtt
serve
begin -b 8000000 -s bpf_minrtt
sleep 1
kill -KILL "$holder"
wait "$holder" 2>/dev/null || true
that "killed, it takes it along" soon eval '! available bpf_minrtt'
complete
arrived 8000000 "the connection that used it goes on: the bytes are right"

# replaced NAME BYTES [COMMAND...]: a connection survives a broken one.
replaced() {
	local name=$1 bytes=$2 failed
	shift 2
	failed=$(counter SchedBpfFailed)
	timed "$bytes" "bpf_$name" "$@"
	arrived "$bytes" "bpf_$name: the bytes are right nevertheless"
	is $((failed + 1)) "$(counter SchedBpfFailed)" "and the replacement is counted"
}
for name in lazy liar repeater hasty loyal; do
	load "broken/$name" >/dev/null
done
timed 1000000 default
plain=$took
for name in lazy liar; do
	replaced $name 1000000
	echo "# that took $took ms, with default $plain ms"
	that "after a second" less $((plain + 500)) "$took"
	in_time "not much later" less "$took" $((plain + 2000))
done
replaced repeater 1000000
replaced hasty 1000000
kill_first() { in_client ss -K dst 10.0.1.2 >/dev/null; }
# so much that it is not over when a busy machine gets to it
replaced loyal 16000000 kill_first
lose() { tc -n "$client" qdisc change dev c1 root netem loss 100%; }
replaced loyal 8000000 lose
tc -n "$client" qdisc change dev c1 root netem rate 20mbit delay 10ms limit 1000 loss 0%
# It always takes the first path.
in_client sysctl -q net.mptcp.path_price=c1=10 net.mptcp.sched_price_wait=60000
one=$(tx_bytes 1)
replaced loyal+price 8000000
that "and what is dear carried no more than came before the other path did" less $(($(tx_bytes 1) - one)) 2000000
in_client sysctl -q net.mptcp.path_price= net.mptcp.sched_price_wait=100
load broken/forgetful >/dev/null
timed 8000000 bpf_forgetful darken
arrived 8000000 "what times out is sent again, whoever forgets it: the bytes are right"
dmesg >"$work/dmesg"
that "the kernel log tells of the others" grep -q "scheduler bpf_loyal sent nothing for 1000 ms" "$work/dmesg"
is "" "$(grep -Ei "stall(ed|s on)|lockup|hung task" "$work/dmesg")" "no CPU was held up"
for name in lazy liar repeater hasty loyal forgetful; do
	unload_bpf "bpf_$name"
done

finish
