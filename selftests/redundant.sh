#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# redundant: the whole stream on each subflow, once, and what arrives first counts.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need setpriv python3

# measure ARG...: $took, what was $copied, bytes on the $wire, and on $one and $two of them.
measure() {
	copied=$(counter SchedCopyBytes)
	carried took "$@"
	copied=$(($(counter SchedCopyBytes) - copied))
	wire=$((one + two))
	echo "# $*: $took ms, copied $copied bytes, on the wire $one + $two bytes"
}

second_subflow() {
	case $1 in
	off) in_server ip mptcp endpoint flush ;;
	on) in_server ip mptcp endpoint add 10.0.2.2 dev s2 signal ;;
	esac
}

both_subflows() { [ "$(in_server ss -Ht state established '( sport = :5000 )' | wc -l)" -ge 2 ]; }

bulk() {
	local alone alone_wire
	second_subflow off
	measure -b 10000000
	alone=$took alone_wire=$wire
	arrived 10000000 "a single subflow: the bytes are right"
	is 0 "$copied" "a single subflow: nothing is copied"
	second_subflow on

	measure -b 10000000
	arrived 10000000 "two equal paths: the bytes are right"
	in_time "each carries nearly everything" less $((alone_wire * 9 / 10)) $((one < two ? one : two))
	that "and no more than that" less "$wire" $((alone_wire * 21 / 10))
	in_time "it is not slower than one path alone" less "$took" $((alone * 102 / 100))
	is "$copied" "$(value client copy_bytes)" "the socket tells the same as the counter"

	shape 1 8mbit 10ms 1000
	shape 2 2mbit 75ms 1000
	second_subflow off
	measure -b 4000000
	alone=$took
	second_subflow on
	measure -b 4000000
	arrived 4000000 "unequal paths: the bytes are right"
	in_time "it is not slower than the better one alone, by more than 5 %" \
		less "$took" $((alone * 105 / 100))
}

# 50 messages per second; at one a packet, each path carries more than the data alone.
call() {
	shape 1 10mbit 20ms 1000
	shape 2 10mbit 40ms 1000
	# what the bulk transfer left in the queues
	sleep 2
	measure -b 50000 -m 500 -i 20
	arrived 50000 "a call: the bytes are right"
	that "a call: all of it is on the better path" less 50000 "$one"
	that "a call: and on the other one" less 50000 "$two"
	that "a call: nothing is sent twice on either" less $((one > two ? one : two)) 70000
	in_time "a call: it comes steadily" less "$(value server gap)" 41

	serve
	begin -b 100000 -m 500 -i 20
	sleep 1.5
	soon both_subflows || true
	shape 1 10mbit 20ms 1000 loss 100%
	complete
	arrived 100000 "the better path dies in a call: the bytes are right"
	# a message each 20 ms, the other path takes 20 ms more; something for the clock
	in_time "nothing is later than on the other path" less "$(value server gap)" 51
	shape 1 10mbit 20ms 1000
}

# start: a transfer that the test disturbs in the middle.
start() {
	serve
	begin -b 4000000
	sleep 1
}

disturbances() {
	local one whole
	in_server sysctl -q net.ipv4.tcp_rmem="4096 8192 8192"
	serve
	transfer -b 500000
	arrived 500000 "the peer's window is tiny: the bytes are right"
	in_server sysctl -q net.ipv4.tcp_rmem="4096 131072 6291456"

	start
	ip -n "$client" link set c1 down
	ip -n "$client" link set c2 down
	sleep 2
	ip -n "$client" link set c1 up
	ip -n "$client" link set c2 up
	complete
	arrived 4000000 "all paths are down for two seconds: the bytes are right"

	one=$(wire 1)
	start
	complete
	arrived 4000000 "nothing happens: the bytes are right"
	whole=$(($(wire 1) - one))
	one=$(wire 1)
	start
	in_server ip mptcp endpoint flush
	complete
	arrived 4000000 "the second subflow is closed in the middle: the bytes are right"
	in_time "what the first one has carried it does not send again" less $(($(wire 1) - one)) $((whole + 60000))
	second_subflow on

	start
	in_client ip mptcp endpoint del id 0 10.0.1.1
	complete
	arrived 4000000 "the first subflow is closed in the middle: the bytes are right"
}

# The program ends with 60 KB, and the better path dies MS later: $took, until the peer has all.
last_words() {
	serve
	took=$(in_client python3 -B - "$1" <<-'PYTHON'
		import socket, subprocess, sys, time

		data = bytes((i * 0x9E3779B97F4A7C15 & (1 << 64) - 1) >> 56 for i in range(60000))
		end = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
		end.connect(("10.0.1.2", 5000))
		end.sendall(data[:1])
		time.sleep(1)  # the second subflow joins
		start = time.monotonic()
		end.sendall(data[1:])
		end.shutdown(socket.SHUT_WR)
		time.sleep(int(sys.argv[1]) / 1000)
		dark = "tc qdisc change dev c1 root netem rate 20mbit delay 10ms limit 1000 loss 100%"
		subprocess.run(dark.split(), check=True)
		while end.recv(1):
		    pass
		print(round(1000 * (time.monotonic() - start)))
		PYTHON
	)
	wait "$served" || true
	echo "# the better path dies $1 ms after the last write: $took ms"
}

# The first one's timeout comes after 200 ms, and what it sends then is lost, too.
ends() {
	local ms
	for ms in 30 40; do
		shape 1 20mbit 10ms 1000
		shape 2 2mbit 30ms 1000
		last_words $ms
		arrived 60000 "the better path dies at the end, after $ms ms: the bytes are right"
		in_time "it goes on with copies on the other one" less "$took" 235
	done
	shape 1 10mbit 20ms 1000
	shape 2 10mbit 40ms 1000
}

# slow_reader: it reads when the window is used up, while nothing that it sends arrives; how much it gets.
slow_reader() {
	in_server timeout 60 python3 -B - <<-'PYTHON'
		import socket, subprocess, time

		def loses(percent):
		    what = f"tc qdisc change dev s1 root netem rate 10mbit delay 10ms limit 1000 loss {percent}%"
		    subprocess.run(what.split(), check=True)

		listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
		listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
		listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 30000)
		listener.bind(("10.0.1.2", 5000))
		listener.listen()
		peer, _ = listener.accept()
		time.sleep(3)  # until the window is used up, and that is acknowledged
		loses(100)
		got, end = 0, time.monotonic() + 1
		peer.settimeout(0.1)
		while time.monotonic() < end:
		    try:
		        got += len(peer.recv(65536))
		    except TimeoutError:
		        pass
		loses(0)
		peer.settimeout(20)
		try:
		    while chunk := peer.recv(65536):
		        got += len(chunk)
		except TimeoutError:
		    pass
		print(got)
		PYTHON
}

# A program that is late, and the ACK is lost that says that it reads again: nothing is in flight.
used_up_window() {
	second_subflow off
	slow_reader >"$work/reader" &
	soon listens_at "$server" 5000
	in_client timeout 60 python3 -B - <<-'PYTHON' || true
		import socket

		end = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262)
		end.connect(("10.0.1.2", 5000))
		end.sendall(bytes(200000))
		end.close()
		PYTHON
	wait $!
	is 200000 "$(cat "$work/reader")" "the window is used up, and that it opens is lost: it is probed"
	second_subflow on
}

permissions() {
	local name
	in_both sysctl -q net.mptcp.scheduler=default
	for_users
	for name in redundant $(every_extension | sed 's/\</redundant+/g'); do
		try_user -s "$name"
		is "EPERM default" "$(outcome)" "ordinary users may not use $name"
	done
	in_client sysctl -q net.mptcp.allowed_schedulers="default redundant"
	try_user -s redundant
	is "ok redundant" "$(outcome)" "unless it is allowed"
}

hosts 10mbit 10ms 10mbit 10ms
scheduler redundant
bulk
call
ends
disturbances
used_up_window
permissions

finish
