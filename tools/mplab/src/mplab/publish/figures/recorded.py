# SPDX-License-Identifier: MIT
"""The thesis' real networks (4.3.2), with recorded radio links in place of NorNet: two networks that a
moving car saw at the same time, as in the bench."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...lab import paths
from ...run.experiment import Conditions
from ...traffic import Blocks, Transfer, metrics
from .base import Figure, Outcome, Setting, Table, add_quantiles, boxes, quantile_table, tail

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

PAIRS = (
    ("01-tmobile", "01-verizon"),
    ("03-att", "03-starlink"),
    ("05-att", "05-verizon"),
    ("07-tmobile", "07-verizon"),
    ("09-tmobile", "09-verizon"),
    ("10-att", "10-verizon"),
)
SCHEDULERS = ("rr", "default", "minrtt", "minrtt+rp", "minrtt+bm", "inorder")
MB = 1_000_000
FILE, BLOCK = 16 * MB, 8000
MS = 1e3


def _networks() -> list[tuple[paths.Path, ...]]:
    return [
        (paths.parse(f"trace={one},50ms,200ms"), paths.parse(f"trace={two},40ms,200ms")) for one, two in PAIRS
    ]


@dataclass(frozen=True)
class RecordedBulk(Figure):
    """Goodput of files of 16 MB, a box or dots per scheduler: one for each pair of links."""

    buffer: int

    def _cell(self, s: Setting, scheduler: str) -> list[Conditions]:
        work = Transfer(FILE, s.pick(5, 1))
        return [
            Conditions(pair, scheduler, "olia", work, buffer=self.buffer, seed=seed)
            for pair in _networks()
            for seed in range(s.pick(5, 1))
        ]

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for name in s.having(*SCHEDULERS) for c in self._cell(s, name)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table, series = quantile_table("goodput, Mbit/s"), {}
        for name in s.having(*SCHEDULERS):
            runs = [results[c] for c in self._cell(s, name) if c in results]
            series[name] = [r.goodput / 1e6 for r in runs]
            add_quantiles(table, name, series[name])
        boxes(canvas.subplots(), series, "goodput [Mbit/s]")
        return table


@dataclass(frozen=True)
class RecordedDelays(Figure):
    """Delay of blocks over all pairs, a panel per rate of the application (bit/s)."""

    rates: tuple[float, ...]

    def _cell(self, s: Setting, rate: float, scheduler: str) -> list[Conditions]:
        work = Blocks(s.pick(60, 25), 5, rate, BLOCK)
        return [Conditions(pair, scheduler, "olia", work, buffer=16 * MB) for pair in _networks()]

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for rate in self.rates for name in s.having(*SCHEDULERS) for c in self._cell(s, rate, name)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table = Table(["block delay, ms", "p50", "p95", "p99", "worst"])
        panels = canvas.subplots(1, len(self.rates), squeeze=False)[0]
        for axes, rate in zip(panels, self.rates, strict=True):
            series = {}
            for name in s.having(*SCHEDULERS):
                runs = [results[c] for c in self._cell(s, rate, name) if c in results]
                series[name] = [MS * d for r in runs for d in r.main["delays_s"]]
                if series[name]:
                    label = f"{rate / 1e3:.0f} kbit/s: {name}"
                    table.add(label, *metrics.percentiles(series[name], (50, 95, 99, 100)))
            tail(axes, series, "delay of a block [ms]")
            axes.set_title(f"{rate / 1e3:.0f} kbit/s", fontsize=9)
            if any(series.values()):
                axes.set_xscale("log")
        return table


RECORDED = [
    RecordedBulk(
        "fig4.19", "Recorded radio links: files of 16 MB, buffers of 16 MB",
        "over public WiFi and 3G each scheduler has the same goodput", 16 * MB,
    ),
    RecordedBulk(
        "fig4.20", "Recorded radio links: files of 16 MB, buffers of 2 MB",
        "over public WiFi and 3G minrtt+bm has slightly more than the others, minrtt+rp comes next", 2 * MB,
    ),
    RecordedDelays(
        "fig4.22", "Recorded radio links: delay of an application-limited connection",
        "over public WiFi and 3G the delay varies up to ten times as much with rr as with lowest RTT",
        (500e3, 1.875e6),
    ),
]  # fmt: skip
