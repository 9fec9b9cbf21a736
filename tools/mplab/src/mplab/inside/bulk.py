# SPDX-License-Identifier: MIT
"""As much as goes, in one direction."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
from typing import Any

from .connections import Config, Enough, Writer, connection, every_tick, stop_ticks, totals, trace_subflows

SO_MEMINFO = 55
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
    without a byte counts from the end of the warm-up."""
    samples: list[Any] = []
    start = gap = 0.0
    with contextlib.suppress(Enough, TimeoutError, ConnectionError):
        peer, got, buffer = connection(c), 0, bytearray(1 << 17)
        start = last = time.monotonic()
        counts = start + c.get("warmup", 0)

        def sample() -> None:
            memory = struct.unpack("=9I", peer.getsockopt(socket.SOL_SOCKET, SO_MEMINFO, 36))
            samples.append([time.monotonic(), got, memory[0], memory[1]])
            if samples[-1][0] >= start + c["seconds"]:
                raise TimeoutError

        every_tick(sample)
        while count := peer.recv_into(buffer):
            got += count
            now = time.monotonic()
            gap, last = max(gap, now - max(last, counts)), now
    stop_ticks()
    if samples:
        gap = max(gap, samples[-1][0] - max(last, counts))
    return {"start": start, "samples": samples, "longest_gap": gap}
