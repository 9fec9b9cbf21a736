#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# net.mptcp.rejoin and net.mptcp.silent_rto_max: a path that is back is used again.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need nft ss
need_sysctl rejoin

rejoin() { in_client sysctl -q net.mptcp.rejoin="$1"; }
attempts() { counter Rejoin; }

# flow COMMAND...: a transfer that lasts as long as the test of it, from when that is so
flow() {
	serve
	begin -b 400000000
	soon "$@"
}

# over WHAT: it ends, however much was sent, and leaves nothing
over() {
	that "$1: the connection lived" kill "$sending"
	kill "$served"
	wait "$sending" "$served" || true
	# neither end waits for what the other one does not read any more
	in_both ss -K '( sport = :5000 or dport = :5000 )' >"$work/killed"
	soon nothing_left
	sleep 0.5
}
nothing_left() { [ -z "$(in_client ss -Ht dport 5000)$(in_server ss -Ht sport 5000)" ]; }

# used N: it sends now
used() {
	local from
	from=$(tx_bytes "$1")
	sleep 0.1
	grew "$from" 20000 "$1"
}

# back N: how long until path N is used, ms; 9999: not in 10 s
back() {
	local since=$EPOCHREALTIME
	back=9999
	while [ $((${EPOCHREALTIME/./} - ${since/./})) -lt 10000000 ]; do
		if used "$1"; then
			back=$(((${EPOCHREALTIME/./} - ${since/./}) / 1000))
			break
		fi
	done
	echo "# used again after $back ms"
}

# came WHAT LEAST MOST: path $back after so many ms
came() { in_time "$1: used again after $2 to $3 ms" eval "less $2 $back && less $back $3"; }

# forget ADDRESS: the server has no subflow with it any more, and does not say so: what a router does
# that has begun anew
forget() {
	in_server nft add table ip mute
	in_server nft add chain ip mute out '{ type filter hook output priority 0; }'
	in_server nft add rule ip mute out ip daddr "$1" tcp flags rst drop
	in_server ss -K -t dst "$1" >"$work/killed"
	in_server nft delete table ip mute
	# what was under way came
	sleep 0.5
}

values() {
	is 0 "$(get rejoin)" "off, unless asked"
	is 0 "$(get silent_rto_max)" "and TCP's own timeouts"
	refused rejoin 3601 "Invalid argument" "more than an hour"
	refused silent_rto_max 120001 "Invalid argument" "more than TCP's two minutes"
}

# A reset that says nothing of MPTCP ends a subflow.
reset_by() {
	rejoin 0
	flow used 2
	forget 10.0.2.1
	back 2
	in_time "off: a subflow that was reset stays lost" test "$back" = 9999
	is 0 "$(attempts)" "and is not tried again"
	over off
	rejoin 60
	flow used 2
	forget 10.0.2.1
	back 2
	came "a subflow that was reset" 300 2000
	forget 10.0.1.1
	back 1
	came "the first one was reset" 300 2000
	forget 10.0.0.0/16
	back 1
	came "both were, at once" 300 2000
	over reset
}

# A connection that has one path, and one that was there before the sysctl was set.
begun_late() {
	rejoin 0
	flow used 2
	rejoin 60
	forget 10.0.2.1
	back 2
	came "set while the connection was there: a subflow that was reset" 300 2000
	over late
	in_client ip mptcp endpoint del id 2
	flow used 1
	forget 10.0.1.1
	back 1
	came "the only one was reset" 300 2000
	over alone
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow id 2
}

# The peer has begun anew, and resets what it knows nothing of.
peer_gone() {
	local before
	rejoin 2
	in_client sysctl -q net.mptcp.close_timeout=8
	flow used 2
	before=$(attempts)
	in_server nft add table ip mute
	in_server nft add chain ip mute out '{ type filter hook output priority 0; policy drop; }'
	kill "$served"
	wait "$served" || true
	in_server ss -K '( sport = :5000 )' >"$work/killed"
	in_server nft delete table ip mute
	sleep 5
	that "a peer that is gone: the connection lives on for close_timeout" kill -0 "$sending"
	that "and is tried again" less "$before" "$(attempts)"
	soon ended || true
	that "no longer, though the attempts go on" ended
	that "and the program is told" grep -q "timed out" "$work/client"
	kill "$sending" 2>/dev/null || true
	wait "$sending" || true
	in_client sysctl -q net.mptcp.close_timeout=60
	rejoin 60
	in_client ss -K '( dport = :5000 )' >"$work/killed"
	soon nothing_left
}
ended() { ! kill -0 "$sending" 2>/dev/null; }

# The peer's own reset has MP_TCPRST, which says that it is of no use to try again.
refused_by_peer() {
	local before
	flow used 2
	before=$(attempts)
	in_server ss -K -t dst 10.0.2.1 >"$work/killed"
	sleep 0.5
	back 2
	in_time "the peer ended it: it stays lost" test "$back" = 9999
	is "$before" "$(attempts)" "and is not tried again"
	over peer
}

# Each attempt ends at once: after 1, 3, 7 and 15 s, and not more often.
in_vain() {
	local before tried
	flow used 2
	before=$(attempts)
	in_server nft add table ip refuse
	in_server nft add chain ip refuse in '{ type filter hook input priority 0; }'
	in_server nft add rule ip refuse in ip saddr 10.0.2.1 tcp flags syn drop
	in_client sysctl -q net.ipv4.tcp_syn_retries=1
	forget 10.0.2.1
	sleep 30
	tried=$(($(attempts) - before))
	echo "# tried $tried times in 30 s"
	in_time "a path on which no join begins is tried with pauses" eval "less 2 $tried && less $tried 6"
	in_server nft delete table ip refuse
	in_client sysctl -q net.ipv4.tcp_syn_retries=6
	over "in vain"
}

# Nobody says that the path is dark, nor that it is back.
blackhole() {
	in_client sysctl -q net.mptcp.silent_rto_max="$1"
	flow used 2
	dark 2
	sleep 14
	rto=$(in_client ss -Hti dport 5000 src 10.0.2.1 | sed -n 's/.* rto:\([0-9]*\).*/\1/p')
	echo "# timeout of $rto ms"
	light 2
	back 2
	over "dark for 14 s"
	in_client sysctl -q net.mptcp.silent_rto_max=0
}

silence() {
	rejoin 0
	blackhole 0
	in_time "off: TCP looks again when a timeout that doubled ends" less 4000 "$rto"
	blackhole 2000
	came "silent_rto_max of 2 s" 0 2600
	in_time "and that was the longest timeout" less "$rto" 2001
	rejoin 60
}

# The link has no carrier for so long that TCP would look after many seconds.
link_flaps() {
	flow used 2
	ip -n "$server" link set s2 down
	sleep 14
	ip -n "$server" link set s2 up
	back 2
	came "its link is back" 0 1500
	over link
}

joined() { [ -n "$(in_client ss -Ht state established src 10.0.2.1)" ]; }
# tried BEFORE: since there were so many attempts
tried() { [ "$(attempts)" -gt "$1" ]; }

# Nobody sends over the second path while a router forgets it. When its link comes back, that is noticed.
idle_forgotten() {
	local before
	in_client ip mptcp endpoint change id 2 backup
	flow joined
	before=$(attempts)
	forget 10.0.2.1
	ip -n "$server" link set s2 down
	sleep 1
	ip -n "$server" link set s2 up
	that "a forgotten subflow that is idle is opened again when its link comes back" \
		soon tried "$before"
	over idle
	in_client ip mptcp endpoint change id 2 nobackup
}

# The endpoint is there before its address is.
late_address() {
	ip -n "$client" addr del 10.0.2.1/24 dev c2
	flow used 1
	sleep 5
	ip -n "$client" addr add 10.0.2.1/24 dev c2
	through_again 2
	back 2
	came "an address that comes late" 0 2000
	over address
}
# routes of an address go with it
through_again() {
	ip -n "$client" route replace 10.0.1.0/24 dev "c$1" table "$1"
	ip -n "$client" neigh replace 10.0.1.2 dev "c$1" lladdr "$(in_server cat "/sys/class/net/s$1/address")"
}

# Address and endpoint are there, and a default route comes. With its interface the endpoint would need none.
late_route() {
	in_client ip mptcp endpoint del id 2
	in_client ip mptcp endpoint add 10.0.2.1 subflow id 2
	ip -n "$client" route del 10.0.1.0/24 table 2
	ip -n "$client" route add unreachable default table 2
	flow used 1
	sleep 5
	ip -n "$client" route del unreachable default table 2
	ip -n "$client" route add default via 10.0.2.2 dev c2 table 2
	back 2
	came "a default route that comes late" 0 1000
	over route
	ip -n "$client" route del default table 2
	through_again 2
	in_client ip mptcp endpoint del id 2
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow id 2
}

# Without its endpoint there is nothing to try, and there is no second one beside that which is there.
endpoint_gone() {
	local before
	flow used 2
	before=$(attempts)
	in_client ip mptcp endpoint del id 2
	sleep 4
	is "$before" "$(attempts)" "an endpoint that is removed is not tried again"
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow id 2
	back 2
	came "it is there again" 0 1000
	is "$before" "$(attempts)" "by the path manager alone"
	forget 10.0.2.1
	in_client ip mptcp endpoint del id 2
	# a slow machine may have tried it meanwhile
	before=$(attempts)
	sleep 4
	is "$before" "$(attempts)" "nor one that was lost before"
	over endpoint
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow id 2
}

joins() { in_client ss -Ht state syn-sent src 10.0.2.1 | grep -q .; }

# The path is dark, and its endpoint is removed while the subflow waits for an answer to its SYN.
endpoint_gone_early() {
	local before
	dark 2
	flow joins
	before=$(attempts)
	in_client ip mptcp endpoint del id 2
	sleep 8
	is "$before" "$(attempts)" "nor one that was removed before it had joined"
	light 2
	over early
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow id 2
}

# An endpoint whose address is gone is tried with pauses; and not at all once that is switched off.
switched_off() {
	local before
	flow used 2
	forget 10.0.2.1
	ip -n "$client" addr del 10.0.2.1/24 dev c2
	sleep 4
	rejoin 0
	sleep 1
	before=$(attempts)
	sleep 4
	is "$before" "$(attempts)" "switched off, nothing is tried any more"
	ip -n "$client" addr add 10.0.2.1/24 dev c2
	through_again 2
	over off
	rejoin 60
}

# A peer that takes no joins says so in a reset, before the subflow is established.
no_joins() {
	local before
	in_server ip mptcp limits set subflows 0
	before=$(attempts)
	flow used 1
	sleep 5
	is "$before" "$(attempts)" "a peer that takes no more joins is not asked again"
	over joins
	in_server ip mptcp limits set subflows 8
}

# What is in the first subflow's place is not counted, either.
first_at_limit() {
	in_client ip mptcp limits set subflows 1
	flow used 2
	forget 10.0.1.1
	back 1
	came "as many subflows as the limit allows, and the first one was reset" 300 2000
	over limit
	in_client ip mptcp limits set subflows 8
}

# The peer has as many subflows as it takes, as the first one does not count.
peer_full() {
	local before
	in_server ip mptcp limits set subflows 1
	flow used 2
	before=$(attempts)
	forget 10.0.1.1
	sleep 4
	that "a peer that is full refuses for now, and is asked again" less "$((before + 1))" "$(attempts)"
	in_server ip mptcp limits set subflows 8
	back 1
	came "it has room again" 0 8000
	over full
}

# ids: of the subflow from the second address, at this end
ids() { in_client ss -Htin src 10.0.2.1 dport 5000 | sed -n 's/.*token:[^ ]*(id:\([0-9]*\)).*/\1/p' | sort -u | xargs; }

# An endpoint that is deleted and added again has another id, and so have its subflows.
other_id() {
	flow used 2
	in_client ip mptcp endpoint del id 2
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow id 7
	back 2
	is 7 "$(ids)" "an endpoint added again has its new id"
	forget 10.0.2.1
	back 2
	came "its subflow, when it was lost" 300 2000
	is 7 "$(ids)" "and that has the id, too"
	over id
	in_client ip mptcp endpoint del id 7
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 subflow id 2
}

# The server's second address: lost, and taken back
announced() {
	local before
	in_client ip mptcp endpoint flush
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 id 5 signal
	flow used 2
	forget 10.0.2.1
	back 2
	came "an address that the peer announced" 300 2000
	before=$(attempts)
	forget 10.0.2.1
	in_server ip mptcp endpoint flush
	sleep 4
	is "$before" "$(attempts)" "and took back when it was lost: not tried again"
	over announced
}

# accepted: so many addresses of the peer
accepted() { in_client ss -HMni dport 5000 | sed -n 's/.*add_addr_accepted:\([0-9]*\).*/\1/p'; }

# It cannot be reached when it is announced; later it can, and then it is taken back.
announced_too_early() {
	in_client ip mptcp endpoint flush
	ip -n "$client" link set c2 down
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 id 5 signal
	flow used 1
	sleep 1
	ip -n "$client" link set c2 up
	through_again 2
	back 2
	came "an address that was announced before it could be reached" 0 2000
	is 1 "$(accepted)" "it counts as accepted"
	in_server ip mptcp endpoint flush
	soon never_joined
	is "" "$(accepted)" "and no more when it is taken back"
	over early
}
never_joined() { ! joined; }

hosts 20mbit 10ms 20mbit 10ms
joins_by_itself id 2
scheduler minrtt
for part in values reset_by begun_late peer_gone refused_by_peer in_vain silence link_flaps idle_forgotten late_address late_route endpoint_gone endpoint_gone_early switched_off no_joins first_at_limit peer_full other_id announced announced_too_early; do
	$part
done

finish
