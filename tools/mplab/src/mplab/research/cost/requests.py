# SPDX-License-Identifier: MIT
"""HTTP requests of many clients (Paasch 2014, section 5.6): per second as the links allow, in virtual time,
and the CPU time of each, both ends together.

nginx and ab, a connection for each request. What the guest takes without them is taken off: the same
run with few requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median

from rich.markup import escape
from rich.table import Table

from ...lab import paths
from ...lab.guest import Guests
from ...run.experiment import TCP, Conditions, Result, measure
from ...traffic import Http
from .measure import in_turn, used

LINK, LINKS, CLIENTS = "1gbit,200us,50ms", 2, 100
# requests by size: enough for some seconds of CPU time
SIZES = {
    **{1_000: 20_000, 10_000: 15_000, 30_000: 8_000, 60_000: 5_000, 100_000: 3_000, 150_000: 2_000},
    **{300_000: 1_500, 1_000_000: 500, 10_000_000: 100},
}


@dataclass(frozen=True)
class Rival:
    """How both links are used, or one."""

    name: str
    scheduler: str
    topology: str = "disjoint"


RIVALS = (
    Rival("TCP, one link", TCP),
    Rival("TCP, bonding", TCP, "one address"),
    Rival("MPTCP, default", "default", "one address"),
    Rival("MPTCP, inorder", "inorder", "one address"),
)


@dataclass(frozen=True)
class Figures:
    """CPU seconds per request; requests per second."""

    cpu: float
    rate: float


def _run(guests: Guests, rival: Rival, size: int, requests: int) -> tuple[float, Result]:
    """CPU seconds, and what came of it."""
    before = used()
    work = Http(size=size, requests=requests, clients=min(CLIENTS, requests))
    wanted = Conditions((paths.parse(LINK),) * LINKS, rival.scheduler, "cubic", work, rival.topology)
    result = measure(guests, wanted, cpu=0)
    return used() - before, result


def _figures(rival: Rival, guests: Guests, size: int) -> Figures:
    few, many = 10, SIZES[size]
    base, _ = _run(guests, rival, size, few)
    cpu, result = _run(guests, rival, size, many)
    return Figures((cpu - base) / (many - few), result.main["requests_per_second"])


def compare(guests: Guests, rounds: int) -> Table:
    """A row for each size: requests per second and CPU time of each rival."""
    network = f"{CLIENTS} clients, {LINKS} x {LINK}, {rounds} rounds"
    title = f"HTTP, {network}: requests per second; CPU per request, ms, median"
    view = Table(title=escape(title), title_justify="left")
    view.add_column("bytes", justify="right")
    for what in ("/s", "ms"):
        for rival in RIVALS:
            view.add_column(f"{rival.name} {what}", justify="right")
    for size in SIZES:
        found = in_turn(RIVALS, partial(_figures, guests=guests, size=size), rounds, f"{size} bytes")
        view.add_row(
            f"{size}", *_rates(found), *(f"{median(f.cpu for f in each) * 1e3:.2f}" for each in found)
        )
    return view


def _rates(found: Sequence[Sequence[Figures]]) -> list[str]:
    """Equal in all rounds: virtual time."""
    return [f"{each[0].rate:.0f}" for each in found]
