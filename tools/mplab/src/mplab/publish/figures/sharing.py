# SPDX-License-Identifier: MIT
"""Bottlenecks that connections share: fairness and balance (thesis 2.2.3, 3.3.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ...lab import paths
from ...run.experiment import Conditions, Result
from ...traffic import Bulk, metrics
from .. import palette
from .base import (
    BOXES,
    Figure,
    Outcome,
    Setting,
    Table,
    add_quantiles,
    boxes,
    legend,
    middle,
    points,
    quantile_table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

BOTTLENECK = "20mbit,40ms,80ms"
FAIR = (0.8, 1.2)  # goodput relative to TCP's that passes for fair


@dataclass(frozen=True)
class SharedBottleneck(Figure):
    """Two multipath hosts beside two with TCP, Reno all of them unless the name says otherwise.

    As many of either: 1 of one TCP is a share of a half. With the scheduler "default" a connection
    waits for its smallest windows, and takes less than its share: see Triangle.
    """

    controls: tuple[str, ...] = ("reno", "lia", "olia", "balia", "wvegas")

    def _cell(self, s: Setting, congestion: str, subflows: int) -> list[Conditions]:
        return [
            Conditions(
                (paths.parse(BOTTLENECK),), "inorder", congestion, s.pick(Bulk(120, 20), Bulk(70, 10)),
                topology="shared", subflows=subflows, connections=2, competing=2, seed=seed,
            )
            for seed in range(s.pick(5, 3))
        ]  # fmt: skip

    def _counts(self, s: Setting) -> tuple[int, ...]:
        return s.pick(tuple(range(1, 9)), (1, 2, 4, 8))

    def plan(self, s: Setting) -> list[Conditions]:
        names = s.controls(*self.controls) if s.having("inorder") else []
        return [c for name in names for n in self._counts(s) for c in self._cell(s, name, n)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        axes, counts = canvas.subplots(), self._counts(s)
        table = Table(["MPTCP's goodput at subflows", *map(str, counts)])
        for congestion in s.controls(*self.controls):
            cells = [[results[c] for c in self._cell(s, congestion, n) if c in results] for n in counts]
            shares = [middle([share(r) for r in cell]) for cell in cells]
            axes.plot(counts, shares, marker="o", label=congestion, markersize=3, **palette.line(congestion))
            table.add(f"{congestion}, share", *shares)
            table.add(f"{congestion}, of one TCP", *(middle([of_tcp(r) for r in cell]) for cell in cells))
        axes.axhspan(*(f / (1 + f) for f in FAIR), color="tab:green", alpha=0.15, label="0.8 to 1.2 of TCP")
        axes.axhline(0.5, color="black", linewidth=0.6)
        axes.set(xlabel="subflows of each connection", ylabel="share of the bottleneck", ylim=(0, 1))
        axes.grid(alpha=0.3)
        legend(axes)
        return table


def share(result: Result) -> float:
    """Of the goodput of all, what the multipath connections got."""
    return result.goodput / sum(f["goodput_bps"] for f in result.flows)


def of_tcp(result: Result) -> float:
    """The multipath connections' goodput relative to that of as many with TCP."""
    others = sum(f["goodput_bps"] for f in result.flows) - result.goodput
    return result.goodput / others if others else math.inf


@dataclass(frozen=True)
class Panel:
    """One plot of the triangle."""

    environment: str
    scheduler: str
    controls: tuple[str, ...]
    count: int  # points of the small version

    @property
    def title(self) -> str:
        return f"{self.environment} BDP, {self.scheduler}"


@dataclass(frozen=True)
class Triangle(Figure):
    """Three connections, each over one bottleneck and over the other two. Ideal: one hop only.

    With the scheduler "default" a connection waits for what its small, lossy subflow owes, and
    bottlenecks are idle meanwhile: there it is the scheduler that is measured.
    """

    caption: ClassVar[str] = BOXES
    panels: tuple[Panel, ...]

    def _cell(self, s: Setting, panel: Panel, congestion: str) -> list[Conditions]:
        networks = points(panel.environment, s.pick(400, panel.count), s.seed, paths=3)
        transfer = s.pick(Bulk(60, 0), Bulk(15, 5))
        return [
            Conditions(three, panel.scheduler, congestion, transfer, topology="triangle")
            for three in networks
        ]

    def _panels(self, s: Setting) -> list[Panel]:
        """Those without points are for the large version only."""
        return [panel for panel in self.panels if s.pick(1, panel.count) and s.having(panel.scheduler)]

    def plan(self, s: Setting) -> list[Conditions]:
        return [
            c
            for panel in self._panels(s)
            for cc in s.controls(*panel.controls)
            for c in self._cell(s, panel, cc)
        ]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table, panels = quantile_table("share of the optimum"), self._panels(s)
        plots = canvas.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, panel in zip(plots, panels, strict=True):
            series = {
                cc: [optimum(results[c]) for c in self._cell(s, panel, cc) if c in results]
                for cc in s.controls(*panel.controls)
            }
            boxes(axes, series, "share of the optimum")
            axes.set_title(panel.title, fontsize=9)
            for name, values in series.items():
                add_quantiles(table, f"{panel.title}: {name}", values)
        return table


def optimum(result: Result) -> float:
    """Goodput of all connections relative to all bottlenecks' capacity."""
    capacities = [p.capacity for p in result.conditions.paths]
    return metrics.aggregation_ratio(result.goodput, capacities)


SHARING = [
    SharedBottleneck(
        "fig2.10", "A shared bottleneck: two MPTCP connections beside two TCP connections",
        "uncoupled Reno takes up to 85 % with 8 subflows; OLIA about half",
    ),
    Triangle(
        "fig3.7", "Three bottlenecks in a triangle",
        "low BDP: OLIA leaves the two-hop paths and comes close to the optimum, Cubic little behind;"
        " high BDP: all fall behind",
        panels=(
            Panel("low", "default", ("cubic", "olia", "balia"), 6),
            Panel("low", "inorder", ("cubic", "lia", "olia", "balia", "wvegas"), 6),
            Panel("high", "inorder", ("cubic", "olia", "balia"), 0),
        ),
    ),
]  # fmt: skip
