# SPDX-License-Identifier: GPL-2.0
"""TCP_INQ, set after a fallback."""

from __future__ import annotations

import socket

from ends import Ends, main
from hand import Check

TCP_INQ = 36


def told(conn: socket.socket, peer: socket.socket) -> bool:
    """Does a control message come?"""
    peer.send(b"x")
    return bool(conn.recvmsg(1, socket.CMSG_SPACE(4))[1])


def check(ends: Ends) -> Check:
    conn, peer = ends.plain()
    for on in (1, 0):
        conn.setsockopt(socket.IPPROTO_TCP, TCP_INQ, on)
        got = conn.getsockopt(socket.IPPROTO_TCP, TCP_INQ)
        yield got == on, f"TCP_INQ {on} is kept", f"{got}"
        yield told(conn, peer) == bool(on), "and does what it says", "it does not"


if __name__ == "__main__":
    main(check)
