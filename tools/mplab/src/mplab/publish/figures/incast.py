# SPDX-License-Identifier: MIT
"""Many servers answer one client at the same time (Li 2014, section 3.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from ...lab import paths
from ...run.experiment import TCP, Conditions, Result
from ...traffic import Incast, metrics
from .. import palette
from .base import Figure, Outcome, Setting, Table, legend, middle

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

PATH = "1gbit,500us,100p"
SWITCH = "1gbit,500us,1ms"  # a queue of 125 KB, however large the packets are
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
TO_48 = (1, *range(4, 49, 4))
TO_300 = (50, 100, 150, 200, 250, 300)
PER_SERVER, PER_REQUEST = 262_144, 4_194_304  # bytes
MTUS = (1500, 1000, 576)


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


@dataclass(frozen=True)
class Arm:
    """What is compared. mptcp: with a subflow over each bottleneck; else plain TCP over the first."""

    control: str
    mptcp: bool = True
    mtu: int = 1500
    initcwnd: int = 0
    scheduler: str = "default"
    full_only: bool = False

    def conditions(self, servers: int, work: Incast, seed: int) -> Conditions:
        congestion, exponent = VARIANTS[self.control]
        weight = (("mptcp/ewlia_weight", str(servers)), ("mptcp/ewlia_exponent", str(exponent)))
        path = replace(paths.parse(SWITCH), mtu=self.mtu, initcwnd=self.initcwnd)
        return Conditions(
            (path,) * 2, self.scheduler if self.mptcp else TCP, congestion, work,
            topology="incast", connections=servers, sysctls=weight if exponent else (), seed=seed,
        )  # fmt: skip


@dataclass(frozen=True)
class Collapse(Figure):
    """Goodput, and how long requests take, against the number of servers.

    A request is complete with the last byte of the slowest server. volume: bytes of each server for
    so many servers.
    """

    caption: ClassVar[str] = (
        "Line: median of the runs; shade: from the least to the most. IW: initial window, in segments."
    )
    volume: Callable[[int], int]
    arms: dict[str, Arm]
    counts: tuple[int, ...] = TO_48
    some: tuple[int, ...] = (4, 8, 16, 32, 48)

    def _counts(self, s: Setting) -> tuple[int, ...]:
        return s.pick(self.counts, self.some)

    def _arms(self, s: Setting) -> dict[str, Arm]:
        wanted = {name: arm for name, arm in self.arms.items() if s.full or not arm.full_only}
        controls = s.controls(*dict.fromkeys(VARIANTS[arm.control][0] for arm in wanted.values()))
        schedulers = s.having(*dict.fromkeys(arm.scheduler for arm in wanted.values()))
        return {
            name: arm
            for name, arm in wanted.items()
            if VARIANTS[arm.control][0] in controls and arm.scheduler in schedulers
        }

    def _cell(self, s: Setting, arm: Arm, servers: int) -> list[Conditions]:
        """300 requests, or 10."""
        work = Incast(self.volume(servers), s.pick(100, 10))
        return [arm.conditions(servers, work, seed) for seed in range(s.pick(3, 1))]

    def plan(self, s: Setting) -> list[Conditions]:
        arms = self._arms(s).values()
        return [c for arm in arms for n in self._counts(s) for c in self._cell(s, arm, n)]

    def draw(self, s: Setting, results: Outcome, canvas: Canvas) -> Table:
        counts = self._counts(s)
        table = Table(["servers", *map(str, counts)])
        left, right = canvas.subplots(1, 2)
        for name, arm in self._arms(s).items():
            cells = [[results[c] for c in self._cell(s, arm, n) if c in results] for n in counts]
            rates = [[r.goodput / 1e6 for r in cell] for cell in cells]
            rounds = [[MS * t for r in cell for t in r.main.get("rounds_s", ())] for cell in cells]
            style = palette.line(name)
            left.plot(counts, list(map(middle, rates)), marker="o", label=name, markersize=3, **style)
            if all(rates):
                left.fill_between(
                    counts, list(map(min, rates)), list(map(max, rates)), color=style["color"], alpha=0.15
                )
            right.plot(counts, list(map(middle, rounds)), marker="o", label=name, markersize=3, **style)
            _add_rows(table, name, cells, rates, rounds)
        left.set(xlabel="servers", ylabel="goodput [Mbit/s]", ylim=(0, None))
        right.set(xlabel="servers", ylabel="median time of a request [ms]", ylim=(0, None))
        for axes in (left, right):
            axes.grid(alpha=0.3)
            legend(axes)
        return table


def _add_rows(
    table: Table, name: str, cells: list[list[Result]], rates: list[list[float]], rounds: list[list[float]]
) -> None:
    """Of several runs also how far they are apart; a percentile only of enough requests."""
    table.add(f"{name}: goodput Mbit/s", *map(middle, rates))
    if any(len(runs) > 1 for runs in rates):
        spread = [f"{min(runs):.2f} to {max(runs):.2f}" if runs else "" for runs in rates]
        table.add(f"{name}: goodput, least to most", *spread)
    table.add(f"{name}: request ms, median", *map(middle, rounds))
    if any(len(times) >= metrics.PERCENTILES_FROM for times in rounds):
        of_each = [metrics.percentiles_or_none(times, (99,))[0] for times in rounds]
        table.add(f"{name}: request ms, p99", *("" if p99 is None else p99 for p99 in of_each))
    table.add(f"{name}: request ms, slowest", *(max(times, default=float("nan")) for times in rounds))
    table.add(f"{name}: timeouts per request", *map(_timeouts, cells, rounds))


def _timeouts(cell: list[Result], rounds: list[float]) -> float:
    """Retransmission timers that expired, of all servers together."""
    count = sum(f.get("timeouts", 0) for r in cell for f in r.flows)
    return count / len(rounds) if rounds else float("nan")


def per_server(servers: int) -> int:
    """Bytes of each: always the same."""
    return PER_SERVER


def per_request(servers: int) -> int:
    """Bytes of each: all together always the same."""
    return PER_REQUEST // servers


def slowest_answer(result: Result) -> float:
    """Seconds, over all rounds and servers."""
    return max(f["answer_max_s"] for f in result.flows)


INCAST = [
    ManyServers(
        "incast", "Many servers answer at the same time",
        "Li (Improving the Efficiency of Multipath Transport Protocols, 2014, figure 3.14): with"
        " more servers the goodput of coupled control collapses, that of equally weighted control does not",
    ),
    Collapse(
        "incast-server", "Incast, 256 KB from each server",
        "Li (2014, figure 3.14a): MPTCP's goodput suffers as servers become more, that of EW-MPTCP"
        " rises smoothly up to 48",
        per_server,
        {
            "reno": Arm("reno"),
            "cubic": Arm("cubic", full_only=True),
            "lia": Arm("lia"),
            "ewlia, 1/n": Arm("ewlia, 1/n"),
            "ewlia, 1/n²": Arm("ewlia, 1/n²"),
        },
    ),
    Collapse(
        "incast-request", "Incast, 4 MB from all servers together",
        "Li (2014, figure 3.14b): as with a fixed volume per server",
        per_request,
        {
            "reno": Arm("reno"),
            "cubic": Arm("cubic", full_only=True),
            "lia": Arm("lia"),
            "lia, IW 2": Arm("lia", initcwnd=2, full_only=True),
            "lia, IW 1": Arm("lia", initcwnd=1),
            "ewlia, 1/n": Arm("ewlia, 1/n"),
            "ewlia, 1/n, inorder": Arm("ewlia, 1/n", scheduler="inorder"),
            "ewlia, 1/n²": Arm("ewlia, 1/n²", full_only=True),
        },
    ),
    Collapse(
        "incast-mtu", "Incast, 4 MB from up to 300 servers together, by MTU",
        "Li (2014, figure 3.15): EW-MPTCP collapses, too, at some number of servers, a small MTU"
        " mitigates it",
        per_request,
        {
            # default would send all of so short an answer over one bottleneck
            "lia, MTU 1500": Arm("lia", scheduler="inorder"),
            **{f"ewlia, MTU {mtu}": Arm("ewlia, 1/n", mtu=mtu, scheduler="inorder") for mtu in MTUS},
        },
        TO_300, (100, 200),
    ),
    Collapse(
        "incast-tcp", "Incast, 4 MB from all servers together: plain TCP over one bottleneck",
        "Li (2014, section 3.3) says that equal weights work for TCP in single-homed data centres,"
        " too, and shows no figures",
        per_request,
        {
            "reno": Arm("reno", mptcp=False),
            "cubic": Arm("cubic", mptcp=False, full_only=True),
            "reno, IW 1": Arm("reno", mptcp=False, initcwnd=1, full_only=True),
            "ewlia, 1/n": Arm("ewlia, 1/n", mptcp=False),
        },
    ),
]  # fmt: skip
