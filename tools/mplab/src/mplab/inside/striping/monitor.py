# SPDX-License-Identifier: MIT
"""NAMA's path monitor: delays and rates of each path, each the mean of its last ten measurements."""

from __future__ import annotations

from collections import deque
from statistics import fmean

KEPT = 10


class Monitor:
    """Half of a probe's round trip is the delay; the rate is what the client gets."""

    def __init__(self, paths: int) -> None:
        self._trips: list[deque[float]] = [deque(maxlen=KEPT) for _ in range(paths)]
        self._rates: list[deque[float]] = [deque(maxlen=KEPT) for _ in range(paths)]

    def trip(self, path: int, seconds: float) -> None:
        self._trips[path].append(seconds)

    def rate(self, path: int, rate: float) -> None:
        self._rates[path].append(rate)

    @property
    def delays(self) -> list[float] | None:
        """None until each path has one."""
        return [fmean(each) / 2 for each in self._trips] if all(self._trips) else None

    @property
    def rates(self) -> list[float] | None:
        found = [fmean(each) for each in self._rates] if all(self._rates) else []
        return found if sum(found) > 0 else None
