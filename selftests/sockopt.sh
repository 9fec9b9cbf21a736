#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The socket option: values, errors, inheritance, permissions, live connections.
set -euo pipefail
cd "$(dirname "$0")"
# shellcheck source=lib.sh
. ./lib.sh
need setpriv

hosts 50mbit 5ms 50mbit 5ms
for_users

try
is default "$(value option before)" "a new socket has the namespace's default"
for name in $(every_scheduler); do
	try -s "$name"
	is "ok $name" "$(outcome)" "$name can be set and is read back"
done
try -s minrtt -l 7
is "ok minrtt" "$(outcome)" "with its final NUL"
try -s minrttxx -l 6
is "ok minrtt" "$(outcome)" "or without"
try -s nosuch
is "ENOENT default" "$(outcome)" "unknown: ENOENT"
try -s "" -l 0
is "EINVAL default" "$(outcome)" "no length: EINVAL"
try -s "" -l 1
is "EINVAL default" "$(outcome)" "empty: EINVAL"
try -s abcdefghijklmnop
is "EINVAL default" "$(outcome)" "16 characters: EINVAL"
try -s abcdefghijklmno
is "ENOENT default" "$(outcome)" "15 characters are a name"
try -t -s rr
is ENOPROTOOPT "$(value option set)" "a plain TCP socket does not know it"

in_client sh -c 'echo default >/proc/sys/net/mptcp/allowed_schedulers'
try_user -s rr
is "EPERM default" "$(outcome)" "an ordinary user gets EPERM for what is not allowed"
try_user -s nosuch
is "ENOENT default" "$(outcome)" "and ENOENT for what does not exist"
try_user -s default
is "ok default" "$(outcome)" "what is allowed works"
try -s rr
is "ok rr" "$(outcome)" "CAP_NET_ADMIN may use all"
in_client sh -c 'echo default rr >/proc/sys/net/mptcp/allowed_schedulers'
try_user -s rr
is "ok rr" "$(outcome)" "the ordinary user, too, once it is allowed"

serve -s rr
transfer -b 200000
is rr "$(value server accepted)" "an accepted socket inherits the listener's scheduler"
is default "$(value client connected)" "the client keeps its own"
arrived 200000 "the bytes are right"

serve -s rr -c
transfer -b 200000
is "rr default rr" "$(value server accepted) $(value server changed) $(value server listener)" \
	"a change on the accepted socket is its own"

before=$(counter SchedSwitch)
serve
transfer -b 20000000 -s minrtt -w "$(commas "$(every_scheduler) minrtt+rp")"
arrived 20000000 "the scheduler changes every 64 KB of a transfer: the bytes are right"
that "all changes were counted" less 200 "$(($(counter SchedSwitch) - before))"

serve -t
transfer -b 200000 -s rr -w minrtt,rr,default
arrived 200000 "a connection that fell back to TCP takes the option, the bytes are right"
is "rr minrtt" "$(value client connected) $(value client end)" "and reads it back"

finish
