# SPDX-License-Identifier: GPL-2.0
"""The peer's FIN repeats its DATA_FIN, and then it resets the subflow, the only one."""

from __future__ import annotations

import socket

from conformance.byhand import ISN
from conformance.capture import FIN, RST
from conformance.wire import Wire
from ends import is_closed, soon
from hand import Check, accepted, main

# net.mptcp.close_timeout, and some more
PATIENCE = 80
MUCH = 1 << 20


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    peer.say(peer.dss(fin=True))
    peer.hear(0.5)
    yield program.recv(1) == b"", "the peer's stream has ended", "it goes on"
    peer.say(peer.dss(fin=True), flags=FIN)
    peer.hear(0.5)
    program.setblocking(False)
    sent = program.send(bytes(MUCH))
    yield 0 < sent < MUCH, "there is more to send than the peer takes", f"{sent} bytes were taken"
    wire.send(peer.port, RST, ISN + 1 + peer.sent, peer.ack, b"", b"")
    yield soon(lambda: is_closed(program), PATIENCE), "the connection ends with its subflow", "it stays"


if __name__ == "__main__":
    main(check)
