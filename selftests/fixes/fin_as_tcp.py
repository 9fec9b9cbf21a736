# SPDX-License-Identifier: GPL-2.0
"""The peer fell back to TCP, and its stream ends: where?"""

from __future__ import annotations

import contextlib
import socket

from conformance.capture import FIN
from conformance.case import pattern
from conformance.wire import Wire
from hand import Check, Peer, accepted, main

BUFFER = 8192


def read(program: socket.socket) -> tuple[bytes, bool]:
    """And does it end?"""
    got = b""
    program.settimeout(10)
    with contextlib.suppress(TimeoutError):
        while data := program.recv(65536):
            got += data
        return got, True
    return got, False


def shorter(wire: Wire, waiting: socket.socket) -> Check:
    """A DATA_FIN has been here; the bytes in front of it come late, as TCP, and some fewer."""
    peer, program = accepted(wire, waiting)
    peer.say(peer.dss(fin=True, place=peer.sent + 100))
    peer.read = None
    peer.say(data=bytes(90))
    peer.say(flags=FIN)
    got, ended = read(program)
    yield len(got) == 90, "with a DATA_FIN in a wrong place, the bytes are read", f"{len(got)} of them"
    yield ended, "and the end, where the FIN is", "none"


def told(wire: Wire, waiting: socket.socket) -> Check:
    """The peer says DATA_FIN behind bytes that are lost and come again without their mapping. It goes on
    with MPTCP, and sends no FIN before that is acknowledged."""
    peer, program = accepted(wire, waiting)
    peer.sent += 90
    peer.say(peer.dss(fin=True))
    peer.sent -= 90
    peer.read = None
    peer.say(data=bytes(90))
    got, ended = read(program)
    yield (
        (len(got), ended) == (90, True),
        "with a DATA_FIN behind them, the bytes are read, and an end without a FIN",
        f"{len(got)} of them, {'an' if ended else 'no'} end",
    )


def fill(peer: Peer, data: bytes) -> int:
    """What the window takes, and the buffer: without room there what came last is not acknowledged."""
    done, edge = 0, peer.edge()
    while done < len(data):
        size = min(500, len(data) - done, edge - peer.sent)
        if size:
            peer.say(data=data[done : done + size])
            done += size
        elif edge == peer.edge():
            break
        peer.hear(0.1)
        edge = peer.edge()
        if edge < peer.sent:
            peer.sent -= size
            return done - size
    return done


def unread(wire: Wire, waiting: socket.socket) -> Check:
    """The FIN comes before the program has read what is in front of it."""
    waiting.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER)
    peer, program = accepted(wire, waiting)
    peer.read = None
    sent = fill(peer, pattern(10 * BUFFER))
    peer.say(flags=FIN)
    peer.hear(1)
    got, ended = read(program)
    yield (
        got == pattern(sent),
        "with a FIN before it reads, the program reads all",
        f"{len(got)} bytes",
    )
    yield ended, "and the end", "none"


def check(wire: Wire, waiting: socket.socket) -> Check:
    yield from shorter(wire, waiting)
    yield from told(wire, waiting)
    yield from unread(wire, waiting)


if __name__ == "__main__":
    main(check)
