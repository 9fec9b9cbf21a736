#!/bin/bash
# SPDX-License-Identifier: MIT
# A job array of mplab's on a Slurm of its own: munged, slurmctld and slurmd of this user, on this
# machine, below a directory in build/check. No service of the system is touched.
# usage: check-slurm.sh
#	KIND=uml|...: which kernel
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

kernel=$build/${KIND:-uml}
PATH=$PATH:/usr/sbin
node=$(hostname -s)
user=$(id -un)
daemons=()
mkdir -p "$build/check"
dir=$(mktemp -d "$build/check/slurm.XXXXXX")

finish() {
	local status=$?
	[ $status = 0 ] || tail -n 5 "$dir"/*.log >&2 || true
	[ ${#daemons[@]} = 0 ] || kill "${daemons[@]}" 2>/dev/null || true
	wait
	rm -rf -- "$dir"
	exit $status
}
trap finish EXIT

# start NAME COMMAND...: in the background, in the foreground of its own
start() {
	"${@:2}" >"$dir/$1.log" 2>&1 &
	daemons+=($!)
}

# until_true SECONDS COMMAND...
until_true() {
	local end=$((SECONDS + $1))
	until "${@:2}" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || die "waited $1 s in vain for: ${*:2}"
		sleep 0.2
	done
}

ready() { [ "$(sinfo --noheader --format %t)" = idle ]; }

mkdir -m 700 "$dir/munge"
mkdir "$dir/state" "$dir/spool"
head -c 1024 /dev/urandom >"$dir/munge/key"
chmod 600 "$dir/munge/key"
start munged munged --foreground --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" \
	--pid-file="$dir/munge/pid" --log-file="$dir/munged.log" --seed-file="$dir/munge/seed"

# ports other than the usual ones: a real Slurm may run here, too
cat >"$dir/slurm.conf" <<END
ClusterName=mplab
SlurmctldHost=$node(127.0.0.1)
SlurmctldPort=16817
SlurmdPort=16818
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
NodeName=$node NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$(free -m | awk '/^Mem:/ { print $2 }') State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$dir/slurm.conf
until_true 20 munge -n -S "$dir/munge/socket"
start slurmctld slurmctld -D
start slurmd slurmd -D
until_true 60 ready
/usr/bin/python3 "$top/tools/mplab/tests/spread.py" "$kernel" slurm "$dir" | tee "$dir/tap"
read -r passed failed skipped < <(tap_counts "$dir/tap")
closing "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
