# SPDX-License-Identifier: MIT
"""A video in several qualities: how long its segments are, and which one to ask for."""

from __future__ import annotations

import random
from collections.abc import Sequence

# kbit/s of the qualities, least, mean and most (Kaspar 2011, table 6.1)
LADDER = ((524, 746, 1057), (866, 1300, 1923), (1491, 2142, 3293), (2212, 3010, 4884))
SHAPE = 2.0  # of the beta distribution between least and most
SLOT = 1 << 21  # bytes of the server's file for each segment in each quality: more than the longest has


def lengths(count: int, seconds: float, ladder: Sequence[Sequence[float]] = LADDER) -> list[list[int]]:
    """Bytes of each segment in each quality. What is long in one is long in all; the mean is exact."""
    drawn, found = random.Random(count), [[0] * len(ladder) for _ in range(count)]
    scenes = [drawn.random() for _ in range(count)]
    order = sorted(range(count), key=scenes.__getitem__)
    for quality, (least, mean, most) in enumerate(ladder):
        middle = (mean - least) / (most - least)
        shape = random.Random(quality)
        rates = sorted(
            least + (most - least) * shape.betavariate(SHAPE, SHAPE * (1 - middle) / middle)
            for _ in range(count)
        )
        scale = mean * count / sum(rates)
        for place, segment in enumerate(order):
            found[segment][quality] = round(rates[place] * scale * 1e3 * seconds / 8)
    return found


def best(lengths_: Sequence[int], speed: float, seconds: float) -> int:
    """The best quality that arrives within its length at so many bytes a second; else the lowest."""
    return max((q for q, length in enumerate(lengths_) if length <= speed * seconds), default=0)
