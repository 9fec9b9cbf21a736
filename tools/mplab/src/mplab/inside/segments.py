# SPDX-License-Identifier: MIT
"""Which bytes are asked for over which interface: no sockets, no clock.

A resource is cut into pieces, which several connections fetch with HTTP range requests (Kaspar,
Multipath Aggregation of Heterogeneous Networks, 2011, chapter 6):

    interleaved start   the first requests go to interface 1, 2, ..., n, 1, 2, ..., n, so that each has
                        `depth` of them, in the order of the bytes
    afterwards          an interface that completes a piece asks for the next one that nobody has asked for
    depth               1: a server waits for a round trip after each piece. 2: pipelining, one piece is
                        under way and one waits at the server. More: pieces may be smaller
    fixed size          each piece is equally long
    dynamic size        in proportion to what the interfaces were measured to carry; together they are
                        as long as fixed ones would be
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import NamedTuple

LEAST = 10_000  # bytes of a piece of dynamic size
KNOWN = 5  # pieces by which an interface is measured


class Piece(NamedTuple):
    """Bytes of a resource; number: of the segment they belong to."""

    number: int
    start: int
    length: int


class Sizes:
    """How many bytes an interface asks for at a time."""

    def __init__(self, interfaces: int, unit: int, dynamic: bool) -> None:
        self._unit, self._dynamic = unit, dynamic
        self._known: list[deque[tuple[int, float]]] = [deque(maxlen=KNOWN) for _ in range(interfaces)]

    def measured(self, interface: int, count: int, seconds: float) -> None:
        """A piece took so long, from when it was its turn."""
        self._known[interface].append((count, seconds))

    def speeds(self) -> list[float]:
        """Bytes a second of each; 0: not known yet."""
        sums = [(sum(count for count, _ in known), sum(s for _, s in known)) for known in self._known]
        return [count / seconds if seconds > 0 else 0.0 for count, seconds in sums]

    def of(self, interface: int) -> int:
        """The unit, until all interfaces are known."""
        speeds = self.speeds()
        if not self._dynamic or not all(speeds):
            return self._unit
        return max(LEAST, round(len(speeds) * self._unit * speeds[interface] / sum(speeds)))


class Resource:
    """A file, cut in order."""

    def __init__(self, size: int, sizes: Sizes) -> None:
        self._size, self._sizes, self._next, self._count = size, sizes, 0, 0

    def take(self, interface: int) -> Piece | None:
        """The next piece, for an interface; None: all of them are asked for."""
        length = min(self._sizes.of(interface), self._size - self._next)
        if not length:
            return None
        piece = Piece(self._count, self._next, length)
        self._next, self._count = self._next + length, self._count + 1
        return piece


def due(waiting: list[int], depth: int, take: Callable[[int], Piece | None]) -> Iterator[tuple[int, Piece]]:
    """Requests that are to be sent now, in this order. waiting: how many each interface has, kept here.

    The one with the fewest comes first: at the start that is the interleaved order.
    """
    for level in range(depth):
        for interface, count in enumerate(waiting):
            if count == level and (piece := take(interface)):
                waiting[interface] += 1
                yield interface, piece
