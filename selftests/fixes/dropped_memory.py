# SPDX-License-Identifier: GPL-2.0
"""The same byte comes again and again, behind one that is missing, or small segments that nobody reads: how
much memory does that take?"""

from __future__ import annotations

import socket
from pathlib import Path

from conformance.wire import Wire
from hand import Check, Peer, accepted, main

SEGMENTS = 4000
BATCH = 200  # more would not fit the link's queue
MOST = 100  # pages; each segment takes hundreds of bytes


def pages() -> int:
    """Of all TCP sockets of the machine."""
    line = next(
        line for line in Path("/proc/net/sockstat").read_text().splitlines() if line.startswith("TCP:")
    )
    words = line.split()
    return int(words[words.index("mem") + 1])


def taken(peer: Peer, place: int | None) -> int:
    """By a byte that comes so often at that place; None: each behind the one before."""
    before = pages()
    for _ in range(SEGMENTS // BATCH):
        for _ in range(BATCH):
            peer.say(peer.dss(b"x", place=place), b"x")
        peer.hear(0.1)
    return pages() - before


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    found = taken(peer, peer.sent + 1)
    yield found < MOST, f"a byte that comes {SEGMENTS} times takes no more memory than once", f"{found} pages"
    program.close()

    peer, program = accepted(wire, waiting)
    found = taken(peer, None)
    yield found < MOST, f"{SEGMENTS} bytes that nobody reads take what their segment does", f"{found} pages"
    program.close()


if __name__ == "__main__":
    main(check)
