#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Schedulers as modules: loaded when named, pinned while used, gone when not.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need modprobe rmmod setpriv

loaded() { grep -q "^mptcp_sched_$1 " /proc/modules; }
for name in rr minrtt inorder redundant; do
	is_module "$name" ||
		skip_all "mptcp_sched_$name is not a module here"
	rmmod "mptcp_sched_$name" 2>/dev/null || true
	! loaded "$name" || skip_all "mptcp_sched_$name is in use"
done

hosts 50mbit 5ms 50mbit 5ms
that "listing does not load" eval '! loaded rr && ! loaded minrtt'
in_client "$sched_sock" option -s rr >/dev/null
that "the socket option loads the module" loaded rr
that "it can be removed afterwards" rmmod mptcp_sched_rr
in_client sysctl -q net.mptcp.scheduler=minrtt
that "the sysctl loads the module" loaded minrtt
that "the namespace's default cannot be removed" eval '! rmmod mptcp_sched_minrtt'
in_client sysctl -q net.mptcp.scheduler=default
that "after a change of the default it can" rmmod mptcp_sched_minrtt

in_client sysctl -q net.mptcp.scheduler=minrtt
ip netns del "$client"
for _ in 1 2 3 4 5 6 7 8 9 10; do rmmod mptcp_sched_minrtt 2>/dev/null && break; sleep 1; done
that "nor does a namespace that is gone hold it" eval '! loaded minrtt'
ip netns del "$server"

hosts 50mbit 5ms 50mbit 5ms
for_users
as_user option -s redundant >"$work/option"
is "EPERM" "$(value option set)" "one that is not allowed does not load for an ordinary user"
that "the module is not there" eval '! loaded redundant'
as_user option -s rr >"$work/option"
is ok "$(value option set)" "an allowed scheduler loads for an ordinary user"
that "the module is there" loaded rr
rmmod mptcp_sched_rr

serve
begin -b 4000000 -s rr
sleep 0.3
that "a module in use by a connection cannot be removed" eval '! rmmod mptcp_sched_rr'
complete
arrived 4000000 "and the transfer is not disturbed"
for _ in 1 2 3 4 5 6 7 8 9 10; do rmmod mptcp_sched_rr 2>/dev/null && break; sleep 1; done
that "after the connection it can" eval '! loaded rr'

finish
