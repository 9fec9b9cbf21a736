# SPDX-License-Identifier: MIT
"""What a connection costs while many others are there: CPU time to make, use and close it, and
memory of an idle one.

Both ends are in one guest. What comes before is measured by itself, and taken off.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from rich.markup import escape
from rich.table import Table

from ...lab.guest import INSIDE, Guests, scratch
from ...traffic.base import ISOLATED, MPTCP, PYTHON, Json
from .measure import in_turn, ratio, used

PRESENT = (0, 1000, 20000)  # other connections
TIMES = 20000  # connections made and closed
MEMORY = "3G"  # of the guest: 20,000 connections take 200 MB, and it takes from the host what it uses


@dataclass(frozen=True)
class Crowd:
    """What is compared: connections of a protocol beside others."""

    guests: Guests
    protocol: str
    present: int


@dataclass(frozen=True)
class Figures:
    """CPU microseconds of a connection; bytes of an idle one, both ends together; how many of those that
    are there are plain TCP, as tokens were short."""

    cpu: float
    memory: float
    plain: int


def _run(crowd: Crowd, times: int) -> tuple[float, Json]:
    """CPU seconds, and what the program in the guest found."""
    before = used()
    with scratch() as directory:
        out = directory / "crowd.json"
        config = {"program": "crowd.crowd", "protocol": crowd.protocol, "present": crowd.present}
        config |= {"times": times, "out": str(out)}
        command = f"{PYTHON} {ISOLATED} {shlex.join([str(INSIDE), json.dumps(config)])}"
        crowd.guests.run(f"{command}\n", directory, "--mem", MEMORY)
        return used() - before, json.loads(out.read_text())


def _figures(crowd: Crowd) -> Figures:
    base, _ = _run(crowd, 0)
    cpu, found = _run(crowd, TIMES)
    return Figures((cpu - base) / TIMES * 1e6, found["bytes"], found["plain"])


def compare(kernels: Sequence[Path], rounds: int) -> Table:
    """Connections on both kernels, and the ratio first to second."""
    title = f"A connection made, used and closed, {rounds} rounds in turn: medians, [min..max]"
    view = Table(title=escape(title), title_justify="left")
    names = [os.path.relpath(kernel) for kernel in kernels]
    columns = ("protocol", "others", *(f"{name} µs" for name in names), "ratio")
    for column in (*columns, *(f"{name} {what}" for what in ("bytes", "as TCP") for name in names)):
        view.add_column(column, justify="left" if column == "protocol" else "right")
    with ExitStack() as stack:
        each = [stack.enter_context(Guests(kernel)) for kernel in kernels]
        for protocol in ("tcp", MPTCP):
            for present in PRESENT:
                crowds = [Crowd(guests, protocol, present) for guests in each]
                found = in_turn(crowds, _figures, rounds, f"{protocol}, {present} others")
                cpus = [[figures.cpu for figures in one] for one in found]
                idle = [f"{median(f.memory for f in one):.0f}" if present else "" for one in found]
                plain = [f"{median(f.plain for f in one):,.0f}" if present else "" for one in found]
                shown = (*(f"{median(one):.1f}" for one in cpus), ratio(*cpus), *idle, *plain)
                view.add_row(protocol, f"{present:,}", *shown)
    return view
