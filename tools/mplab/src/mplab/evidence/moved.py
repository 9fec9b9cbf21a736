# SPDX-License-Identifier: MIT
"""Which numbers moved since they were measured last: a worst case that is worse shows nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

from .plan import Measured

PART = 0.05  # of the greater one: less is chance
SMALL = 0.1  # what is nearer to 0 than that counts as that
MOST = 8  # so many are named, those that moved most


def _far(then: float | str | None, now: float | str) -> float:
    """By what part of the greater one? Of what is no number, or new: 0."""
    if isinstance(then, str | None) or isinstance(now, str):
        return 0
    return abs(now - then) / max(abs(then), abs(now), SMALL)


def _all(then: Measured, now: Measured) -> Iterator[tuple[float, str]]:
    for subject, figures in now.values.items():
        before = then.values.get(subject, {})
        for figure, value in figures.items():
            had = before.get(figure)
            yield _far(had, value), f"{subject} {figure}: {had} -> {value}"


def moved(then: Measured, now: Measured) -> list[str]:
    """A line each, the one that moved most first; at the end how many are left out."""
    found = sorted((one for one in _all(then, now) if one[0] > PART), key=lambda one: -one[0])
    lines = [line for _, line in found[:MOST]]
    return lines + ([f"and {len(found) - MOST} more"] if len(found) > MOST else [])
