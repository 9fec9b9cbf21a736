# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# shellcheck disable=SC2154 # $logs and $complaints are of who sources this
# For check-upstream.sh: what a test came to on the unpatched kernel ($logs/stock/NAME.*) and on the
# patched one ($logs/patched/NAME.*). NAME.tap has its TAP lines, NAME.log all that it printed.

same=0 different=0 skipped=0

# lines VARIANT NAME WHAT: its "passed", "failed" or "skipped" lines.
lines() {
	case $3 in
	passed) grep '^ok' "$logs/$1/$2.tap" | grep -v '# SKIP' ;;
	failed) grep '^not ok' "$logs/$1/$2.tap" ;;
	skipped) grep '^ok.*# SKIP' "$logs/$1/$2.tap" ;;
	esac || true
}

# worse TEST [SCHEDULER]: lines that pass unpatched and do not pass patched.
worse() { lines stock "$1" passed | grep -vxFf <(lines patched "$1${2:+.$2}" passed) || true; }

# count VARIANT NAME: "passed/all"
count() { echo "$(lines "$1" "$2" passed | wc -l)/$(wc -l <"$logs/$1/$2.tap")"; }

# skips VARIANT NAME: did it run nothing, and say that it skips?
skips() {
	[ -z "$(lines "$1" "$2" passed)$(lines "$1" "$2" failed)" ] &&
		grep -aEq '^(1\.\.0 *# *SKIP|SKIP\b)|^ok.*# SKIP' "$logs/$1/$2.log"
}

# verdict TEST [SCHEDULER]: count it, and end its row of the table.
verdict() {
	local name=$1${2:+.$2}
	if grep -Eq "$complaints" "$logs/patched/$name.dmesg"; then
		different=$((different + 1))
		echo "  the kernel complained: see patched/$name.dmesg"
	elif skips stock "$1" && skips patched "$name"; then
		skipped=$((skipped + 1))
		echo "  skipped"
	elif [ -n "$(lines stock "$1" passed)$(lines stock "$1" failed)" ] && [ -z "$(worse "$@")" ]; then
		same=$((same + 1))
		echo "  as unpatched"
	else
		different=$((different + 1))
		echo "  WORSE"
		worse "$@" | sed 's/^ok/    fails patched:/'
	fi
}

# row TEST [SCHEDULER]: of the table.
row() {
	printf '%-24s %12s %12s' "$1${2:+, $2}" "$(count stock "$1")" "$(count patched "$1${2:+.$2}")"
	verdict "$@"
	[ $# -eq 1 ] || return 0
	lines stock "$1" failed | sed 's/^not ok/    failed unpatched:/'
	lines stock "$1" skipped | sed 's/^ok/    skipped unpatched:/'
}
