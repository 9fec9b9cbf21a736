#!/bin/bash
# SPDX-License-Identifier: MIT
# Linux's own MPTCP selftests that upstream reports to fail now and then (simult_flows, and of mptcp_join "Infinite map",
# "MP_FAIL MP_RST" and "checksum test 0 1"), on the unpatched kernel and on the patched one, once for each seed. Time is
# virtual, and all random numbers are drawn from the seed: what fails with a seed fails with it again.
# The table has, for each check, in how many runs it failed and with which seed first, and of a transfer the longest time,
# in ms. What ran on the same kernel does not run again. Fails if a patched kernel does.
# usage: check-seeds.sh [SEED...]: these seeds; otherwise 1 to SEEDS (20)
#	TESTS="simult_flows mptcp_join": these; KERNELS="stock patched:inorder": which, with which scheduler
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=upstream.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/upstream.sh"

read -ra tests <<<"${TESTS:-simult_flows mptcp_join}"
read -ra kernels <<<"${KERNELS:-stock patched:inorder}"

# words_of TEST: how the script is called.
words_of() {
	case $1 in
	simult_flows) printf '%s\0' ./simult_flows.sh ;;
	mptcp_join) printf '%s\0' ./mptcp_join.sh "Infinite map" "MP_FAIL MP_RST" "checksum test 0 1" ;;
	*) die "TESTS: '$1' is neither simult_flows nor mptcp_join" ;;
	esac
}

# place KERNEL: of the logs of that kernel, with its modules, as it is.
place() {
	local kernel
	kernel=$(upstream_kernel "${1%%:*}")
	echo "$logs/seeds/$1-$(find "$kernel/linux" "$kernel/modules" -type f \( -name linux -o -name '*.ko' \) -print0 |
		sort -z | xargs -0 cat | sha256sum | cut -c 1-12)"
}

# one KERNEL TEST SEED: unless it ran on this kernel before. What upstream forgives counts.
one() {
	local log words variant=${1%%:*} bin=
	log=$(place "$1")/$2.$3
	[ ! -s "$log.tap" ] || return 0
	[ "$1" = "$variant" ] || bin=/mnt/bin-${1#*:}:
	mapfile -d '' words < <(words_of "$2")
	# shellcheck disable=SC2016 # for the guest's shell
	boot_upstream "$variant" "$log" --seed "$3" --bind "$logs/$variant" /mnt -- bash -c '
		cd /mnt/mptcp && SELFTESTS_MPTCP_LIB_OVERRIDE_FLAKY=1 PATH=$1$PATH exec bash "${@:2}"' bash "$bin" "${words[@]}"
	[ -s "$log.tap" ] || say "$1, $2, seed $3: it did not end: $log.log"
}

# quiet LOG: "ok" if the kernel wrote no warning, and wrote at all.
quiet() { { [ -s "$1.dmesg" ] && ! grep -Eq "$complaints" "$1.dmesg" && echo ok; } || echo not; }

# results TEST KERNEL: of each check and seed "CHECK<tab>KERNEL<tab>SEED<tab>ok or not<tab>ms<tab>ms allowed".
results() {
	local seed log
	log=$(place "$2")/$1
	for seed in "${seeds[@]}"; do
		awk -v OFS='\t' -v kernel="$2" -v seed="$seed" '
			# "01 NAME   11340 max 11920 [ OK ]", "02 NAMEtransfer slower than expected! runtime 11950 ms, expected 11920 ms[FAIL]"
			match($0, /[0-9]+ +max +[0-9]+|runtime [0-9]+ ms, expected [0-9]+/) {
				sub(/^# /, "")
				split(substr($0, RSTART, RLENGTH), word, /[^0-9]+/)
				i = word[1] == "" ? 2 : 1
				took[$1 + 0] = word[i] OFS word[i + 1]
			}
			FILENAME ~ /tap$/ {
				n = $1 == "ok" ? $2 : $3
				name = $0
				sub(/^(not )?ok [0-9]+ (- )?/, "", name)
				print name, kernel, seed, $1, took[n + 0]
			}' "$log.$seed.log" "$log.$seed.tap"
		printf '%s\t%s\t%s\t%s\n' "$1: the kernel has no complaint" "$2" "$seed" "$(quiet "$log.$seed")"
	done
}

# table: of what results() says, a row per check; the last line has how many passed and failed on patched kernels.
table() {
	awk -F '\t' -v kernels="${kernels[*]}" '
		!($1 in seen) { seen[$1] = 1; checks[++n] = $1 }
		{ runs[$1, $2]++; allowed[$1] = $6 }
		$5 > longest[$1, $2] + 0 { longest[$1, $2] = $5 }
		$4 != "ok" && !failed[$1, $2]++ { first[$1, $2] = $3 }
		END {
			k = split(kernels, kernel, " ")
			printf "%-82s %8s", "check", "allowed"
			for (i = 1; i <= k; i++)
				printf "  %8s %-24s", "longest", kernel[i] ": failed"
			print ""
			for (c = 1; c <= n; c++) {
				printf "%-82s %8s", checks[c], allowed[checks[c]]
				for (i = 1; i <= k; i++) {
					key = checks[c] SUBSEP kernel[i]
					printf "  %8s %-24s", longest[key], failed[key] + 0 " of " runs[key] \
						(failed[key] ? ", first with " first[key] : "")
					if (kernel[i] ~ /^patched/) {
						bad += failed[key]
						good += runs[key] - failed[key]
					}
				}
				print ""
			}
			print good + 0, bad + 0
		}'
}

case ${1:-} in
--one) one "${@:2}"; exit ;;
esac
seeds=("$@")
[[ $* =~ ^[0-9\ ]*$ ]] || die "usage: check-seeds.sh [SEED...], numbers; not '$*'"
[ $# -gt 0 ] || mapfile -t seeds < <(seq "${SEEDS:-20}")
both_kernels upstream
for variant in stock patched; do
	build_tests $variant
done
for kernel in "${kernels[@]}"; do
	mkdir -p "$(place "$kernel")"
	[[ $kernel != *:* ]] || with_scheduler "${kernel%%:*}" "${kernel#*:}" >/dev/null
done

for kernel in "${kernels[@]}"; do
	for test in "${tests[@]}"; do
		printf "$kernel\0$test\0%s\0" "${seeds[@]}"
	done
done | xargs -0 -n 3 -P "$(nproc)" -- "$0" --one

for test in "${tests[@]}"; do
	for kernel in "${kernels[@]}"; do
		results "$test" "$kernel"
	done
done | table >"$logs/seeds/table"
sed '$d' "$logs/seeds/table"
say "logs: $(for kernel in "${kernels[@]}"; do place "$kernel"; done | xargs)"
read -r passed failed < <(tail -n 1 "$logs/seeds/table")
closing "$passed" "$failed" 0
[ "$failed" = 0 ]
