# SPDX-License-Identifier: MIT
"""A file by range requests over a connection, or over one per interface."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from .connections import Config, subflows, totals, wait
from .pipelined import Got, Pipe, exchange
from .segments import Resource, Sizes

MERGED = 0.005  # seconds within which what arrives in order over an interface is one entry


class History:
    """When which bytes arrived: [time, first, behind the last]."""

    def __init__(self, interfaces: int) -> None:
        self.log: list[list[float]] = []
        self._last: list[list[float]] = [[0.0, -1, -1, 0.0] for _ in range(interfaces)]

    def add(self, interface: int, now: float, first: int, count: int) -> None:
        last = self._last[interface]
        if first == last[2] and now - last[3] < MERGED:
            last[0], last[2] = now, first + count
            return
        self._last[interface] = [now, first, first + count, now]
        self.log.append(self._last[interface])

    def entries(self, start: float) -> list[list[float]]:
        """Times since the start, in their order."""
        return sorted([now - start, first, end] for now, first, end, _ in self.log)


@contextlib.contextmanager
def connected(c: Config) -> Iterator[list[Pipe]]:
    """From each of our addresses (None: any) to the server's address on the same route."""
    wait(c)
    with contextlib.ExitStack() as opened:
        pipes = [Pipe(c, source, address) for source, address in c["interfaces"]]
        for pipe in pipes:
            opened.enter_context(pipe.peer)
        yield pipes


def state(c: Config, pipes: list[Pipe]) -> Config:
    """The first connection's last state, which is all there is of MPTCP's only one."""
    first = pipes[0].peer
    return {"trace": [[time.monotonic(), subflows(first, c)]], "totals": totals(first, c)}


def download(c: Config) -> Config:
    """`size` bytes in pieces of `segment`, `outstanding` at a time on each interface."""
    count = len(c["interfaces"])
    sizes, history = Sizes(count, c["segment"], c["dynamic"]), History(count)
    resource = Resource(c["size"], sizes)

    def arrived(interface: int, got: Got, now: float) -> None:
        if got.count:
            history.add(interface, now, got.piece.start + got.offset, got.count)
        if got.seconds:
            sizes.measured(interface, got.piece.length, got.seconds)

    with connected(c) as pipes:
        start = time.monotonic()
        exchange(pipes, c["outstanding"], resource.take, arrived)
        return {"start": start, "log": history.entries(start), **state(c, pipes)}
