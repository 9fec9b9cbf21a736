# SPDX-License-Identifier: GPL-2.0
"""Memory for TCP is used up, and what the program has written is more than what is in flight."""

from __future__ import annotations

import socket
import sys

from conformance.wire import Wire
from ends import Ends
from hand import Check, accepted, main
from short import SO_SNDBUFFORCE, short_of_memory, take

SIZE = 100_000


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    program.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 4 * SIZE)
    program.send(bytes(SIZE))
    peer.hear(5)
    before = peer.reached()
    taken = take(Ends(sys.argv[1], sys.argv[3]), waiting)
    with short_of_memory():
        peer.agree_all()
        peer.hear(10, peer.agree)
    yield peer.reached() == SIZE, "all that was written is sent", f"{before}, then {peer.reached()} bytes"
    for conn in taken:
        conn.close()


if __name__ == "__main__":
    main(check)
