# SPDX-License-Identifier: GPL-2.0
"""A FIN says DATA_FIN, once more or too early, and then the peer resets the subflow, the only one."""

from __future__ import annotations

import socket
from pathlib import Path

from conformance.byhand import ISN
from conformance.capture import FIN, RST
from conformance.wire import Wire
from ends import is_closed, soon
from hand import HELLO, Check, Peer, accepted, main

# net.mptcp.close_timeout, and some more
PATIENCE = 80
MUCH = 1 << 20
OURS = Path("/proc/sys/net/mptcp/allowed_schedulers")  # the last case takes more than the one fix


def resets(peer: Peer, program: socket.socket, what: str) -> Check:
    peer.wire.send(peer.port, RST, ISN + 1 + peer.sent, peer.ack)
    yield (
        soon(lambda: is_closed(program), PATIENCE),
        f"{what}: the connection ends with its subflow",
        "it stays",
    )


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
    yield from resets(peer, program, "a DATA_FIN twice")

    peer, program = accepted(wire, waiting)
    peer.say(peer.dss(fin=True, place=len(HELLO) + 1000), flags=FIN)
    peer.hear(0.5)
    yield from resets(peer, program, "one that is never reached")

    if not OURS.exists():
        return
    peer, program = accepted(wire, waiting)
    peer.say(peer.dss(fin=True, place=len(HELLO) + 1000), data=b"left out", flags=FIN)
    peer.hear(0.5)
    yield from resets(peer, program, "and data that it leaves out")


if __name__ == "__main__":
    main(check)
