#!/bin/bash
# SPDX-License-Identifier: MIT
# Patched and unpatched kernels talk to each other, as client and as server: two guests that two
# paths connect, over UDP on the host's loopback. Each patched side runs each of the schedulers.
# They share the host's clock: a busy machine makes this slow.
# NOBUILD=1 takes the kernels as they are. PAIRS="patched-stock ..." and SCHEDULERS="rr ..." choose.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

all_pairs="patched-stock stock-patched patched-patched"
pairs=${PAIRS:-$all_pairs}
logs=$build/check-interop
limit=200
passed=0 failed=0 skipped=0
mkdir -p "$logs"

# path N SIDE: a guest's end of it; SIDE is 0 or 1. $base: four ports that are likely free.
path() {
	local mine=$((base + 2 * $1 + $2)) yours=$((base + 2 * $1 + 1 - $2))
	printf '%s,' "vec$1:transport=l2tpv3" udp=1 src=127.0.0.1 dst=127.0.0.1 "srcport=$mine" \
		"dstport=$yours" "rx_session=$mine"
	echo "tx_session=$yours"
}

# boot VARIANT SIDE NAME ARG...: a guest and what it does; its output in $logs/$pair.NAME.
boot() {
	local variant=$1 side=$2 name=$3
	shift 3
	timeout $limit "$top/tools/kernel/boot-uml" --kernel "$(dirname -- "$(source_tree "$variant")")/upstream" \
		--real-time --arg "$(path 0 "$side")" --arg "$(path 1 "$side")" \
		--dmesg "$logs/$pair.$name.dmesg" -- \
		/usr/bin/python3 "$top/tools/kernel/interop_guest.py" "$name" "$@" >"$logs/$pair.$name" 2>&1
}

# who_is_patched CLIENT SERVER
who_is_patched() {
	case $1-$2 in
	patched-patched) echo both ;;
	patched-*) echo client ;;
	*) echo server ;;
	esac
}

ran() { echo $((passed + failed + skipped)); }

# judge TEXT: a line of the client's, as TAP.
judge() {
	case $1 in
	"ok "*"# SKIP"*)
		skipped=$((skipped + 1))
		echo "ok $(ran) ${pair/-/ client, } server, ${1#ok }"
		;;
	"ok "*)
		passed=$((passed + 1))
		echo "ok $(ran) ${pair/-/ client, } server, ${1#ok }"
		;;
	"not ok "*)
		failed=$((failed + 1))
		echo "not ok $(ran) ${pair/-/ client, } server, ${1#not ok }"
		;;
	"row | "*) table+=("| ${pair/-/ | } ${1#row } |") ;;
	*) echo "# ${1#\# }" ;;
	esac
}

# wrong WHAT: a failure of the pair as a whole.
wrong() { judge "not ok $1"; }

# talk PAIR: "CLIENT-SERVER"
talk() {
	local server client line wanted
	pair=$1
	base=$((20000 + RANDOM % 3000 * 4))
	rm -f -- "$logs/$pair".*
	boot "${pair#*-}" 1 server &
	server=$!
	boot "${pair%-*}" 0 client "$(who_is_patched "${pair%-*}" "${pair#*-}")" "${schedulers[@]}" &
	client=$!
	wanted=$(($(ran) + 9 * ${#schedulers[@]}))
	wait "$client" || wrong "the client ends well: $(tail -n 1 "$logs/$pair.client")"
	wait "$server" || wrong "the server ends well: $(tail -n 1 "$logs/$pair.server")"
	while read -r line; do
		judge "$line"
	done <"$logs/$pair.client"
	[ "$(ran)" -ge "$wanted" ] || wrong "all connections were tried"
	! grep -EH "$complaints" "$logs/$pair".*.dmesg || wrong "the kernels complain of nothing"
}

for pair in $pairs; do
	[[ " $all_pairs " == *" $pair "* ]] ||
		die "PAIRS: there is no pair '$pair', only $all_pairs"
done
[ -n "${NOBUILD:-}" ] || both_kernels upstream
read -ra schedulers <<<"${SCHEDULERS:-$(schedulers_of "$build/upstream")}"
table=()
for pair in $pairs; do
	talk "$pair"
done

printf '# %s\n' '| client | server | scheduler | IPv4 | IPv4, checksums | IPv6 | IPv6, checksums | signals | low_overhead | stateless_join | control_stream | coding |' \
	'| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |' ${table[@]+"${table[@]}"}
closing "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
