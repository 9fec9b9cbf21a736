# SPDX-License-Identifier: MIT
"""What a transfer costs in CPU time on one kernel, or with one congestion control, relative to another.

The guest's process time for the same transfer in virtual time, all that is compared in turn on the
same CPU, so that a machine whose speed drifts slows each. Boot and topology are measured with an
empty transfer and taken off.
"""

from __future__ import annotations

import os
import resource
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.markup import escape
from rich.table import Table

from . import paths
from .experiment import TCP, Conditions, measure
from .guest import Guests
from .report import console
from .workloads import Bulk

NETWORK = (paths.parse("200mbit,10ms,20ms"), paths.parse("200mbit,10ms,20ms"))
MODES = {"plain TCP": TCP, "MPTCP, default scheduler": "default"}
EMPTY = 0.5  # seconds of a transfer that costs next to nothing


@dataclass(frozen=True)
class Candidate:
    """What is compared with another."""

    name: str
    guests: Guests
    scheduler: str = "default"
    congestion: str = "cubic"


def _run(candidate: Candidate, seconds: float) -> tuple[float, float]:
    """CPU seconds and gigabytes."""

    def used() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    before = used()
    wanted = Conditions(NETWORK, candidate.scheduler, candidate.congestion, Bulk(seconds, 0))
    result = measure(candidate.guests, wanted, cpu=0)
    return used() - before, result.goodput * seconds / 8e9


def _cost(candidate: Candidate, seconds: float) -> float:
    """CPU seconds per gigabyte."""
    base, none = _run(candidate, EMPTY)
    cpu, gigabytes = _run(candidate, seconds)
    return (cpu - base) / (gigabytes - none)


def _in_turn(candidates: Sequence[Candidate], seconds: float, rounds: int, what: str) -> list[list[float]]:
    """Each one's costs, one per round."""
    costs: list[list[float]] = [[] for _ in candidates]
    for n in range(rounds):
        print(f"mplab: {what}: round {n + 1} of {rounds}", file=sys.stderr)
        for candidate, cost in zip(candidates, costs, strict=True):
            cost.append(_cost(candidate, seconds))
    return costs


def _spread(values: Sequence[float], digits: int = 2) -> str:
    """Median and range."""
    middle, low, high = (f"{v:.{digits}f}" for v in (median(values), min(values), max(values)))
    return f"{middle} [{low}..{high}]"


def _ratio(costs: Sequence[float], base: Sequence[float]) -> str:
    """Of the same rounds."""
    return _spread([a / b for a, b in zip(costs, base, strict=True)], 3)


def _table(seconds: float, rounds: int, columns: Sequence[str]) -> Table:
    what = f"CPU time, {seconds:g} s over 2 x 200 Mbit/s, {rounds} rounds in turn: median [min..max]"
    view = Table(title=escape(what), title_justify="left")
    for i, name in enumerate(columns):
        view.add_column(name, justify="right" if i else "left")
    return view


def compare(kernels: tuple[Path, Path], seconds: float, rounds: int) -> Table:
    """CPU time per gigabyte on both kernels, and the ratio first to second."""
    names = [f"{os.path.relpath(k)} s/GB" for k in kernels]
    view = _table(seconds, rounds, ("transfer", *names, "ratio"))
    with Guests(kernels[0]) as one, Guests(kernels[1]) as other:
        for mode, scheduler in MODES.items():
            both = [Candidate(mode, guests, scheduler) for guests in (one, other)]
            costs = _in_turn(both, seconds, rounds, mode)
            view.add_row(mode, *map(_spread, costs), _ratio(*costs))
    return view


def compare_controls(guests: Guests, names: Sequence[str], seconds: float, rounds: int) -> Table:
    """CPU time per gigabyte of each congestion control, and the ratio to the first one's."""
    view = _table(seconds, rounds, ("MPTCP, congestion control", "s/GB", f"of {names[0]}"))
    candidates = [Candidate(name, guests, congestion=name) for name in names]
    costs = _in_turn(candidates, seconds, rounds, ", ".join(names))
    for name, cost in zip(names, costs, strict=True):
        view.add_row(name, _spread(cost), _ratio(cost, costs[0]))
    return view


def show(view: Table) -> None:
    console().print(view)
