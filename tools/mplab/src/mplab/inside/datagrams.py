# SPDX-License-Identifier: MIT
"""Datagrams at a constant rate, whatever becomes of them."""

from __future__ import annotations

import contextlib
import socket
import struct
import time

from .connections import Config, Enough, wait

STAMP = struct.Struct("=QQ")  # number, and when it was due in ns
ROOM = 1 << 22  # bytes of the receiver's buffer: it must not be what drops
SO_RCVBUFFORCE = 33


def _socket(c: Config) -> socket.socket:
    return socket.socket(socket.AF_INET6 if c["family"] == 6 else socket.AF_INET, socket.SOCK_DGRAM)


def send(c: Config) -> Config:
    """For `seconds`: when the first one was due, and how many there were."""
    start, sent, interval = 0.0, 0, c["size"] / c["rate"]
    with contextlib.suppress(Enough), _socket(c) as out:
        out.connect((c["address"], c["port"]))
        wait(c)
        start = time.monotonic()
        while (due := start + sent * interval) < start + c["seconds"]:
            time.sleep(max(0.0, due - time.monotonic()))
            with contextlib.suppress(OSError):  # a queue of the host's own that is full: lost
                out.send(STAMP.pack(sent, int(due * 1e9)) + bytes(c["size"] - STAMP.size))
            sent += 1
    return {"start": start, "sent": sent}


def receive(c: Config) -> Config:
    """Of each that arrives its number, and how long it took in us."""
    numbers, delays = [], []
    with contextlib.suppress(Enough), _socket(c) as waiting:
        waiting.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, ROOM)
        waiting.bind(("", c["port"]))
        while True:
            number, due = STAMP.unpack_from(waiting.recv(1 << 16))
            numbers.append(number)
            delays.append(round((time.monotonic_ns() - due) / 1e3))
    return {"numbers": numbers, "delays_us": delays}
