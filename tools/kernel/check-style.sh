#!/bin/bash
# SPDX-License-Identifier: MIT
# The style of everything that is ours: checkpatch --strict, sparse and W=1 for kernel
# code, ruff for Python, shellcheck for shell, codespell for prose.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/lib.sh"
# shellcheck source=series.sh
. "$top/tools/kernel/series.sh"

tree=$(source_tree patched)
cd "$top"

# check NAME COMMAND...: passes when the command succeeds and prints nothing.
check() {
	local name=$1 out
	shift
	if out=$("$@" 2>&1) && [ -z "$out" ]; then
		echo "ok $name"
	else
		echo "not ok $name"
		printf '%s\n' "$out" | head -n 40 | sed 's/^/    /'
	fi
}

# FILE_PATH_CHANGES and EMBEDDED_FILENAME: MAINTAINERS and sched/Kconfig are no business of
# a patchset out of tree. UNKNOWN_COMMIT_ID: what "Fixes:" names is in Linux' history, which is
# not here. The rest: not for user space, and how TRACE_EVENT() is written.
checkpatch() {
	perl "$tree/scripts/checkpatch.pl" --no-tree --strict --terse --quiet --no-summary \
		--ignore FILE_PATH_CHANGES,EMBEDDED_FILENAME,UNKNOWN_COMMIT_ID"${ignore:+,$ignore}" "$@"
}

files_of() { git ls-files --cached --others --exclude-standard -- "$@"; }

of_sources() {
	local file ignore
	for file in $(files_of 'net/*.[ch]'); do
		case $file in
		net/mptcp/sched/trace.h) ignore=OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT ;;
		net/mptcp/sched/words.c) ignore=SPACING ;; # of a type in brackets that is no cast
		net/mptcp/cong/ewlia.c) ignore=MACRO_ARG_UNUSED ;; # of what 7.3 has only
		net/sched/*) ignore=CAMELCASE ;; # struct Qdisc
		*) ignore= ;;
		esac
		check "checkpatch $file" checkpatch -f "$file"
	done
	ignore=PREFER_KERNEL_TYPES,ARRAY_SIZE,PREFER_DEFINED_ATTRIBUTE_MACRO,LONG_LINE_STRING
	for file in $(files_of 'selftests/*.[ch]' 'tools/mptcpctl/*.[ch]' 'tools/examples/*.c'); do
		check "checkpatch $file" checkpatch -f "$file"
	done
	ignore+=,CAMELCASE # OpenSSL
	for file in $(files_of 'tools/tls-key/*.[ch]'); do
		check "checkpatch $file" checkpatch -f "$file"
	done
	# how BPF declares what the kernel has
	ignore=SPACING,PREFER_DEFINED_ATTRIBUTE_MACRO
	for file in $(files_of 'tools/bpf/*.[ch]'); do
		check "checkpatch $file" checkpatch -f "$file"
	done
}

# from standard input: checkpatch takes a file that git tracks for source code; a subject that it depends on is as long
# as it is
checkpatch_patch() { sed '/^Depends-on: /d' "$1" | checkpatch -; }
# all_patches [GROUP]: of all series
all_patches() { find patches -path "patches/*${1:+$1/}*.patch" -printf '%P\n' | sort; }

# message_of_fix NAME: what the message of a fix must say: see check-series.sh.
message_of_fix() {
	local test
	test=$(patch_tag "patches/$1" Test)
	patch_tag "patches/$1" Fixes | grep -Eq '^([0-9a-f]{12} \(".+"\)|none \(.+\))$' ||
		echo 'no "Fixes: 12 hex digits ("subject")" nor "Fixes: none (REASON)"'
	[ -n "$(patch_tag "patches/$1" Signed-off-by)" ] || echo "no Signed-off-by"
	[[ $test == "none ("?*")" ]] || { [[ $test == selftests/fixes/* ]] && [ -x "$test" ]; } ||
		echo "no \"Test: selftests/fixes/NAME.sh\" that is there"
}

of_patches() {
	local name ignore
	check "patches/series" check_series
	for name in $(all_patches); do
		case $name in
		# the others of that choice have no help, either
		*-allow-a-coupled-congestion-control-*) ignore=CONFIG_DESCRIPTION ;;
		*) ignore= ;;
		esac
		check "checkpatch patches/$name" checkpatch_patch "patches/$name"
	done
	for name in $(all_patches fixes); do
		check "message patches/$name" message_of_fix "$name"
	done
}

# Objects are made again, so that each warning shows each time; only ours must be clean. What does not build at all
# says why in other words.
sparse_w1() {
	local kind said ours objects
	local -A which=([uml]=-ve [bpf]=-e) # a User-Mode kernel has no schedulers in BPF
	[ -f "$build/linux/Makefile" ] || { echo "there is no kernel tree: 'make source' first"; return; }
	ours=$(files_of 'net/*.[ch]' | paste -sd '|')
	for kind in uml bpf; do
		mapfile -t objects < <(files_of 'net/*.c' | sed 's/c$/o/' | grep "${which[$kind]}" ^net/mptcp/sched/bpf)
		rm -f "${objects[@]/#/$build/$kind/}"
		if said=$(tools/kernel/build.sh $kind W=1 C=1 CF=-fdiagnostic-prefix "${objects[@]}" 2>&1); then
			grep -E "($ours):" <<<"$said" || true
		else
			printf '%s: it does not build:\n%s\n' "$kind" "$(tail -n 15 <<<"$said")"
		fi
	done
}

run_shellcheck() {
	local shell
	mapfile -t shell < <(files_of | while read -r file; do
		head -c 64 -- "$file" | head -n 1 | grep -qaE '^#!.*\b(ba)?sh\b' && echo "$file"
	done)
	shellcheck "${shell[@]}"
}

# a folder has a configuration of its own, or mplab's
run_ruff() {
	local venv=$build/venv own python
	[ -x "$venv/bin/ruff" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install -q --disable-pip-version-check ruff==0.17.6; } >&2
	mapfile -t own < <(files_of '*/ruff.toml' '*/pyproject.toml' | xargs dirname)
	mapfile -t python < <(files_of '*.py' "${own[@]/#/:!}")
	ruff "${own[@]}" && ruff --config tools/mplab/pyproject.toml "${python[@]}"
}
ruff() { "$build/venv/bin/ruff" check -q "$@" && "$build/venv/bin/ruff" format -q --check "$@"; }
# Of files that are in the repository only: tools leave caches beside them.
run_codespell() {
	local prose
	mapfile -t prose < <(files_of README.md Documentation net tools selftests patches)
	codespell -q 3 -L inflight,msk,ser,ans,sergent,whis,iput,conext,theses,crate,iif,reques "${prose[@]}"
}
of_all() {
	check "sparse and W=1" sparse_w1
	check "shellcheck" run_shellcheck
	check "ruff" run_ruff
	check "the table of checks" tools/kernel/check-parts.sh table-is-written
	check "the table of fixes" tools/kernel/fixes_table.py check
	check "published numbers" tools/mplab/mplab evidence check
	check "codespell" run_codespell
}

# checkpatch has one CPU, the others share what is left
said=$(mktemp -d)
trap 'rm -rf -- "$said"' EXIT
{ of_sources; of_patches; } >"$said/checkpatch" &
of_all | tee "$said/others"
wait "$!"
cat "$said/checkpatch"
failed=$(cat "$said"/* | grep -c '^not ok' || true)
closing "$(cat "$said"/* | grep -c '^ok' || true)" "$failed" 0
[ "$failed" = 0 ]
