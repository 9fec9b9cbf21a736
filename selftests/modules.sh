#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Schedulers as modules: loaded when named, pinned while used, gone when not.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need modprobe rmmod setpriv

for name in $(built sched); do
	is_module "mptcp_sched_$name" || skip_all "mptcp_sched_$name is not a module here"
	rmmod "mptcp_sched_$name" 2>/dev/null || true
	! loaded "mptcp_sched_$name" || skip_all "mptcp_sched_$name is in use"
done

hosts 50mbit 5ms 50mbit 5ms
get available_schedulers >/dev/null
that "listing does not load" eval '! grep -q ^mptcp_sched_ /proc/modules'
in_client "$sched_sock" option -s rr >/dev/null
that "the socket option loads the module" loaded mptcp_sched_rr
that "it can be removed afterwards" rmmod mptcp_sched_rr
in_client sysctl -q net.mptcp.scheduler=minrtt
that "the sysctl loads the module" loaded mptcp_sched_minrtt
that "the namespace's default cannot be removed" eval '! rmmod mptcp_sched_minrtt'
in_client sysctl -q net.mptcp.scheduler=default
that "after a change of the default it can" rmmod mptcp_sched_minrtt

in_client sysctl -q net.mptcp.scheduler=minrtt
ip netns del "$client"
that "nor does a namespace that is gone hold it" unload mptcp_sched_minrtt
ip netns del "$server"

hosts 50mbit 5ms 50mbit 5ms
for_users
as_user option -s redundant >"$work/option"
is "EPERM" "$(value option set)" "one that is not allowed does not load for an ordinary user"
that "the module is not there" eval '! loaded mptcp_sched_redundant'
as_user option -s rr >"$work/option"
is "EPERM" "$(value option set)" "nor does one that is allowed, but is not for all"
that "the module is not there" eval '! loaded mptcp_sched_rr'
set_to allowed_schedulers "default minrtt rr"
as_user option -s rr >"$work/option"
is ok "$(value option set)" "one that root lists is loaded by that, and ordinary users have it"
rmmod mptcp_sched_rr mptcp_sched_minrtt
as_user option -s minrtt >"$work/option"
is ok "$(value option set)" "one that is for all loads for an ordinary user"
that "the module is there" loaded mptcp_sched_minrtt
rmmod mptcp_sched_minrtt

serve
begin -b 4000000 -s rr
soon in_use mptcp_sched_rr || true
that "a module in use by a connection cannot be removed" \
	eval 'loaded mptcp_sched_rr && ! rmmod mptcp_sched_rr'
complete
arrived 4000000 "and the transfer is not disturbed"
that "after the connection it can" unload mptcp_sched_rr

finish
