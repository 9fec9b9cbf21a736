# SPDX-License-Identifier: MIT
"""A video player after DAVVI, from nginx; of plain TCP with a connection for each path, if the topology
has that (interfaces)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from ..inside import ladder
from ..lab.guest import GuestError
from ..lab.network import DOWN
from ..words.settings import number, octets, span, yes_no
from .base import Ends, Json, Workload
from .nginx import nginx
from .ranges import HTTP, interfaces


@dataclass(frozen=True)
class Davvi(Workload):
    """`count` segments of so many seconds, each fetched in pieces of `subsegment` bytes over all
    connections, in one of four qualities.

    whole: segments are not cut, as one connection needs none of that. dynamic: pieces in proportion to
    what each connection was measured to carry. room: segments in the buffer, with which it starts.
    live: segments appear one after the other; one is left out when playback lags by more than one.
    """

    name: ClassVar[str] = "davvi"
    direction: ClassVar[str] = DOWN
    judged: ClassVar[tuple[str, bool]] = ("quality_mean_bps", False)
    needs: ClassVar[tuple[str, ...]] = ("nginx",)
    count: int = number(60)
    segment: float = span(2.0, least=0.1)
    subsegment: int = octets(100_000)
    whole: bool = yes_no(False)
    dynamic: bool = yes_no(False)
    outstanding: int = number(2)
    room: int = number(2)
    live: bool = yes_no(False)

    @property
    def paced(self) -> bool:
        return True

    def wrong(self) -> str:
        if self.segment > 2:
            return "the server has room for segments of 2 seconds"
        return "segments are whole or dynamic, not both" if self.whole and self.dynamic else ""

    def listening(self, ends: Ends) -> str:
        return nginx(ends, self.count * len(ladder.LADDER) * ladder.SLOT)

    def connecting(self, ends: Ends) -> str:
        video = {"count": self.count, "segment": self.segment, "room": self.room, "live": self.live}
        how = {"subsegment": self.subsegment, "dynamic": self.dynamic, "whole": self.whole}
        where = {"interfaces": interfaces(ends), "port": HTTP, "outstanding": self.outstanding}
        return ends.command("davvi.watch", False, label="watch", **video, **how, **where)

    def evaluate(self, ends: Ends) -> Json:
        found = ends.result("watch")
        ends.check_subflows(found["trace"])
        segments, skipped = found["segments"], len(found["skipped"])
        if len(segments) + skipped < self.count or len(found["begins"]) < len(segments):
            raise GuestError(f"{len(found['begins'])} of {self.count} segments were played")
        (_, start), *stalls = found["stalls"]
        sizes = ladder.lengths(self.count, self.segment)
        qualities = [quality for _, quality, _ in segments]
        counts = Counter(qualities)
        last = max(ended for *_, ended in segments)
        return {
            "goodput_bps": sum(sizes[n][q] for n, q, _ in segments) * 8 / last,
            "startup_delay_s": start,
            "rebuffering_count": len(stalls),
            "rebuffering_s": sum(took for _, took in stalls),
            "rebufferings_s": stalls,
            "uninterrupted": int(not stalls),
            "skipped_segments": skipped,
            "quality_mean_bps": sum(ladder.LADDER[q][1] * 1e3 for q in qualities) / len(qualities),
            "quality_changes": sum(a != b for a, b in pairwise(qualities)),
            **{
                f"quality_{q}_share": counts[q - 1] / len(qualities) for q in range(1, len(ladder.LADDER) + 1)
            },
            "segments": segments,
        }
