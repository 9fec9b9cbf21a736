#!/bin/bash
# SPDX-License-Identifier: MIT
# Tests of send.sh on toy kernel trees: no network, no compiler. TAP output.
set -euo pipefail
# shellcheck source=toy.sh
. "$(dirname -- "$0")/toy.sh"

toy_kernel
mkdir "$KSRC/scripts"
cat >"$KSRC/scripts/checkpatch.pl" <<'CHECK'
#!/bin/bash
grep -l "bad style" "${@: -1}"
CHECK
chmod +x "$KSRC/scripts/checkpatch.pl"
toy_project
mkdir "$top/tools/kernel/send"
list() { printf '%s\n' "net: mended" "" "Two of them, with words that are more than fit into a line of a mail that somebody reads." \
	"" "$@" >"$top/tools/kernel/send/1-all.txt"; }
send() { "$top/tools/kernel/send.sh"; }
sent=$top/build/send/1-all

list fixes/0001 fixes/0002
check "without a tree it says what to do" 1 "make source" send
source_sh prepare >/dev/null
sed -i 's/^Why it is needed.$/&\n\nTest: one.sh\nDepends-on: another/' "$top/patches/fixes/0001-net-first.patch"
check "a series is written" 0 "1-all: 2 patches" send
check "with a cover letter" 0 "Subject: .PATCH mptcp-net 0/2. net: mended" cat "$sent/0000-cover-letter.patch"
check "in lines that mail has" 1 "" grep -E '^.{73}' "$sent/0000-cover-letter.patch"
check "and the Linux below it" 0 "^Based on Linux 6.12.200.$" cat "$sent/0000-cover-letter.patch"
check "and its patches, in order" 0 "net: second" cat "$sent/0002-net-second.patch"
check "without what is ours alone" 1 "" grep -r '^Test:\|^Depends-on:' "$sent"
check "nothing is left in the tree" 0 "^1$" sh -c "git -C '$tree' worktree list | wc -l"

beside=$top/tools/kernel/send/packetdrill
mkdir "$beside"
echo "// the case of one" >"$beside/one.pkt"
echo "// of another" >"$beside/two.pkt"
check "a fix's packetdrill script goes with its series" 0 "1-all: 2 patches and 1 packetdrill scripts" send
check "in a folder of its own" 0 "^one.pkt$" ls "$sent/packetdrill"
check "and no other one" 1 "" test -e "$sent/packetdrill/two.pkt"

list fixes/0001 fixes/0009
check "what this version does not need is named" 0 "fixes/0009 is not in this version" send
list fixes/0001 sched/0002
check "what does not apply alone is, too" 0 "1-all: 2 patches" send
toy_patch fixes/0002-net-second.patch net/mptcp/file.c 11 eleven "net: second"
list fixes/0002 fixes/0001
check "what needs another one is an error" 1 "fixes/0001 does not apply here" send
sed -i 's/^Why it is needed.$/&\n\nFixes: none (policy)/' "$top/patches/fixes/0002-net-second.patch"
list fixes/0002
check "policy is not sent" 1 "is no fix" send
toy_patch fixes/0002-net-second.patch net/mptcp/file.c 30 "bad style" "net: second"
list fixes/0001 fixes/0002
check "what checkpatch says is an error" 1 "0002-net-second.patch" send

# What later releases have: a fix stands on it.
toy_patch fixes/0002-net-second.patch net/mptcp/file.c 30 thirty "net: second"
toy_patch stable/0001-net-later.patch net/mptcp/file.c 12 twelve "net: later"
sed -i 's,^# Fixes.,stable/0001-net-later.patch\n&,' "$top/patches/series"
sed -i 's/^ 12$/ twelve/' "$top/patches/fixes/0001-net-first.patch"
source_sh prepare >/dev/null
check "what later releases have is not sent" 0 "1-all: 2 patches" send
check "the letter says so" 0 "^Based on Linux 6.12.200 and what its later releases mend.$" cat "$sent/0000-cover-letter.patch"
sed -i 's/^12$/twelve/' "$KSRC/net/mptcp/file.c"
toy_version 6 12 201
check "one that is there" 0 "left out: Linux 6.12.201 has stable/0001" source_sh prepare
check "does no harm" 0 "1-all: 2 patches" send
check "nor is it spoken of" 0 "^Based on Linux 6.12.201.$" cat "$sent/0000-cover-letter.patch"
finish
