# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by the scripts in this directory: where things are, and how to fail.

# What the caller has exported must not lead cd, git (in a hook) or make elsewhere, nor translate what is read here.
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_COMMON_DIR \
	GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_PREFIX GIT_CONFIG_PARAMETERS
export LC_ALL=C.UTF-8

top=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# The Linux that patches/series is for. Another one may have a series of its own, patches/VERSION/series,
# and is then built in a folder of its own, build/VERSION.
base_version=6.12
series_version=$base_version

die() { printf '%s: error: %s\n' "${0##*/}" "$*" >&2; exit 1; }
say() { printf '%s: %s\n' "${0##*/}" "$*"; }

# alone FILE: wait for who else holds that lock. This process has it to its end.
alone() {
	local lock
	mkdir -p "${1%/*}"
	exec {lock}>>"$1"
	flock -n "$lock" || { say "another one is at work in ${1%/*}: waiting for it"; flock "$lock"; }
}

linux_version() {
	sed -nE 's/^(VERSION|PATCHLEVEL|SUBLEVEL) = //p' "$1/Makefile" | paste -sd .
}

# take_makefile SOURCE DIR: that of a tree or tarball. Of a tarball it takes a second, where all takes half a minute.
take_makefile() {
	if [ -d "$1" ]; then
		cp -- "$1/Makefile" "$2"
	else
		tar -C "$2" --strip-components=1 --occurrence=1 --wildcards --no-wildcards-match-slash -xf "$1" '*/Makefile'
	fi
}

# ksrc_version: which Linux KSRC= is, as "6.12": a tree's Makefile tells, or a tarball's name.
ksrc_version() {
	local version=
	if [ -d "${KSRC:-}" ]; then
		version=$(linux_version "$KSRC" 2>/dev/null) || true
	elif [[ ${KSRC##*/} =~ ^linux[-_](source-)?([0-9]+\.[0-9]+) ]]; then
		version=${BASH_REMATCH[2]}
	fi
	sed -E 's/^([0-9]+\.[0-9]+).*/\1/' <<<"$version"
}

# a tarball's name may tell nothing
ksrc_series=${KSRC:+$(ksrc_version)}
[ ! -f "$top/patches/${ksrc_series:-none}/series" ] || series_version=$ksrc_series
build=$top/build
[ "$series_version" = "$base_version" ] || build+=/$series_version
build=$(realpath -ms -- "${BUILD:-$build}")
# shellcheck disable=SC2034 # for those who source this
default_source=/usr/src/linux-source-$base_version.tar.xz

# The source tree of a variant: "patched" (ours); "stock" (Linux as it came); "series", in which
# check-series.sh applies patches one by one, and "other", the same with a KSRC= of its own.
source_tree() {
	case $1 in
	patched) printf '%s/linux\n' "$build" ;;
	stock | series | other) printf '%s/%s/linux\n' "$build" "$1" ;;
	*) die "unknown variant '$1' (patched, stock, series or other)" ;;
	esac
}

# end_tree PID: it and all that it has started, in whatever process group. Stopped first, it starts no more.
end_tree() {
	local child
	kill -STOP "$1" 2>/dev/null || return 0
	for child in $(pgrep -P "$1"); do end_tree "$child"; done
	kill -TERM "$1" 2>/dev/null || true
	kill -CONT "$1" 2>/dev/null || true
}

# killable COMMAND...: who ends this script ends that, too. bash alone would leave it, and take no INT that its child
# survives. In the background it would ignore INT and have no terminal.
killable() {
	local job status=0
	env --default-signal=INT,QUIT "$@" <&0 &
	job=$!
	trap 'end_tree "$job"; exit 130' INT
	trap 'end_tree "$job"; exit 143' TERM HUP
	wait "$job" || status=$?
	trap - INT TERM HUP
	return $status
}

# both_kernels KIND: build them, of the patched and of the unpatched tree.
both_kernels() {
	local variant
	for variant in stock patched; do
		"$top/tools/kernel/source.sh" prepare $variant
		VARIANT=$variant "$top/tools/kernel/build.sh" "$1"
	done
}

# schedulers_of KERNEL: those of a patched kernel, and one with extensions.
schedulers_of() {
	"$top/tools/kernel/boot-uml" --kernel "$1" -- \
		bash -c "cd $(printf %q "$top/selftests") && . ./lib.sh && every_scheduler"
}

# selftest_script NAME: where it is; false if there is none.
selftest_script() {
	local dir
	for dir in "$top/selftests" "$top/selftests/robust" "$top/selftests/fixes"; do
		[ ! -x "$dir/$1.sh" ] || { echo "$dir/$1.sh"; return; }
	done
	return 1
}

# names_in FILE...: the patches that these series name.
names_in() { sed -e 's/[[:space:]]*#.*//' -e '/^[[:space:]]*$/d' "$@"; }

# changes PATCH...: the lines that they add and remove. Messages, the subjects in names, where in a file it is and what
# stands around it are left out: those differ between versions of Linux.
changes() {
	awk 'FNR == 1 { header = body = 0; name = FILENAME; sub(/-[^\/]*$/, "", name)
			sub(/^patches\/[0-9]+\.[0-9]+\//, "patches/", name); print name }
		/^diff --git / { header = 1; body = 0 }
		/^@@ / { header = 0; body = 1; next }
		header && !/^(index|---|\+\+\+) / || body && /^[-+]/' "$@"
}

# digest: of the files of this tree whose names are read, each with a NUL behind it; of patches, of what they change,
# in the order in which they are named.
digest() {
	(
		cd "$top" || exit
		patch_files=() other_files=(/dev/null)
		while IFS= read -r -d '' file; do
			case $file in
			*.patch) [ ! -f "$file" ] || patch_files+=("$file") ;;
			*) [ ! -f "$file" ] || other_files+=("$file") ;;
			esac
		done
		{
			[ ${#patch_files[@]} = 0 ] || changes "${patch_files[@]}"
			sha256sum "${other_files[@]}"
		} | sha256sum | cut -c 1-12
	)
}

# files FOLDER...: of this tree, committed or not, for digest.
files() { git -C "$top" ls-files -z --cached --others --exclude-standard -- "$@" | LC_ALL=C sort -z; }

# series_of VERSION: the file that names its patches.
series_of() { if [ "$1" = "$base_version" ]; then echo "$top/patches/series"; else echo "$top/patches/$1/series"; fi; }

# kernel_files: those that the kernel of this series is made of, with Linux: its patches in their order.
kernel_files() {
	files Kconfig net tools/kernel/config
	names_in "$(series_of "$series_version")" | sed 's,^,patches/,' | tr '\n' '\0'
}

# tap_counts LOG: how much of a (K)TAP log passed, failed and was skipped, nested lines included.
# A skip is not a pass. A script that skips itself as a whole is one skip.
tap_counts() {
	awk '
		/^ *not ok([ :]|$)/ { failed++; next }
		/^ *ok [0-9]+.*# *[Ss][Kk][Ii][Pp]/ || /^ *1\.\.0 *# *[Ss][Kk][Ii][Pp]/ { skipped++; next }
		/^ *ok [0-9]+/ { passed++ }
		END { printf "%d %d %d\n", passed, failed, skipped }' "$1"
}

# closing PASSED FAILED SKIPPED: the last line of each check, which read_closing() reads from a log.
closing() { printf '%d passed, %d failed, %d skipped\n' "$@"; }

# read_closing LOG: the same three numbers; false if it has no such line.
read_closing() {
	local line
	line=$(grep -Ex '[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped' "$1" | tail -n 1)
	[ -n "$line" ] && tr -dc '0-9 \n' <<<"$line" | xargs
}

# In a guest's log: what a test must not cause.
# shellcheck disable=SC2034 # for those who source this
complaints='WARNING:|BUG:|Oops|possible recursive locking|Call Trace|KASAN|UBSAN|KCSAN:|ODEBUG|unreferenced object'

# went_wrong TAP LOG DMESG: a line of the TAP failed, or the kernel complained. A guest that stopped leaves no DMESG, but
# its last words in the LOG.
went_wrong() {
	local said=$3
	[ -e "$said" ] || said=$2
	grep -q '^not ok' "$1" || grep -Eq "$complaints|Kernel panic" "$said"
}
