#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Extensions of schedulers: names, permissions, live connections, modules, the sysctls.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need setpriv modprobe rmmod

names_accepted() {
	local name shown
	while read -r name shown; do
		try -s "$name"
		is "ok $shown" "$(outcome)" "the socket option takes $name and shows $shown"
		that "so does the sysctl" set_to scheduler "$name"
		is "$shown" "$(get scheduler)" "and shows $shown"
		set_to scheduler default
	done <<-'NAMES'
		minrtt+rp minrtt+rp
		rr+bm rr+bm
		minrtt+bm+rp minrtt+rp+bm
		default+rp default+rp
		inorder+rp+bm inorder+rp+bm
		redundant+bm+rp redundant+rp+bm
	NAMES
}

# each_with_each: whatever there is.
each_with_each() {
	local base extension name
	for base in $(get available_schedulers); do
		for extension in $(every_extension); do
			name=$base+$extension
			[ ${#name} -le 15 ] || continue
			try -s "$name"
			is "ok $name" "$(outcome)" "$extension goes with $base"
		done
	done
}

names_refused() {
	local name error what
	local -A message=([EINVAL]="Invalid argument" [ENOENT]="No such file or directory")
	while read -r name error what; do
		try -s "$name"
		is "$error default" "$(outcome)" "$what, $name: $error"
		refused scheduler "$name" "${message[$error]}" "by the sysctl, too"
	done <<-'NAMES'
		minrtt+xx EINVAL unknown extension
		minrtt+pric EINVAL part of an extension
		minrtt+rpx EINVAL more than an extension
		minrtt+RP EINVAL capitals
		minrtt+rp+xx EINVAL unknown second extension
		minrtt+rp+rp EINVAL twice
		minrtt+rp+bm+rp EINVAL twice, not adjacent
		minrtt+rp1+bm+rp EINVAL two that exclude each other
		minrtt+ EINVAL nothing behind the plus
		minrtt++rp EINVAL nothing between
		minrtt+rp+ EINVAL nothing at the end
		+rp EINVAL no base
		+ EINVAL neither
		abcdefghijklmnop+rp EINVAL a base of 16 characters
		redundant+rp+bmx EINVAL a good name and a character more
		nosuch+rp ENOENT unknown base
		abcdefghijklmno+bm+rs+price+ew+rp1 ENOENT a base of 15 characters with as many as there may be
	NAMES
}

permissions() {
	local allowed=minrtt at_first
	at_first=$(get allowed_schedulers)
	set_to allowed_schedulers $allowed
	try_user -s minrtt+rp
	is "ok minrtt+rp" "$(outcome)" "minrtt is allowed: with an extension, too"
	try_user -s minrtt+rp+bm
	is "ok minrtt+rp+bm" "$(outcome)" "and with two"
	try_user -s rr+rp
	is "EPERM default" "$(outcome)" "another one is not, though with an extension"
	try_user -s nosuch+rp
	is "ENOENT default" "$(outcome)" "an unknown one: ENOENT"
	try_user -s minrtt+xx
	is "EINVAL default" "$(outcome)" "an unknown extension: EINVAL"
	try -s rr+rp
	is "ok rr+rp" "$(outcome)" "CAP_NET_ADMIN may use all"

	set_to allowed_schedulers minrtt+rp
	is "minrtt+rp default" "$(get allowed_schedulers)" "a composition can be listed"
	try_user -s minrtt+rp
	is "ok minrtt+rp" "$(outcome)" "minrtt+rp is allowed: it works"
	for allowed in minrtt minrtt+bm minrtt+rp+bm rr+rp; do
		try_user -s $allowed
		is "EPERM default" "$(outcome)" "but not $allowed"
	done

	set_to allowed_schedulers "minrtt+bm+rp minrtt+rp+bm rr"
	is "minrtt+rp+bm rr default" "$(get allowed_schedulers)" "one that is listed twice is shown once"
	set_to allowed_schedulers $'rr\nminrtt'
	is "rr minrtt default" "$(get allowed_schedulers)" "a list may have lines"
	refused allowed_schedulers "rr $(printf '%5000s' minrtt)" "Invalid argument" "one that is too long is not cut"
	refused allowed_schedulers "rr minrtt+xx" "Invalid argument" "no unknown extension can be listed"
	refused allowed_schedulers "rr nosuch+rp" "No such file or directory" "nor an unknown base"
	set_to allowed_schedulers rr
	set_to scheduler minrtt+rp
	try_user -s minrtt+rp
	is "ok minrtt+rp" "$(outcome)" "the namespace's default is always allowed"
	try_user -s minrtt
	is "EPERM minrtt+rp" "$(outcome)" "but not its base alone"

	set_to allowed_schedulers minrtt
	set_to scheduler default+price
	try_user -s minrtt
	is "ok minrtt+price" "$(outcome)" "prices that the namespace's default heeds: no user goes without"
	try_user -s minrtt+rp
	is "ok minrtt+rp+price" "$(outcome)" "with another extension neither"
	try -s minrtt
	is "ok minrtt" "$(outcome)" "CAP_NET_ADMIN does"
	set_to scheduler default
	set_to allowed_schedulers "$at_first"
}

connections() {
	local before
	serve -s minrtt+rp+bm
	transfer -b 200000 -s rr+rp
	is minrtt+rp+bm "$(value server accepted)" "an accepted socket inherits the extensions"
	is rr+rp "$(value client connected)" "the client keeps its own"
	arrived 200000 "the bytes are right"

	in_server sysctl -q net.mptcp.scheduler=rr+bm
	serve
	transfer -b 200000
	is rr+bm "$(value server accepted)" "or it gets those of the namespace's default"
	is default "$(value client connected)" "which is not that of the client's"
	in_server sysctl -q net.mptcp.scheduler=default

	serve -s minrtt+rp -c
	transfer -b 200000
	is "minrtt+rp default minrtt+rp" \
		"$(value server accepted) $(value server changed) $(value server listener)" \
		"a change on the accepted socket is its own"

	before=$(counter SchedSwitch)
	serve
	transfer -b 20000000 -s minrtt \
		-w "$(commas "minrtt+rp default+bm inorder+rp redundant+bm $(every_scheduler)")"
	arrived 20000000 "extensions change every 64 KB of a transfer: the bytes are right"
	that "all changes were counted" less 300 $(($(counter SchedSwitch) - before))

	serve -t
	transfer -b 200000 -s rr+rp+bm -w minrtt+rp,rr+bm,default
	arrived 200000 "a connection that fell back to TCP takes them, the bytes are right"
	is "rr+rp+bm minrtt+rp" "$(value client connected) $(value client end)" "and reads them back"
}

what_a_socket_tells() {
	try -s minrtt+rp
	is "48 0 0" "$(value option info) $(value option again_bytes) $(value option capped_bytes)" \
		"MPTCP_SCHED_INFO of a new socket is all zero"
	try -t
	is EOPNOTSUPP "$(value option info)" "a plain TCP socket does not know it"
}

lambda() {
	local value
	is 300 "$(get sched_bm_lambda)" "lambda is 300 % at first"
	for value in 100 10000; do
		that "$value can be set" set_to sched_bm_lambda $value
		is $value "$(get sched_bm_lambda)" "and is read back"
	done
	for value in 99 10001 0 -1 x; do
		refused sched_bm_lambda $value "Invalid argument" "lambda $value is refused"
	done
	is 300 "$(in_server cat /proc/sys/net/mptcp/sched_bm_lambda)" "another namespace keeps its own"
}

modules() {
	if ! is_module mptcp_sched_rr; then
		skip "schedulers are no modules here"
		return
	fi
	that "the module of the base is not there" unload mptcp_sched_rr
	try -s rr+nosuch
	that "a name that is refused does not load it" eval '! loaded mptcp_sched_rr'
	set_to scheduler rr+rp
	that "rr+rp as the default loads it" loaded mptcp_sched_rr
	that "and pins it" eval '! rmmod mptcp_sched_rr'
	set_to scheduler rr+bm
	that "with another extension as well" eval '! rmmod mptcp_sched_rr'
	set_to scheduler default
	that "after a change of the default it can be removed" rmmod mptcp_sched_rr
	try -s rr+rp
	that "the socket option loads it" loaded mptcp_sched_rr
	that "and does not keep it" rmmod mptcp_sched_rr
}

hosts 50mbit 5ms 50mbit 5ms
for_users
names_accepted
each_with_each
names_refused
permissions
connections
what_a_socket_tells
lambda
modules

finish
