# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by boot-uml and boot-qemu: options, the orders that the guest finds (see
# guest-init), and how it ended.
# shellcheck disable=SC2034 # set here for those who source this

prog=${0##*/}
die() { printf '%s: %s\n' "$prog" "$*" >&2; exit 125; }

kernel='' mem=1G dmesg='' tty='' realtime='' accel=auto seed='' cpu=''
guest_console=/dev/tty0
shared=() places=() bound=() extra=()

number() {
	[[ $2 =~ ^[0-9]+$ ]] || die "$1 wants a number, not '$2'"
	echo "$2"
}

guest_options() {
	while [ $# -gt 0 ]; do
		case $1 in
		--kernel) kernel=$(realpath -- "${2:?}"); shift 2 ;;
		--mem) mem=${2:?}; shift 2 ;;
		--rw) shared+=("$(realpath -- "${2:?}")"); places+=(''); shift 2 ;;
		--rw-at) shared+=("$(realpath -- "${2:?}")"); places+=("${3:?}"); shift 3 ;;
		--bind) bound+=("$(realpath -- "${2:?}")" "${3:?}"); shift 3 ;;
		--real-time) realtime=1; shift ;;
		--seed) seed=$(number "$1" "${2:-}"); shift 2 ;;
		--cpu) cpu=$(number "$1" "${2:-}"); shift 2 ;;
		--accel) accel=${2:?}; shift 2 ;;
		--dmesg) dmesg=$(realpath -- "${2:?}"); shift 2 ;;
		--arg) extra+=("${2:?}"); shift 2 ;;
		--tty) tty=1; shift ;;
		-h|--help) usage; exit 0 ;;
		--) shift; break ;;
		-*) usage >&2; die "unknown option $1" ;;
		*) break ;;
		esac
	done
	[ $# -gt 0 ] || { usage >&2; die "no command given"; }
	command=("$@")
}

# guest_environment: what the command gets of the host's. With a seed nothing: the length of a name is
# enough for another run.
guest_environment() {
	local path=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
	if [ -n "$seed" ]; then
		set -- / "$path" /root dumb
	else
		set -- "$PWD" "$PATH:/usr/local/sbin:/usr/sbin:/sbin" "${HOME:-/root}" "${TERM:-dumb}"
	fi
	printf 'cd %q\nexport PATH=%q HOME=%q TERM=%q\n' "$@"
}

# offer NAME DIR AT: a directory of the host that the guest is to have at AT. The guest knows it by a link
# in the directory of orders: the length of a path that it walks is enough for another run.
offer() {
	ln -s -- "$2" "$run/$1"
	printf '%s\t%s\n' "$1" "$3"
}

# A directory with the guest's orders; there it leaves its exit status, too. In /tmp, whatever $TMPDIR is,
# as the guest walks that path.
guest_prepare() {
	local n modules=$kernel/modules/lib/modules
	run=$(mktemp -d "/tmp/$prog.XXXXXX" 2>/dev/null || mktemp -d "${TMPDIR:?}/$prog.XXXXXX")
	guest='' saved_tty=''
	trap guest_cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	{
		guest_environment
		printf 'exec'
		printf ' %q' "${command[@]}"
		printf '\n'
	} >"$run/command"
	printf 'guest_console=%q guest_tty=%q\n' "$guest_console" "$tty" >"$run/settings"
	ln -s . "$run/rw0"
	for n in "${!shared[@]}"; do
		offer "rw$((n + 1))" "${shared[n]}" "${places[n]:-${shared[n]}}"
	done >"$run/shared"
	[ ! -d "$modules" ] || bound+=("$modules" /lib/modules)
	for ((n = 0; n < ${#bound[@]}; n += 2)); do
		offer "ro$((n / 2 + 1))" "${bound[n]}" "${bound[n + 1]}"
	done >"$run/bound"
}

guest_cleanup() {
	[ -z "$guest" ] || kill -TERM "$guest" 2>/dev/null || true
	[ -z "$saved_tty" ] || stty "$saved_tty" </dev/tty 2>/dev/null || true
	rm -rf -- "$run"
}

# guest_start PROGRAM ARG...: kernel messages are on its standard error.
guest_start() {
	if [ -n "$tty" ]; then
		saved_tty=$(stty -g </dev/tty) || die "--tty needs a terminal"
		"$@" 2>"$run/console" || true
	else
		"$@" </dev/null 2>"$run/console" &
		guest=$!
		wait "$guest" || true
		guest=''
	fi
}

guest_finish() {
	[ -z "$dmesg" ] || [ ! -e "$run/dmesg" ] || cp -- "$run/dmesg" "$dmesg"
	if [ ! -s "$run/status" ]; then
		tail -n 40 "$run/console" >&2
		die "the guest stopped before the command ended; above, its last words"
	fi
	exit "$(cat "$run/status")"
}
