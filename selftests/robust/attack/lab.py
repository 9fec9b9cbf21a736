# SPDX-License-Identifier: GPL-2.0
"""A server, strangers that connect to it, and what a series of packets costs."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from conformance.byhand import Connection, established
from gauge import buffers, slab, sockets, ticks
from stranger import Stranger

PARTS = 10


@dataclass
class Lab:
    namespace: str
    stranger: Stranger
    listener: socket.socket
    told: str = ""  # by a case, for the table

    def connect(self) -> tuple[Connection, socket.socket]:
        connection = established(self.stranger)
        return connection, self.listener.accept()[0]


@dataclass
class Cost:
    """parts: ticks a packet, of each tenth of them; peak: KB while it lasted."""

    packets: int
    parts: list[float]
    peak: int


def measured(lab: Lab, acts: Sequence[Callable[[], object]], packets: int = 1, reads: bool = False) -> Cost:
    """packets: that each act sends. What the server answers is read away meanwhile, if they do not."""
    size, parts = len(acts) // PARTS, []
    peak = 0
    for start in range(0, size * PARTS, size):
        begin = ticks()
        for act in acts[start : start + size]:
            act()
        parts.append((ticks() - begin) / size / packets)
        peak = max(peak, held(lab))
        if not reads:
            lab.stranger.forget()
    return Cost(size * PARTS * packets, parts, peak)


def held(lab: Lab) -> int:
    return slab() + buffers(lab.namespace)


def feed(lab: Lab, packets: list[bytes], pause: float = 0) -> Cost:
    """They are made before: what counts is the kernel's work. pause: in which workers can run."""

    def act(packet: bytes) -> None:
        lab.stranger.transmit(packet)
        if pause:
            time.sleep(pause)

    return measured(lab, [partial(act, packet) for packet in packets])


class Recorder:
    """Instead of the wire: keeps what would be sent."""

    def __init__(self, stranger: Stranger) -> None:
        self.stranger, self.packets = stranger, list[bytes]()

    def __enter__(self) -> list[bytes]:
        self.stranger.transmit = self.packets.append  # type: ignore[method-assign]
        return self.packets

    def __exit__(self, *_: object) -> None:
        del self.stranger.transmit


def released(lab: Lab, before: int) -> bool:
    """All sockets, within three minutes."""
    for _ in range(180):
        lab.stranger.forget()
        if sockets(lab.namespace) <= before:
            return True
        time.sleep(1)
    return False
