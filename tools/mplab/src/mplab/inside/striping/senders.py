# SPDX-License-Identifier: MIT
"""Which path each packet takes: what a proxy knows, packet by packet. Times in s, sizes in bytes,
rates in bytes per second.

    Turns   a send vector: round robin, weighted round robin, NAMA's
    Edpf    Earliest Delivery Path First (Chebrolu et al.), of who knows rates and delays
    Pet     the same of who measures the rates with pairs of packets
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

HISTORY = 1000  # packets that a report may be late


class Sender(Protocol):
    """choose() is asked once for each packet, in order; report() tells when one arrived.

    fresh: the packet can be part of a pair.
    """

    def choose(self, number: int, now: float, size: int, fresh: bool) -> int: ...

    def report(self, number: int, path: int, arrived: float) -> None: ...


class Turns:
    """A send vector, from its beginning whenever it changes."""

    def __init__(self, vector: Sequence[int]) -> None:
        self.vector, self._next = list(vector), 0

    def set(self, vector: Sequence[int]) -> None:
        if list(vector) != self.vector:
            self.vector, self._next = list(vector), 0

    def choose(self, number: int, now: float, size: int, fresh: bool) -> int:
        path = self.vector[self._next]
        self._next = (self._next + 1) % len(self.vector)
        return path

    def report(self, number: int, path: int, arrived: float) -> None:
        pass


class Edpf:
    """d = max(now + delay, free) + size / rate: when the packet would be there; the least wins, and
    its path is free from then on. Packets of one size never overtake each other."""

    def __init__(self, delays: Sequence[float], rates: Sequence[float | None]) -> None:
        self.delays, self.rates = list(delays), list(rates)
        self.free = [0.0] * len(self.delays)

    def delivery(self, path: int, now: float, size: int) -> float:
        rate = self.rates[path]
        return max(now + self.delays[path], self.free[path]) + (size / rate if rate else 0.0)

    def earliest(self, now: float, size: int, paths: Sequence[int]) -> int:
        return min(paths, key=lambda path: self.delivery(path, now, size))

    def take(self, path: int, now: float, size: int) -> int:
        self.free[path] = self.delivery(path, now, size)
        return path

    def choose(self, number: int, now: float, size: int, fresh: bool) -> int:
        return self.take(self.earliest(now, size, range(len(self.delays))), now, size)

    def report(self, number: int, path: int, arrived: float) -> None:
        pass


class Pet(Edpf):
    """Packet-Pair based Earliest-Delivery-Path-First.

    Each fresh packet opens a pair or closes one, on the path of its first; what is sent again is no part of
    a pair. The receiver reports each packet: the time between the two of a pair gives the rate, of which
    the newest sample counts 0.8. Until all paths have one they take pairs in turn. A path without a pair for
    `probe` seconds gets one all the same, and one with packets due that reported nothing for `blackout`
    seconds gets nothing else.
    """

    def __init__(self, delays: Sequence[float], probe: float = 2.0, blackout: float = 3.0) -> None:
        super().__init__(delays, [None] * len(delays))
        self._probe, self._blackout = probe, blackout
        self._open: tuple[int, int] | None = None  # number and path of a pair's first packet
        self._turn = -1
        self._paired = [0.0] * len(delays)  # when the last pair was begun
        self._waiting: list[float | None] = [None] * len(delays)  # since when nothing was reported
        self._pairs: dict[int, tuple[int, int]] = {}  # second packet: the first one's number, its own size
        self._arrived: dict[int, float] = {}  # of first packets

    def choose(self, number: int, now: float, size: int, fresh: bool) -> int:
        if not fresh:
            path = self.earliest(now, size, self._alive(now))
        elif self._open:
            first, path = self._open
            self._open, self._pairs[number] = None, (first, size)
        else:
            path = self._first(now, size)
            self._open, self._paired[path] = (number, path), now
        if self._waiting[path] is None:
            self._waiting[path] = now
        return self.take(path, now, size)

    def _first(self, now: float, size: int) -> int:
        """Of a pair."""
        paths = range(len(self.delays))
        if any(self.rates[path] is None for path in paths):
            self._turn = (self._turn + 1) % len(paths)
            return self._turn
        due = [path for path in paths if now - self._paired[path] > self._probe]
        return due[0] if due else self.earliest(now, size, self._alive(now))

    def _alive(self, now: float) -> Sequence[int]:
        """Without those in a blackout, unless all are: packets are due when they have left their queues."""

        def silent(path: int) -> bool:
            since = self._waiting[path]
            due = max(self.free[path], now) - now
            return since is not None and now - since > self._blackout + due

        paths = range(len(self.delays))
        return [path for path in paths if not silent(path)] or paths

    def report(self, number: int, path: int, arrived: float) -> None:
        self._waiting[path] = arrived if self.free[path] > arrived else None
        if number not in self._pairs:
            self._arrived[number] = arrived
            self._forget(number)
            return
        first, size = self._pairs.pop(number)
        since = self._arrived.pop(first, None)
        if since is not None and arrived > since:
            self._sample(path, size / (arrived - since))

    def _sample(self, path: int, rate: float) -> None:
        before = self.rates[path]
        self.rates[path] = rate if before is None else 0.8 * rate + 0.2 * before

    def _forget(self, number: int) -> None:
        """What a lost packet left."""
        if number % HISTORY == 0:
            self._arrived = {n: at for n, at in self._arrived.items() if n > number - HISTORY}
            self._pairs = {n: pair for n, pair in self._pairs.items() if n > number - HISTORY}
