# SPDX-License-Identifier: MIT
"""Many servers answer one client at the same time (Li 2014, section 3.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .. import palette, paths
from ..experiment import Conditions, Result
from ..workloads import Incast
from .base import Figure, Outcome, Setting, Table, legend, middle

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

PATH = "1gbit,500us,100p"
ANSWER = 65536
MS = 1e3
# name: congestion control, exponent of the weight (None: it has no weight)
VARIANTS: dict[str, tuple[str, int | None]] = {
    "reno": ("reno", None),
    "cubic": ("cubic", None),
    "lia": ("lia", None),
    "ewlia, 1/n": ("ewlia", 1),
    "ewlia, 1/n²": ("ewlia", 2),
}


@dataclass(frozen=True)
class ManyServers(Figure):
    """Goodput of all connections against the number of servers, and the slowest answer of all."""

    def _counts(self, s: Setting) -> tuple[int, ...]:
        return s.pick((1, 2, 4, 8, 16, 32), (1, 2, 4, 16))

    def _variants(self, s: Setting) -> list[str]:
        return [name for name, (congestion, _) in VARIANTS.items() if s.controls(congestion)]

    def _cell(self, s: Setting, name: str, servers: int) -> list[Conditions]:
        congestion, exponent = VARIANTS[name]
        weight = (("mptcp/ewlia_weight", str(servers)), ("mptcp/ewlia_exponent", str(exponent)))
        return [
            Conditions(
                (paths.parse(PATH),) * 2, "default", congestion, Incast(ANSWER, s.pick(50, 20)),
                topology="incast", connections=servers, sysctls=weight if exponent else (), seed=seed,
            )
            for seed in range(s.pick(5, 1))
        ]  # fmt: skip

    def plan(self, s: Setting) -> list[Conditions]:
        return [c for name in self._variants(s) for n in self._counts(s) for c in self._cell(s, name, n)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        counts = self._counts(s)
        table = Table(["servers", *map(str, counts)])
        left, right = canvas.subplots(1, 2)
        for name in self._variants(s):
            cells = [[results[c] for c in self._cell(s, name, n) if c in results] for n in counts]
            goodput = [middle([r.goodput / 1e6 for r in cell]) for cell in cells]
            slowest = [middle([MS * slowest_answer(r) for r in cell]) for cell in cells]
            left.plot(counts, goodput, marker="o", label=name, markersize=3, **palette.line(name))
            right.plot(counts, slowest, marker="o", label=name, markersize=3, **palette.line(name))
            table.add(f"{name}: goodput Mbit/s", *goodput)
            table.add(f"{name}: slowest answer ms", *slowest)
        left.set(xlabel="servers", ylabel="goodput [Mbit/s]", ylim=(0, None))
        right.set(xlabel="servers", ylabel="slowest answer [ms]")
        if results:  # without, there is nothing that a logarithmic axis could show
            right.set_yscale("log")
        for axes in (left, right) if results else ():
            axes.set_xscale("log", base=2)
            axes.set_xticks(counts, list(map(str, counts)))
            axes.grid(alpha=0.3)
            legend(axes)
        return table


def slowest_answer(result: Result) -> float:
    """Seconds, over all rounds and servers."""
    return max(f["answer_max_s"] for f in result.flows)


INCAST = [
    ManyServers(
        "incast", "Many servers answer at the same time",
        "nothing; Li (Improving the Efficiency of Multipath Transport Protocols, 2014, figure 3.14): with"
        " more servers the goodput of coupled control collapses, that of equally weighted control does not",
    ),
]  # fmt: skip
