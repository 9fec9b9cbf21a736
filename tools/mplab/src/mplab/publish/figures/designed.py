# SPDX-License-Identifier: MIT
"""Aggregation benefit over space-filling designs (thesis 3.3.1, 3.4, 4.2.2, 4.3.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from ...lab.paths import Path
from ...research import designs
from ...run.experiment import Conditions, Result
from ...traffic import metrics
from .base import (
    BOXES,
    Figure,
    Outcome,
    Setting,
    Table,
    add_quantiles,
    benefit_axis,
    boxes,
    bulk,
    cdf,
    points,
    quantile_table,
    tcp_alone,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

MB = 1_000_000
COUPLED = ("lia", "olia", "balia", "wvegas")


def benefit(results: Outcome, c: Conditions) -> float | None:
    """Against the links' capacity; where packets are lost at random, against TCP alone on each."""
    result = results.get(c)
    if result is None:
        return None
    if not any(p.loss for p in c.paths):
        return result.benefit
    alone = [results.get(_alone(p, c)) for p in c.paths]
    if None in alone:
        return None
    return metrics.benefit(result.goodput, [r.goodput for r in alone if r])


def _alone(path: Path, c: Conditions) -> Conditions:
    """TCP as a host without MPTCP has it: Reno in place of coupled control, else the same."""
    return tcp_alone(path, replace(c, congestion="reno") if c.congestion in COUPLED else c)


def inflation(result: Result) -> list[float]:
    """Per path, the RTT that the sender saw (median) relative to the path's own; 1: no queue."""
    seen = result.main["srtt_median_s"]
    rtts = {str(i): p.rtt for i, p in enumerate(result.conditions.paths, 1)}
    return [seen[i] / rtt for i, rtt in rtts.items() if i in seen and rtt > 0]


@dataclass(frozen=True)
class Designed(Figure):
    """Boxes of the benefit: an environment per panel, a box per variant.

    A variant is scheduler, congestion control, buffer in bytes (None: autotuned). delays: also
    how full the queues are in the first environment, with the last buffer.
    """

    caption: ClassVar[str] = BOXES
    environments: tuple[str, ...]
    schedulers: tuple[str, ...] = ("default",)
    congestions: tuple[str, ...] = ("cubic",)
    buffers: tuple[int | None, ...] = (None,)
    small: tuple[int | None, ...] = (None,)
    count: int = metrics.PERCENTILES_FROM  # points of the small version
    fewer: int = 0  # environments of the small version, from the first; 0: all
    delays: bool = False

    def _environments(self, s: Setting) -> tuple[str, ...]:
        return self.environments[: s.pick(None, self.fewer or None)]

    def _variants(self, s: Setting) -> dict[str, tuple[str, str, int | None]]:
        schedulers, congestions = s.having(*self.schedulers), s.controls(*self.congestions)
        buffers = s.pick(self.buffers, self.small)
        found = {}
        for scheduler in schedulers:
            for congestion in congestions:
                for buffer in buffers:
                    parts = [scheduler] if len(self.schedulers) > 1 else []
                    parts += [congestion] if len(self.congestions) > 1 else []
                    if len(self.buffers) > 1:
                        parts.append(f"{buffer / MB:g} MB" if buffer else "autotuned")
                    name = " ".join(parts) or scheduler
                    found[name] = (scheduler, congestion, buffer)
        return found

    def _cell(self, s: Setting, environment: str, variant: tuple[str, str, int | None]) -> list[Conditions]:
        scheduler, congestion, buffer = variant
        return [
            Conditions(pair, scheduler, congestion, bulk(s), buffer=buffer, seed=seed)
            for i, pair in enumerate(points(environment, s.pick(200, self.count), s.seed))
            for seed in _seeds(environment, i, s)
        ]

    def plan(self, s: Setting) -> list[Conditions]:
        wanted = [
            c
            for environment in self._environments(s)
            for variant in self._variants(s).values()
            for c in self._cell(s, environment, variant)
        ]
        return wanted + [_alone(p, c) for c in wanted for p in c.paths if _lossy(c)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table = quantile_table("aggregation benefit")
        environments = self._environments(s)
        panels = canvas.subplots(1, len(environments), squeeze=False, sharey=True)[0]
        for axes, environment in zip(panels, environments, strict=True):
            series = {
                name: [
                    b for c in self._cell(s, environment, variant) if (b := benefit(results, c)) is not None
                ]
                for name, variant in self._variants(s).items()
            }
            boxes(axes, series, "aggregation benefit")
            benefit_axis(axes)
            axes.set_title(_environment(environment), fontsize=9)
            for name, values in series.items():
                add_quantiles(table, f"{_environment(environment)}: {name}", values)
        if self.delays:
            self._add_delays(s, results, table)
        return table

    def _add_delays(self, s: Setting, results: Outcome, table: Table) -> None:
        environment, buffers = self.environments[0], s.pick(self.buffers, self.small)
        for name, variant in self._variants(s).items():
            if variant[-1] == buffers[-1]:
                runs = [results[c] for c in self._cell(s, environment, variant) if c in results]
                values = [ratio for r in runs for ratio in inflation(r)]
                add_quantiles(table, f"{_environment(environment)}, RTT / path's RTT: {name}", values)


def _seeds(environment: str, point: int, s: Setting) -> range:
    """Where packets are lost at random each point has seeds of its own, as one may be lucky for all, and
    several, as one moves the median of six points by half of what the paths are worth."""
    lossy = "lossy" in environment
    count = s.pick(5, 3 if lossy else 1)
    first = point * count if lossy else 0
    return range(first, first + count)


def _lossy(c: Conditions) -> bool:
    return any(p.loss for p in c.paths)


def _environment(name: str) -> str:
    bdp, _, lossy = name.partition("-")
    return f"{bdp} BDP" + (", random loss" if lossy else "")


@dataclass(frozen=True)
class BufferUse(Figure):
    """The largest receive buffer that autotuning allowed, over the design."""

    schedulers: tuple[str, ...]

    def _cell(self, s: Setting, scheduler: str) -> list[Conditions]:
        pairs = points("low", s.pick(200, metrics.PERCENTILES_FROM), s.seed)
        return [Conditions(pair, scheduler, workload=bulk(s)) for pair in pairs]

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for name in s.having(*self.schedulers) for c in self._cell(s, name)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table, axes = quantile_table("receive buffer MB"), canvas.subplots()

        def peak(result: Result) -> float:
            return result.main["receive_buffer_peak_bytes"] / MB

        series = {
            name: [peak(results[c]) for c in self._cell(s, name) if c in results]
            for name in s.having(*self.schedulers)
        }
        cdf(axes, series, "largest receive buffer [MB]")
        for name, values in series.items():
            add_quantiles(table, name, values)
        return table


@dataclass(frozen=True)
class Sensitivity(Figure):
    """The same statistics from several designs of the same size: what the choice of points is worth."""

    environment: str = "low"

    def _designs(self, s: Setting) -> list[list[tuple[Path, ...]]]:
        size = s.pick(200, metrics.PERCENTILES_FROM)
        return [points(self.environment, size, s.seed + i) for i in range(s.pick(5, 3))]

    def _cells(self, s: Setting) -> list[list[Conditions]]:
        return [[Conditions(p, workload=bulk(s)) for p in design] for design in self._designs(s)]

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for cell in self._cells(s) for c in cell]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        axes = canvas.subplots()
        samples = [[results[c].benefit for c in cell if c in results] for cell in self._cells(s)]
        samples = [sample for sample in samples if sample]
        cdf(axes, {f"design {i}": v for i, v in enumerate(samples, 1)}, "aggregation benefit")
        table = quantile_table("design")
        for i, values in enumerate(samples, 1):
            add_quantiles(table, str(i), values)
        if len(samples) < 2:
            return table
        spread = designs.sensitivity(samples)
        deviation = [f"{100 * v:.1f}" for v in spread.values()]
        table.rows.append(["deviation, % of range", "", "", *deviation, "", ""])
        return table


ALL_SCHEDULERS = ("default", "minrtt", "minrtt+rp", "minrtt+bm", "minrtt+rp+bm", "inorder")

DESIGNED = [
    Designed(
        "fig3.3", "Benefit against the buffer, by congestion control",
        "close to perfect in the low-BDP environment for coupled control, OLIA and Cubic alike, less with"
        " small buffers; wVegas below zero",
        ("low", "high"), ("inorder",), congestions=("cubic", "reno", *COUPLED),
        buffers=(500_000, MB, 2 * MB, 4 * MB, 8 * MB, None), small=(500_000, None), count=6, fewer=1,
        delays=True,
    ),
    Designed(
        "fig3.5", "Random loss, by congestion control",
        "coupled control and OLIA mostly at 0 (they leave the lossy path); Cubic near 1",
        ("low-lossy", "high-lossy"), ("inorder",), congestions=("cubic", "reno", *COUPLED), count=6, fewer=1,
    ),
    Designed(
        "fig4.13", "Autotuned buffers: the fixed penalization",
        "high BDP: 80 % below 0 before the fix, median 0.5 after; low BDP: 75 % at 0.85 or more",
        ("low", "high"), ("default", "minrtt", "minrtt+rp0", "minrtt+rp1", "minrtt+rp", "inorder"),
    ),
    Designed(
        "fig4.18", "Schedulers, bulk transfer",
        "high BDP: RP lifts the lower quartile and the median most, BM too; low BDP: RP lifts the"
        " worst case to 0",
        ("low", "high"), ALL_SCHEDULERS,
        buffers=(4 * MB, 16 * MB), small=(None,),  # of which fig4.13 has most
    ),
    BufferUse(
        "fig4.12", "Memory that autotuning takes",
        "half of the low-BDP experiments stay below 4 MB",
        ("default", "minrtt", "inorder"),
    ),
    Sensitivity(
        "sensitivity", "Sensitivity to the choice of points",
        "the percentiles of five designs differ by 0.1 to 2.6 % of the range",
    ),
]  # fmt: skip
