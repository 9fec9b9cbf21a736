#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Coupled congestion controls: chosen by name, inherited, switched, as modules, the weight.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need setpriv modprobe rmmod ss
need_coupled

read -ra coupled <<<"$(every_coupled)"

# cong NAME: the default of new sockets; cong_of HOST NAME.
cong() { cong_of "$client" "$1"; }
cong_of() { ip netns exec "$1" sysctl -q net.ipv4.tcp_congestion_control="$2" 2>"$work/err"; }
listed() { in_client grep -qw "$1" "/proc/sys/net/ipv4/tcp_$2_congestion_control"; }

chosen() { echo "$(value option cong_set) $(value option cong)"; }
weighed() { echo "$(value option weight_set) $(value option weight)"; }

# subflows_of HOST: the congestion control of each.
subflows_of() {
	ip netns exec "$1" ss -tinHO state established |
		awk '/tcp-ulp-mptcp/ { print $5 }' | xargs
}

# connected N: both ends have N subflows.
connected() { [ "$(subflows_of "$client" | wc -w) $(subflows_of "$server" | wc -w)" = "$1 $1" ]; }

by_name() {
	local name
	for name in "${coupled[@]}"; do
		try -g "$name"
		is "ok $name" "$(chosen)" "TCP_CONGESTION takes $name and reads it back"
		that "it is listed as available" listed "$name" available
		if restricted "$name"; then
			that "but not as allowed" eval "! listed $name allowed"
			try_user -g "$name"
			is "EPERM reno" "$(chosen)" "an ordinary user may not choose it"
			that "nor may a namespace have it as its default" eval "! cong $name"
			admit "$name"
		fi
		that "and as allowed" listed "$name" allowed
		try_user -g "$name"
		is "ok $name" "$(chosen)" "an ordinary user may choose it, too"
		try -t -g "$name"
		is "ok $name" "$(chosen)" "so may plain TCP"
		cong "$name"
		try
		is "$name" "$(value option cong)" "the sysctl takes it, new sockets have it"
		cong reno
	done
}

unknown_names() {
	cong olia
	try -g nosuch
	is "ENOENT olia" "$(chosen)" "an unknown name on a fresh socket: ENOENT, nothing changes"
	try_user -g nosuch
	is "ENOENT olia" "$(chosen)" "the same for an ordinary user"
	try -g ""
	is "EINVAL olia" "$(chosen)" "no name: EINVAL"
	that "the sysctl refuses it" eval '! cong nosuch'
	that "with ENOENT" grep -q "No such file" "$work/err"
	cong reno
}

modules() {
	local name
	if ! is_module mptcp_cong_lia; then
		skip "congestion controls are no modules here"
		return
	fi
	remove_coupled
	for name in "${coupled[@]}"; do
		coupled_gone || true
		module "$name"
	done
}

# module NAME: loaded when named by who may, pinned while used, gone when not.
module() {
	local module=mptcp_cong_$1
	try_user -g "$1"
	is "ENOENT reno" "$(chosen)" "$1: it does not load for an ordinary user"
	that "nor is it listed" eval "! listed $1 available"
	try -g "$1"
	that "TCP_CONGESTION loads it" loaded "$module"
	that "and does not keep it" rmmod "$module"
	! restricted "$1" || admit "$1"
	cong "$1"
	that "the sysctl loads it" loaded "$module"
	that "the namespace's default cannot be removed" eval "! rmmod $module"
	cong reno
	that "after a change of the default it can" rmmod "$module"

	serve
	begin -d "$(paced 2)" -g "$1"
	soon in_use "$module" || true
	that "nor can one that a connection uses" eval "loaded $module && ! rmmod $module"
	complete
	arrived "$(value client sent)" "and the transfer is not disturbed"
	that "after the connection it can" unload "$module"
}

inheritance() {
	serve -g lia
	begin -d "$(paced 3)" -g balia
	soon connected 2 || true
	is "balia balia" "$(subflows_of "$client")" "each subflow has the connection's"
	is "lia lia" "$(subflows_of "$server")" "at the server, too"
	complete
	is "lia balia" "$(value server accepted_cong) $(value client connected_cong)" \
		"an accepted socket inherits the listener's, the client keeps its own"
	arrived "$(value client sent)" "the bytes are right"

	in_server ip mptcp endpoint flush
	serve -g lia -G olia
	begin -d "$(paced 6)" -g reno -G balia
	soon connected 1 || true
	sleep "$(paced 1)"
	is "balia, olia" "$(subflows_of "$client"), $(subflows_of "$server")" \
		"it changes on a live connection"
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
	soon connected 2 || true
	is "balia balia, olia olia" "$(subflows_of "$client"), $(subflows_of "$server")" \
		"subflows that join later have the new one"
	complete
	arrived "$(value client sent)" "the bytes are right"
}

switching() {
	local all
	all=$(commas "cubic reno ${coupled[*]}")
	listed cubic available || all=${all#cubic,}
	serve
	transfer -b 20000000 -G "$all"
	arrived 20000000 "$all: it changes every 64 KB of a transfer: the bytes are right"

	serve
	begin -d 5 -G "$all"
	for _ in 1 2 3 4; do
		sleep 0.5
		in_server ip mptcp endpoint flush
		sleep 0.5
		in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
	done
	complete
	arrived "$(value client sent)" "subflows come and go meanwhile: the bytes are right"
}

# subflows.sh, with each.
subflows_change() {
	local name
	for name in "${coupled[@]}"; do
		cong_of "$client" "$name"
		comings_and_goings "$name"
	done
	cong reno
}

without_mptcp() {
	local name
	for name in "${coupled[@]}"; do
		serve -t -g "$name"
		transfer -b 1000000 -g "$name"
		arrived 1000000 "$name: a connection that fell back to TCP: the bytes are right"
		is "$name $name" "$(value client connected_cong) $(value server accepted_cong)" \
			"and both keep it"
		serve -t -g "$name"
		transfer -b 1000000 -t -g "$name"
		arrived 1000000 "$name: plain TCP: the bytes are right"
	done
	serve -t
	transfer -b 2000000 -g lia -G "$(commas "reno ${coupled[*]}")"
	arrived 2000000 "it changes after the fallback: the bytes are right"
}

# added NAME: what inet_diag says of this congestion control's sockets beyond Linux' own attributes,
# the last of which is 22. The numbers after it are Linux' to give.
added() { awk -v name="$1" '$1 == name { for (i = 2; i <= NF; i++) if ($i > 22) print $i }' "$work/diag" | sort -u; }

inet_diag() {
	local name
	if ! command -v python3 >/dev/null; then
		skip "what inet_diag tells: needs python3"
		return
	fi
	for name in "${coupled[@]}" reno; do
		serve
		begin -d "$(paced 10)" -g "$name"
		soon connected 2 || true
		in_client ./diag.py >"$work/diag"
		in_client ss -tinHO state established >"$work/ss" 2>&1
		complete
		if [ "$name" = reno ]; then
			is "" "$(added "$name")" "inet_diag adds nothing for $name"
		else
			is 10262 "$(added "$name")" "inet_diag adds one attribute for $name, which is ours"
		fi
		is 2 "$(grep -c " $name .*bytes_acked:.*tcp-ulp-mptcp" "$work/ss")" "ss shows its two subflows"
	done
}

# The weight of ewlia: n.
weight_option() {
	local value
	try
	is 0 "$(value option weight)" "a new socket has the namespace's weight: 0"
	for value in 0 1 65535; do
		try -n $value
		is "ok $value" "$(weighed)" "MPTCP_CONG_WEIGHT $value is read back"
	done
	for value in -1 65536; do
		try -n $value
		is "EINVAL 0" "$(weighed)" "$value is out of range: EINVAL"
	done
	for value in 0 3; do
		try -n 1 -l $value
		is "EINVAL 0" "$(weighed)" "$value bytes are not an int: EINVAL"
	done
	try_user -n 4
	is "ok 4" "$(weighed)" "an ordinary user may set it"
	try -t -n 4
	is ENOPROTOOPT "$(value option weight_set)" "a plain TCP socket does not know it"
}

weight_sysctls() {
	local value
	is "1 1" "$(get ewlia_weight) $(get ewlia_exponent)" "n is 1 at first, and the exponent"
	for value in 2 65535; do
		that "n $value can be set" set_to ewlia_weight $value
		is $value "$(get ewlia_weight)" "and is read back"
	done
	that "exponent 2 can be set" set_to ewlia_exponent 2
	is "1 1" "$(in_server cat /proc/sys/net/mptcp/ewlia_{weight,exponent} | xargs)" \
		"another namespace keeps its own"
	for value in 0 65536 -1 x; do
		refused ewlia_weight $value "Invalid argument" "n $value is refused"
	done
	for value in 0 3 -1 x; do
		refused ewlia_exponent $value "Invalid argument" "exponent $value is refused"
	done
	set_to ewlia_weight 1
	set_to ewlia_exponent 1
}

# begins SIDE N: the window, and where slow start ends, are an nth, or the smallest.
begins() {
	local cwnd=$((10 / $2)) ssthresh
	ssthresh=$((65536 / $2 / $(value "$1" mss)))
	echo "cwnd $((cwnd > 1 ? cwnd : 1)) ssthresh $((ssthresh > 2 ? ssthresh : 2))"
}

# window SIDE: what it is.
window() { echo "cwnd $(value "$1" cwnd) ssthresh $(value "$1" ssthresh)"; }

# starts SIDE N WHAT: that side of the last transfer began with an nth.
starts() { is "$(begins "$1" "$2")" "$(window "$1")" "$3"; }

weight_window() {
	local n
	for n in 2 4 100 65535; do
		serve
		transfer -b 100000 -g ewlia -n $n
		starts client $n "n = $n: the connection starts with so much less"
		arrived 100000 "the bytes are right"
	done

	serve -g ewlia -n 4
	transfer -b 100000
	is 4 "$(value server accepted_weight)" "an accepted socket inherits n"
	starts server 4 "and starts with less"
	serve -g ewlia -N 5
	transfer -b 100000
	starts server 5 "n can be set on the accepted socket, before it sends"
	serve -g ewlia -n 5 -N 1
	transfer -b 100000
	is "cwnd 10" "$(window server | cut -d' ' -f1,2)" "n can be taken back until then"
	serve -g reno -n 5
	transfer -b 100000
	is "cwnd 10" "$(window server | cut -d' ' -f1,2)" "it has no effect with reno"

	ip -n "$client" route change 10.0.1.0/24 dev c1 initcwnd 40
	serve
	transfer -b 100000 -g ewlia -n 4
	is "cwnd 10" "$(window client | cut -d' ' -f1,2)" "the route's initial window is what is divided"
	ip -n "$client" route change 10.0.1.0/24 dev c1
	tc -n "$client" qdisc change dev c1 root netem loss 100%
	serve
	begin -b 100000 -g ewlia -n 4
	sleep 4
	tc -n "$client" qdisc change dev c1 root netem rate 20mbit delay 10ms limit 1000 loss 0%
	complete
	is "cwnd 1" "$(window client | cut -d' ' -f1,2)" "after lost SYNs it begins with one segment, as TCP does"
	arrived 100000 "the bytes are right"

	set_to ewlia_weight 4
	serve -t
	transfer -b 100000 -t -g ewlia
	starts client 4 "the sysctl is for plain TCP"
	serve
	transfer -b 100000 -g ewlia
	starts client 4 "and for connections without a weight"
	serve
	transfer -b 100000 -g ewlia -n 2
	starts client 2 "but not for those with one"
	set_to ewlia_weight 1
}

hosts 20mbit 10ms 20mbit 20ms
for_users
in_both sysctl -q net.ipv4.tcp_congestion_control=reno
modules
by_name
unknown_names
inheritance
switching
subflows_change
without_mptcp
inet_diag
weight_option
weight_sysctls
weight_window

finish
