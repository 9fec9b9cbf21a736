# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154,SC2034 # variables of lib.sh and faults.sh
# For faults.sh: buffers are small, or the machine has little memory for TCP.

# short_of WHAT [ARG...]: each scheduler, with little of it.
short_of() {
	local n what=$1
	shift
	serve_with=("${@:1:2}")
	for n in $(turns); do
		choose "$n"
		load -n "$(many 4)" -j 8 -b 1000:600000 -k ttc "$@"
		right "$what, $chosen"
	done
	serve_with=()
}

# strip_options: from all that the client sends, so that its connections fall back.
strip_options() {
	in_client nft add table ip strip 2>/dev/null &&
		in_client nft -f - <<-NFT
			table ip strip {
				chain out {
					type filter hook output priority 0
					tcp option mptcp exists reset tcp option mptcp
				}
			}
		NFT
}

# pruned: how many segments the connection dropped for lack of memory. Linux 6.18 drops none there, and counts none.
pruned() { if grep -q "^MPTcpExt:.* RcvPruned\b" /proc/net/netstat; then counter RcvPruned; else echo 0; fi; }

# starved: hardly any memory for connections that fell back: even TCP gets stuck now and then, and
# resets what is closed. But what TCP has acknowledged must not be dropped: nobody sends it again.
starved() {
	local n dropped
	for n in $(turns); do
		choose "$n"
		dropped=$(pruned)
		load -n 40 -j 20 -b 100000:2000000 -k t -T 10 -e
		is "0 wrong, 0 dropped" \
			"${report[client wrong]:-0} wrong, $(($(pruned) - dropped)) dropped" \
			"hardly any memory, the option removed on the way, $chosen: what is acknowledged is kept"
		show
	done
	that "memory was short" less 0 $(($(snmp "$client" TCPMemoryPressures) + $(snmp "$server" TCPMemoryPressures)))
}

# soon_says FILE WORD
soon_says() { soon grep -q "$2" "$work/$1"; }

# receive_memory: of all sockets of the server, in bytes.
receive_memory() { in_server ss -HMtnm | grep -o 'skmem:(r[0-9]*' | awk -F 'r' '{ sum += $2 } END { print sum }'; }

# unread PROTOCOL N: what N connections take whose data nobody reads, and how many stay. It is on the way when
# memory becomes short; a sender that hears nothing gives up soon.
unread() {
	local serving sender
	listen_as "$work/unread" ip netns exec "$server" "$python" faults/unread.py serve 5000 "$1"
	serving=$served
	mkfifo "$work/go"
	ip netns exec "$client" "$python" faults/unread.py send 10.0.1.2 5000 "$@" 2000000 \
		<"$work/go" >"$work/sender" &
	sender=$!
	exec {go}>"$work/go"
	soon_says sender open
	netem 1 delay 2s limit 100000
	echo >&"$go"
	soon_says sender sent
	sysctl -q -w net.ipv4.tcp_mem="200 300 400"
	in_client sysctl -q net.ipv4.tcp_retries2=5
	sleep 400
	taken=$(receive_memory)
	stay=$(in_client ss -Htn state established | wc -l)
	in_client sysctl -q net.ipv4.tcp_retries2=15
	kill "$sender" "$serving"
	wait "$sender" "$serving" 2>/dev/null || true
	exec {go}>&-
	rm "$work/go"
	sysctl -q -w net.ipv4.tcp_mem="65536 98304 131072"
	calm
	sleep 130
}

# What subflows pass on leaves TCP's queues empty, and of an empty queue's owner TCP takes what comes
# whatever the limits. That must not go on until the connection's buffer is full.
unread_like_tcp() {
	local taken stay tcp
	in_server ip mptcp endpoint flush
	unread 6 200
	tcp=$taken
	in_server ip mptcp endpoint flush
	unread 262 200
	that "data that nobody reads takes no more than a segment beyond what TCP lets it have" \
		less "$taken" $((2 * tcp + 1))
	is 200 "$stay" "and its connections stay"
}

shortage() {
	local pages
	short_of "the smallest send buffers" -B 1
	for_both net.ipv4.tcp_rmem="4096 4096 4096" net.ipv4.tcp_wmem="4096 4096 4096"
	short_of "tiny buffers at both ends"
	for_both net.ipv4.tcp_rmem="4096 131072 6291456" net.ipv4.tcp_wmem="4096 16384 4194304"
	pages=$(cat /proc/sys/net/ipv4/tcp_mem)
	# of pages, of which each CPU may keep 256 for later
	sysctl -q -w net.ipv4.tcp_mem="300 500 800"
	short_of "a machine with little memory for TCP"
	if slow; then
		skip "data that nobody reads: this machine is slow, and TCP's timers take minutes"
	else
		unread_like_tcp
	fi
	if [ "$(nproc)" = 1 ] && strip_options; then
		sysctl -q -w net.ipv4.tcp_mem="200 300 400"
		starved
		in_client nft delete table ip strip
	else
		skip "hardly any memory: needs nft, and no more than one CPU"
	fi
	sysctl -q -w net.ipv4.tcp_mem="$pages"
}
