# SPDX-License-Identifier: MIT
"""Send vectors: which path each packet takes in turn, so that shares are exact and bursts short.

Algorithm 1 of Evensen et al. 2009 (and Kaspar 2011, 3.5): of n positions round(n w1 / (w0 + w1)) are
path 1's, at the multiples of their distance. The share is off by 1/2n at most. The text rounds positions up;
the examples of the first paper need the nearest ones, that of the thesis the text's. Both are here.
"""

from __future__ import annotations

from collections.abc import Sequence


def of_two(n: int, w0: float, w1: float, nearest: bool = False) -> list[int]:
    """n positions of 0 and 1, spread evenly."""
    ones = int(n * w1 / (w0 + w1) + 0.5) if w0 + w1 > 0 else n // 2
    found = [0] * n
    for i in range(1, ones + 1):
        place = (2 * i * n + ones) // (2 * ones) if nearest else -(-i * n // ones)
        found[place - 1] = 1
    return found


def of(n: int, weights: Sequence[float], nearest: bool = False) -> list[int]:
    """n positions of any number of paths: the last against all before, whose own vector takes the zeros."""
    if len(weights) == 1:
        return [0] * n
    last = len(weights) - 1
    marks = of_two(n, sum(weights[:last]), weights[last], nearest)
    others = iter(of(marks.count(0), weights[:last], nearest))
    return [last if mark else next(others) for mark in marks]
