# SPDX-License-Identifier: GPL-2.0
"""MP_FAIL that comes with a RST: who would read an answer?"""

from __future__ import annotations

import socket

from conformance.byhand import ISN, is_reset
from conformance.capture import ACK, RST
from conformance.options import CAPABLE_CHECKSUM, CAPABLE_SHA256
from conformance.wire import Wire
from hand import Check, accepted, main


def check(wire: Wire, waiting: socket.socket) -> Check:
    # the program must live on while this listens
    peer, _program = accepted(wire, waiting, CAPABLE_SHA256 | CAPABLE_CHECKSUM)
    wire.send(peer.port, RST | ACK, ISN + 1 + peer.sent, peer.ack, peer.failed(0))
    got = peer.hear(1)
    yield not got.segments, "a RST with MP_FAIL is not answered", repr(got.segments)
    peer.say(data=b"more")
    after = wire.answer(peer.port)
    yield is_reset(after), "the subflow has ended", repr(after)


if __name__ == "__main__":
    main(check)
