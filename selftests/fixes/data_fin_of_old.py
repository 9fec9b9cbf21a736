# SPDX-License-Identifier: GPL-2.0
"""A mapping ends with a DATA_FIN, and all of its data is old: it was sent again after the first copy came."""

from __future__ import annotations

import socket

from conformance.wire import Wire
from hand import HELLO, Check, Peer, accepted, dss_of, idsn_of, main, offset

# seconds: more than a worker needs, less than a timeout
SOON = 0.15


def ends(program: socket.socket) -> bool:
    """The application is told of the end of the stream."""
    program.settimeout(SOON)
    try:
        return program.recv(100) == b""
    except TimeoutError:
        return False


def reached(peer: Peer) -> int:
    """How much of ours the server has acknowledged, the DATA_FIN counted as a byte."""
    options = [dss_of(tcp) for _, tcp in peer.stream.segments]
    acks = [
        offset(dss.ack, dss.ack_wide, idsn_of(peer.key)) for dss in options if dss and dss.ack is not None
    ]
    return max(acks, default=0)


def check(wire: Wire, waiting: socket.socket) -> Check:
    peer, program = accepted(wire, waiting)
    peer.say(peer.dss(HELLO, fin=True, place=0), HELLO)
    peer.hear(SOON)
    got = reached(peer)
    yield got == len(HELLO) + 1, "a DATA_FIN with old data: it is acknowledged", f"{got} of {len(HELLO) + 1}"
    yield ends(program), "a DATA_FIN with old data: the application reads the end", "it waits"
    peer.say(peer.dss(fin=True))
    peer.hear(SOON)
    got = reached(peer)
    yield (
        got == len(HELLO) + 1,
        "it comes again, alone: it is acknowledged, too",
        f"{got} of {len(HELLO) + 1}",
    )


if __name__ == "__main__":
    main(check)
