# SPDX-License-Identifier: GPL-2.0
"""The peer fell back to TCP, and the program gives up: a FIN would say that its stream is whole."""

from __future__ import annotations

import socket
import struct

from conformance.capture import FIN
from conformance.wire import Wire
from hand import Check, Peer, Stream, accepted, main

MUCH = 1 << 20


def fallen(wire: Wire, waiting: socket.socket) -> tuple[Peer, socket.socket]:
    """The program has ten bytes to read, and has sent more than the peer takes."""
    peer, program = accepted(wire, waiting)
    peer.read = None
    peer.say(data=bytes(10))
    peer.hear(0.2)
    program.setblocking(False)
    program.send(bytes(MUCH))
    peer.hear(0.2)
    return peer, program


def is_cut(stream: Stream) -> bool:
    return stream.is_reset() and not stream.ended


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = fallen(wire, waiting)
    program.close()
    yield is_cut(peer.hear(1)), "with bytes that were not read, close() resets", "it does not"

    peer, program = fallen(wire, waiting)
    program.recv(10)
    program.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    program.close()
    yield is_cut(peer.hear(1)), "so does one that does not linger", "it does not"

    peer, program = accepted(wire, waiting)
    peer.read = None
    peer.say(data=bytes(10), flags=FIN)
    peer.hear(0.2)
    while program.recv(100):
        pass
    program.close()
    stream = peer.hear(1)
    yield (
        stream.ended and not stream.is_reset(),
        "one that has read and sent all ends with a FIN",
        "it does not",
    )


if __name__ == "__main__":
    main(check)
