# SPDX-License-Identifier: GPL-2.0
"""A DATA_FIN that cannot be true, then the rest of the data and the one that is."""

from __future__ import annotations

import socket

from conformance.wire import Wire
from hand import HELLO, Check, accepted, main

FAR = 1 << 30  # bytes beyond any window


def ended(program: socket.socket) -> str:
    """What is read up to the end of the stream."""
    program.settimeout(5)
    got = b""
    try:
        while data := program.recv(100):
            got += data
    except OSError as error:
        return f"{got!r}, then {error}"
    return repr(got)


def check(wire: Wire, waiting: socket.socket) -> Check:
    for where, place in ("beyond the window", FAR), ("before what has arrived", len(HELLO) - 2):
        peer, program = accepted(wire, waiting)
        peer.say(peer.dss(fin=True, place=place))
        peer.say(data=b"the rest")
        peer.say(peer.dss(fin=True))
        got = ended(program)
        yield got == repr(b"the rest"), f"a DATA_FIN {where}: the stream ends where it should", got


if __name__ == "__main__":
    main(check)
