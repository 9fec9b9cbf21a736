# SPDX-License-Identifier: MIT
"""Blocks of equal size, each with the time it was due."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from typing import Any

from .connections import Config, Writer, connection, receive_whole, stop_ticks, totals, trace_subflows

STAMP = struct.Struct("=Q")  # a block begins with the time it was due, in ns


def send(c: Config) -> Config:
    """`size` bytes at a constant rate, stamped with the time they were due.

    Rate 0 is as fast as it goes, stamped when the socket takes them.
    """
    trace: list[Any] = []
    peer, rest = connection(c), bytes(c["size"] - STAMP.size)
    writer, start, sent = Writer(peer, c), time.monotonic(), 0
    interval = c["size"] / c["rate"] if c["rate"] else 0.0
    trace_subflows(peer, c, trace)
    while True:
        writer.wait()
        now = time.monotonic()
        due = start + sent * interval if interval else now
        if due >= start + c["seconds"]:
            break
        if due > now:
            time.sleep(due - now)
        writer.write(STAMP.pack(int(due * 1e9)) + rest)
        sent += 1
    stop_ticks()
    peer.shutdown(socket.SHUT_WR)
    return {"start": start, "sent": sent, "trace": trace, "totals": totals(peer, c)}


def receive(c: Config) -> Config:
    """Per block, when it was due and how long it took, in us."""
    peer, buffer = connection(c), bytearray(c["size"])
    start, due, delay = time.monotonic(), [], []
    peer.settimeout(c["patience"])
    with contextlib.suppress(TimeoutError, ConnectionError):
        while receive_whole(peer, buffer):
            stamp = STAMP.unpack_from(buffer)[0]
            due.append(round(stamp / 1e3 - start * 1e6))
            delay.append(round((time.monotonic_ns() - stamp) / 1e3))
    return {"start": start, "due_us": due, "delay_us": delay}
