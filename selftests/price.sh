#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Prices, weights and budgets of interfaces: what a dear path carries, and when.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need

bulk=6000000

# ACKs and handshakes of a subflow are no more than that, in bytes.
little=10000

# measure SCHEDULER [ARG...]: $one and $two bytes on the paths.
measure() {
	scheduler "$1"
	carried took "${@:2}"
	echo "# $*: $took ms, path 1 $one bytes, path 2 $two bytes"
}

# is_ratio WANT WHAT: of path 1 to path 2, in 15 %; negative: the other way round.
is_ratio() {
	local more=$one less=$two want=${1#-}
	[ "$1" = "$want" ] || more=$two less=$one
	[ "$less" -gt 0 ] || less=1
	that "$2: $((100 * more / less)) %" eval \
		"less $((85 * want)) $((100 * more / less)) && less $((100 * more / less)) $((115 * want))"
}

# cleared: nothing costs anything.
cleared() {
	local list
	for list in path_price path_weight path_budget; do
		set_to $list ""
	done
}

lists() {
	local list value what
	for list in path_price path_weight path_budget path_used; do
		is "" "$(get $list)" "$list is empty at first"
	done
	is 100 "$(get sched_price_wait)" "data waits for 100 ms at first"
	that "prices can be set" set_to path_price " c2=10	lte.0=255  c1=0 "
	is "c2=10 lte.0=255 c1=0" "$(get path_price)" "and are read back"
	set_to path_price $'c2=10\nlte.0=255\n\nc1=0'
	is "c2=10 lte.0=255 c1=0" "$(get path_price)" "a list may have lines"
	that "weights, too" set_to path_weight "c1=255 c2=1"
	is "c1=255 c2=1" "$(get path_weight)" "and are read back"
	is "" "$(in_server cat /proc/sys/net/mptcp/path_price)" "another namespace keeps its own"
	that "a name with a = in it" set_to path_price "a=b=7"
	is "a=b=7" "$(get path_price)" "is read back"
	while read -r list value what; do
		refused "$list" "${value//_/ }" "Invalid argument" "$list $value is refused: $what"
	done <<-'REFUSED'
		path_price c1 no value
		path_price c1= an empty one
		path_price =1 no name
		path_price c1=256 too large
		path_price c1=-1 negative
		path_price c1=1x no number
		path_price c2=1_c1=1_c2=2 a name twice
		path_price c2=1_c1 the second word is none
		path_price aaaaaaaaaaaaaaaa=1 16 characters
		path_price a/b=1 no name of an interface
		path_price 10.0.0.0/33=1 no addresses
		path_budget 10.0.0.0/8=5G/1d no interface
		path_weight c1=0 too small
		path_weight c1=256 too large
		path_budget c2=5G no period
		path_budget c2=5G/0 a period of nothing
		path_budget c2=5G/1w an unknown unit
		path_budget c2=5X/1d an unknown unit
		path_budget c2=/1d no bytes
		path_budget c2=18446744073710T/1d too large
		path_budget c2=1/4294967296 too long
		path_budget c2=1/1d_c2=1/1d a name twice
		sched_price_wait 60001 too long
		sched_price_wait -1 negative
	REFUSED
	is "c1=255 c2=1" "$(get path_weight)" "nothing changed meanwhile"
	that "a list that is too long is refused" eval '! set_to path_price "$(printf "i%d=1 " {1..1000})"'
	is "a=b=7" "$(get path_price)" "and is not cut"
	cleared
	is "" "$(get path_price)$(get path_weight)$(get path_budget)" "an empty list clears all"
}

used() {
	local since value
	that "a budget" set_to path_budget "c2=5G/30d nosuch0=1500k/2h"
	is "c2=5000000000/2592000 nosuch0=1500000/7200" "$(get path_budget)" "is read back in bytes and seconds"
	is "nosuch0=0" "$(get path_used | sed 's/.* //; s/@.*//')" "an interface that is not there used nothing"
	that "what was used can be set" set_to path_used "c2=12M@1000000 nosuch0=7@5000000000"
	set_to path_budget "nosuch0=1M/1d"
	is "nosuch0=7@5000000000" "$(get path_used)" "a period that begins in the future waits, and outlives a change of the budget"
	that "without its start" set_to path_used "nosuch0=8"
	is "nosuch0=8@5000000000" "$(get path_used)" "the period stays"
	that "long ago" set_to path_used "nosuch0=9@86400"
	since=$(($(date +%s) / 86400 * 86400))
	is "nosuch0=0@$since" "$(get path_used)" "the period that is now began a whole number of periods later"
	set_to path_used "nosuch0=8@5000000000"
	while read -r value what; do
		refused path_used "${value//_/ }" "Invalid argument" "path_used $value is refused: $what"
	done <<-'REFUSED'
		nosuch0 no value
		nosuch0=1@ no start
		nosuch0=1@-1 negative
		nosuch0=1X an unknown unit
		nosuch0=1_nosuch0 the second word is none
	REFUSED
	refused path_used "nosuch0=1 c2=1" "No such file or directory" "path_used without a budget is refused"
	cleared
	is "" "$(get path_used)" "without budgets there is nothing to tell"
}

# What a connection has of its own.
options() {
	local value what
	try
	is " (1)" "$(value option prices)" "a new socket has no prices of its own"
	try -P "c2=10  lte0=0" -W "c1=3"
	is "c2=10 lte0=0 (13)" "$(value option prices)" "prices are set and read back, with a NUL"
	is "c1=3 (5)" "$(value option weights)" "so are weights"
	is "c2=10 lte0=0 (13)" "$(value option prices_then)" "which leave prices alone"
	try -P "c2=10" -l 6
	is "c2=10 (6)" "$(value option prices)" "a final NUL is taken"
	while read -r value what; do
		try -P "${value//_/ }"
		is "EINVAL  (1)" "$(value option path_set) $(value option prices)" "$value: EINVAL, $what"
	done <<-'REFUSED'
		c2 no value
		c2=256 too large
		c2=1_c2=1 twice
		a/b=1 no name
	REFUSED
	try -P "$(printf 'i%d=1 ' {1..100})"
	is "EINVAL  (1)" "$(value option path_set) $(value option prices)" "a list that is too long: EINVAL"
	try -t -P "c2=1"
	is "ENOPROTOOPT EOPNOTSUPP" "$(value option path_set) $(value option prices)" "a TCP socket has no such option"

	cleared
	serve -P "s2=5"
	transfer -b 1000
	is "s2=5 (5)" "$(value server accepted_prices)" "an accepted socket inherits them"
	measure rr+price -b 200000 -m 1000 -i 20 -P "c2=10"
	that "the connection's own prices count" less "$two" $little
	set_to path_price "c2=10"
	measure rr+price -b 200000 -m 1000 -i 20 -P "c2=0"
	that "and come before the namespace's" less 50000 "$two"
	measure rr+price -b 400000 -m 1000 -i 20 -P "c2=0" -L ""
	that "they can be taken back in the middle of a connection" \
		eval 'less 80000 $two && less $two 130000'
	cleared
	measure weighted -b 1000000 -m 10000 -i 20 -W "c1=4"
	is_ratio 4 "a connection's own weights"
}

# A call of 0.4 Mbit/s, and one of 4: cheap path 8 Mbit/s.
a_call() {
	local name
	cleared
	measure minrtt -b 200000 -m 1000 -i 20
	measure rr -b 200000 -m 1000 -i 20
	that "rr without prices uses both paths" less 50000 "$two"
	set_to path_price "c2=10"
	measure rr -b 200000 -m 1000 -i 20
	that "rr does not care about prices" less 50000 "$two"
	set_to path_price "10.0.2.0/24=10"
	is "10.0.2.0/24=10" "$(get path_price)" "a price for peers is read back"
	measure rr+price -b 200000 -m 1000 -i 20
	that "and counts, as a server knows its clients' paths" less "$two" $little
	set_to path_price "10.0.3.0/24=10 10.0.2.2/32=0 c2=10"
	measure rr+price -b 200000 -m 1000 -i 20
	that "the first entry that fits is the one that counts" less 50000 "$two"
	set_to path_price "c2=10"
	for name in $(every_scheduler); do
		[[ $name != *+* && $name != default ]] || continue
		measure "$name+price" -b 200000 -m 1000 -i 20
		arrived 200000 "$name+price: a call: the bytes are right"
		that "$name+price: nothing goes by the dear path" less "$two" $little
		measure "$name+price" -b 2500000 -m 10000 -i 20
		arrived 2500000 "$name+price: 4 Mbit/s: the bytes are right"
		that "$name+price: nothing goes by the dear path" less "$two" $little
	done
	measure default+price -b 200000 -m 1000 -i 20
	that "default+price: nothing goes by the dear path" less "$two" $little
}

bulk_transfer() {
	local name free extra
	for name in default minrtt rr inorder; do
		set_to path_price ""
		measure "$name+price" -b $bulk
		free=$took
		set_to path_price "c2=10"
		measure "$name+price" -b $bulk
		arrived $bulk "$name+price: a bulk transfer: the bytes are right"
		# a sender that computes slowly leaves room on the cheap one
		in_time "$name+price: the dear path is used" less $((bulk / 3)) "$two"
		# default fills the send buffer of a subflow before it counts as full
		[ $name = default ] && extra=1500 || extra=200
		in_time "$name+price: and soon" less "$took" $((free + extra))
	done
	in_client sysctl -q net.mptcp.sched_price_wait=60000
	measure minrtt+price -b $bulk
	that "a wait of a minute: it is not used" less "$two" $little
	in_client sysctl -q net.mptcp.sched_price_wait=100
	set_to path_price "c1=5 c2=5"
	measure minrtt+price -b $bulk
	that "of one price: both are used" less $((bulk / 3)) "$two"
	set_to path_price "c1=10"
	measure minrtt+price -b 200000 -m 1000 -i 20
	that "the second path is the cheaper one: the data is there" less 200000 "$two"
}

# later SECONDS COMMAND...: so long after data began to flow.
later() {
	local before
	before=$(wire 1 2)
	(soon grew "$before" 10000 1 2 && sleep "$1" && "${@:2}") &
}

# rest BYTES: how much the other path carries at least once one is dark; where that is later than it should be, less
# is left.
rest() {
	if slow; then echo $(($1 / 2)); else echo "$1"; fi
}

# A message each 20 ms: how long is the longest pause at the receiver?
it_fails() {
	local name least
	least=$(rest 150000)
	set_to path_price "c2=10"
	for name in default minrtt inorder rr weighted redundant; do
		later 2 dark 1
		measure "$name+price" -b 400000 -m 2000 -i 20
		light 1
		arrived 400000 "$name+price: the cheap path becomes dark: the bytes are right"
		that "$name+price: the dear one carries on" less "$least" "$two"
		echo "# the longest pause: $(value server gap) ms"
		in_time "$name+price: the pause is short" less "$(value server gap)" 150
	done
	later 2 ip -n "$client" link set c1 down
	measure minrtt+price -b 400000 -m 2000 -i 20
	ip -n "$client" link set c1 up
	arrived 400000 "the link of the cheap path is down: the bytes are right"
	that "the dear one carries on" less "$least" "$two"
	echo "# the longest pause: $(value server gap) ms"

	later 1 dark 1
	measure minrtt+price -b $bulk
	light 1
	arrived $bulk "the cheap path becomes dark in a bulk transfer: the bytes are right"
	later 1 dark 2
	measure minrtt+price -b $bulk
	light 2
	arrived $bulk "the dear path becomes dark: the bytes are right"
}

# A backup is no cheaper path, whatever it costs.
backups() {
	in_server ip mptcp endpoint flush
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal backup
	set_to path_price "c1=10"
	measure minrtt+price -b $bulk
	arrived $bulk "a backup that costs nothing: the bytes are right"
	that "it carries nothing" less "$two" $little
	later 2 dark 1
	measure minrtt+price -b 400000 -m 2000 -i 20
	light 1
	arrived 400000 "the path that is none becomes dark: the bytes are right"
	that "the backup stands in" less "$(rest 100000)" "$two"
	in_server ip mptcp endpoint flush
	in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal
}

# Bytes that the client sends over path 2 in a second from now.
second_of_two() {
	local before
	before=$(tx_bytes 2)
	sleep 1
	rate=$(($(tx_bytes 2) - before))
	echo "# path 2: $rate bytes in a second"
}

# by HOST NAME: a budget of 1 MB in 20 s for the interface, in the midst of a transfer.
budget_by() {
	local who=$1 host=$2 name=$3 used before
	serve
	begin -d 40 -s minrtt
	sleep 2
	second_of_two
	that "$who: before, the path carries its part" less 500000 "$rate"
	ip netns exec "$host" sysctl -q net.mptcp.path_budget="$name=1M/20s"
	sleep 4
	second_of_two
	that "$who: the budget is used up: the path rests" less "$rate" $little
	used=$(ip netns exec "$host" sysctl -n net.mptcp.path_used)
	echo "# $used"
	that "$who: it was used up, by no more than what a second carries" eval \
		'less 999999 "$(expr "$used" : "$name=\([0-9]*\)@")" && less "$(expr "$used" : "$name=\([0-9]*\)@")" 2600000'
	sleep 10
	before=$(tx_bytes 2)
	sleep 8
	that "$who: the next period: it is used again" less 900000 $(($(tx_bytes 2) - before))
	second_of_two
	that "$who: until that budget is used up" less "$rate" $little
	ip netns exec "$host" sysctl -q net.mptcp.path_budget=
	sleep 2
	second_of_two
	that "$who: the budget is taken back: it is used again" less 500000 "$rate"
	complete
	is "0" "$(value server wrong)" "$who: no byte is wrong"
}

# What the interface of path 2 counted, in both directions.
all_bytes() { echo $(($(tx_bytes 2) + $(in_client cat /sys/class/net/c2/statistics/rx_bytes))); }

budgets() {
	local before two
	cleared
	budget_by "the sender's" "$client" c2
	budget_by "the receiver's" "$server" s2

	set_to path_budget "c2=1/1d"
	before=$(all_bytes)
	set_to path_used "c2=1000"
	in_client ping -c 10 -i 0.1 -s 1000 -q 10.0.2.2 >/dev/null
	sleep 0.1
	two=$(all_bytes)
	is $((1000 + two - before)) "$(get path_used | sed 's/.*=//; s/@.*//')" "all traffic counts, in both directions"

	sleep 1.1
	measure minrtt -b $bulk
	that "a connection that begins without a budget left spares the path ($two)" less "$two" 50000
	serve
	begin -b 400000 -m 2000 -i 20
	sleep 2
	two=$(tx_bytes 2)
	dark 1
	complete
	light 1
	arrived 400000 "the other path becomes dark: the bytes are right"
	that "the one without a budget left stands in" less 100000 $(($(tx_bytes 2) - two))
	cleared
}

# The period ends while the path that had used it up is dark, and nobody could send over it.
dark_meanwhile() {
	in_client sysctl -q net.mptcp.silent_rto_max=2000
	serve
	begin -d 60 -s minrtt
	sleep 2
	set_to path_budget "c2=1M/20s"
	set_to path_used "c2=1M"
	dark 2
	sleep 25
	light 2
	# its next period, in which it has a part of a second to use up
	set_to path_budget "c2=1G/20s"
	sleep 10
	second_of_two
	that "a new period began while the path was dark: it is used again" less 500000 "$rate"
	complete
	is "0" "$(value server wrong)" "no byte is wrong"
	in_client sysctl -q net.mptcp.silent_rto_max=0
	cleared
}

# In the first attempt to load a module, the kernel waits for 10 s, and setsockopt() holds its connection.
load_slowly() {
	modprobe=$(cat /proc/sys/kernel/modprobe)
	cat >"$work/modprobe" <<-SCRIPT
		#!/bin/sh
		[ ! -e "$work/loading" ] || exit 1
		: >"$work/loading"
		sleep 10
	SCRIPT
	chmod 755 "$work/modprobe"
	echo "$work/modprobe" >/proc/sys/kernel/modprobe
}

# A user can hold a connection for as long as it likes; here it is the path of a module.
held() {
	local start
	set_to path_budget "c2=1/1d"
	set_to path_used "c2=1000"
	load_slowly
	serve
	begin -b 400000 -m 2000 -i 20 -G nosuch
	sleep 3
	that "a connection is held" test -e "$work/loading"
	start=$(date +%s%N)
	get path_used >"$work/used"
	set_to path_budget "c2=2/1d"
	start=$((($(date +%s%N) - start) / 1000000))
	in_time "who reads and writes budgets does not wait for it: $start ms" less "$start" 1000
	kill "$sending"
	wait "$sending" "$served" || true
	echo "$modprobe" >/proc/sys/kernel/modprobe
	cleared
}

# The receiver's budget is used up while nothing comes, and the peer would send more.
idle() {
	in_server sysctl -q net.mptcp.path_budget="s2=1/1d"
	in_server sysctl -q net.mptcp.path_used="s2=0"
	serve
	begin -b 600000 -m 60000 -i 4000
	sleep 6
	in_server sysctl -q net.mptcp.path_used="s2=1000"
	sleep 1
	carried complete
	echo "# path 1 $one bytes, path 2 $two bytes"
	arrived 600000 "a budget is used up while nothing comes: the bytes are right"
	that "the connection learns of it with the next data" less "$two" 50000
	in_server sysctl -q net.mptcp.path_budget=
}

# The receiver's budget is used up, and its path manager would have a full path; CONTROL: with a control stream.
still_spent() {
	is_built control_stream || [ "$1" = 0 ] || return 0
	! is_built control_stream || in_both sysctl -q net.mptcp.control_stream="$1"
	in_server sysctl -q net.mptcp.path_budget="s2=1/1d"
	serve
	begin -d 10 -s minrtt
	sleep 4
	in_server ip mptcp endpoint change 10.0.2.2 backup
	in_server ip mptcp endpoint change 10.0.2.2 nobackup
	sleep 1
	second_of_two
	that "control_stream=$1: the path manager asks for the path: it rests nevertheless" less "$rate" $little
	in_server sysctl -q net.mptcp.path_budget=
	sleep 2
	second_of_two
	that "control_stream=$1: and is used without the budget" less 500000 "$rate"
	complete
	! is_built control_stream || in_both sysctl -q net.mptcp.control_stream=0
}

# No more than so many of a namespace: each is looked at once a second.
many() {
	local list
	list=$(printf 'i%d=1/1d ' {1..33})
	refused path_budget "$list" "Invalid argument" "33 budgets are refused"
	that "32 are taken" set_to path_budget "${list% i33*}"
	cleared
}

weights() {
	local name
	shape 1 20mbit 10ms 1000
	shape 2 20mbit 10ms 1000
	for name in "c1=3 c2=1:3" "c1=1 c2=3:-3" "c1=1 c2=1:1" "c1=20 c2=2:10"; do
		set_to path_weight "${name%:*}"
		measure weighted -b 2500000 -m 10000 -i 20
		arrived 2500000 "weights ${name%:*}: the bytes are right"
		is_ratio "${name#*:}" "weights ${name%:*}: so are the parts"
	done
	set_to path_weight "c1=3"
	measure weighted -b $bulk
	arrived $bulk "weighted, a bulk transfer: the bytes are right"
	in_time "weighted: it uses both paths" less $((bulk / 3)) "$two"
	interrupted 1 $bulk
	interrupted 2 $bulk
}

hosts 8mbit 10ms 8mbit 10ms
lists
used
options
a_call
bulk_transfer
it_fails
backups
budgets
dark_meanwhile
held
idle
still_spent 0
still_spent 1
many
weights

finish
