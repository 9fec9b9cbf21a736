# SPDX-License-Identifier: MIT
"""What an application with a rate of its own sees: delay per block (thesis 3.3.3, 4.1.3, 4.3.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ...lab import paths
from ...run.experiment import TCP, Conditions
from ...traffic import Blocks, metrics
from .base import Figure, Outcome, Setting, Table, add_quantiles, bars, cdf, points, quantile_table, tail

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

BROADBAND_3G = ("9mbit,9ms,500ms", "1.7mbit,60ms,2s")
BLOCK = 8000
MS = 1e3


@dataclass(frozen=True)
class BlockDelays(Figure):
    """Distribution of the delay over fixed paths; rate in bit/s, buffer in KB."""

    paths: tuple[str, ...]
    rate: float
    schedulers: tuple[str, ...]
    buffer: int | None = None

    def _cell(self, s: Setting, scheduler: str) -> list[Conditions]:
        net = tuple(paths.parse(p) for p in self.paths)
        work = Blocks(s.pick(60, 30), 5, self.rate, BLOCK)
        buffer = self.buffer * 1000 if self.buffer else None
        return [
            Conditions(net, scheduler, workload=work, buffer=buffer, seed=seed)
            for seed in range(s.pick(5, 1))
        ]

    def _names(self, s: Setting) -> list[str]:
        return [TCP, *s.having(*self.schedulers)]

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for name in self._names(s) for c in self._cell(s, name)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        axes, table = canvas.subplots(), Table(["block delay, ms", "p50", "p95", "p99", "worst"])
        series = {}
        for name in self._names(s):
            runs = [results[c] for c in self._cell(s, name) if c in results]
            delays = [MS * d for r in runs for d in r.main["delays_s"]]
            label = "TCP on path 1" if name == TCP else name
            series[label] = delays
            if delays:
                table.add(label, *metrics.percentiles(delays, (50, 95, 99, 100)))
        tail(axes, series, "delay of a block [ms]")
        if any(series.values()):
            axes.set_xscale("log")
        return table


@dataclass(frozen=True)
class DelayIncrease(Figure):
    """Relative increase of the delay over the lowest, over a design: a CDF per panel.

    A panel is environment, share of the capacity sent, which block counts (percentile). count:
    points of the small version.
    """

    panels: tuple[tuple[str, float, int], ...]
    schedulers: tuple[str, ...] = ("default",)
    congestions: tuple[str, ...] = ("cubic",)
    count: int = metrics.PERCENTILES_FROM

    def _variants(self, s: Setting) -> dict[str, tuple[str, str]]:
        variants = [(a, b) for a in s.having(*self.schedulers) for b in s.controls(*self.congestions)]
        several = len(self.schedulers) > 1
        return {(a if several else b): (a, b) for a, b in variants}

    def _cell(self, s: Setting, panel: tuple[str, float, int], variant: tuple[str, str]) -> list[Conditions]:
        environment, share, _ = panel
        return [
            Conditions(
                pair,
                *variant,
                Blocks(s.pick(60, 10), 3, share * sum(p.capacity for p in pair), BLOCK),
            )
            for pair in points(environment, s.pick(200, self.count), s.seed)
        ]

    def plan(self, s: Setting) -> list[Conditions]:
        variants = self._variants(s).values()
        return [c for p in self.panels for v in variants for c in self._cell(s, p, v)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table = quantile_table("delay increase, %")
        for axes, panel in zip(
            canvas.subplots(1, len(self.panels), squeeze=False)[0], self.panels, strict=True
        ):
            environment, share, percentile = panel
            series = {}
            for name, variant in self._variants(s).items():
                runs = [results[c] for c in self._cell(s, panel, variant) if c in results]
                series[name] = [_increase(r.main["delays_s"], percentile) for r in runs]
                where = f"{environment} BDP, {share:.0%} of capacity: {name}"
                add_quantiles(table, where, series[name])
            which = "worst" if percentile == 100 else f"{percentile}th percentile"
            cdf(axes, series, f"increase of the delay, {which} block [%]")
            axes.set_xscale("symlog", linthresh=1)
            axes.set_xlim(left=0)
            axes.set_title(f"{environment} BDP, {share:.0%} of the capacity", fontsize=9)
        return table


def _increase(delays: list[float], percentile: int) -> float:
    """Percent over the lowest delay."""
    return 100 * metrics.percentiles(metrics.relative_increase(delays), [percentile])[0]


@dataclass(frozen=True)
class Handover(Figure):
    """The better path dies and comes back while small messages flow: the longest silence.

    50 messages of 200 bytes a second; path 1 is dead from 10 s to 20 s.
    """

    caption: ClassVar[str] = "Bar: median; line: from the least to the most."
    schedulers: tuple[str, ...] = ("default", "minrtt", "minrtt+rs", "rr", "inorder", "redundant")

    def _cell(self, s: Setting, scheduler: str) -> list[Conditions]:
        net = (
            paths.parse("8mbit,20ms,80ms,down@10s,up@20s"),
            paths.parse("5mbit,60ms,200ms"),
        )
        work = Blocks(30, 1, 80e3, 200)
        seeds = range(s.pick(10, 3))
        return [Conditions(net, scheduler, workload=work, seed=seed) for seed in seeds]

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for name in [TCP, *s.having(*self.schedulers)] for c in self._cell(s, name)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        axes, table = canvas.subplots(), quantile_table("longest silence, ms")
        found: dict[str, list[float]] = {}
        for name in [TCP, *s.having(*self.schedulers)]:
            runs = [results[c] for c in self._cell(s, name) if c in results]
            label = "TCP on path 1" if name == TCP else name
            values = [MS * r.main["longest_gap_s"] for r in runs]
            add_quantiles(table, label, values)
            found[label] = values
        bars(axes, found)
        axes.set(ylabel="longest silence [ms]")
        if any(found.values()):
            axes.set_yscale("log")
        axes.grid(axis="y", alpha=0.3)
        return table


CONTROLS = ("cubic", "lia", "olia", "balia", "wvegas")

DELAYS = [
    DelayIncrease(
        "fig3.8", "Delay of an application-limited connection, by congestion control",
        "20 % of the capacity, low BDP: below 1 % in 70 % of the environments, up to 100 % in the rest;"
        " 80 %, high BDP: more, wVegas up to 10000 %",
        (("low", 0.2, 99), ("high", 0.8, 99)), ("minrtt",), CONTROLS, count=4,
    ),
    BlockDelays(
        "fig4.5", "Head-of-line blocking at 4 Mbit/s",
        "round robin spreads the delay up to 2.5 s",
        BROADBAND_3G, 4e6, ("rr", "default", "minrtt", "minrtt+rp", "minrtt+bm", "inorder", "redundant"),
    ),
    BlockDelays(
        "fig4.11", "Delay at full speed over WiFi and 3G, 200 KB",
        "retransmission and penalization avoid the larger delays of plain MPTCP",
        ("8mbit,20ms,80ms", "2mbit,150ms,2s"), 0.0,
        ("default", "minrtt", "minrtt+rp", "minrtt+rp+bm", "inorder"), 200,
    ),
    DelayIncrease(
        "fig4.21", "Schedulers, application-limited: the worst block",
        "high BDP: lowest RTT 10 to 100 % in 70 % of the experiments; round robin 100 to 1500 % in 40 %",
        (("high", 0.2, 100),), ("rr", "default", "minrtt", "minrtt+rp", "minrtt+bm", "inorder"),
    ),
    Handover(
        "handover", "The better path dies mid-call",
        "",
    ),
]  # fmt: skip
