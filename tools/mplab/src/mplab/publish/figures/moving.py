# SPDX-License-Identifier: MIT
"""Traffic that moves to another path and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ...lab import paths
from ...run.experiment import Conditions, Result
from ...traffic import Bulk, metrics
from .. import palette
from .base import Figure, Outcome, Setting, Table, legend, middle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

Rates = Sequence[tuple[float, float]]  # end of the interval in s, bit/s
PATH = "10mbit,40ms,100ms"
COMPETING = 4
FROM, LASTS, TO = 20.0, 20.0, 60.0  # s: when the competing flows begin, for how long, the whole run
SETTLED = 10.0  # s: the last part of before, during and after is what counts
BACK = 0.8  # of the rate before


@dataclass(frozen=True)
class Congested(Figure):
    """Two equal paths; from 20 s to 40 s four TCP flows (Reno) are on the first one, too."""

    caption: ClassVar[str] = "Grey: the competing flows are there."
    controls: tuple[str, ...] = ("cubic", "reno", "lia", "olia", "balia", "wvegas")

    def _cell(self, s: Setting, congestion: str) -> list[Conditions]:
        return [
            Conditions(
                (paths.parse(PATH),) * 2, "inorder", congestion, Bulk(TO, 0), competing=COMPETING,
                competing_path=1, competitor=Bulk(LASTS, 0, FROM), seed=seed,
            )
            for seed in range(s.pick(5, 1))
        ]  # fmt: skip

    def plan(self, s: Setting) -> list[Conditions]:
        if not s.having("inorder"):
            return []
        return [c for name in s.controls(*self.controls) for c in self._cell(s, name)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table = Table(["share of path 1", "before", "during", "after", "TCP's Mbit/s", "back after s"])
        panels = canvas.subplots(1, 2, sharey=True)
        for name in s.controls(*self.controls):
            runs = [results[c] for c in self._cell(s, name) if c in results]
            for axes, path in zip(panels, "12", strict=True):
                _draw(axes, name, [r.main["sent_over_time_s_bps"][path] for r in runs])
            courses = [course(r) for r in runs]
            shares = [middle([c.shares[i] for c in courses]) for i in range(3)]
            tcp = middle([c.competing for c in courses]) / 1e6
            back = middle([c.back for c in courses])
            table.add(name, *shares, tcp, "never" if back == math.inf else back)
        for axes, path in zip(panels, "12", strict=True):
            axes.axvspan(FROM, FROM + LASTS, color="black", alpha=0.07)
            axes.set(xlabel="time [s]", ylabel="sent [Mbit/s]", ylim=(0, None))
            axes.set_title(f"path {path}", fontsize=9)
            axes.grid(alpha=0.3)
        legend(panels[0])
        return table


def _draw(axes: Axes, name: str, runs: Sequence[Rates]) -> None:
    """The mean over the runs, by second."""
    seconds: dict[float, list[float]] = {}
    for rates in runs:
        for second, rate in metrics.by_second(rates):
            seconds.setdefault(second, []).append(rate / 1e6)
    if seconds:
        means = [sum(v) / len(v) for v in seconds.values()]
        axes.plot(list(seconds), means, label=name, **palette.line(name))


@dataclass(frozen=True)
class Course:
    """Of one run: path 1's share of what the connection sent before, during and after; goodput of
    the competing flows in bit/s; s from their end until path 1 has BACK of its rate again, infinite
    if it never has."""

    shares: tuple[float, ...]
    competing: float
    back: float


def course(result: Result) -> Course:
    """Times are the connection's; the competing flows have a start of their own."""
    main, *others = result.flows
    rates: Mapping[str, Rates] = main["sent_over_time_s_bps"]
    starts = [f["start_s"] - main["start_s"] for f in others]
    begin, end = min(starts), max(starts) + LASTS
    whole = rates["1"][-1][0]
    shares = []
    for until in (begin, min(starts) + LASTS, whole):
        first, second = (_mean(rates[path], until - SETTLED, until) for path in "12")
        shares.append(first / (first + second) if first + second else 0.0)
    level = BACK * _mean(rates["1"], begin - SETTLED, begin)
    back = metrics.recovery_time(rates["1"], end, level)
    competing = sum(f["goodput_bps"] for f in others)
    return Course(tuple(shares), competing, math.inf if back is None else back)


def _mean(rates: Rates, since: float, until: float) -> float:
    """Bit/s from one time to another, all intervals being equally long."""
    kept = [rate for t, rate in rates if since < t <= until]
    return sum(kept) / len(kept) if kept else 0.0


MOVING = [
    Congested(
        "congested", "A path becomes congested and clears",
        "",
    ),
]  # fmt: skip
