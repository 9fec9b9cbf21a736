# SPDX-License-Identifier: MIT
"""A player of video in segments of two seconds, after DAVVI's multipath scheduler (Kaspar 2011, algorithm 5).

Each segment is fetched in pieces, over all interfaces at once. Its quality is settled when the first of them
is asked for: at first the lowest, then the best one whose segment would have arrived within its own length
at the speed at which the last segments did. A player knows the segments' lengths; the thesis leaves the rule
open.
"""

from __future__ import annotations

import time

from .connections import Config
from .ladder import LADDER, SLOT, best, lengths
from .pipelined import Got, exchange
from .ranges import connected, state
from .segments import Piece, Sizes
from .viewing import Speed, Viewing


class Video:
    """The segments as pieces for the interfaces."""

    def __init__(self, viewing: Viewing, lengths_: list[list[int]], sizes: Sizes, c: Config) -> None:
        self._viewing, self._lengths, self._sizes = viewing, lengths_, sizes
        self._seconds, self._whole = c["segment"], c["whole"]
        self._left: dict[int, int] = {}  # bytes of each segment that are not there
        self._segment, self._at, self._end = -1, 0, 0
        self.qualities: dict[int, int] = {}
        self.ended: dict[int, float] = {}
        self.speed, self._open = Speed(), 0

    def take(self, interface: int, now: float) -> Piece | None:
        if self._at == self._end and not self._begin(now):
            return None
        length = self._end - self._at
        if not self._whole:
            length = min(length, self._sizes.of(interface))
        piece = Piece(self._segment, self._at, length)
        self._at += length
        self.speed.asked(now, self._open == 0)
        self._open += 1
        return piece

    def _begin(self, now: float) -> bool:
        segment = self._viewing.begin(now)
        if segment is None:
            return False
        quality = best(self._lengths[segment], self.speed.value, self._seconds)
        length = self._lengths[segment][quality]
        self.qualities[segment], self._left[segment] = quality, length
        self._segment, self._at = segment, (segment * len(LADDER) + quality) * SLOT
        self._end = self._at + length
        return True

    def arrived(self, interface: int, got: Got, now: float) -> None:
        number = got.piece.number
        self.speed.arrived(now, got.count)
        self._left[number] -= got.count
        if got.seconds:
            self._open -= 1
            self._sizes.measured(interface, got.piece.length, got.seconds)
            if not self._left[number]:
                self.speed.settle()
                self.ended[number] = now
                self._viewing.arrived(number, now)


def watch(c: Config) -> Config:
    """All of a video: quality of each segment, when it was there, when it played."""
    viewing = Viewing(c["count"], c["segment"], c["room"], c["live"])
    sizes = Sizes(len(c["interfaces"]), c["subsegment"], c["dynamic"])
    video = Video(viewing, lengths(c["count"], c["segment"]), sizes, c)
    start = 0.0

    def take(interface: int) -> Piece | None:
        return video.take(interface, time.monotonic() - start)

    def arrived(interface: int, got: Got, now: float) -> None:
        video.arrived(interface, got, now - start)

    def opens() -> float | None:
        then = viewing.opens()
        return None if then is None else start + then

    with connected(c) as pipes:
        start = time.monotonic()
        exchange(pipes, c["outstanding"], take, arrived, opens)
        last = state(c, pipes)
    segments = [[n, video.qualities[n], video.ended.get(n)] for n in viewing.order]
    return {
        **{"start": start, "segments": segments, "skipped": viewing.skipped},
        **{"begins": viewing.begins, "stalls": viewing.stalls(), **last},
    }
