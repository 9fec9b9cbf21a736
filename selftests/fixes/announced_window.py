# SPDX-License-Identifier: GPL-2.0
"""A window that shrinks with an acknowledgment of TCP that repeats another one: is it kept?"""

from __future__ import annotations

import socket

from conformance.wire import Wire
from hand import Check, accepted, main

WINDOW, SMALL = 8000, 1000


def check(wire: Wire, waiting: socket.socket) -> Check:
    wire.window = WINDOW
    peer, program = accepted(wire, waiting)
    program.setblocking(False)
    program.send(bytes(10 * WINDOW))
    # TCP has it all, the program on top has read nothing of it
    peer.hear(3, lambda tcp: tcp.data and peer.say())
    first = peer.reached()
    yield WINDOW // 2 < first <= WINDOW, "the server fills the window", f"{first} bytes"
    # now it has read it all, and there is room for a little more; for TCP it is the same place
    peer.read, wire.window = first, SMALL
    peer.say()
    peer.hear(3)
    more = peer.reached() - first
    yield 0 < more <= SMALL, "it uses the one that is announced then, and goes not beyond", f"{more} bytes"


if __name__ == "__main__":
    main(check)
