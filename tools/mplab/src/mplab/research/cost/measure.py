# SPDX-License-Identifier: MIT
"""What comparisons of CPU time share: the host's clock of a guest, rounds in turn, figures."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable, Sequence
from statistics import median
from typing import TypeVar

C, F = TypeVar("C"), TypeVar("F")


def used() -> float:
    """CPU seconds of all guests that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def in_turn(candidates: Sequence[C], once: Callable[[C], F], rounds: int, what: str) -> list[list[F]]:
    """Each one's figures, one per round: a machine whose speed drifts slows all alike."""
    figures: list[list[F]] = [[] for _ in candidates]
    for n in range(rounds):
        print(f"mplab: {what}: round {n + 1} of {rounds}", file=sys.stderr)
        for candidate, found in zip(candidates, figures, strict=True):
            found.append(once(candidate))
    return figures


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Median and range."""
    middle, low, high = (f"{v:.{digits}f}" for v in (median(values), min(values), max(values)))
    return f"{middle} [{low}..{high}]"


def ratio(values: Sequence[float], base: Sequence[float]) -> str:
    """Of the same rounds."""
    return spread([a / b for a, b in zip(values, base, strict=True)], 3)
