# SPDX-License-Identifier: MIT
"""What a contestant got in a scenario, relative to one TCP connection and to Linux's scheduler.

A ratio above 1 is always the better side: of times and amounts it is the inverse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from ..run.experiment import Conditions, Result
from ..traffic import metrics
from ..words.units import UsageError
from .plan import Contestant, Entry, Runs
from .suite import OTHERS, Scenario

Outcome = Mapping[Conditions, Result]
SHORTEST = 0.01  # seconds; no time counts as less: the guest's jiffy, and nothing divides by 0
BEHIND = 0.97  # of a ratio: what is below counts as a loss


def figure(result: Result, measure: str) -> float:
    """The figure of a result that decides."""
    if measure == "goodput_bps":
        return result.goodput
    if measure == OTHERS:
        c = result.conditions
        others = result.flows[c.main_flows :]
        return sum(f["goodput_bps"] for f in others if not c.plain_tcp or f["path"] == c.tcp_path)
    value = result.main.get(measure)
    if not isinstance(value, int | float):
        there_are = ", ".join(k for k, v in result.main.items() if isinstance(v, int | float))
        raise UsageError(f"measure '{measure}': a run of '{result.conditions.workload.name}' has {there_are}")
    return max(value, SHORTEST) if measure.endswith("_s") else value


@dataclass(frozen=True)
class Values:
    """A figure in the runs of one kind, of which some may have failed: one per seed."""

    each: tuple[float, ...]
    failed: int

    @property
    def middle(self) -> float | None:
        return median(self.each) if self.each else None


def values(results: Outcome, runs: Runs, measure: str) -> Values:
    there = [results[c] for c in runs if c in results]
    return Values(tuple(figure(r, measure) for r in there), len(runs) - len(there))


@dataclass(frozen=True)
class Score:
    """tcp_path: the path, from 1, on which one TCP connection does best (None: all of them count). tcp,
    default: the medians that are compared with; None if all their runs failed. tcp_failed: of which path's
    TCP runs failed, and how many, so that tcp is without them."""

    entry: Entry
    ours: Values
    tcp_path: int | None
    tcp: float | None
    default: float | None
    tcp_failed: tuple[tuple[int, int], ...] = ()

    def ratio(self, ours: float | None, other: float | None) -> float | None:
        if ours is None or other is None:
            return None
        above, below = (ours, other) if self.entry.scenario.higher_is_better else (other, ours)
        return above / below if below else None

    @property
    def to_tcp(self) -> float | None:
        return self.ratio(self.ours.middle, self.tcp)

    @property
    def to_default(self) -> float | None:
        return self.ratio(self.ours.middle, self.default)

    @property
    def spread(self) -> tuple[float, float] | None:
        """The least and the largest ratio to TCP over the seeds, if there are several."""
        ratios = [r for value in self.ours.each if (r := self.ratio(value, self.tcp)) is not None]
        return (min(ratios), max(ratios)) if len(ratios) > 1 else None


def _best(s: Scenario, alone: Mapping[int, Values]) -> tuple[int | None, float | None]:
    """The path on which TCP does best in our place, and what it gets there.

    Of what others get: on each path beside one TCP connection on it, all together, for over none of
    its paths may we take more than that (RFC 6356, goal 2).
    """
    found = {path: of.middle for path, of in alone.items() if of.middle is not None}
    # the one that is missing may be the best
    if not found or len(found) < len(alone):
        return None, None
    if s.measure == OTHERS:
        return None, sum(found.values())
    return (max if s.higher_is_better else min)(found.items(), key=lambda item: item[1])


def score(entry: Entry, results: Outcome) -> Score:
    s = entry.scenario
    ours, reference = (values(results, runs, s.measure) for runs in (entry.runs, entry.reference))
    alone = {path: values(results, runs, s.measure) for path, runs in entry.alone}
    failed = tuple((path, of.failed) for path, of in alone.items() if of.failed)
    return Score(entry, ours, *_best(s, alone), reference.middle, failed)


@dataclass(frozen=True)
class Summary:
    """Of one contestant over all scenarios, of one of the two ratios. p5: from 20 scenarios on."""

    contestant: Contestant
    count: int
    worst: float
    worst_in: str
    p5: float | None
    median: float
    behind: int


def summary(who: Contestant, scores: Sequence[Score], to_tcp: bool) -> Summary | None:
    """None if there is nothing to sum up."""
    own = [s for s in scores if s.entry.contestant == who]
    ratios = {s.entry.name: r for s in own if (r := s.to_tcp if to_tcp else s.to_default) is not None}
    if not ratios:
        return None
    worst = min(ratios, key=lambda name: ratios[name])
    (p5,) = metrics.percentiles_or_none(list(ratios.values()), (5,))
    behind = sum(ratio < BEHIND for ratio in ratios.values())
    return Summary(who, len(ratios), ratios[worst], worst, p5, median(ratios.values()), behind)
