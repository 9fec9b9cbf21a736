# SPDX-License-Identifier: MIT
"""What a lower least timeout still gains, with what Linux has learnt since, and without (Li 2014)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...lab import paths
from ...run.experiment import Conditions
from ...traffic import Bulk, Incast
from .. import palette
from .base import Figure, Outcome, Setting, Table, goodputs, legend, middle

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

Sysctls = tuple[tuple[str, str], ...]

# Li's "Internet": 100 Mbit/s, RTTs of 10 to 100 ms, 0.5 % lost; a receive buffer of 512 KB
LOSSY = ("100mbit,20ms,20ms,loss=0.5%",) * 2
BUFFER = 512 * 1024
TOR = "1gbit,500us,100p"
SERVERS = 16
ANSWER = 65536
# A tick of User-Mode Linux is 10 ms, and TCP waits for two at least.
FLOORS_MS = (20, 50, 100, 200)
# tail loss probes, and loss detection by time (RFC 8985)
NEITHER: Sysctls = (("ipv4/tcp_early_retrans", "0"), ("ipv4/tcp_recovery", "0"))
NEWRENO: Sysctls = (*NEITHER, ("ipv4/tcp_sack", "0"))
TWO: Sysctls = (("mptcp/rto_segments", "2"),)
ALWAYS, BLOCKED = "ipv4/tcp_rto_min_us", "mptcp/blocked_rto_min_us"

# name: scheduler, sysctls, the one that has the least timeout
VARIANTS: dict[str, tuple[str, Sysctls, str]] = {
    "as Linux is": ("default", (), ALWAYS),
    "as Linux is, +rs": ("default+rs", (), ALWAYS),
    "without TLP and RACK": ("default", NEITHER, ALWAYS),
    "without, while it blocks": ("default", NEITHER, BLOCKED),
    "without, two segments": ("default", NEITHER + TWO, ALWAYS),
    "without, +rs": ("default+rs", NEITHER, ALWAYS),
    "NewReno without SACK": ("default", NEWRENO, ALWAYS),
    "NewReno, two segments": ("default", NEWRENO + TWO, ALWAYS),
}


@dataclass(frozen=True)
class LeastTimeout(Figure):
    """Goodput against the least timeout: over lossy paths, and of many servers that answer at once."""

    def _variants(self, s: Setting) -> list[str]:
        there = s.having(*dict.fromkeys(scheduler for scheduler, _, _ in VARIANTS.values()))
        return [name for name, (scheduler, _, _) in VARIANTS.items() if scheduler in there]

    def _sysctls(self, name: str, floor: int) -> Sysctls:
        _, sysctls, least = VARIANTS[name]
        return (*sysctls, (least, str(floor * 1000)))

    def _floors(self, s: Setting) -> tuple[int, ...]:
        return s.pick(FLOORS_MS, (FLOORS_MS[0], FLOORS_MS[-1]))

    def _lossy(self, s: Setting, name: str, floor: int) -> list[Conditions]:
        net = tuple(paths.parse(p) for p in LOSSY)
        return [
            Conditions(
                net, VARIANTS[name][0], "reno", s.pick(Bulk(30, 5), Bulk(15, 3)), buffer=BUFFER,
                sysctls=self._sysctls(name, floor), seed=seed,
            )
            for seed in range(s.pick(5, 3))
        ]  # fmt: skip

    def _incast(self, s: Setting, name: str, floor: int) -> list[Conditions]:
        return [
            Conditions(
                (paths.parse(TOR),) * 2, VARIANTS[name][0], "reno", Incast(ANSWER, s.pick(50, 10)),
                topology="incast", connections=SERVERS, sysctls=self._sysctls(name, floor), seed=seed,
            )
            for seed in range(s.pick(3, 1))
        ]  # fmt: skip

    def plan(self, s: Setting) -> list[Conditions]:
        points = [(name, floor) for name in self._variants(s) for floor in self._floors(s)]
        return [c for point in points for cell in (self._lossy, self._incast) for c in cell(s, *point)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        table = Table(["goodput Mbit/s at ms", *map(str, self._floors(s))])
        left, right = canvas.subplots(1, 2)
        for axes, cell, label in (
            (left, self._lossy, "0.5 % lost"),
            (right, self._incast, f"{SERVERS} servers"),
        ):
            for name in self._variants(s):
                goodput = [middle(goodputs(results, cell(s, name, ms))) / 1e6 for ms in self._floors(s)]
                axes.plot(
                    self._floors(s), goodput, marker="o", label=name, markersize=3, **palette.line(name)
                )
                table.add(f"{label}: {name}", *goodput)
            axes.set(xlabel="least timeout [ms]", ylabel=f"goodput, {label} [Mbit/s]", ylim=(0, None))
            axes.grid(alpha=0.3)
        legend(left)
        return table


TIMERS = [
    LeastTimeout(
        "timers", "What a lower least timeout still gains",
        "Li (Improving the Efficiency of Multipath Transport Protocols, 2014, figure 3.6): with"
        " 512 KB the goodput of MPTCP drops sharply when the least timeout is more than some value",
    ),
]  # fmt: skip
