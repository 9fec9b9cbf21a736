#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""One end of an MPTCP connection that ends in a chosen way.

usage: conformance_peer.py listen|connect ADDRESS HOW [SECONDS]

Both ends send the first BYTES of sched_sock's pattern, wait until the peer's have come and
SECONDS later (so that other subflows can join before) end as HOW says: first (close, then wait for
the peer's end), last (the other way around), at=T (close at the time T), linger (abort with
SO_LINGER 0), unread (close and leave unread what the peer sent), victim (whom that happens to).
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
import time

PORT, BYTES = 5000, 30000
IPPROTO_MPTCP = 262


def connected(role: str, address: str) -> tuple[socket.socket, socket.socket | None]:
    """And the listener, which must stay: Linux refuses to join without."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    new = socket.socket(family, socket.SOCK_STREAM, IPPROTO_MPTCP)
    if role == "connect":
        new.connect((address, PORT))
        return new, None
    new.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    new.bind((address, PORT))
    new.listen(1)
    print("listening", flush=True)
    return new.accept()[0], new


def receive(connection: socket.socket, length: int) -> None:
    while length and (data := connection.recv(length)):
        length -= len(data)


def to_the_end(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def end(connection: socket.socket, how: str) -> None:
    if how == "linger":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif how == "victim":
        with contextlib.suppress(ConnectionError):
            to_the_end(connection)
    elif how != "unread":
        if how == "last":
            to_the_end(connection)
        elif how.startswith("at="):
            time.sleep(max(0, float(how[3:]) - time.time()))
        connection.shutdown(socket.SHUT_WR)
        to_the_end(connection)
    connection.close()


def main() -> None:
    role, address, how, *seconds = sys.argv[1:]
    connection, _listener = connected(role, address)
    with connection:
        connection.sendall(bytes(((o * 0x9E3779B97F4A7C15) >> 56) & 255 for o in range(BYTES)))
        if how != "unread":
            receive(connection, BYTES)
        time.sleep(float(seconds[0]) if seconds else 0)
        end(connection, how)


if __name__ == "__main__":
    main()
