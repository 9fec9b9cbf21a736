# SPDX-License-Identifier: MIT
"""A video player: fetches segments in turn, and has a buffer."""

from __future__ import annotations

import time

from .connections import Config, connection, stop_ticks, totals, trace_subflows
from .transfers import HEAD, head, receive_bytes

KNOWN = 5  # segments whose throughput tells the next one's quality
CAUTION = 0.8  # of that throughput


class Playback:
    """What a viewer sees: video in the buffer, and when it plays."""

    def __init__(self, begun: float, start: float) -> None:
        """begun: when the viewer asked. start: seconds of video in the buffer before it plays."""
        self._start, self._level, self._now, self._since = start, 0.0, begun, begun
        self.playing = False
        self.stalls: list[list[float]] = []  # when, and how long; the first is the start-up

    def level(self, now: float) -> float:
        """Seconds of video left."""
        return max(0.0, self._level - (now - self._now)) if self.playing else self._level

    def arrived(self, now: float, seconds: float, last: bool) -> None:
        """A segment is there."""
        if self.playing and now - self._now > self._level:
            self.playing, self._since, self._level = False, self._now + self._level, 0.0
        self._level, self._now = self.level(now) + seconds, now
        if not self.playing and (self._level >= self._start or last):
            self.playing = True
            self.stalls.append([self._since, now - self._since])


def quality(ladder: list[float], speeds: list[float]) -> float:
    """The best rate below what the last segments got, by their harmonic mean; at first the lowest."""
    if not speeds:
        return ladder[0]
    known = speeds[-KNOWN:]
    mean = len(known) / sum(1 / s for s in known)
    return max([rate for rate in ladder if rate <= CAUTION * mean], default=ladder[0])


def watch(c: Config) -> Config:
    """Fetch segments until `seconds` of video are there, as long as the buffer has room."""
    trace: list[object] = []
    peer = connection(c)
    start = time.monotonic()
    trace_subflows(peer, c, trace)
    playback = Playback(start, c["start"])
    segments, speeds = [], []
    count = max(1, round(c["seconds"] / c["segment"]))
    for n in range(1, count + 1):
        time.sleep(max(0.0, playback.level(time.monotonic()) + c["segment"] - c["buffer"]))
        rate, asked = quality(c["ladder"], speeds), time.monotonic()
        size = round(rate * c["segment"] / 8)
        peer.sendall(head(HEAD.size, size))
        if not receive_bytes(peer, size):
            break
        now = time.monotonic()
        speeds.append(size * 8 / (now - asked))
        playback.arrived(now, c["segment"], n == count)
        segments.append([asked - start, now - start, size, rate])
    stop_ticks()
    return {
        **{"start": start, "segments": segments, "wanted": count},
        "stalls": [[when - start, took] for when, took in playback.stalls],
        **{"trace": trace, "totals": totals(peer, c)},
    }
