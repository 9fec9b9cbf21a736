# SPDX-License-Identifier: GPL-2.0
"""All subflows are reset, the server writes, the peer joins anew."""

from __future__ import annotations

import socket
import time

from conformance.byhand import ISN
from conformance.capture import ACK, RST
from conformance.raw import is_fourth
from conformance.wire import Wire
from hand import Check, accepted, main

DATA = b"written while there was no subflow"


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    wire.send(peer.port, RST | ACK, ISN + 1 + peer.sent, peer.ack)
    time.sleep(0.5)
    program.sendall(DATA)
    other = peer.join()
    yield is_fourth(other.got), "the peer joins", "it does not"
    got = wire.answer(other.port, lambda tcp: bool(tcp.data), patience=2)
    yield got is not None and bytes(got.data) == DATA, "what was written comes at once", f"{got!r}"


if __name__ == "__main__":
    main(check)
