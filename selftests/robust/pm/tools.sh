# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Part of pm.sh: ss and mptcpctl list what there is; mptcpize makes MPTCP of TCP programs.
# shellcheck disable=SC2034,SC2154 # variables of pm.sh and its other parts

mptcpctl=${MPTCPCTL:-../../tools/mptcpctl/mptcpctl}
programs=()
for program in curl wget; do
	! command -v $program >/dev/null || programs+=("$program")
done
programs+=(python)

# by_ss HOST FILTER: "LOCAL REMOTE SENT ACKED RECEIVED" for each subflow.
by_ss() {
	ip netns exec "$1" ss -HtniO state established "$2" | awk '{
		sub(/%[^:]*/, "", $3)
		count["bytes_sent"] = count["bytes_acked"] = count["bytes_received"] = 0
		for (i = 5; i <= NF; i++) {
			split($i, pair, ":")
			if (pair[1] in count) count[pair[1]] = pair[2]
		}
		print $3, $4, count["bytes_sent"], count["bytes_acked"], count["bytes_received"] }' | sort
}

# by_mptcpctl HOST ROLE: the same; ROLE is "local" or "peer", who has the port 5000.
by_mptcpctl() {
	ip netns exec "$1" "$mptcpctl" show --json | "$python" -c 'import json, sys
for conn in json.load(sys.stdin):
    if conn["state"] == "mptcp" and (conn[sys.argv[1]] or "").endswith(":5000"):
        for sub in conn["subflows"]:
            print(*(sub[key] for key in ("local", "peer", "bytes_sent", "bytes_acked", "bytes_received")))
' "$2" | sort
}

# sum N: of the Nth words of the lines.
sum() { awk -v n="$1" '{ total += $n } END { print total + 0 }'; }

# flag KIND FIELD: of the subflow with this flag (M: made the connection, J: joined), as ss has it.
flag() {
	in_client ss -HtniO state established dport = :5000 |
		sed -n "s/.*tcp-ulp-mptcp flags:$1[^ ]* .*$2.*/\1/p"
}

# connections [OPTION]: those that ss -M lists.
connections() { in_client ss -HMnO "$@" dport = :5000; }

# A message each 3 s: between them, counters stand still.
listed() {
	local of
	afresh
	in_client ip mptcp endpoint add 10.0.2.1 dev c2 id 7 subflow
	watch "$client"
	serve
	begin -d 8 -m 50000 -i 3000
	sleep 2
	of=$(token | sed 's/^0*//') # as ss prints it
	is "10.0.1.1:*>10.0.1.2:5000" \
		"$(connections | awk '{ sub(/:[0-9]+$/, ":*", $4); print $4 ">" $5 }')" "ss -M: the connection"
	is "subflows:1 token:$of" "$(connections -i | grep -Eo '(subflows|token):[^ ]*' | paste -sd ' ')" \
		"ss -Mi: it has one subflow more, and the token of the monitor"
	is "$two" "$(subflows)" "ss -t: two subflows"
	is "$of" "$(flag M 'token:0000(id:0)\/\([0-9a-f]*\)(id:0)')" \
		"ss -ti: tcp-ulp-mptcp has the flags, the identifiers and the token of the first subflow"
	is "$of" "$(flag J 'token:[0-9a-f]*(id:0)\/\([0-9a-f]*\)(id:7)')" \
		"ss -ti: and those of the one that joined"
	by_ss "$client" 'dport = :5000' >"$work/sends"
	by_ss "$server" 'sport = :5000' >"$work/receives"
	is "50000 50000" "$(sum 3 <"$work/sends") $(sum 5 <"$work/receives")" \
		"ss -ti: the subflows sent and received the first message"
	agree
	arrives "listing"
	kill "$watching"
}

agree() {
	if [ ! -x "$mptcpctl" ]; then
		skip "mptcpctl is not built"
		return
	fi
	is "$(cat "$work/sends")" "$(by_mptcpctl "$client" peer)" \
		"mptcpctl show: the client's subflows and their counters, as ss has them"
	is "$(cat "$work/receives")" "$(by_mptcpctl "$server" local)" \
		"mptcpctl show: the server's"
}

# web [WRAPPER...]: a web server with the file; it is an ordinary TCP program.
web() {
	timeout "$patience" ip netns exec "$server" "$@" "$python" -m http.server --bind "$any" \
		--directory "$work/www" 8000 >"$work/web" 2>&1 &
	webbing=$!
	until listens_at "$server" 8000; do
		kill -0 "$webbing" || return
		sleep 0.1
	done
}

unweb() {
	kill "$webbing"
	wait "$webbing" || true
}

# fetch JOINS WHAT COMMAND...: it writes the file to $work/got; it makes so many joins.
fetch() {
	local wanted=$1 what=$2 before
	shift 2
	before=$(in_server cat /sys/class/net/s2/statistics/tx_bytes)
	rm -f "$work/got"
	grown MPJoinSynAckRx in_client timeout "$patience" "$@" >"$work/fetch" 2>&1 || cat "$work/fetch"
	that "$what: the bytes are right" cmp "$work/www/file" "$work/got"
	is "$wanted" "$grown" "$what: subflows more: $wanted"
	[ "$wanted" = 0 ] || that "$what: the second is used" less 300000 \
		$(($(in_server cat /sys/class/net/s2/statistics/tx_bytes) - before))
	moved=$((moved + $(stat -c %s "$work/www/file")))
}

# by PROGRAM URL: the command that fetches it.
by() {
	case $1 in
	curl) command=(curl -sgo "$work/got" "$2") ;;
	wget) command=(wget -qO "$work/got" "$2") ;;
	python) command=("$python" -c 'import sys, urllib.request
urllib.request.urlretrieve(*sys.argv[1:])' "$2" "$work/got") ;;
	esac
}

# Every program with the default scheduler, one with each of the others.
fetches() {
	local name program
	for program in "${programs[@]}"; do
		by "$program" "$1"
		fetch 1 "mptcpize, IPv$2, $program" mptcpize run "${command[@]}"
	done
	for name in "${schedulers[@]}"; do
		by "${programs[0]}" "$1"
		scheduler "$name"
		fetch 1 "mptcpize, IPv$2, ${programs[0]}, $name" mptcpize run "${command[@]}"
	done
	scheduler default
}

# ordinary URL 4|6: a program that speaks TCP, with that server.
ordinary() {
	local before
	by "${programs[0]}" "$1"
	before=$(counter MPCapableSYNTX)
	fetch 0 "an ordinary client of that server, IPv$2" "${command[@]}"
	is "$before" "$(counter MPCapableSYNTX)" "an ordinary client of that server, IPv$2: it speaks TCP"
}

mptcpized() {
	local version url
	mkdir "$work/www"
	head -c 2000000 /dev/urandom >"$work/www/file"
	for version in 4 6; do
		afresh
		addresses $version
		url=http://$first:8000/file
		[ $version = 4 ] || url=http://[$first]:8000/file
		in_server ip mptcp endpoint add "$second" dev s2 id 3 signal
		web mptcpize run
		fetches "$url" $version
		ordinary "$url" $version
		unweb
	done
	addresses 4
}
