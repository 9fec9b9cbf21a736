# SPDX-License-Identifier: MIT
"""Bursts after thin traffic, over one connection."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import Any

from .connections import Config, connection, stop_ticks, totals, trace_subflows


def send(c: Config) -> Config:
    """`count` times: a piece each `every` seconds, `pieces` of them, and then `size` bytes at once."""
    trace: list[Any] = []
    peer, began = connection(c), []
    start = due = time.monotonic()
    trace_subflows(peer, c, trace)
    for _ in range(c["count"]):
        for _ in range(c["pieces"]):
            time.sleep(max(due - time.monotonic(), 0))
            due += c["every"]
            peer.sendall(bytes(c["piece"]))
        time.sleep(max(due - time.monotonic(), 0))
        due = time.monotonic() + c["every"]
        began.append(time.monotonic())
        peer.sendall(bytes(c["size"]))
    stop_ticks()
    peer.shutdown(socket.SHUT_WR)
    return {"start": start, "began": began, "trace": trace, "totals": totals(peer, c)}


def receive(c: Config) -> Config:
    """When the last byte of each burst was there."""
    peer, buffer = connection(c), bytearray(1 << 16)
    whole, got, ended = c["pieces"] * c["piece"] + c["size"], 0, []
    peer.settimeout(c["patience"])
    with contextlib.suppress(TimeoutError, ConnectionError):
        while count := peer.recv_into(buffer):
            got += count
            while got >= whole * (len(ended) + 1):
                ended.append(time.monotonic())
    return {"ended": ended}
