#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The sysctls: what can be listed, what can be set, and that namespaces do not mix.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need sysctl

ip netns add "$client"
ip netns add "$server"
words() { tr ' ' '\n' | sort | xargs; }

# another one, if the kernel was configured so
at_start=$(sed -n 's/^CONFIG_DEFAULT_MPTCP_SCHED="\(.*\)"/\1/p' "/boot/config-$(uname -r)" 2>/dev/null || true)
at_start=${at_start:-default}
is "$at_start" "$(get scheduler)" "a new namespace starts with the default scheduler"
is "$at_start" "$(in_client "$sched_sock" option | sed -n 's/^before=//p')" "and so do its sockets"
is "$({ echo default; built sched; } | xargs | words)" "$(get available_schedulers | words)" \
	"all schedulers that the kernel was built with are listed"
that "the default can be set" set_to scheduler rr
is rr "$(get scheduler)" "and is read back"
is "$at_start" "$(in_server cat /proc/sys/net/mptcp/scheduler)" "another namespace keeps its own"
is rr "$(in_client "$sched_sock" option | sed -n 's/^before=//p')" "new sockets have it"

that "an unknown name is refused" eval '! set_to scheduler nosuch'
that "with ENOENT" grep -q 'No such file' "$work/err"
that "an empty name is refused" eval '! set_to scheduler ""'
is rr "$(get scheduler)" "and nothing changed"

at_first=$(get allowed_schedulers | words)
for name in $at_first; do
	that "ordinary users may use $name at first, which is there" grep -qw "$name" <(get available_schedulers)
done
that "they may use the default" grep -qw default <<<"$at_first"
that "and not redundant, which takes more than a share" eval '! grep -qw redundant <<<"$at_first"'
that "the allowed ones can be set" set_to allowed_schedulers "minrtt"
is "minrtt rr" "$(get allowed_schedulers)" "the namespace's default stays allowed"
that "several, with white space" set_to allowed_schedulers "  rr   default "
is "rr default" "$(get allowed_schedulers)" "are read back with one space"
that "an unknown one is refused" eval '! set_to allowed_schedulers "rr nosuch"'
is "rr default" "$(get allowed_schedulers)" "and nothing changed"
that "a name that is too long is refused" \
	eval '! set_to allowed_schedulers aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'
that "doubles count once" set_to allowed_schedulers "default rr rr default"
is "default rr" "$(get allowed_schedulers)" "and are listed once"
that "none at all" set_to allowed_schedulers ""
is rr "$(get allowed_schedulers)" "leaves the namespace's default"
is "$at_first" "$(in_server cat /proc/sys/net/mptcp/allowed_schedulers | words)" \
	"another namespace keeps its own list"
that "available_schedulers is read-only" eval '! set_to available_schedulers rr'
for name in rp bm rs; do
	that "$name is listed as an extension" grep -qw $name <(get available_sched_extensions)
done
for name in $(get available_sched_extensions); do
	that "$name goes with a scheduler" set_to scheduler "rr+$name"
	is "rr+$name" "$(get scheduler)" "and is read back"
done
that "available_sched_extensions is read-only" eval '! set_to available_sched_extensions rp'

finish
