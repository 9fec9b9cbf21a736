# SPDX-License-Identifier: MIT
"""What a download was worth to somebody who plays it meanwhile (Kaspar, Multipath Aggregation of
Heterogeneous Networks, 2011, section 6.2), from the history of when which bytes arrived.

Pure functions. Times are in s since the first request, sizes in bytes, rates in bytes/s.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

Arrived = tuple[float, int, int]  # when, first byte, behind the last


class State(NamedTuple):
    """From a time on: bytes there without a gap, and bytes that wait for others."""

    time: float
    ready: int
    blocked: int


def states(history: Iterable[Arrived]) -> list[State]:
    """After each arrival, in order of time. No byte comes twice."""
    found, waiting, ready, blocked = [], list[tuple[int, int]](), 0, 0
    for time, first, end in history:
        heapq.heappush(waiting, (first, end))
        blocked += end - first
        while waiting and waiting[0][0] == ready:
            first, ready = heapq.heappop(waiting)
            blocked -= ready - first
        found.append(State(time, ready, blocked))
    return found


def rate(found: Sequence[State]) -> float:
    """Of playback that lasts as long as the download (6.1): all bytes over the whole time."""
    return found[-1].ready / found[-1].time


def startup_latency(found: Sequence[State]) -> float:
    """Seconds of waiting after which playback at that rate never stops (6.2, 6.3)."""
    return max(needed for needed, _ in _around(found)) / rate(found)


def buffer_requirement(found: Sequence[State]) -> float:
    """Bytes of buffer that this takes (6.4): those needed and those that wait for others."""
    return max(needed + blocked for needed, blocked in _around(found))


def _around(found: Sequence[State]) -> Iterable[tuple[float, int]]:
    """bytes_needed and bytes_blocked just before each arrival, when the most are missing, and after it."""
    speed, before = rate(found), State(0.0, 0, 0)
    for state in found:
        yield speed * state.time - before.ready, before.blocked
        yield speed * state.time - state.ready, state.blocked
        before = state


def sustained(found: Sequence[State], start: float) -> float | None:
    """The highest constant rate at which playback that begins after `start` seconds never stops; None: any,
    as all is there by then."""
    best, before = math.inf, 0
    for time, ready, _ in found:
        if time > start:
            best = min(best, before / (time - start))
        before = ready
    return None if math.isinf(best) else best


def minimum_segment(delay: float, speed: float) -> float:
    """Bytes of a segment, so that one is still being sent when the request after it comes (6.6).

    The thesis takes the delay one way. The last byte of a segment has one way, and the request that
    follows it the other: it takes the RTT.
    """
    return delay * speed


def minimum_for_overhead(request: int, share: float) -> float:
    """Bytes of a segment (6.4) of which a request takes that share at most."""
    return request / share
