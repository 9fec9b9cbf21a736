#!/bin/bash
# SPDX-License-Identifier: MIT
# Several checks of the Makefile, one after the other; one that fails does not keep the rest from
# running. At the end, what each came to and how long it took, and the sum.
#
# "whole" keeps what each came to, a line per check, in Documentation/evidence/checks.tsv: check, commit, digest of
# the sources, passed, failed, skipped, seconds. What passed from the same sources is not run again, down to the single test
# (KEEP, see check.sh), so that it can be broken off and called again. "table" writes the lines into Documentation/testing.md,
# and says which are stale: of another kernel than the one that is there, which is Kconfig, net/ and patches/ but for
# other Linux versions; and whether selftests/ changed since.
# usage: check-parts.sh TARGET... | whole | table | table-is-written
#	ONLY="TARGET...": of the whole these; one that passed runs again, with all its tests
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"

whole=(check check-robust check-debug check-locks check-races check-uninit check-bpf check-upstream check-interop
	check-packets check-series check-deb)
logs=$build/check-parts
results=$top/Documentation/evidence/checks.tsv
# of another Linux, nothing that is published
[ "$series_version" = "$base_version" ] || results=$logs/checks.tsv
text=$top/Documentation/testing.md
passed=0 failed=0 skipped=0 table=()

# clock SECONDS
clock() { printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }

# part TARGET: run it and add up its closing line; one that ends without it is a failure.
part() {
	local start=$SECONDS status=0 good bad not
	make -C "$top" --no-print-directory "$1" 2>&1 | tee "$logs/$1.log" || status=$?
	read -r good bad not < <(read_closing "$logs/$1.log") || { good=0 bad=1 not=0; }
	[ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1
	passed=$((passed + good))
	failed=$((failed + bad))
	skipped=$((skipped + not))
	table+=("$(printf '%-16s %5d passed %4d failed %4d skipped %12s' "$1" "$good" "$bad" "$not" \
		"$(clock $((SECONDS - start)))")")
	outcome=("$good" "$bad" "$not" $((SECONDS - start)))
}

# sources: digests of what is checked, KERNEL-TESTS.
sources() { echo "$(kernel_files | digest)-$(files selftests | digest)"; }

# commit: the one that is checked, "+" with edits.
commit() {
	local edits
	edits=$(git -C "$top" status --porcelain -- Kconfig net patches selftests)
	echo "$(git -C "$top" rev-parse --short=12 HEAD)${edits:++}"
}

# line TARGET: what is kept of it: COMMIT DIGEST PASSED FAILED SKIPPED SECONDS; false if nothing is.
line() { awk -F '\t' -v OFS='\t' -v name="$1" '$1 == name { $1 = ""; print substr($0, 2); found = 1 } END { exit !found }' "$results" 2>/dev/null; }

# is_good TARGET DIGEST: it passed from these sources.
is_good() {
	local digest bad
	read -r _ digest _ bad _ < <(line "$1") && [ "$digest $bad" = "$2 0" ]
}

# keep TARGET COMMIT DIGEST: its outcome, in the order of "whole". What was spent on it before, as it failed, counts, too.
keep() {
	local name now=$1 digest bad seconds
	read -r _ digest _ bad _ seconds < <(line "$now") || digest=''
	[ "$digest" != "$3" ] || [ "$bad" = 0 ] || outcome[3]=$((outcome[3] + seconds))
	if [ "$(sources)" != "$3" ]; then
		say "$now: Kconfig, net/, patches/ or selftests/ changed meanwhile; what it came to is not kept"
		return
	fi
	mkdir -p "${results%/*}"
	for name in "${whole[@]}"; do
		if [ "$name" = "$now" ]; then
			printf '%s\t' "$now" "${@:2}" "${outcome[@]:0:3}"
			echo "${outcome[3]}"
		elif line "$name" >"$logs/line"; then
			printf '%s\t%s\n' "$name" "$(cat "$logs/line")"
		fi
	done >"$results.new"
	mv -- "$results.new" "$results"
}

run_whole() {
	local name digest now targets=("${whole[@]}")
	[ -z "${ONLY:-}" ] || read -ra targets <<<"$ONLY"
	for name in "${targets[@]}"; do
		[[ " ${whole[*]} " == *" $name "* ]] || die "ONLY: '$name' is none of ${whole[*]}"
	done
	for name in "${targets[@]}"; do
		digest=$(sources) now=$(commit)
		if ! is_good "$name" "$digest"; then
			KEEP=yes part "$name"
		elif [ -n "${ONLY:-}" ]; then
			part "$name"
		else
			say "$name passed from these sources already"
			continue
		fi
		keep "$name" "$now" "$digest"
	done
}

# table_text: in Markdown.
table_text() {
	local name now digest commit good bad not seconds state
	now=$(sources)
	printf '%s\n' '| check | commit | passed | failed | skipped | minutes | |' '|---|---|---:|---:|---:|---:|---|'
	for name in "${whole[@]}"; do
		# shellcheck disable=SC2016 # Markdown
		if read -r commit digest good bad not seconds < <(line "$name"); then
			case $digest in
			"$now") state='' ;;
			"${now%-*}"-*) state='tests changed since' ;;
			*) state=stale ;;
			esac
			printf '| `%s` | %s | %d | %d | %d | %d | %s |\n' "$name" "$commit" "$good" "$bad" "$not" \
				$(((seconds + 59) / 60)) "$state"
		else
			printf '| `%s` | | | | | | not run |\n' "$name"
		fi
	done
}

# text_with_table: testing.md as it is to be.
text_with_table() {
	awk -v table="$(table_text)" '
		/^<!-- \/checks -->$/ { inside = 0 }
		!inside { print }
		/^<!-- checks -->$/ { print table; inside = 1 }' "$text"
}

write_table() {
	table_text
	[ -f "$text" ] && [ "$series_version" = "$base_version" ] || return 0
	text_with_table >"$text.new"
	cat -- "$text.new" >"$text"
	rm -f -- "$text.new"
}

table_is_written() {
	diff <(text_with_table) "$text" >/dev/null || die "the table of checks is not as it is to be: make check-table"
}

# in_all: of those that ran.
in_all() {
	printf '\n'
	[ ${#table[@]} = 0 ] || printf '%s\n' "${table[@]}" "in all $(clock $SECONDS)"
}

[ $# -gt 0 ] || die "usage: check-parts.sh TARGET... | whole | table | table-is-written"
mkdir -p "$logs"
case $1 in
table) write_table; exit ;;
table-is-written) table_is_written; exit ;;
whole)
	run_whole
	in_all
	write_table
	;;
*)
	for target; do
		part "$target"
	done
	in_all
	;;
esac
closing "$passed" "$failed" "$skipped"
[ "$failed" = 0 ]
