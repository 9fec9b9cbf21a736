# SPDX-License-Identifier: MIT
"""What several paths do to the order of packets, and what they are worth (Kaspar 2011, chapters 2 to 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from ...lab import paths
from ...run.experiment import Conditions, Result
from ...traffic import Order, metrics
from .. import palette
from .base import (
    BOXES,
    Figure,
    Outcome,
    Setting,
    Table,
    add_quantiles,
    boxes,
    bulk,
    legend,
    middle,
    points,
    quantile_table,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

NETWORKS = {
    "20 and 100 ms": ("10mbit,20ms,50ms", "10mbit,100ms,50ms"),
    "WiFi and 3G": ("8mbit,20ms,80ms", "2mbit,150ms,2s"),
}
SCHEDULERS = (
    *("default", "minrtt", "minrtt+rp", "inorder", "rr", "wrr"),
    *("blest", "ecf", "sttf", "stms", "edpf", "pet"),
)
# of a run's figures: name, label
ORDER = {
    "late_ratio": "late packets, share",
    "reorder_entropy": "entropy, nats",
    "displacement_mean_packets": "mean displacement, packets",
    "hold_p95_packets": "hold 95 %, packets",
    "hold_p99_packets": "hold 99 %, packets",
}


@dataclass(frozen=True)
class Reordering(Figure):
    """Displacement of packets, and the buffer that puts them in order, by scheduler: a panel per network."""

    caption: ClassVar[str] = (
        "Share of packets that are displaced by so many places or more, early or late; of all seeds together."
    )

    def _cell(self, s: Setting, network: str, scheduler: str) -> list[Conditions]:
        net = tuple(map(paths.parse, NETWORKS[network]))
        work = Order(s.pick(30, 10), 3)
        return [Conditions(net, scheduler, workload=work, seed=seed) for seed in range(s.pick(5, 1))]

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for net in NETWORKS for name in s.having(*SCHEDULERS) for c in self._cell(s, net, name)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table = Table(["bulk", *ORDER.values(), "goodput Mbit/s"])
        for axes, network in zip(canvas.subplots(1, len(NETWORKS), sharey=True), NETWORKS, strict=True):
            for name in s.having(*SCHEDULERS):
                runs = [results[c] for c in self._cell(s, network, name) if c in results]
                if runs:
                    row = [middle(figure(runs, key)) for key in ORDER]
                    table.add(f"{network}: {name}", *row, middle([r.goodput / 1e6 for r in runs]))
                if curve := displaced(runs):
                    by, shares = zip(*curve, strict=True)
                    axes.step(by, shares, where="post", label=name, **palette.line(name))
                    axes.set(xscale="log", yscale="log")
            axes.set(xlabel="displaced by so many packets or more", ylabel="share of packets")
            axes.set_title(network, fontsize=9)
            axes.grid(alpha=0.3)
            legend(axes)
        return table


def figure(runs: Sequence[Result], key: str) -> list[float]:
    """Of those that have it."""
    return [r.main[key] for r in runs if key in r.main]


def displaced(runs: Sequence[Result]) -> list[tuple[int, float]]:
    """From one packet on: by how many, and which share of packets is displaced by as many or more."""
    densities = [r.main["displacements"] for r in runs if "displacements" in r.main]
    shares: dict[int, float] = {}
    for density in densities:
        for by, share in density:
            shares[abs(by)] = shares.get(abs(by), 0.0) + share / len(densities)
    found, rest = [], sum(share for by, share in shares.items() if by)
    for by in sorted(filter(None, shares)):
        found.append((by, rest))
        rest -= shares[by]
    return [(by, share) for by, share in found if share > metrics.EPSILON]


PACKET = 1000  # bytes of data
SLOW, FAST = "10mbit,94ms,50ms", "10mbit,20ms,50ms"  # 37 ms apart on the way there, as Kaspar's
RATES = (0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 1.0, 2.0, 4.0, 6.0)  # Mbit/s


@dataclass(frozen=True)
class OrderModel(Figure):
    """Packets in turn over two paths: how many are late, and by how many, against the model."""

    caption: ClassVar[str] = "Dots: measured; lines: the model, without jitter and without queues."

    def _rates(self, s: Setting) -> tuple[float, ...]:
        return s.pick(RATES, RATES[::2])

    def _conditions(self, rate: float) -> Conditions:
        work = Order(20, 3, rate * 1e6, PACKET)
        return Conditions((paths.parse(FAST), paths.parse(SLOW)), "rr", workload=work)

    def plan(self, s: Setting) -> list[Conditions]:
        return [self._conditions(rate) for rate in self._rates(s)] if s.having("rr") else []

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table = Table(["Mbit/s", "late, model", "late", "late by, model", "late by"])
        there = [
            (rate, results[c].main) for rate in self._rates(s) if (c := self._conditions(rate)) in results
        ]
        measured = [(rate, main) for rate, main in there if "late_ratio" in main]
        for rate, main in measured:
            late, by = predicted(rate * 1e6)
            table.add(f"{rate:g}", late, main["late_ratio"], by, main["late_by_packets"])
        rates = [rate for rate, _ in measured]
        dense = [max(rates, default=0) * n / 400 for n in range(1, 401)]
        for axes, key, which, label in zip(
            canvas.subplots(1, 2), ("late_ratio", "late_by_packets"), (0, 1),
            ("share of packets that are late", "packets that a late one is late by"), strict=True,
        ):  # fmt: skip
            axes.plot(dense, [predicted(rate * 1e6)[which] for rate in dense], label="model")
            axes.plot(rates, [main[key] for _, main in measured], "o", label="rr", markersize=4)
            axes.set(xlabel="rate of the packets [Mbit/s]", ylabel=label)
            axes.grid(alpha=0.3)
            legend(axes)
        return table


def predicted(rate: float) -> tuple[float, float]:
    """Share of late packets at a rate in bit/s, and by how many (Kaspar, 4.1 and 4.2)."""
    delays = [path.rtt * path.there / 100 for path in map(paths.parse, (FAST, SLOW))]
    critical = metrics.critical_rate(8 * PACKET, *delays)
    late = 0.5 if rate > critical else 0.0
    return late, metrics.expected_displacement(rate, 8 * PACKET, *delays) if late else 0.0


WORTH: dict[str, Callable[[float, Sequence[float]], float]] = {
    "ratio": metrics.aggregation_ratio,
    "gain": metrics.aggregation_gain,
    "efficiency": metrics.aggregation_efficiency,
    "benefit": metrics.benefit,
}


@dataclass(frozen=True)
class Worth(Figure):
    """Four ways to say what several paths were worth, over a design: relative to what the links carry.

    The runs are some of fig4.13's.
    """

    caption: ClassVar[str] = BOXES
    schedulers: tuple[str, ...] = ("default", "minrtt", "minrtt+rp", "inorder")
    some: tuple[str, ...] = ("default", "inorder")

    def _names(self, s: Setting) -> list[str]:
        return s.having(*s.pick(self.schedulers, self.some))

    def _wanted(self, s: Setting, scheduler: str) -> list[Conditions]:
        environments, count = s.pick((("low", "high"), 200), (("low",), metrics.PERCENTILES_FROM))
        pairs = [pair for name in environments for pair in points(name, count, s.seed)]
        return [Conditions(pair, scheduler, workload=bulk(s)) for pair in pairs]

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for name in self._names(s) for c in self._wanted(s, name)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table = quantile_table("relative to what the links carry")
        for axes, (what, function) in zip(canvas.subplots(1, len(WORTH)), WORTH.items(), strict=True):
            series = {}
            for name in self._names(s):
                runs = [results[c] for c in self._wanted(s, name) if c in results]
                series[name] = [function(r.goodput, [p.capacity for p in r.conditions.paths]) for r in runs]
                add_quantiles(table, f"{what}: {name}", series[name])
            boxes(axes, series, f"aggregation {what}")
        return table


REORDERING = [
    Reordering(
        "reordering", "The order in which packets arrive",
        "nothing; Kaspar (Multipath Aggregation of Heterogeneous Networks, 2011, figures 4.3 to 4.5): round"
        " robin over WLAN and HSPA at 2 Mbit/s leaves 2 % of packets in place, displaces most often by 3, and"
        " a sender that makes up for the delays lowers the entropy by 38 %",
    ),
    OrderModel(
        "reordering-model", "Packets in turn over paths that are 37 ms apart",
        "nothing; Kaspar (2011, figure 4.2): hardly any late packets at low rates, half of them from about"
        " 0.5 Mbit/s on",
    ),
    Worth(
        "worth", "What two paths are worth, by four measures",
        "nothing; Kaspar (2011, 3.6) defines all four, and prefers the benefit",
    ),
]  # fmt: skip
