# SPDX-License-Identifier: GPL-2.0
"""The same byte comes again and again, behind one that is missing: how much memory does that take?"""

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


def again(peer: Peer, place: int, count: int) -> None:
    for _ in range(count):
        peer.say(peer.dss(b"x", place=place), b"x")


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    place, before = peer.sent + 1, pages()
    for _ in range(SEGMENTS // BATCH):
        again(peer, place, BATCH)
        peer.hear(0.1)
    taken = pages() - before
    yield taken < MOST, f"a byte that comes {SEGMENTS} times takes no more memory than once", f"{taken} pages"
    program.close()


if __name__ == "__main__":
    main(check)
