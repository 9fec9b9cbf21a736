# SPDX-License-Identifier: MIT
"""Goodput as the buffers grow, over fixed paths (thesis 4.1.2 to 4.2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...lab import paths
from ...run.experiment import TCP, Conditions
from ...traffic import Bulk
from .. import palette
from .base import Figure, Outcome, Setting, Table, goodputs, legend, middle

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

WIFI_3G = ("8mbit,20ms,80ms", "2mbit,150ms,2s")
WIFI_WEAK_3G = ("8mbit,20ms,80ms", "50kbit,150ms,2s")
GIGABIT_100M = ("1gbit,1ms,5ms", "100mbit,1ms,5ms")
THREE_GIGABIT = ("1gbit,1ms,5ms",) * 3


@dataclass(frozen=True)
class Sweep(Figure):
    """buffers in KB; throughput: draw what the links carried beside what arrived."""

    paths: tuple[str, ...]
    schedulers: tuple[str, ...]
    buffers: tuple[int, ...]
    small: tuple[int, ...]
    throughput: bool = False
    fast: bool = False

    def _workload(self, s: Setting) -> Bulk:
        if self.fast:
            return s.pick(Bulk(10, 2), Bulk(2, 1))
        return s.pick(Bulk(30, 5), Bulk(20, 5))

    def _cell(self, s: Setting, scheduler: str, buffer: int, path: int = 0) -> list[Conditions]:
        """The runs of one point of a curve; TCP runs over one of the paths."""
        net = tuple(paths.parse(p) for p in self.paths)
        if scheduler == TCP:
            net = (net[path],)
        seeds = range(s.pick(3, 1))
        work = self._workload(s)
        return [Conditions(net, scheduler, workload=work, buffer=buffer * 1000, seed=seed) for seed in seeds]

    def _curves(self, s: Setting) -> dict[str, tuple[str, int]]:
        """Name of each curve: scheduler, path."""
        distinct = list(dict.fromkeys(self.paths))
        curves = {f"TCP on path {self.paths.index(p) + 1}": (TCP, self.paths.index(p)) for p in distinct}
        return curves | {name: (name, 0) for name in s.having(*self.schedulers)}

    def _buffers(self, s: Setting) -> tuple[int, ...]:
        return s.pick(self.buffers, self.small)

    def plan(self, s: Setting) -> list[Conditions]:
        return [
            c
            for scheduler, path in self._curves(s).values()
            for buffer in self._buffers(s)
            for c in self._cell(s, scheduler, buffer, path)
        ]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        axes = canvas.subplots()
        buffers = self._buffers(s)
        table = Table(["goodput Mbit/s at KB", *map(str, buffers)])
        for name, (scheduler, path) in self._curves(s).items():
            cells = [self._cell(s, scheduler, b, path) for b in buffers]
            goodput = [middle(goodputs(results, cell)) / 1e6 for cell in cells]
            dots = "" if scheduler == TCP else "o"
            axes.plot(buffers, goodput, marker=dots, label=name, markersize=3, **palette.line(name))
            table.add(name, *goodput)
            if self.throughput and scheduler != TCP:
                carried = [self._carried(s, results, cell) for cell in cells]
                label = f"{name}, carried by the links"
                axes.plot(buffers, carried, ":", color=palette.colour(name), label=label)
                table.add(label, *carried)
        axes.set(xlabel="buffer limit [KB]", ylabel="goodput [Mbit/s]", xscale="log", ylim=(0, None))
        axes.set_xticks(buffers, [str(b) for b in buffers])
        axes.minorticks_off()
        axes.grid(alpha=0.3)
        legend(axes)
        return table

    def _carried(self, s: Setting, results: Outcome, cell: list[Conditions]) -> float:
        """Mbit/s that the links carried, headers included, over the whole run."""
        seconds = self._workload(s).seconds
        return middle([sum(results[c].path_bytes) * 8 / seconds / 1e6 for c in cell if c in results])


KB = (50, 100, 200, 400, 800, 1600)
SMALL_KB = (100, 200, 400, 1600)

SWEEPS = [
    Sweep(
        "fig4.4", "WiFi and 3G: a small buffer holds MPTCP up",
        "MPTCP without mechanisms is worse than TCP over WiFi until the buffer is large",
        WIFI_3G, ("default", "minrtt", "rr", "inorder"), KB, SMALL_KB,
    ),
    Sweep(
        "fig4.6", "Retransmission and penalization: what the links carry for it",
        "goodput almost always as good as TCP over WiFi; wasteful of capacity when the buffer is small",
        WIFI_3G, ("minrtt", "minrtt+r", "minrtt+rp1", "minrtt+rp"), KB, SMALL_KB, throughput=True,
    ),
    Sweep(
        "fig4.7", "Retransmission and penalization",
        "MPTCP always outperforms or at least matches TCP over WiFi",
        WIFI_3G, ("default", "minrtt", "minrtt+rp", "minrtt+rp+bm", "inorder"), KB, SMALL_KB,
    ),
    Sweep(
        "fig4.8", "WiFi and a very weak 3G (50 kbit/s)",
        "ten times the goodput of plain MPTCP at 200 KB with both mechanisms",
        WIFI_WEAK_3G, ("default", "minrtt", "minrtt+rp", "minrtt+rp+bm", "inorder"), KB, SMALL_KB,
    ),
    Sweep(
        "fig4.9", "1 Gbit/s and 100 Mbit/s",
        "both links used from 250 KB with both mechanisms; plain MPTCP needs 2 MB to reach TCP",
        GIGABIT_100M, ("default", "minrtt", "minrtt+r", "minrtt+rp1", "minrtt+rp", "inorder"),
        (100, 250, 500, 1000, 2000, 4000), (250, 1000, 4000), fast=True,
    ),
    Sweep(
        "fig4.10", "Three links of 1 Gbit/s",
        "with equal links the mechanisms change nothing, at any buffer size",
        THREE_GIGABIT, ("default", "minrtt", "minrtt+rp", "inorder"),
        (100, 250, 500, 1000, 2000, 4000), (250, 4000), fast=True,
    ),
]  # fmt: skip
