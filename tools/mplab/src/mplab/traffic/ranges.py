# SPDX-License-Identifier: MIT
"""A file from nginx by range requests; of plain TCP with a connection for each path, if the topology
has that (interfaces)."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, ClassVar

from ..lab.guest import GuestError
from ..lab.network import DOWN, TCP
from ..lab.topology import CLIENT, SERVER
from ..words.settings import number, octets, span, yes_no
from . import playback
from .base import Ends, Json, Workload
from .nginx import nginx

HTTP = 80
Interface = tuple[str | None, str]  # our address (None: any) and the server's


def interfaces(ends: Ends) -> list[Interface]:
    """For each connection."""
    if ends.protocol != TCP:
        return [(None, ends.address(SERVER))]
    routes = range(len(ends.network.flows[ends.flow].routes))
    return [(ends.address(CLIENT, n), ends.address(SERVER, n)) for n in routes]


@dataclass(frozen=True)
class Ranges(Workload):
    """`size` bytes in pieces of `segment`, `outstanding` of them asked for at a time on each connection.

    dynamic: pieces in proportion to what each connection was measured to carry. start: seconds after
    which it is played, for the rate that this sustains. peers: connections, if not one for each path:
    each is on a path of its own drawing (draw), as routes of equal cost spread flows by a hash.
    """

    name: ClassVar[str] = "ranges"
    direction: ClassVar[str] = DOWN
    needs: ClassVar[tuple[str, ...]] = ("nginx",)
    size: int = octets(10_000_000)
    segment: int = octets(100_000)
    outstanding: int = number(2)
    dynamic: bool = yes_no(False)
    start: float = span(3.0)
    peers: int = number(0, least=0)
    draw: int = number(0, least=0)

    @property
    def fills(self) -> bool:
        return True

    def listening(self, ends: Ends) -> str:
        return nginx(ends, self.size)

    def connecting(self, ends: Ends) -> str:
        how = {"segment": self.segment, "outstanding": self.outstanding, "dynamic": self.dynamic}
        where = {"interfaces": self._spread(interfaces(ends)), "port": HTTP}
        return ends.command("ranges.download", False, label="download", size=self.size, **how, **where)

    def _spread(self, found: list[Interface]) -> list[Interface]:
        drawn = random.Random(self.draw)
        return [drawn.choice(found) for _ in range(self.peers)] or found

    def evaluate(self, ends: Ends) -> Json:
        got = ends.result("download")
        ends.check_subflows(got["trace"])
        found = playback.states(got["log"])
        if not found or found[-1][1:] != (self.size, 0):
            raise GuestError(f"{found[-1].ready if found else 0} of {self.size} bytes arrived")
        sustained = playback.sustained(found, self.start)
        whole: dict[str, Any] = {
            "goodput_bps": playback.rate(found) * 8,
            "completion_s": found[-1].time,
            "least_startup_s": playback.startup_latency(found),
            "least_buffer_bytes": playback.buffer_requirement(found),
            "sustained_bps": None if sustained is None else sustained * 8,
            "most_blocked_bytes": max(state.blocked for state in found),
        }
        return whole
