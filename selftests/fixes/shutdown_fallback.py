# SPDX-License-Identifier: GPL-2.0
"""The program has written all and shut down, more than fits the window; then the peer falls back."""

from __future__ import annotations

import socket

from conformance.case import pattern
from conformance.wire import Wire
from hand import Check, accepted, main

BYTES = 60000


def check(wire: Wire, waiting: socket.socket) -> Check:
    wire.window = 4000
    peer, program = accepted(wire, waiting)
    program.sendall(pattern(BYTES))
    program.shutdown(socket.SHUT_WR)
    got = peer.hear(1)
    yield (
        0 < len(got.data) < BYTES,
        "the server has more to send than fits the window",
        f"{len(got.data)} bytes",
    )
    # both levels, and that is the last that is known of the upper one
    peer.agree_all()
    peer.read, wire.window = None, 65000
    peer.say(b"", b"as TCP")
    got = peer.hear(5, peer.agree)
    yield got.data == pattern(BYTES), "after a fallback all of it arrives", f"{len(got.data)} bytes"
    yield got.ended, "and then a FIN", "none"
    yield program.recv(100) == b"as TCP", "the server reads what the peer sent as TCP", "something else"


if __name__ == "__main__":
    main(check)
