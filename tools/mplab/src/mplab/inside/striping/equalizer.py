# SPDX-License-Identifier: MIT
"""NAMA's delay equalizer: what takes a faster path waits by the difference of the delays.

The papers release a packet T_IAT + (change of the hold time) after the one before it on its path. That is
the same as what is written here, which cannot go wrong where hold times change: not before the one
in front, and not before its own hold time is over.
"""

from __future__ import annotations

from collections.abc import Sequence


class Equalizer:
    """A queue per path, first in, first out."""

    def __init__(self, paths: int) -> None:
        self.holds = [0.0] * paths
        self._last = [0.0] * paths

    def set_delays(self, delays: Sequence[float]) -> None:
        self.holds = [max(delays) - delay for delay in delays]

    def release(self, path: int, now: float) -> float:
        """When a packet may go that is there now."""
        self._last[path] = max(self._last[path], now + self.holds[path])
        return self._last[path]
