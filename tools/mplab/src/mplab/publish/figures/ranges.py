# SPDX-License-Identifier: MIT
"""Downloads with range requests over several interfaces, beside MPTCP (Kaspar, Multipath Aggregation of
Heterogeneous Networks, 2011, section 6.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import mean, median
from typing import TYPE_CHECKING, ClassVar

from ...lab.paths import Path
from ...run.experiment import TCP, Conditions, Result
from ...traffic import Ranges, playback
from .. import palette
from .access import HSPA1, HSPA2, KB, WLAN1, Rival, having, standing
from .base import BOXES, Figure, Outcome, Setting, Table, boxes, legend, middle

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

SCHEDULERS = ("default", "inorder")
HTTP = "interfaces"
MB = KB * KB
SHORT = tuple(n * KB for n in (3, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 100))


def _in_one(size: int) -> Ranges:
    """The whole file with one request."""
    return Ranges(size, segment=size, outstanding=1)


def _kilobytes(count: float) -> str:
    return f"{count / KB:g}"


def _at_once(s: Setting, size: int) -> list[Rival]:
    """What needs no ranges: TCP on the best path, MPTCP on all."""
    names = s.having(*SCHEDULERS)
    rivals = [Rival("TCP on path 1", TCP, _in_one(size))]
    rivals += [Rival(f"MPTCP, {name}", name, _in_one(size)) for name in SCHEDULERS]
    return having(rivals, names)


def speed(result: Result) -> float:
    """KB/s."""
    return result.goodput / 8 / KB


@dataclass(frozen=True)
class SegmentSize(Figure):
    """Rate, startup latency and buffer against the size of segments, without pipelining or with it."""

    networks: tuple[tuple[str, tuple[Path, ...]], ...]
    outstanding: tuple[int, ...]
    size: int

    def _size(self, s: Setting) -> int:
        return s.pick(self.size, self.size // 2)

    def _segments(self, s: Setting) -> tuple[int, ...]:
        sizes = (10, 25, 50, 100, 250, 500, 1000, 2500, 5000)
        return tuple(n * KB for n in s.pick(sizes, sizes[1:]))

    def _curves(self, s: Setting) -> list[tuple[str, tuple[Path, ...], int]]:
        """Name, paths, how many requests are outstanding."""
        return [
            (f"{name}, {n} outstanding" if len(self.outstanding) > 1 else name, paths, n)
            for name, paths in self.networks
            for n in self.outstanding
        ]

    def _cell(self, s: Setting, paths: tuple[Path, ...], outstanding: int, segment: int) -> list[Conditions]:
        work = Ranges(self._size(s), segment, outstanding)
        return [Rival("", HTTP, work).over(paths, seed) for seed in range(s.pick(5, 1))]

    def _others(self, s: Setting) -> dict[str, list[Conditions]]:
        """By name, on each network."""
        return {
            f"{name}: {rival.name}": [rival.over(paths, seed) for seed in range(s.pick(5, 1))]
            for name, paths in self.networks
            for rival in _at_once(s, self._size(s))
        }

    def plan(self, s: Setting) -> list[Conditions]:
        cells = [
            self._cell(s, paths, n, segment)
            for _, paths, n in self._curves(s)
            for segment in self._segments(s)
        ]
        return [c for cell in [*cells, *self._others(s).values()] for c in cell]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table = Table(["", "segment KB", "KB/s", "benefit", "startup s", "buffer KB"])
        panels = canvas.subplots(1, 3)
        for name, paths, n in self._curves(s):
            columns = []
            for segment in self._segments(s):
                cell = [results[c] for c in self._cell(s, paths, n, segment) if c in results]
                columns.append(_figures(cell))
                table.add(name, _kilobytes(segment), *columns[-1])
            for axes, column in zip(panels, (0, 2, 3), strict=True):
                at = [segment / KB for segment in self._segments(s)]
                drawn = [each[column] for each in columns]
                axes.plot(at, drawn, marker="o", markersize=3, label=name, **palette.line(name))
        for name, wanted in self._others(s).items():
            found = _figures([results[c] for c in wanted if c in results])
            table.add(name, "whole", *found)
            for axes, column in zip(panels, (0, 2, 3), strict=True):
                axes.axhline(
                    found[column], linewidth=1, color=palette.colour(name), linestyle=":", label=name
                )
        for axes, label in zip(panels, ("KB/s", "startup latency [s]", "buffer [KB]"), strict=True):
            axes.set(xlabel="segment [KB]", ylabel=label, ylim=(0, None))
            axes.grid(alpha=0.3)
        for axes in panels if results else ():
            axes.set_xscale("log")
        legend(panels[0])
        return table


def _figures(cell: Sequence[Result]) -> list[float]:
    """Medians: KB/s, aggregation benefit, startup latency in s, buffer in KB."""
    return [
        middle([speed(r) for r in cell]),
        middle([r.benefit for r in cell if r.benefit is not None]),
        middle([r.main["least_startup_s"] for r in cell]),
        middle([r.main["least_buffer_bytes"] / KB for r in cell]),
    ]


@dataclass(frozen=True)
class MinimumSegment(Figure):
    """Rate of one interface against the size of segments, for several numbers of requests and RTTs."""

    outstanding: tuple[int, ...] = (1, 2, 6, 21)

    def _curves(self) -> dict[str, tuple[Path, int]]:
        near = replace(HSPA1, rtt=HSPA1.rtt / 2)
        found = {f"{n} outstanding" if n > 1 else "no pipelining": (HSPA1, n) for n in self.outstanding}
        return found | {"2 outstanding, half the RTT": (near, 2)}

    def _run(self, s: Setting, path: Path, outstanding: int, segment: int) -> Conditions:
        return Rival("", HTTP, Ranges(s.pick(50, 10) * MB, segment, outstanding)).over((path,))

    def plan(self, s: Setting) -> list[Conditions]:
        return [self._run(s, *curve, size) for curve in self._curves().values() for size in SHORT]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        axes, table = canvas.subplots(), Table(["KB/s", *(f"{_kilobytes(size)} KB" for size in SHORT)])
        at = [size / KB for size in SHORT]
        for name, curve in self._curves().items():
            runs = [self._run(s, *curve, size) for size in SHORT]
            found = [middle([speed(results[c])] if c in results else []) for c in runs]
            table.add(name, *found)
            axes.plot(at, found, marker="o", markersize=3, label=name, **palette.line(name))
        for delay, style in ((HSPA1.rtt / 2, ":"), (HSPA1.rtt, "--")):
            least = playback.minimum_segment(delay, HSPA1.capacity / 8) / KB
            name = f"{delay * 1e3:g} ms x rate"
            axes.axvline(least, color="black", linewidth=0.8, linestyle=style, label=name)
        axes.set(xlabel="segment [KB]", ylabel="KB/s", ylim=(0, None))
        axes.grid(alpha=0.3)
        legend(axes)
        return table


@dataclass(frozen=True)
class Playback(Figure):
    """Share of downloads that a reader at a constant rate can follow without an interruption."""

    rates: tuple[int, ...] = (200, 300, 400, 500, 600, 700, 800, 850)

    def _rivals(self, s: Setting) -> list[Rival]:
        size = s.pick(50, 25) * MB
        ranges = Rival("HTTP over both", HTTP, Ranges(size))
        dynamic = Rival("HTTP over both, dynamic", HTTP, Ranges(size, dynamic=True))
        return [*_at_once(s, size), ranges, dynamic]

    def _runs(self, s: Setting, rival: Rival) -> list[Conditions]:
        return [rival.over(paths) for paths in standing(WLAN1, HSPA1, s.pick(2, 10))]

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for rival in self._rivals(s) for c in self._runs(s, rival)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        columns = [f"{rate} KB/s" for rate in self.rates]
        axes, table = canvas.subplots(), Table(["%", *columns, "mean KB/s", "startup s", "buffer KB"])
        for rival in self._rivals(s):
            found = [results[c] for c in self._runs(s, rival) if c in results]
            if not found:
                continue
            reached = [(r.main["sustained_bps"] or math.inf) / 8 / KB for r in found]
            shares = [100 * sum(r >= rate for r in reached) / len(reached) for rate in self.rates]
            startup = median(r.main["least_startup_s"] for r in found)
            room = median(r.main["least_buffer_bytes"] / KB for r in found)
            table.add(rival.name, *shares, mean(map(speed, found)), startup, room)
            style = palette.line(rival.name)
            axes.plot(self.rates, shares, marker="o", markersize=3, label=rival.name, **style)
        axes.set(xlabel="playback [KB/s]", ylabel="downloads without interruption [%]", ylim=(0, 105))
        axes.grid(alpha=0.3)
        legend(axes)
        return table


@dataclass(frozen=True)
class ManyPeers(Figure):
    """Rate of a file in pieces from many peers, each over a path that a hash chose."""

    caption: ClassVar[str] = BOXES

    def _counts(self, s: Setting) -> tuple[int, ...]:
        return (1, 2, 5, 10, 20, 50)

    def _runs(self, s: Setting, peers: int) -> list[Conditions]:
        draws = range(s.pick(75, 6))
        size = s.pick(100, 20) * MB
        return [Rival("", HTTP, Ranges(size, peers=peers, draw=draw)).over((WLAN1, HSPA1)) for draw in draws]

    def _others(self, s: Setting) -> list[tuple[str, Conditions]]:
        found = [
            *_at_once(s, s.pick(100, 20) * MB),
            Rival("a connection on each", HTTP, Ranges(s.pick(100, 20) * MB)),
        ]
        return [(rival.name, rival.over((WLAN1, HSPA1))) for rival in found]

    def plan(self, s: Setting) -> list[Conditions]:
        spread = [c for peers in self._counts(s) for c in self._runs(s, peers)]
        return spread + [c for _, c in self._others(s)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        axes, table = canvas.subplots(), Table(["peers", "least", "KB/s, median", "most", "benefit, median"])
        cells = {f"{n}": [results[c] for c in self._runs(s, n) if c in results] for n in self._counts(s)}
        cells |= {name: [results[c]] for name, c in self._others(s) if c in results}
        for name, cell in cells.items():
            if found := [speed(r) for r in cell]:
                benefits = [r.benefit for r in cell if r.benefit is not None]
                table.add(name, min(found), median(found), max(found), middle(benefits))
        boxes(axes, {name: [speed(r) for r in cell] for name, cell in cells.items()}, "KB/s")
        return table


KASPAR = "nothing; Kaspar (Multipath Aggregation of Heterogeneous Networks, 2011, figure"
BOTH, THREE = (WLAN1, HSPA1), (WLAN1, HSPA1, HSPA2)
RANGES = [
    SegmentSize(
        "ranges-size", "Range requests over several interfaces: the size of segments",
        f"{KASPAR}s 6.6, 6.7): best with 250 to 1000 KB; startup latency and buffer grow with the size",
        (("2 interfaces", BOTH), ("3 interfaces", THREE)), (1,), 25_200 * KB,
    ),
    SegmentSize(
        "ranges-pipelined", "Range requests over two interfaces: pipelining",
        f"{KASPAR} 6.9): with pipelining segments of 50 KB are as good as larger ones",
        (("2 interfaces", BOTH),), (1, 2), 50 * MB,
    ),
    MinimumSegment(
        "ranges-minimum", "Range requests over HSPA: the least size of segments",
        f"{KASPAR} 6.10): below 30 KB the rate falls; with more requests it stays near the best"
        " down to a few packets",
    ),
    Playback(
        "ranges-playback", "Downloads that are played meanwhile, over varying WLAN and HSPA",
        f"{KASPAR} 6.11): WLAN fails above 400 KB/s; WLAN and HSPA succeed always at 600 KB/s, in 65 % at"
        " 800 KB/s",
    ),
    ManyPeers(
        "many-peers", "A file from many peers over routes of equal cost",
        f"{KASPAR} 1.4): BitTorrent over such routes aggregates very efficiently",
    ),
]  # fmt: skip
