# SPDX-License-Identifier: GPL-2.0
"""A proxy acknowledges early; what the peer behind it says comes some seconds late."""

from __future__ import annotations

import socket

from conformance.case import pattern
from conformance.wire import Wire
from hand import Check, accepted, dss_of, main

BYTES = 20000
PAUSE = 5  # seconds


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    peer.read = None
    program.sendall(pattern(BYTES))
    got = peer.hear(PAUSE, peer.agree)
    yield got.data == pattern(BYTES), "nothing is sent again meanwhile", f"{len(got.data)} bytes"
    peer.read = BYTES
    peer.say()
    program.sendall(b"more")
    got = peer.hear(1, peer.agree)
    mapped = [tcp for _, tcp in got.segments if tcp.data and dss_of(tcp)]
    yield got.data[BYTES:] == b"more", "what is written then comes", f"{len(got.data) - BYTES} bytes"
    yield bool(mapped), "with a mapping: the connection did not fall back", "without"


if __name__ == "__main__":
    main(check)
