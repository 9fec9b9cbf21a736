# SPDX-License-Identifier: MIT
"""The beginning of a connection: short transfers, slow start (thesis 3.3.1, 4.2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ...lab import paths
from ...lab.paths import Path
from ...run.experiment import Conditions, Result
from ...traffic import Bulk, Request, metrics
from .. import palette
from .base import (
    BOXES,
    Figure,
    Outcome,
    Setting,
    Table,
    add_quantiles,
    benefit_axis,
    boxes,
    legend,
    points,
    quantile_table,
    tcp_alone,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SIZES = {"64 KB": 64_000, "512 KB": 512_000, "4 MB": 4_000_000, "32 MB": 32_000_000}
FIXED = 4_000_000


@dataclass(frozen=True)
class ShortTransfers(Figure):
    """Benefit of a download, the first subflow on a random path, or on the one best for TCP."""

    caption: ClassVar[str] = BOXES
    scheduler: str = "default"

    def _sizes(self, s: Setting) -> dict[str, int]:
        return dict(list(SIZES.items())[: s.pick(4, 3)])

    def _conditions(self, pair: tuple[Path, ...], size: int) -> Conditions:
        return Conditions(pair, self.scheduler, workload=Request(size, count=3))

    def _pairs(self, s: Setting) -> list[tuple[Path, ...]]:
        return points("low", s.pick(200, 10), s.seed)

    def plan(self, s: Setting) -> list[Conditions]:
        wanted = []
        for size in self._sizes(s).values():
            for pair in self._pairs(s):
                forth, back = self._conditions(pair, size), self._conditions(pair[::-1], size)
                wanted += [forth, back, *(tcp_alone(p, forth) for p in pair)]
        return wanted

    def _benefits(self, results: Outcome, pair: tuple[Path, ...], size: int) -> list[float]:
        """With the pair's first path first (as good as random), and with the better one first."""
        forth = results.get(self._conditions(pair, size))
        back = results.get(self._conditions(pair[::-1], size))
        alone = [results.get(tcp_alone(p, self._conditions(pair, size))) for p in pair]
        if forth is None or back is None or None in alone:
            return []
        rates = [r.goodput for r in alone if r]
        best = forth if rates[0] >= rates[1] else back
        return [metrics.benefit(r.goodput, rates) for r in (forth, best)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table = quantile_table("aggregation benefit")
        panels = zip(canvas.subplots(1, 2, sharey=True), ("random", "best"), strict=True)
        for i, (axes, which) in enumerate(panels):
            series = {}
            for name, size in self._sizes(s).items():
                found = [self._benefits(results, pair, size) for pair in self._pairs(s)]
                series[name] = [f[i] for f in found if f]
                add_quantiles(table, f"{which} initial path: {name}", series[name])
            boxes(axes, series, "aggregation benefit")
            benefit_axis(axes)
            axes.set_title(f"{which} initial path", fontsize=9)
        return table


@dataclass(frozen=True)
class WindowGrowth(Figure):
    """The congestion window of one connection from its start, autotuned and with a fixed buffer."""

    scheduler: str = "default"

    def _runs(self) -> dict[str, Conditions]:
        net = (paths.parse("40mbit,100ms,200ms"), paths.parse("20mbit,300ms,500ms"))
        return {
            "autotuned": Conditions(net, self.scheduler, workload=Bulk(20, 0)),
            "4 MB fixed": Conditions(net, self.scheduler, workload=Bulk(20, 0), buffer=FIXED),
        }

    def plan(self, s: Setting) -> list[Conditions]:
        return list(self._runs().values())

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        axes, table = canvas.subplots(), Table(["buffer", "path", "largest window", "reached at s"])
        for name, conditions in self._runs().items():
            if conditions not in results:
                continue
            for path, trace in sorted(results[conditions].main["cwnd_over_time"].items()):
                time, window = zip(*trace, strict=True)
                style = "-" if name == "autotuned" else "--"
                axes.plot(time, window, style, label=f"path {path}, {name}", linewidth=1.2)
                largest = max(window)
                table.add(name, path, f"{largest}", time[window.index(largest)])
        axes.set(xlabel="time [s]", ylabel="congestion window [segments]", ylim=(0, None))
        axes.grid(alpha=0.3)
        legend(axes)
        return table


@dataclass(frozen=True)
class SlowStart(Figure):
    """How much later an autotuned connection is at full rate than one with a fixed buffer."""

    schedulers: tuple[str, ...] = ("default", "minrtt")

    def _pairs(self, s: Setting, scheduler: str) -> list[tuple[Conditions, Conditions]]:
        work = s.pick(Bulk(30, 0), Bulk(15, 0))
        return [
            (
                Conditions(pair, scheduler, workload=work),
                Conditions(pair, scheduler, workload=work, buffer=FIXED),
            )
            for pair in points("high", s.pick(200, 8), s.seed)
        ]

    def plan(self, s: Setting) -> list[Conditions]:
        names = s.having(*self.schedulers)
        return [c for name in names for pair in self._pairs(s, name) for c in pair]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        axes, table = canvas.subplots(), quantile_table("later by, s")
        for name in s.having(*self.schedulers):
            pairs = [
                (results[a], results[b]) for a, b in self._pairs(s, name) if a in results and b in results
            ]
            later = [delay for pair in pairs if (delay := _later(*pair)) is not None]
            add_quantiles(table, name, later)
            if later:
                axes.hist(later, bins=21, range=(-5, 5), alpha=0.6, label=name, color=palette.colour(name))
        axes.set(xlabel="autotuned later than a fixed 4 MB buffer by [s]", ylabel="experiments")
        legend(axes)
        return table


def _later(autotuned: Result, fixed: Result) -> float | None:
    times = [r.main["time_to_full_rate_s"] for r in (autotuned, fixed)]
    return None if None in times else times[0] - times[1]


STARTING = [
    ShortTransfers(
        "fig3.4", "Short transfers",
        "random initial path: between 0 and -0.5 for 64 and 512 KB; best initial path: close to 0; above 0"
        " for long ones",
    ),
    WindowGrowth(
        "fig4.15", "The congestion window in slow start",
        "with autotuning the window reaches its maximum about four seconds later",
    ),
    SlowStart(
        "fig4.16", "Slow start with autotuned buffers against a fixed one",
        "a difference of zero in 6 % of the experiments, 0.5 to 2 s for most",
    ),
]  # fmt: skip
