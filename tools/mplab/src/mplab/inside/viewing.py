# SPDX-License-Identifier: MIT
"""A buffer of video segments, and the speed at which they come: no sockets, no clock."""

from __future__ import annotations

SHORTEST = 0.5  # seconds by which a speed is measured


class Viewing:
    """Which segment may be asked for, and when each plays. Times are since the first request.

    room: segments that are asked for or there, and do not play yet; it plays once it is full, and goes
    on after an interruption with the next segment. live: the server has two segments when the viewer
    comes, and a further one after each segment's length; one is left out when playback is behind by
    more than that.
    """

    def __init__(self, count: int, seconds: float, room: int, live: bool) -> None:
        self._count, self._seconds, self._room, self._live = count, seconds, room, live
        self._next, self._there = 0, set[int]()
        self.order: list[int] = []  # what was asked for
        self.begins: list[float] = []  # when they play
        self.skipped: list[int] = []

    def opens(self) -> float | None:
        """When the next segment may be asked for; None: nobody knows yet, or there is none."""
        freed = len(self.order) - self._room
        if self._next >= self._count or freed >= len(self.begins):
            return None
        since = self.begins[freed] if freed >= 0 else 0.0
        return max(since, (self._next - 1) * self._seconds) if self._live else since

    def lag(self, now: float) -> float:
        """Seconds by which playback is behind what it would be without interruptions."""
        if not self.begins:
            return 0.0
        played = len(self.begins) - 1
        waits = max(now - self.begins[-1] - self._seconds, 0.0) if played + 1 < len(self.order) else 0.0
        behind = self.begins[-1] - self.begins[0] - played * self._seconds + waits
        return behind - len(self.skipped) * self._seconds

    def begin(self, now: float) -> int | None:
        """The next segment, if it may be asked for."""
        opens = self.opens()
        if opens is None or opens > now:
            return None
        if self._live and self.lag(now) > self._seconds and self._next + 1 < self._count:
            self.skipped.append(self._next)
            self._next += 1
            return self.begin(now)
        self.order.append(self._next)
        self._next += 1
        return self.order[-1]

    def arrived(self, segment: int, now: float) -> None:
        self._there.add(segment)
        filled = min(self._room, self._count)
        if not self.begins and not self._there.issuperset(self.order[:filled]):
            return
        if not self.begins and len(self.order) < filled:
            return
        while len(self.begins) < len(self.order) and self.order[len(self.begins)] in self._there:
            self.begins.append(max(self.begins[-1] + self._seconds, now) if self.begins else now)

    def stalls(self) -> list[list[float]]:
        """When, and how long; the first is the start-up."""
        found = [[0.0, self.begins[0]]] if self.begins else []
        for before, after in zip(self.begins, self.begins[1:], strict=False):
            if after - before > self._seconds + 1e-6:
                found.append([before + self._seconds, after - before - self._seconds])
        return found


class Speed:
    """Bytes a second while something was asked for and not there."""

    def __init__(self) -> None:
        self.value, self._count, self._busy, self._since = 0.0, 0, 0.0, 0.0

    def asked(self, now: float, idle: bool) -> None:
        """A request; idle: there was no other."""
        if idle:
            self._since = now

    def arrived(self, now: float, count: int) -> None:
        self._count, self._busy, self._since = self._count + count, self._busy + now - self._since, now

    def settle(self) -> None:
        """A segment is whole: what counts from here on is the next one's."""
        if self._busy >= SHORTEST:
            self.value, self._count, self._busy = self._count / self._busy, 0, 0.0
