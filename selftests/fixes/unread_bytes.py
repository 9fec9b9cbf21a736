# SPDX-License-Identifier: GPL-2.0
"""How much a socket says that there is to read."""

from __future__ import annotations

import socket
import termios
import time
from collections.abc import Iterator

from ends import MPTCP, Ends, main, new_socket, number
from hand import Check


def unread(conn: socket.socket) -> int:
    return number(conn, termios.FIONREAD)


def pairs(ends: Ends) -> Iterator[tuple[str, socket.socket, socket.socket]]:
    waiting = ends.listener()
    yield "TCP", *ends.connection(waiting, socket.IPPROTO_TCP)
    yield "MPTCP", *ends.connection(waiting, MPTCP)
    yield "after a fallback", *ends.plain()


def check(ends: Ends) -> Check:
    with new_socket() as fresh:
        yield unread(fresh) == 0, "a new socket has nothing", f"{unread(fresh)}"
    for name, conn, peer in pairs(ends):
        peer.sendall(bytes(1000))
        time.sleep(0.2)
        yield unread(conn) == 1000, f"{name}: what has come is unread", f"{unread(conn)}"
        peer.shutdown(socket.SHUT_WR)
        time.sleep(0.2)
        yield unread(conn) == 1000, "the peer's end is not a byte", f"{unread(conn)}"
        conn.recv(400)
        yield unread(conn) == 600, "what is read is not unread", f"{unread(conn)}"
        conn.recv(600)
        yield unread(conn) == 0, "nothing is left before the end is read", f"{unread(conn)}"
        yield conn.recv(1) == b"" and unread(conn) == 0, "nor after it", f"{unread(conn)}"


if __name__ == "__main__":
    main(check)
