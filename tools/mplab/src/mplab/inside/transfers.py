# SPDX-License-Identifier: MIT
"""Exchanges: some bytes there, and some bytes back."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from typing import Any

from .connections import Config, connect, connection, listener, receive_whole, subflows, totals, wait

HEAD = struct.Struct("=II")  # a request begins with its own length and that of its answer
CHUNK = 1 << 16


def head(request: int, answer: int) -> bytes:
    """Begins a request of so many bytes, itself included."""
    return HEAD.pack(request, answer)


def receive_bytes(peer: socket.socket, count: int) -> bool:
    """Read so many bytes and forget them."""
    buffer = memoryview(bytearray(min(count, CHUNK)))
    while count:
        got = peer.recv_into(buffer[:count])
        if not got:
            return False
        count -= got
    return True


def serve(c: Config) -> Config:
    """Answer all requests of `connections` connections, one after the other: when each request was
    whole, and the state of the last connection's subflows."""
    waiting, arrived, trace, counts = listener(c), [], [], {}
    for _ in range(c["connections"]):
        peer, request = waiting.accept()[0], bytearray(HEAD.size)
        if c.get("nodelay"):
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):
            while receive_whole(peer, request):
                length, answer = HEAD.unpack(request)
                if not receive_bytes(peer, length - HEAD.size):
                    break
                arrived.append(time.monotonic())
                peer.sendall(bytes(answer))
                with contextlib.suppress(OSError):
                    trace = [[time.monotonic(), subflows(peer, c)]]
                    counts = totals(peer, c)
        peer.close()
    return {"arrived": arrived, "trace": trace, "totals": counts}


def ask(c: Config) -> Config:
    """`count` exchanges with a pause after each: when each began and was complete.

    Warm: over one connection, after one that does not count. Else each has a connection of its
    own, and begins with it.
    """
    began, ended = [], []

    def exchange(peer: socket.socket) -> bool:
        peer.sendall(head(c["request"], c["answer"]) + bytes(c["request"] - HEAD.size))
        return receive_bytes(peer, c["answer"])

    peer = connection(c) if c["warm"] else None
    if peer:
        exchange(peer)
        time.sleep(c["pause"])
    else:
        wait(c)
    for _ in range(c["count"]):
        start = time.monotonic()
        if peer:
            whole = exchange(peer)
        else:
            with connect(c) as once:
                whole = exchange(once)
        if not whole:
            break
        began.append(start)
        ended.append(time.monotonic())
        time.sleep(c["pause"])
    state: list[Any] = [[time.monotonic(), subflows(peer, c)]] if peer else []
    return {"began": began, "ended": ended, "trace": state, "totals": totals(peer, c) if peer else {}}
