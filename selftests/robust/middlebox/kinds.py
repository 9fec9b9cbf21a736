# SPDX-License-Identifier: GPL-2.0
"""The middleboxes of the matrix, and how a connection has to get through each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from boxes import (
    Acker,
    Box,
    Coalesce,
    Corrupt,
    Drop,
    Echo,
    Randomize,
    Refuse,
    Reorder,
    Rewrite,
    Split,
    Strip,
    StripLater,
    Window,
    is_data,
    is_syn,
    is_synack,
)
from packet import ADD_ADDR, JOIN

POSITIONS = {"alone": (1,), "first": (1,), "later": (2,), "both": (1, 2)}

# Ways: "tcp": it fell back, on both hosts. "1", "2": so many subflows joined and none was reset.
# "2-1": one of two was reset. "lost": the connection ended with an error, "refused": connect() did.
# "wrong": an application got bytes that were not sent, or not there.
TRANSPARENT = {"alone": "1", "first": "2", "later": "2", "both": "2"}
FALLBACK = {"alone": "tcp", "first": "tcp", "later": "1 2-1", "both": "tcp"}
# A subflow fails in the middle. Section 3.7 has it closed, if there is another one.
BROKEN = {"alone": "tcp", "first": "2 2-1", "later": "2 2-1", "both": "tcp 1 2 2-1"}
# The first subflow may fail before the second one has joined: then both are right.
RACING = BROKEN | {"first": "tcp 2 2-1"}
# So late that no path of two carries as much.
LATE = {"alone": "tcp"}
# All subflows fail in the middle: RFC 8684 has no way to go on that both ends must know.
ALL_BROKEN = {"both": "tcp 1 2 2-1 lost"}
# The mapping of some bytes is lost: they come again, or the subflow is closed.
UNMAPPED = {"alone": "1 tcp", "first": "tcp 2 2-1", "later": "2 2-1"} | ALL_BROKEN
# Without checksums nobody sees that bytes have changed.
UNSEEN = TRANSPARENT
BREAKS, RACES = BROKEN | ALL_BROKEN, RACING | ALL_BROKEN
# Nor that their number did, until they are in the wrong place.
MISPLACED = {
    "alone": "tcp lost wrong",
    "first": "tcp 2 2-1 wrong",
    "later": "2 2-1 wrong",
    "both": "tcp 2 2-1 wrong lost",
}
# Nothing follows a text that is shorter now, so that it was sent again before it was noticed: the bytes
# of the only subflow are no plain stream any more.
STALLED = {"alone": "tcp lost"}
REFUSED = {"alone": "refused", "first": "refused", "later": "1 2-1", "both": "refused"}

# Acknowledgments without options have to last so long before they count, and a bit (seconds).
SILENCE = 12.0
SIZE = 250_000  # bytes that the client sends
MARK = b"PORT 10,0,1,1"
TEXT = "text of the payload replaced by"
SAME, LONGER, SHORTER = b"PORT 10,9,8,7", b"PORT 192,168,101,101", b"PORT 1,1,1,1"


@dataclass
class Kind:
    """expect: the ways that are right at a position, where the box has something to do;
    checked: the same with checksums, if that differs. new: what it makes of the mark.
    opt_in: a sysctl of MPTCP that is set to 1 meanwhile."""

    what: str
    make: Callable[[], Box] | None
    expect: dict[str, str]
    checked: dict[str, str] | None = None
    new: bytes = MARK
    nft: str = ""
    down: int = SIZE  # bytes that the server sends
    slack: float = 1.5  # how many seconds MPTCP may take longer than four times TCP's
    pauses: bool = False  # nothing follows the first mark for a while
    named: bool = False  # only when it is asked for by name
    opt_in: str = ""

    def ways(self, position: str, checksum: int) -> list[str]:
        expect = self.checked if checksum and self.checked else self.expect
        return expect[position].split()


def rules(rule: str) -> str:
    """In the router, for what goes over the paths in either direction."""
    return f"""table ip box {{
    counter acted {{ }}
    chain forward {{
        type filter hook forward priority 0
        iifname {{ NEAR }} jump both
        oifname {{ NEAR }} jump both
    }}
    chain both {{
        {rule}
    }}
}}
"""


STRIP_NFT = rules("tcp option mptcp exists counter name acted reset tcp option mptcp")
SYN_NFT = "tcp flags & (syn | ack) == syn tcp option mptcp exists counter name acted "
NAT = """table ip box {
    counter acted { }
    chain post {
        type nat hook postrouting priority 100
        oifname { FAR } counter name acted masquerade
    }
}
"""
SYNPROXY = """table ip box {
    counter acted { }
    chain pre {
        type filter hook prerouting priority -300
        iifname { NEAR } tcp flags & (fin | syn | rst | ack) == syn counter name acted notrack
    }
    chain forward {
        type filter hook forward priority 0
        iifname { NEAR } ct state invalid,untracked synproxy mss 1460 wscale 7 timestamp sack-perm
        iifname { NEAR } ct state invalid drop
    }
}
"""


def later(limit: int, *directions: bool) -> Callable[[], Box]:
    return lambda: StripLater(lambda s: is_data(s) and s.up in directions, limit)


def rewrite(
    what: str,
    new: bytes,
    expect: dict[str, str],
    checked: dict[str, str],
    after: int = 0,
    pauses: bool = False,
) -> Kind:
    return Kind(what, lambda: Rewrite(MARK, new, after), expect, checked, new, pauses=pauses)


KINDS = {
    "none": Kind("none", Box, TRANSPARENT),
    "nat": Kind("NAT (nftables)", None, TRANSPARENT, nft=NAT),
    "synproxy": Kind("SYN proxy (nftables)", None, FALLBACK, nft=SYNPROXY),
    "nft-strip": Kind("option overwritten by NOPs (nftables)", None, FALLBACK, nft=STRIP_NFT),
    "strip-all": Kind("option removed", lambda: Strip(lambda s: True), FALLBACK),
    "strip-syn": Kind("option removed from SYN", lambda: Strip(is_syn), FALLBACK),
    "strip-synack": Kind("option removed from SYN/ACK", lambda: Strip(is_synack), FALLBACK),
    "strip-data": Kind("option removed behind the SYNs", lambda: Strip(is_data), FALLBACK),
    "strip-data-up": Kind(
        "the same, client to server", lambda: Strip(lambda s: is_data(s) and s.up), FALLBACK
    ),
    "strip-data-down": Kind(
        "the same, server to client", lambda: Strip(lambda s: is_data(s) and not s.up), FALLBACK
    ),
    "strip-50k": Kind("option removed after 50 KB", later(50_000, True, False), RACES),
    "strip-100k": Kind("option removed after 100 KB", later(100_000, True, False), BREAKS),
    "strip-100k-up": Kind("the same, client to server", later(100_000, True), BREAKS),
    "strip-100k-down": Kind("the same, server to client", later(100_000, False), BREAKS),
    "strip-250k": Kind("option removed after 250 KB", later(250_000, True, False), LATE),
    "strip-250k-up": Kind("the same, client to server", later(250_000, True), LATE),
    "strip-250k-down": Kind("the same, server to client", later(250_000, False), LATE),
    "strip-upload": Kind(
        "option removed after 50 KB of an upload",
        later(50_000, True, False),
        RACES,
        down=20_000,
        slack=SILENCE,
    ),
    "strip-upload-up": Kind(
        "the same, client to server", later(50_000, True), RACES, down=20_000, slack=SILENCE
    ),
    "strip-join": Kind(
        "MP_JOIN removed",
        lambda: Strip(lambda s: True, JOIN),
        {"later": "1", "both": "1"},
    ),
    "strip-add-addr": Kind(
        "ADD_ADDR removed",
        lambda: Strip(lambda s: True, ADD_ADDR),
        # the first ACK may have been for it alone
        {"first": "1 tcp", "both": "1 tcp"},
    ),
    "unknown-dss": Kind("DSS made an unknown option", Corrupt, FALLBACK),
    "drop-syn": Kind("SYN with the option dropped", lambda: Drop(is_syn), FALLBACK, slack=5),
    "nft-drop-syn": Kind("the same (nftables)", None, FALLBACK, nft=rules(SYN_NFT + "drop"), slack=5),
    "drop-synack": Kind("SYN/ACK with the option dropped", lambda: Drop(is_synack), FALLBACK, slack=5),
    "rst-syn": Kind("RST in answer to a SYN with the option", Refuse, REFUSED),
    "rst-syn-opt": Kind("the same, `retry_refused=1`", Refuse, FALLBACK, slack=5, opt_in="retry_refused"),
    "drop-data": Kind(
        "all but SYNs dropped that have the option", lambda: Drop(is_data), FALLBACK, named=True
    ),
    "echo": Kind("MP_CAPABLE of the SYN sent back", Echo, FALLBACK),
    "sequence": Kind("other sequence numbers", Randomize, TRANSPARENT),
    "split-copy": Kind("segments split, option in both", lambda: Split(True), TRANSPARENT),
    "split-first": Kind("segments split, option in the first", lambda: Split(False), TRANSPARENT),
    "coalesce": Kind("segments joined, option of the first", Coalesce, UNMAPPED),
    "ack-first": Kind("pro-active ACK from the first byte", lambda: Acker(0), FALLBACK | {"later": "2"}),
    "ack": Kind("pro-active ACK after 30 KB", lambda: Acker(30_000), TRANSPARENT),
    "ack-window": Kind("the same, with its own window", lambda: Acker(30_000, 200), TRANSPARENT),
    "window": Kind("window made smaller", lambda: Window(16_000), TRANSPARENT),
    "rewrite-same": rewrite(f"{TEXT} one of the same length", SAME, UNSEEN, RACES),
    "rewrite-longer": rewrite(f"{TEXT} a longer one", LONGER, MISPLACED, RACES),
    "rewrite-shorter": rewrite(f"{TEXT} a shorter one", SHORTER, MISPLACED, RACES),
    "rewrite-same-20k": rewrite("the same length, after 20 KB", SAME, UNSEEN, RACES, 20_000),
    "rewrite-longer-20k": rewrite("longer, after 20 KB", LONGER, MISPLACED, RACES, 20_000),
    "rewrite-shorter-20k": rewrite("shorter, after 20 KB", SHORTER, MISPLACED, RACES, 20_000),
    "rewrite-same-end": rewrite("the same length, 5 KB before the end", SAME, {"alone": "1"}, LATE, 245_000),
    "rewrite-longer-end": rewrite("longer, 5 KB before the end", LONGER, LATE, LATE, 245_000),
    "rewrite-shorter-end": rewrite(
        "shorter, 5 KB before the end", SHORTER, {"alone": "tcp lost wrong"}, STALLED, 245_000
    ),
    "rewrite-longer-pause": rewrite(
        "longer, then nothing for a second", LONGER, MISPLACED, RACES, pauses=True
    ),
    "rewrite-shorter-pause": rewrite(
        "shorter, then nothing for a second", SHORTER, MISPLACED, RACES | STALLED, pauses=True
    ),
    "reorder": Kind("reordered, some twice", Reorder, TRANSPARENT),
}


def seen_by_length(kind: Kind) -> Kind:
    """The same, and the hosts look at lengths: as good as with checksums, which it concerns less."""
    expect = kind.checked or kind.expect
    return replace(kind, what=f"{kind.what}, `check_lengths=1`", expect=expect, opt_in="check_lengths")


KINDS |= {
    f"{name}-opt": seen_by_length(kind)
    for name, kind in KINDS.items()
    if name.startswith(("rewrite-longer", "rewrite-shorter"))
}
