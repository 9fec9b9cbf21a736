# SPDX-License-Identifier: GPL-2.0
"""A box begins to remove options, and the peer fell back; it sends acknowledgments only."""

from __future__ import annotations

import socket

from conformance.case import pattern
from conformance.wire import Wire
from hand import Check, accepted, main

BYTES = 20000


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    program.sendall(pattern(BYTES // 2))
    got = peer.hear(1, peer.agree)
    yield got.data == pattern(BYTES // 2), "half of the data is acknowledged", f"{len(got.data)} bytes"
    peer.read = None
    program.sendall(pattern(BYTES)[BYTES // 2 :])
    program.shutdown(socket.SHUT_WR)
    got = peer.hear(15, peer.agree)
    yield (
        got.data[:BYTES] == pattern(BYTES),
        "the other half comes, too",
        f"{len(got.data)} bytes",
    )
    yield len(got.data) <= BYTES, "and not again", f"{len(got.data) - BYTES} bytes do"
    yield got.ended, "and a FIN", "none"


if __name__ == "__main__":
    main(check)
