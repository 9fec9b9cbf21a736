# SPDX-License-Identifier: GPL-2.0
"""TCP_INQ and TCP_NOTSENT_LOWAT, set after a fallback."""

from __future__ import annotations

import contextlib
import socket

from ends import Ends, main
from hand import Check

TCP_INQ, TCP_NOTSENT_LOWAT = 36, 25


def told(conn: socket.socket, peer: socket.socket) -> bool:
    """Does a control message come?"""
    peer.send(b"x")
    return bool(conn.recvmsg(1, socket.CMSG_SPACE(4))[1])


def taken(conn: socket.socket, peer: socket.socket) -> int:
    """Bytes that it takes while nobody reads."""
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 10000)
    conn.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    conn.settimeout(1)
    total = 0
    with contextlib.suppress(TimeoutError):
        while total < 1 << 20:
            total += conn.send(bytes(10000))
    return total


def check(ends: Ends) -> Check:
    conn, peer = ends.plain()
    for on in (1, 0):
        conn.setsockopt(socket.IPPROTO_TCP, TCP_INQ, on)
        got = conn.getsockopt(socket.IPPROTO_TCP, TCP_INQ)
        yield got == on, f"TCP_INQ {on} is kept", f"{got}"
        yield told(conn, peer) == bool(on), "and does what it says", "it does not"

    got = taken(*ends.plain())
    yield got > 400000, "a buffer of 1 MB takes its share", f"{got} bytes"
    conn, peer = ends.plain()
    conn.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, 10000)
    got = conn.getsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT)
    yield got == 10000, "TCP_NOTSENT_LOWAT is kept", f"{got}"
    got = taken(conn, peer)
    yield got < 200000, "and does what it says", f"{got} bytes"


if __name__ == "__main__":
    main(check)
