# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Part of pm.sh: path managers in user space. mptcpd's plugin addr_adv makes endpoints of the
# host's addresses; its sspi allows a subflow per interface, for which it needs net.mptcp.pm_type=1.
# With that, no plugin makes subflows: user.py does.
# shellcheck disable=SC2034,SC2154 # variables of pm.sh and its other parts

mptcpd=${MPTCPD:-/usr/libexec/mptcpd}
plugins=${MPTCPD_PLUGINS:-$(printf '%s\n' /usr/lib/*/mptcpd | tail -n 1)}

# user ARG...: the path manager in user space, of the client.
user() { in_client "$python" pm/user.py "$@"; }

# daemon HOST PLUGIN FLAGS: mptcpd there, with a configuration of its own.
daemon() {
	mkdir -p "/etc/netns/$1/mptcpd"
	cat >"/etc/netns/$1/mptcpd/mptcpd.conf" <<-CONF
		[core]
		log=stderr
		plugin-dir=$plugins
		path-manager=$2
		load-plugins=$2
		addr-flags=$3
		notify-flags=existing,skip_link_local,skip_loopback
	CONF
	timeout "$patience" ip netns exec "$1" "$mptcpd" >"$work/mptcpd" 2>&1 &
	managing=$!
	sleep 1
}

# ended WHAT: the daemon, as it was told to.
ended() {
	that "$1: mptcpd ran to the end" kill "$managing"
	wait "$managing" || true
}

# endpoints_of HOST: "ADDRESS FLAGS" for each.
endpoints_of() { ip -n "$1" mptcp endpoint show | awk '{ print $1, $4 }' | sort | paste -sd ' '; }

# address add|del: the client's on the second path.
address() {
	ip -n "$client" addr "$1" 10.0.2.1/24 dev c2
	sleep 0.5
}

# advertise SCHEDULER: the client's mptcpd follows its addresses.
advertise() {
	local before
	scheduler "$1"
	before=$(tx_bytes 2)
	bulk 5000000
	is "$two" "$(subflows)" "$1, addr_adv: a second subflow comes"
	address del
	is "$one" "$(subflows)" "$1, addr_adv: the address goes, the subflow goes"
	address add
	is "$two" "$(subflows)" "$1, addr_adv: the address comes back, and so does the subflow"
	arrives "$1, addr_adv"
	that "$1, addr_adv: the second subflow was used" less 500000 $(($(tx_bytes 2) - before))
	scheduler default
}

addr_adv() {
	local name
	afresh
	daemon "$client" addr_adv subflow
	is "MPTCP address advertiser path manager initialized." "$(grep initialized "$work/mptcpd")" \
		"mptcpd reads its configuration, loads addr_adv alone"
	is "10.0.1.1 subflow 10.0.2.1 subflow fd00:1::1 subflow fd00:2::1 subflow" "$(endpoints_of "$client")" \
		"addr_adv: the addresses are endpoints"
	for name in "${schedulers[@]}"; do
		advertise "$name"
	done
	addresses 6
	stream 3
	is "[fd00:1::1]>[fd00:1::2] [fd00:2::1]>[fd00:1::2]" "$(subflows)" "IPv6, addr_adv: a second subflow comes"
	arrives "IPv6, addr_adv"
	addresses 4
	ended "addr_adv"
}

# The server's mptcpd announces: the client needs none.
addr_adv_signals() {
	afresh
	daemon "$server" addr_adv signal
	stream 5
	is "$one 10.0.2.1>10.0.2.2" "$(subflows)" "addr_adv, server: it announces its second address"
	ip -n "$server" addr del 10.0.2.2/24 dev s2
	sleep 0.5
	is "$one" "$(subflows)" "addr_adv, server: the address goes, the subflow goes"
	arrives "addr_adv, server"
	ip -n "$server" addr add 10.0.2.2/24 dev s2
	ended "addr_adv, server"
}

# port_of LOCAL: of the client's subflow from there.
port_of() {
	in_client ss -Htn state established dport = :5000 src "$1" | awk '{ sub(/.*:/, "", $3); print $3 }'
}

# The user-space path manager gives each order to the same connection.
orders() {
	local of port
	stream 9
	of=$(token)
	that "user space: a subflow is ordered" user "$of" join 10.0.2.1%c2 2 10.0.1.2 5000
	sleep 0.5
	is "$two" "$(subflows)" "user space: it comes"
	that "user space: it is used" less 50000 "$(over 2)"
	port=$(port_of 10.0.2.1)
	that "user space: it is to be a backup" user "$of" backup 10.0.2.1 "$port" 10.0.1.2 5000
	sleep 0.5
	that "user space: no data go over it" less "$(over 2)" 5000
	that "user space: it is to be regular" user "$of" regular 10.0.2.1 "$port" 10.0.1.2 5000
	that "user space: it is used again" less 50000 "$(over 2)"
	that "user space: it is to be closed" user "$of" close 10.0.2.1 "$port" 10.0.1.2 5000
	sleep 0.5
	is "$one" "$(subflows)" "user space: it goes"
	is ESRCH "$(user "$of" close 10.0.2.1 1 10.0.1.2 5000 || true)" \
		"user space: a subflow that does not exist is refused"
	is EINVAL "$(user 1 join 10.0.2.1%c2 2 10.0.1.2 5000 || true)" \
		"user space: a connection that does not exist is refused"
	arrives "user space"
}

# The server's path manager in user space announces.
server_orders() {
	local of
	in_server sysctl -q net.mptcp.pm_type=1
	watch "$server"
	stream 4
	of=$(token)
	that "user space, server: an address is to be announced" \
		in_server "$python" pm/user.py "$of" announce 10.0.2.2 3
	sleep 0.5
	is "$one 10.0.2.1>10.0.2.2" "$(subflows)" "user space, server: the subflow comes"
	that "user space, server: the address is to be withdrawn" \
		in_server "$python" pm/user.py "$of" withdraw 3
	sleep 0.5
	is "$one" "$(subflows)" "user space, server: the subflow goes"
	arrives "user space, server"
	kill "$watching"
	in_server sysctl -q net.mptcp.pm_type=0
}

# ordered SCHEDULER: a subflow that user space orders in the middle.
ordered() {
	local before
	scheduler "$1"
	watch "$client"
	before=$(tx_bytes 2)
	bulk 3000000
	user "$(token)" join 10.0.2.1%c2 2 10.0.1.2 5000 || true
	sleep 0.3
	is "$two" "$(subflows)" "$1, user space: the subflow comes"
	arrives "$1, user space"
	that "$1, user space: it was used" less 300000 $(($(tx_bytes 2) - before))
	kill "$watching"
	scheduler default
}

userspace() {
	local name
	afresh
	server_orders
	in_client sysctl -q net.mptcp.pm_type=1
	watch "$client"
	orders
	kill "$watching"
	for name in "${schedulers[@]}"; do
		ordered "$name"
	done
	in_client sysctl -q net.mptcp.pm_type=0
}

# The plugin closes the second subflow on an interface through the kernel's user-space interface.
sspi() {
	local of port
	afresh
	in_client sysctl -q net.mptcp.pm_type=1
	daemon "$client" sspi subflow
	watch "$client"
	stream 5
	of=$(token)
	user "$of" join 10.0.2.1%c2 2 10.0.1.2 5000 || true
	sleep 0.5
	port=$(port_of 10.0.2.1)
	is "$two" "$(subflows)" "sspi: the first subflow on an interface stays"
	user "$of" join 10.0.2.1%c2 2 10.0.1.2 5000 || true
	sleep 0.5
	is "$two" "$(subflows)" "sspi: a second one there is closed"
	is 1 "$(grep -c "^\[ *SF_CLOSED\].*saddr4=10.0.2.1" "$work/events")" \
		"sspi: the monitor tells of one that is closed"
	is "$port" "$(port_of 10.0.2.1)" "sspi: the one that stays is the first"
	arrives "sspi"
	kill "$watching"
	ended "sspi"
	in_client sysctl -q net.mptcp.pm_type=0
}

managers() {
	userspace
	if [ ! -x "$mptcpd" ] || [ ! -e "$plugins/addr_adv.so" ] || [ ! -d /etc/mptcpd ]; then
		skip "needs mptcpd and its plugins (Debian: mptcpd, mptcpd-plugins)"
		return
	fi
	addr_adv
	addr_adv_signals
	sspi
}
