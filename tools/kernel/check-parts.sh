#!/bin/bash
# SPDX-License-Identifier: MIT
# Several checks of the Makefile, one after the other; one that fails does not keep the rest from
# running. At the end, what each came to and how long it took, and the sum.
#
# "whole" keeps what each came to, a line per check, in Documentation/evidence/checks.tsv: check, commit, digest of
# the sources, passed, failed, skipped, seconds, Linux, tests that failed. What passed from the same sources is not run
# again, down to the single test (KEEP, see check.sh), so that it can be broken off and called again. "kernels" does the
# same for "check" on several kernels: the one that patches/series is for, and these; theirs are "6.18:check". Another
# release of the same Linux is another source.
#
# "table" writes the lines into Documentation/testing.md, and says which are stale: of another kernel than the one that
# is there, which is Kconfig, net/, patches/ and the configurations, but for other Linux versions; and whether its tests
# changed since.
# usage: check-parts.sh TARGET... | whole | kernels SOURCE... | table | table-is-written
#	ONLY="TARGET...": of the whole these; one that passed runs again, with all its tests
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=series.sh
. "$top/tools/kernel/series.sh"

whole=(check check-robust check-debug check-locks check-races check-uninit check-bpf check-upstream check-interop
	check-packets check-series check-deb)
logs=$build/check-parts
results=$top/Documentation/evidence/checks.tsv
text=$top/Documentation/testing.md
passed=0 failed=0 skipped=0 table=()

# clock SECONDS
clock() { printf '%d min %02d s' $(($1 / 60)) $(($1 % 60)); }

# part TARGET: run it and add up its closing line; one that ends without it is a failure.
part() {
	local start=$SECONDS status=0 good bad not
	# shellcheck disable=SC2016 # for that shell
	killable bash -o pipefail -c 'make -C "$1" --no-print-directory "$2" 2>&1 | tee "$3"' \
		part "$top" "$1" "$logs/$1.log" || status=$?
	read -r good bad not < <(read_closing "$logs/$1.log") || { good=0 bad=1 not=0; }
	[ "$status" = 0 ] || [ "$bad" != 0 ] || bad=1
	passed=$((passed + good))
	failed=$((failed + bad))
	skipped=$((skipped + not))
	table+=("$(printf '%-16s %5d passed %4d failed %4d skipped %12s' "$1" "$good" "$bad" "$not" \
		"$(clock $((SECONDS - start)))")")
	outcome=("$good" "$bad" "$not" $((SECONDS - start)))
}

# tests_of TARGET: of selftests/ what it runs; some have their own tests only.
tests_of() {
	case $1 in
	check-interop | check-upstream) ;;
	check-bpf | check-packets) echo ':(glob)selftests/*' ;;
	check-series) printf '%s\n' ':(glob)selftests/*' selftests/fixes ;;
	*) echo selftests ;;
	esac
}

# sources TARGET VERSION: digests of what is checked, KERNEL-TESTS.
sources() {
	local tests
	mapfile -t tests < <(tests_of "$1")
	echo "$(series_version=$2 kernel_files | digest)-$([ ${#tests[@]} = 0 ] || files "${tests[@]}" | digest)"
}

# key TARGET [VERSION]: what its line is called.
key() {
	local version=${2:-$series_version}
	[ "$version" = "$base_version" ] || printf '%s:' "$version"
	echo "$1"
}

# keys: all, in their order.
keys() {
	local version name
	while read -r version; do
		for name in "${whole[@]}"; do key "$name" "$version"; done
	done < <(all_versions)
}

# commit: the last that changed what is checked, "+" with edits.
commit() {
	local checked=(Kconfig net patches selftests tools/kernel/config) edits
	edits=$(git -C "$top" status --porcelain -- "${checked[@]}")
	echo "$(git -C "$top" log -1 --format=%h --abbrev=12 -- "${checked[@]}")${edits:++}"
}

# line KEY: what is kept of it: COMMIT DIGEST PASSED FAILED SKIPPED SECONDS LINUX TESTS; false if nothing is.
line() { awk -F '\t' -v OFS='\t' -v name="$1" '$1 == name { $1 = ""; print substr($0, 2); found = 1 } END { exit !found }' "$results" 2>/dev/null; }

# is_good KEY DIGEST: it passed from these sources, and on that Linux.
is_good() {
	local digest bad on
	read -r _ digest _ bad _ _ on _ < <(line "$1") && [ "$digest $bad $on" = "$2 0 $linux" ]
}

# linux_to_check: the release that the source is of; if there is none yet, the version that it will be of.
linux_to_check() {
	local dir
	dir=$(mktemp -d)
	take_makefile "${KSRC:-$default_source}" "$dir" 2>/dev/null || true
	linux_version "$dir" 2>/dev/null | grep . || echo "$series_version"
	rm -rf -- "$dir"
}

# keep TARGET COMMIT DIGEST: its outcome, among the others. What was spent on it before, as it failed, counts, too.
keep() {
	local name now digest bad seconds linux
	linux=$(linux_to_check) # a target installs its source
	now=$(key "$1")
	read -r _ digest _ bad _ seconds _ < <(line "$now") || digest=''
	[ "$digest" != "$3" ] || [ "$bad" = 0 ] || outcome[3]=$((outcome[3] + seconds))
	if [ "$(sources "$1" "$series_version")" != "$3" ]; then
		say "$now: Kconfig, net/, patches/, tools/kernel/config/ or selftests/ changed meanwhile; what it came to is not kept"
		return
	fi
	mkdir -p "${results%/*}"
	while read -r name; do
		if [ "$name" = "$now" ]; then
			printf '%s\t' "$now" "${@:2}" "${outcome[@]}" "$linux"
			sed -n 's/^failed: //p' "$logs/$1.log" | tail -n 1 | grep . || echo
		elif line "$name" >"$logs/line"; then
			printf '%s\t%s\n' "$name" "$(cat "$logs/line")"
		fi
	done < <(keys) >"$results.new"
	mv -- "$results.new" "$results"
}

# run_kept AGAIN TARGET...: those that did not pass from these sources; with AGAIN, all.
run_kept() {
	local name digest now linux
	linux=$(linux_to_check)
	# else a name with an error in it would take the place of what passed
	[ -z "${KSRC:-}" ] || [[ $linux == "$series_version".* ]] ||
		die "$KSRC is no source of Linux $series_version (a tarball's name must say which it is: linux-VERSION.tar.xz)"
	for name in "${@:2}"; do
		digest=$(sources "$name" "$series_version") now=$(commit)
		if ! is_good "$(key "$name")" "$digest"; then
			KEEP=yes part "$name"
		elif [ -n "$1" ]; then
			part "$name"
		else
			say "$(key "$name") passed from these sources already"
			continue
		fi
		keep "$name" "$now" "$digest"
	done
}

run_whole() {
	local name targets=("${whole[@]}")
	[ -z "${ONLY:-}" ] || read -ra targets <<<"$ONLY"
	for name in "${targets[@]}"; do
		[[ " ${whole[*]} " == *" $name "* ]] || die "ONLY: '$name' is none of ${whole[*]}"
	done
	run_kept "${ONLY:-}" "${targets[@]}"
}

# run_kernels SOURCE...: each as a call of its own, whose KSRC= it is. All of them, though one fails.
run_kernels() {
	local source bad=0
	for source in "" "$@"; do
		KSRC=$source killable "$0" kernel || bad=1
	done
	return $bad
}

# state TARGET VERSION KERNEL-TESTS: what has changed since they were checked.
state() {
	local now
	now=$(sources "$1" "$2")
	case $3 in
	"$now") ;;
	"${now%-*}"-*) echo "tests changed since" ;;
	*) echo stale ;;
	esac
}

# checks_text: the checks of the first series, in Markdown.
checks_text() {
	local name commit digest good bad not seconds
	printf '%s\n' '| check | commit | passed | failed | skipped | minutes | |' '|---|---|---:|---:|---:|---:|---|'
	for name in "${whole[@]}"; do
		# shellcheck disable=SC2016 # Markdown
		if read -r commit digest good bad not seconds _ < <(line "$name"); then
			printf '| `%s` | %s | %d | %d | %d | %d | %s |\n' "$name" "$commit" "$good" "$bad" "$not" \
				$(((seconds + 59) / 60)) "$(state "$name" "$base_version" "$digest")"
		else
			printf '| `%s` | | | | | | not run |\n' "$name"
		fi
	done
}

# kernels_text: "check" on each kernel, in Markdown.
kernels_text() {
	local version list commit digest good bad not seconds linux tests
	printf '%s\n' '| Linux | patches | commit | passed | failed | skipped | minutes | fails | |' \
		'|---|---:|---|---:|---:|---:|---:|---|---|'
	while read -r version; do
		list=$(series_of "$version")
		if IFS=$'\t' read -r commit digest good bad not seconds linux tests < <(line "$(key check "$version")"); then
			printf '| %s | %d | %s | %d | %d | %d | %d | %s | %s |\n' "${linux:-$version}" "$(names_in "$list" | wc -l)" \
				"$commit" "$good" "$bad" "$not" $(((seconds + 59) / 60)) "$tests" "$(state check "$version" "$digest")"
		else
			printf '| %s | %d | | | | | | | not run |\n' "$version" "$(names_in "$list" | wc -l)"
		fi
	done < <(all_versions)
}

# text_with_tables: testing.md as it is to be.
text_with_tables() {
	awk -v checks="$(checks_text)" -v kernels="$(kernels_text)" '
		/^<!-- \/(checks|kernels) -->$/ { inside = 0 }
		!inside { print }
		/^<!-- checks -->$/ { print checks; inside = 1 }
		/^<!-- kernels -->$/ { print kernels; inside = 1 }' "$text"
}

write_tables() {
	checks_text
	kernels_text
	[ -f "$text" ] || return 0
	text_with_tables >"$text.new"
	cat -- "$text.new" >"$text"
	rm -f -- "$text.new"
}

table_is_written() {
	diff <(text_with_tables) "$text" >/dev/null || die "the tables of checks are not as they are to be: make check-table"
}

# in_all: of those that ran.
in_all() {
	printf '\n'
	[ ${#table[@]} = 0 ] || printf '%s\n' "${table[@]}" "in all $(clock $SECONDS)"
}

[ $# -gt 0 ] || die "usage: check-parts.sh TARGET... | whole |
  kernels SOURCE... | table | table-is-written"
mkdir -p "$logs"
# what shortens a check, or makes another one of it, would be kept as the whole
case $1 in
whole | kernels | kernel) unset QUICK SUITE FOREIGN FEATURE ARCH CONFIG DEB RELEASE KIND BOOT VARIANT ;;
esac
case $1 in
table) write_tables; exit ;;
table-is-written) table_is_written; exit ;;
kernels)
	run_kernels "${@:2}"
	exit
	;;
whole | kernel)
	if [ "$1" = whole ]; then run_whole; else run_kept "" check; fi
	in_all
	write_tables
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
