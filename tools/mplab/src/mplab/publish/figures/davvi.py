# SPDX-License-Identifier: MIT
"""A video player over several interfaces, beside MPTCP (Kaspar, Multipath Aggregation of Heterogeneous
Networks, 2011, section 6.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean
from typing import TYPE_CHECKING

from ...lab.paths import Path
from ...run.experiment import TCP, Conditions, Result
from ...traffic import Davvi
from .. import palette
from .access import HSPA2, WLAN1, Rival, having, moving
from .base import Figure, Outcome, Setting, Table, legend
from .ranges import KASPAR

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SCHEDULERS = ("default", "inorder", "inorder+bm")
QUALITIES = range(1, 5)
FIXED, DYNAMIC = "HTTP, fixed", "HTTP, dynamic"
ALONE = "TCP on path 1"
SHADES = ("#fde0c5", "#f3a683", "#c0627a", "#5b2a6b")


def rivals(s: Setting, work: Davvi) -> list[Rival]:
    """One connection asks for whole segments; several share them in pieces."""
    whole = replace(work, whole=True)
    found = [
        Rival(ALONE, TCP, whole),
        Rival(FIXED, "interfaces", work),
        Rival(DYNAMIC, "interfaces", replace(work, dynamic=True)),
        *(Rival(f"MPTCP, {name}", name, whole) for name in SCHEDULERS),
    ]
    return having(found, s.having(*SCHEDULERS))


def share(results: Sequence[Result], quality: int) -> float:
    """Of the segments, in %, the mean over the runs."""
    return 100 * mean(r.main[f"quality_{quality}_share"] for r in results)


HEADER = [*(f"Q{q} %" for q in QUALITIES), "Mbit/s", "interruptions", "seconds", "skipped", "startup s"]


def figures(results: Sequence[Result]) -> list[float]:
    """HEADER: shares, mean quality, and per run interruptions, their length, what was left out, start-up."""
    return [
        *(share(results, q) for q in QUALITIES),
        mean(r.main["quality_mean_bps"] for r in results) / 1e6,
        *(
            mean(r.main[name] for r in results)
            for name in ("rebuffering_count", "rebuffering_s", "skipped_segments", "startup_delay_s")
        ),
    ]


@dataclass(frozen=True)
class Field(Figure):
    """The qualities of the segments, over networks that vary."""

    work: Davvi

    def _runs(self, s: Setting) -> Mapping[str, list[Conditions]]:
        work = replace(self.work, count=s.pick(200, 60))
        networks = moving(WLAN1, HSPA2, s.pick(5, 60))
        return {r.name: [r.over(paths) for paths in networks] for r in rivals(s, work)}

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for runs in self._runs(s).values() for c in runs]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        axes, table = canvas.subplots(), Table(["", *HEADER])
        for name, wanted in self._runs(s).items():
            found = [results[c] for c in wanted if c in results]
            if not found:
                continue
            table.add(name, *figures(found))
            below = 0.0
            for q, shade in zip(QUALITIES, SHADES, strict=True):
                axes.bar([name], [share(found, q)], bottom=below, color=shade, width=0.6)
                below += share(found, q)
        axes.set(ylabel="segments by quality, lowest to highest [%]", ylim=(0, 100))
        return table


@dataclass(frozen=True)
class Split(Figure):
    """Mean quality, and share of the best one, where two paths differ in one thing."""

    networks: tuple[tuple[str, tuple[Path, ...]], ...]
    alone: tuple[str, tuple[Path, ...]]  # a path that has what both have together

    def _work(self, s: Setting) -> Davvi:
        return Davvi(count=s.pick(1000, 150))

    def _runs(self, s: Setting) -> dict[tuple[str, str], list[Conditions]]:
        """By name of the network, and of what uses it."""
        seeds = range(s.pick(3, 1))
        found = {
            (name, r.name): [r.over(paths, seed) for seed in seeds]
            for name, paths in self.networks
            for r in rivals(s, self._work(s))
        }
        name, paths = self.alone
        single = rivals(s, self._work(s))[0]
        return found | {(name, ALONE): [single.over(paths, seed) for seed in seeds]}

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for runs in self._runs(s).values() for c in runs]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table = Table(["network", "", *HEADER])
        curves: dict[str, dict[str, list[Result]]] = {}
        for (network, name), wanted in self._runs(s).items():
            if found := [results[c] for c in wanted if c in results]:
                table.add(network, name, *figures(found))
                curves.setdefault(name, {})[network] = found
        names = [name for name, _ in self.networks]
        left, right = canvas.subplots(1, 2)
        for name, by_network in curves.items():
            at = [n for n in names if n in by_network]
            style = palette.line(name)
            means = [mean(r.main["quality_mean_bps"] for r in by_network[n]) / 1e6 for n in at]
            left.plot(at, means, marker="o", markersize=3, label=name, **style)
            best = [share(by_network[n], QUALITIES[-1]) for n in at]
            right.plot(at, best, marker="o", markersize=3, label=name, **style)
        left.set(ylabel="mean quality [Mbit/s]", ylim=(0, None))
        right.set(ylabel="segments in the best quality [%]", ylim=(0, 100))
        for axes in (left, right):
            axes.grid(alpha=0.3)
        legend(left)
        return table


# bytes a second of all paths together: 3 Mbit/s on the wire
RATE, RTT, QUEUE = 3e6, 0.020, 0.2


def _split(percent: int, queue: float = QUEUE) -> tuple[Path, ...]:
    first = Path(RATE * percent / 100, RTT, queue)
    return (first, replace(first, rate=RATE - first.rate)) if percent < 100 else (first,)


def _deep(percent: int) -> tuple[Path, ...]:
    """Queues of 200 packets: up to 4 s on the slow path."""
    return tuple(replace(path, queue=0.0, queue_packets=200) for path in _split(percent))


def _rtts(first: int, second: int) -> tuple[Path, ...]:
    return tuple(Path(RATE / 2, ms / 1e3, QUEUE) for ms in (first, second))


SINGLE = ("100:0", _split(100))
RATIOS = (50, 60, 70, 80)
MILLISECONDS = ((10, 10), (10, 50), (10, 100), (10, 200), (200, 200))
DAVVI = [
    Field(
        "davvi-field", "A video player over varying WLAN and HSPA",
        f"{KASPAR} 6.14): with HSPA beside WLAN 98 % more segments have the best quality",
        Davvi(),
    ),
    Field(
        "davvi-live", "The same of a live video: one segment of buffer, left out when late",
        "nothing; Kaspar (2011, 6.4) describes it without figures",
        Davvi(room=1, live=True),
    ),
    Split(
        "davvi-split", "A video player over two paths of 3 Mbit/s together, by their share",
        f"{KASPAR}s 6.15, 6.16a): at 80:20 fixed pieces have 37 % fewer of the best segments than the fast"
        " path alone, dynamic ones 44 % more, nearly what a path of 3 Mbit/s has",
        (*((f"{n}:{100 - n}", _split(n)) for n in RATIOS), ("80:20, deep", _deep(80))), SINGLE,
    ),
    Split(
        "davvi-rtt", "A video player over two paths of 1.5 Mbit/s, by their RTTs in ms",
        f"{KASPAR} 6.16b): RTTs matter little",
        tuple((f"{a}:{b}", _rtts(a, b)) for a, b in MILLISECONDS), SINGLE,
    ),
]  # fmt: skip
