# SPDX-License-Identifier: MIT
"""As much as goes, in one direction."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from typing import Any

from .connections import (
    TICK,
    Config,
    Enough,
    Writer,
    connection,
    every_tick,
    stop_ticks,
    totals,
    trace_subflows,
)

SO_MEMINFO = 55
LOOKS = 10  # between two samples
WRITE = 1 << 18  # bytes that a program writes at once
WRITE_WHEN_ASKED = 1 << 14  # and if it waits until the socket wants more


def send(c: Config) -> Config:
    """For `seconds`, or until the receiver has enough."""
    trace: list[Any] = []
    with contextlib.suppress(Enough):
        peer = connection(c)
        start, block = time.monotonic(), bytes(WRITE_WHEN_ASKED if c.get("notsent") else WRITE)
        writer = Writer(peer, c)
        trace_subflows(peer, c, trace)
        with contextlib.suppress(ConnectionError, Enough):
            while time.monotonic() < start + c["seconds"]:
                writer.write(block)
        stop_ticks()
        return {"start": start, "trace": trace, "totals": totals(peer, c)}
    return {}


def receive(c: Config) -> Config:
    """For `seconds`; a sample is time, bytes so far, memory in use, its limit. The longest time
    without a byte counts from the end of the warm-up, and is as exact as the looks at it are close."""
    samples: list[Any] = []
    start = gap = 0.0
    with contextlib.suppress(Enough, TimeoutError, ConnectionError):
        peer, got, buffer = connection(c), 0, bytearray(1 << 17)
        start = last = time.monotonic()
        counts, seen, looks = start + c.get("warmup", 0), 0, 0

        def look() -> None:
            # a clock read at each recv() would cost a third of all CPU time
            nonlocal gap, last, seen, looks
            now, looks = time.monotonic(), looks + 1
            if got > seen or now >= start + c["seconds"]:
                gap, last, seen = max(gap, now - max(last, counts)), now, got
            if looks % LOOKS == 0:
                memory = struct.unpack("=9I", peer.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 36))
                samples.append([now, got, memory[0], memory[1]])
            if now >= start + c["seconds"]:
                raise TimeoutError

        every_tick(look, TICK / LOOKS)
        while count := peer.recv_into(buffer):
            got += count
    stop_ticks()
    return {"start": start, "samples": samples, "longest_gap": gap}
