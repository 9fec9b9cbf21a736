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

# resets_for_want_of_memory: what TCP does with connections that the application has closed.
resets_for_want_of_memory() {
	echo $(($(snmp "$client" TCPAbortOnMemory) + $(snmp "$server" TCPAbortOnMemory)))
}

# starved WHAT: nothing else goes wrong when there is not enough for all at a time.
starved() {
	local n resets what=$1 bad
	for n in $(turns); do
		choose "$n"
		resets=$(resets_for_want_of_memory)
		load -n 40 -j 20 -b 100000:2000000 -k ttc
		resets=$(($(resets_for_want_of_memory) - resets))
		bad=$((${report[client failed]:-0} - ${report[client failed_ECONNRESET]:-0}))
		is "0 failed, 0 stuck, 0 wrong" \
			"$bad failed, ${report[client stuck]:-0} stuck, ${report[client wrong]:-0} wrong" \
			"$what, $chosen: all arrives but what TCP resets"
		that "$chosen: no more were reset than TCP did" \
			less "${report[client failed_ECONNRESET]:-0}" $((resets + 1))
		show
	done
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
	if [ "$(nproc)" = 1 ] && strip_options; then
		sysctl -q -w net.ipv4.tcp_mem="200 300 400"
		starved "hardly any memory, the option removed on the way"
		in_client nft delete table ip strip
		starved "hardly any memory"
	else
		skip "hardly any memory: needs nft, and no more than one CPU"
	fi
	sysctl -q -w net.ipv4.tcp_mem="$pages"
}
