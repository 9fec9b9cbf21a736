# SPDX-License-Identifier: MIT
"""A video player with a buffer."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from ..lab.guest import GuestError
from ..lab.network import DOWN
from ..words.settings import several_speeds, span
from . import metrics
from .base import Ends, Json, Workload, sent_bytes


@dataclass(frozen=True)
class Video(Workload):
    """A player asks for one segment of so many seconds after the other, as long as its buffer has
    room, and plays them.

    ladder: the qualities there are, in bit/s; each segment has the best one below 0.8 of the
    throughput (harmonic mean) of the last five, the first the lowest. It begins to play, and goes on
    after the buffer was empty, with `start` seconds of video in the buffer.
    """

    name: ClassVar[str] = "video"
    direction: ClassVar[str] = DOWN
    judged: ClassVar[tuple[str, bool]] = ("rebuffering_s", True)
    duration: float = span(60.0, least=1.0)
    segment: float = span(2.0, least=0.1)
    ladder: tuple[float, ...] = several_speeds(4e6)
    start: float = span(4.0, least=0.1)
    buffer: float = span(20.0, least=0.2)

    @property
    def paced(self) -> bool:
        return True

    def wrong(self) -> str:
        if self.buffer < self.start + self.segment:
            return "the buffer must hold what it starts with and a segment more"
        return ""

    def listening(self, ends: Ends) -> str:
        return ends.command("transfers.serve", True, label="serve", connections=1)

    def connecting(self, ends: Ends) -> str:
        times = {"seconds": self.duration, "segment": self.segment}
        player = {"ladder": self.ladder, "start": self.start, "buffer": self.buffer}
        return ends.command("video.watch", False, label="watch", **times, **player)

    def evaluate(self, ends: Ends) -> Json:
        found = ends.result("watch")
        ends.check_subflows(found["trace"])
        segments = found["segments"]
        if len(segments) < found["wanted"]:
            raise GuestError(f"{len(segments)} of {found['wanted']} segments arrived")
        (_, start), *stalls = found["stalls"]
        sizes = [size for *_, size, _ in segments]
        qualities = [rate for *_, rate in segments]
        log = [(ended, sum(sizes[: n + 1])) for n, (_, ended, *_) in enumerate(segments)]
        busy = sum(ended - asked for asked, ended, *_ in segments)
        return {
            "goodput_bps": sum(sizes) * 8 / busy,
            "startup_delay_s": start,
            "rebuffering_count": len(stalls),
            "rebuffering_s": sum(took for _, took in stalls),
            "rebufferings_s": stalls,
            "uninterrupted": int(not stalls),
            "quality_mean_bps": sum(qualities) / len(qualities),
            "quality_changes": sum(a != b for a, b in pairwise(qualities)),
            "quality_shares": {f"{q:g}": n / len(qualities) for q, n in sorted(Counter(qualities).items())},
            "least_startup_s": metrics.startup_latency(log),
            "least_buffer_bytes": metrics.buffer_requirement(log),
            "segments": segments,
            **sent_bytes(found),
        }
