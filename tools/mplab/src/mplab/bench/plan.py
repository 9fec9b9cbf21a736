# SPDX-License-Identifier: MIT
"""Who runs in which scenario: the contestants, TCP alone on each path, and Linux's scheduler."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..run.baseline import in_our_place
from ..run.experiment import Conditions
from .suite import Scenario

REFERENCE = "default"  # Linux's own scheduler, which every other is compared with

Runs = tuple[Conditions, ...]  # equal but for their seeds


@dataclass(frozen=True)
class Contestant:
    """Whoever has a column of its own in the scoreboard."""

    scheduler: str
    congestion: str
    kernel: str


@dataclass(frozen=True)
class Entry:
    """A contestant in a scenario, and what it is compared with. alone: by the number of the path."""

    scenario: Scenario
    contestant: Contestant
    congestion: str
    runs: Runs
    alone: tuple[tuple[int, Runs], ...]
    reference: Runs

    @property
    def name(self) -> str:
        """Of the scenario, and of its congestion control if it has its own."""
        own = self.scenario.congestion
        return f"{self.scenario.name}, {self.congestion}" if own else self.scenario.name


def _seeds(c: Conditions, first: int, count: int) -> Runs:
    return tuple(replace(c, seed=first + n) for n in range(count))


def _entry(s: Scenario, who: Contestant, congestion: str, kernel: str, first: int, count: int) -> Entry:
    """kernel: on which the reference runs; TCP runs on the contestant's."""
    base = replace(s.base, scheduler=who.scheduler, congestion=congestion, kernel=who.kernel)
    reference = replace(base, scheduler=REFERENCE, kernel=kernel)
    single = replace(base, subflows=1)
    return Entry(
        s,
        who,
        congestion,
        _seeds(base, first, count),
        tuple((path, _seeds(in_our_place(single, path), first, count)) for path in s.alone),
        _seeds(reference, first, count),
    )


def entries(
    scenarios: Sequence[Scenario], contestants: Sequence[Contestant], first_seed: int = 0, quick: bool = False
) -> list[Entry]:
    """Scenario by scenario. quick: a seed of each, not as many as the scenario wants."""
    kernel = contestants[0].kernel
    return [
        _entry(s, who, congestion or who.congestion, kernel, first_seed, 1 if quick else s.seeds)
        for s in scenarios
        for congestion in s.congestion or (None,)
        for who in contestants
    ]


def conditions(wanted: Iterable[Entry]) -> list[Conditions]:
    """All runs that it takes, each once, the contestants' before what they are compared with."""
    found: dict[Conditions, None] = {}
    for entry in wanted:
        of_tcp = [c for _, runs in entry.alone for c in runs]
        found |= dict.fromkeys((*entry.runs, *entry.reference, *of_tcp))
    return list(found)
