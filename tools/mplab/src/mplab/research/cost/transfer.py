# SPDX-License-Identifier: MIT
"""What a transfer costs in CPU time, by kernel, scheduler or congestion control.

The guest's process time for the same transfer in virtual time, all that is compared in turn on the
same CPU, so that a machine whose speed drifts slows each. Boot and topology are measured with an
empty transfer and taken off.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from rich.markup import escape
from rich.table import Table

from ...lab import paths
from ...lab.guest import Guests
from ...lab.topology import CLIENT
from ...run.experiment import TCP, Conditions, measure
from ...traffic import Bulk
from .measure import in_turn, ratio, spread, used

RATE, SCHEDULERS_RATE = 200e6, 400e6  # of each path, bit/s; decisions cost more the faster they must be made
DECISIONS = tuple(f"Sched{what}" for what in ("Pick", "Ahead", "Again", "Copy", "Retrans"))
EMPTY = 0.5  # seconds of a transfer that costs next to nothing


@dataclass(frozen=True)
class Candidate:
    """What is compared with another."""

    name: str
    guests: Guests
    scheduler: str = "default"
    congestion: str = "cubic"
    rate: float = RATE  # of all paths together, divided by two
    paths: int = 2


@dataclass(frozen=True)
class Mode:
    """What is compared on two kernels."""

    name: str
    scheduler: str
    paths: int = 2


MODES = (
    Mode("plain TCP", TCP),
    *(Mode(f"MPTCP, subflows: {n}", "default", n) for n in (1, 2, 4, 8)),
)


@dataclass(frozen=True)
class Spent:
    """CPU seconds, gigabytes, and decisions of the sender's scheduler."""

    cpu: float
    gigabytes: float
    decisions: int

    def per_gigabyte(self, base: Spent) -> Cost:
        """What came on top of an empty transfer."""
        more = self.gigabytes - base.gigabytes
        decisions = (self.decisions - base.decisions) / more / 1e3
        return Cost((self.cpu - base.cpu) / more, decisions)


@dataclass(frozen=True)
class Cost:
    """CPU seconds per gigabyte, decisions per megabyte."""

    cpu: float
    decisions: float = 0.0


def _run(candidate: Candidate, seconds: float) -> Spent:
    """One transfer."""

    before = used()
    path = paths.Path(2 * candidate.rate / candidate.paths, 0.010, 0.020)
    wanted = Conditions(
        (path,) * candidate.paths, candidate.scheduler, candidate.congestion, Bulk(seconds, 0)
    )
    result = measure(candidate.guests, wanted, cpu=0)
    counters = result.counters.get(CLIENT, {})
    decisions = sum(counters.get(name, 0) for name in DECISIONS)
    return Spent(used() - before, result.goodput * seconds / 8e9, decisions)


def _cost(candidate: Candidate, seconds: float) -> Cost:
    base = _run(candidate, EMPTY)
    return _run(candidate, seconds).per_gigabyte(base)


def _cpu(costs: Sequence[Cost]) -> list[float]:
    return [cost.cpu for cost in costs]


def _table(seconds: float, rounds: int, rate: float, columns: Sequence[str]) -> Table:
    network = f"{seconds:g} s over 2 x {rate / 1e6:g} Mbit/s"
    what = f"CPU time, {network}, {rounds} rounds in turn: median [min..max]"
    view = Table(title=escape(what), title_justify="left")
    for i, name in enumerate(columns):
        view.add_column(name, justify="right" if i else "left")
    return view


def compare(kernels: tuple[Path, Path], seconds: float, rounds: int, rate: float = RATE) -> Table:
    """CPU time per gigabyte on both kernels, and the ratio first to second."""
    names = [f"{os.path.relpath(k)} s/GB" for k in kernels]
    view = _table(seconds, rounds, rate, ("transfer", *names, "ratio"))
    with Guests(kernels[0]) as one, Guests(kernels[1]) as other:
        for mode in MODES:
            both = [
                Candidate(mode.name, guests, mode.scheduler, rate=rate, paths=mode.paths)
                for guests in (one, other)
            ]
            costs = in_turn(both, partial(_cost, seconds=seconds), rounds, mode.name)
            view.add_row(mode.name, *(spread(_cpu(one)) for one in costs), ratio(*map(_cpu, costs)))
    return view


def _on_one(candidates: Sequence[Candidate], what: str, seconds: float, rounds: int) -> Table:
    """CPU time per gigabyte of each candidate, the ratio to the first one's, and decisions."""
    first, names = candidates[0], [candidate.name for candidate in candidates]
    columns = (f"MPTCP, {what}", "s/GB", f"of {first.name}", "decisions per MB")
    view = _table(seconds, rounds, first.rate, columns)
    costs = in_turn(candidates, partial(_cost, seconds=seconds), rounds, ", ".join(names))
    for name, cost in zip(names, costs, strict=True):
        decisions = f"{median(c.decisions for c in cost):.1f}"
        view.add_row(name, spread(_cpu(cost)), ratio(_cpu(cost), _cpu(costs[0])), decisions)
    return view


def compare_controls(
    guests: Guests, names: Sequence[str], seconds: float, rounds: int, rate: float = RATE
) -> Table:
    candidates = [Candidate(name, guests, congestion=name, rate=rate) for name in names]
    return _on_one(candidates, "congestion control", seconds, rounds)


def compare_schedulers(
    guests: Guests, names: Sequence[str], seconds: float, rounds: int, rate: float = SCHEDULERS_RATE
) -> Table:
    candidates = [Candidate(name, guests, scheduler=name, rate=rate) for name in names]
    return _on_one(candidates, "scheduler", seconds, rounds)
