# SPDX-License-Identifier: MIT
"""Which numbers moved since they were measured last: a worst case that is worse shows nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

from .plan import Measured

PART = 0.05  # of the greater one: less is chance
SMALL = 0.1  # what is nearer to 0 than that counts as that
GONE, WORDS = 1.0, 0.06  # a number that is there no more; a text that is another one, such as a range
MOST = 8  # so many are named, those that moved most


def _number(value: float | str) -> float | None:
    """Figures and tables have theirs as they are printed."""
    try:
        return float(value)
    except ValueError:
        return None


def _far(then: float | str | None, now: float | str | None) -> float:
    """By what part of the greater one? Of what is new: 0."""
    if then is None or now is None:
        return 0 if then is None else GONE
    a, b = _number(then), _number(now)
    if a is None or b is None:
        return WORDS if then != now else 0
    return abs(b - a) / max(abs(a), abs(b), SMALL)


def _all(then: Measured, now: Measured) -> Iterator[tuple[float, str]]:
    for subject in then.values | now.values:
        before, after = then.values.get(subject, {}), now.values.get(subject, {})
        for figure in before | after:
            had, has = before.get(figure), after.get(figure)
            yield _far(had, has), f"{subject} {figure}: {had} -> {'gone' if has is None else has}"


def moved(then: Measured, now: Measured) -> list[str]:
    """A line each, the one that moved most first; at the end how many are left out."""
    found = sorted((one for one in _all(then, now) if one[0] > PART), key=lambda one: -one[0])
    lines = [line for _, line in found[:MOST]]
    return lines + ([f"and {len(found) - MOST} more"] if len(found) > MOST else [])
