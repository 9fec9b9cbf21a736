# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# How subflows and connections end, beyond what flows.sh has. For conformance.sh.
# shellcheck disable=SC2154 # variables shared with those who source this

# time_waits HOST: connections of the test that are in TIME-WAIT there.
time_waits() {
	ip netns exec "$1" ss -Htan state time-wait '( sport = :5000 or dport = :5000 )' | wc -l
}

# One after the other, with the time in between in which the first one leaves TIME-WAIT.
who_waits() {
	family 4
	delays 20ms 20ms
	sleep 61
	peers last first
	is "client 2, server 0" "client $(time_waits "$client"), server $(time_waits "$server")" \
		"the client closes first: no subflow is left in TIME-WAIT at the server"
	sleep 61
	peers first last
	is "client 0, server 2" "client $(time_waits "$client"), server $(time_waits "$server")" \
		"the server closes first: no subflow is left in TIME-WAIT at the client"
}

# The DATA_FIN beside the last bytes, and on its own.
places_of_fin() {
	family 4
	delays 20ms 20ms
	transferred -b 1000000
	judge "closed while data waits" "${sums[@]}" --up 1000000 fin fin_with_data "$sum_check"
	finds "" "where the DATA_FIN is" fin_alone
	peers last first
	judge "closed when all has arrived" "${sums[@]}" "${exchanged[@]}" fin fin_alone "$sum_check"
	finds "" "where the DATA_FIN is" fin_with_data
}

# The end comes before, during and after the handshake of the second subflow.
during_join() {
	local after
	family 4
	delays 20ms 20ms
	for after in 0 0.01 0.02 0.03 0.04 0.05 0.06 0.08 0.1; do
		peers last first "$after"
		judge "closed $after s after the data" "${sums[@]}" "${exchanged[@]}" options mappings bytes ack fin
	done
	is "" "$(in_both ss -HMan state connected)" "none of these connections is left"
}

# spoil N...: nft changes two bytes of the data of the next segment that each subflow of the
# client sends over these paths. Without a look at TCP's checksum: on a veth pair nobody computes it.
spoil() {
	in_client nft -f - <<-NFT
		table ip spoil {
			set done { type inet_service; flags dynamic; size 16; }
			chain output {
				type filter hook output priority 0;
				oifname { $(printf '"c%s", ' "$@") } tcp dport 5000 meta length > 1000 tcp sport != @done \
					add @done { tcp sport } @th,1280,16 set 0x1234
			}
		}
	NFT
}

# spoiled N...: 2 MB that these paths spoil, in a capture.
spoiled() {
	checksums 1
	delays 10ms 10ms
	capture
	serve -a "$any"
	begin -a "$first" -b 2000000
	sleep 0.3
	spoil "$@"
	complete
	captured
	in_client nft delete table ip spoil
}

# The only subflow: what is spoiled arrives spoiled, but the connection goes on.
fails_alone() {
	family 4
	no_endpoints
	spoiled 1
	arrived_spoiled "a wrong checksum, one subflow: 2 MB arrive, two bytes of them spoiled"
	judge "a wrong checksum, one subflow" --checksum --up 2000000 options fail fail_answer infinite
	finds 6:12:11 "MP_FAIL's DSN" fail
	finds infinite "the infinite mapping" infinite
}

arrived_spoiled() { is "2000000 wrong 2" "$(value server received) wrong $(value server wrong)" "$1"; }

# fails_beside N: one of two subflows spoils data; it goes, the data comes over the other.
fails_beside() {
	local name="a wrong checksum, subflow $1 of two"
	family 4
	spoiled "$1"
	arrived 2000000 "$name: 2 MB arrive"
	judge "$name" --checksum --up 2000000 options fail fail_reset ack
	finds 6:12:11 "MP_FAIL's DSN" fail
	finds 8:4:3 "the reason" fail_reset
	finds "" "what answers to MP_FAIL" fail_answer
}

# wrong_checksums: nft is what spoils data.
wrong_checksums() {
	if command -v nft >/dev/null; then
		fails_alone
		fails_beside 1
		fails_beside 2
	else
		skip "a wrong checksum: needs nft"
	fi
}

ends() {
	checksums 1
	places_of_fin
	during_join
	who_waits
	wrong_checksums
}

ends_quick() { wrong_checksums; }
